"""A box that is sheared along its axes."""

from __future__ import annotations

import math
from typing import ClassVar

from barchan.parts.deformations import Stretch
from barchan.schema.quantities import Number


class PureShear(Stretch):
    """The box grows along x and shrinks along z at constant volume."""

    key: ClassVar[str] = "pure-shear"
    strain: Number
    """The strain at the end: ln(x/x₀) − ln(z/z₀)."""

    def amounts(self, fraction: float) -> tuple[float, float]:
        return self.strain, 0.0

    def limit(self, axis: int, ratio: float, fraction: float, directions: int) -> tuple[str, float]:
        return "strain", math.copysign(2 * math.log(ratio), self.strain)
