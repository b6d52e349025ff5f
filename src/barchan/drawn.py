"""Results that show themselves: `plot(ax=None)`, and a picture where a notebook asks for one.

A result is found far to the left of the room `draw` and knows nothing about it. What is asked here is answered by the
function that the package hands over when it is loaded.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Painter = Callable[[Any, Any], Any]  # a result and axes, or None for new ones; answers with the axes

_find: list[Callable[[], Painter]] = []


def draw_with(find: Callable[[], Painter]) -> None:
    """Say where the function is that draws results; it is looked for when the first one is drawn."""
    _find[:] = [find]


class Drawn:
    """A result with a picture."""

    def plot(self, ax: Any = None) -> Any:
        """Draw it into matplotlib's axes `ax`, or into a figure of its own; answers with the axes."""
        return _find[0]()(self, ax)

    def _repr_png_(self) -> bytes:
        """The picture in a notebook."""
        figure = self.plot().figure
        stream = io.BytesIO()
        figure.savefig(stream, dpi=figure.dpi, format="png")
        return stream.getvalue()
