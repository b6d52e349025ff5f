"""What a scene can name: a folder for every family, a file for every part. `barchan.parts(family)` lists them."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from barchan.registry import Part


class _Listed(ModuleType):
    """A package that can be called, as the public function of its name was there before the folder."""

    def __call__(self, family: str) -> dict[str, type[Part]]:
        """All parts of a family by name: see `barchan.registry.parts`."""
        from barchan.registry import parts

        return parts(family)


sys.modules[__name__].__class__ = _Listed
