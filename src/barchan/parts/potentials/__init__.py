"""Pair potentials: what an overlap costs, for packings without time.

One file each, a frozen parameter class and the energy as a plain scalar function beside it. A potential is what a
contact law is without time: from the overlap alone follow energy, force and stiffness. It knows no index, no array and
no box; `kernels/` compiles the one function into the loops of the solver `relax`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from barchan.parts.laws import Surface
from barchan.registry import Part


class Potential(Part):
    """Base of potentials.

    A file holds a subclass with its `key` and parameters, a NamedTuple of floats (`Constants`), and the plain function
    `push`, named as a class attribute with staticmethod.
    """

    family: ClassVar[str] = "potentials"
    Constants: ClassVar[type[Any]]
    push: ClassVar[Callable[..., Any]]  # (overlap m, effective radius m, p) -> energy J, force N, stiffness N/m

    def constants(self, surface: Surface) -> Any:
        """The potential's constants for a pair of materials."""
        raise TypeError(f"{type(self).__name__} defines no constants")
