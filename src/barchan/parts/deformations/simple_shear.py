"""A box whose image above moves."""

from __future__ import annotations

from typing import ClassVar

from barchan.parts.deformations import Deformation
from barchan.schema.quantities import Number


class SimpleShear(Deformation):
    """The image above moves along x (Lees and Edwards)."""

    key: ClassVar[str] = "simple-shear"
    strain: Number
    """The strain at the end: that shift over the height."""

    def tilt(self, part: float) -> float:
        return self.strain * part
