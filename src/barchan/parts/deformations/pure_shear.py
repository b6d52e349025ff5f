"""A box that is sheared along its axes."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar

from annotated_types import Ge, Le

from barchan.parts.deformations import Stretch
from barchan.schema.quantities import Unit


class PureShear(Stretch):
    """The box grows along x and shrinks along z at constant volume."""

    key: ClassVar[str] = "pure-shear"
    strain: Annotated[float, Ge(-100), Le(100), Unit("")]
    """The strain at the end: ln(x/x₀) − ln(z/z₀)."""

    def amounts(self, fraction: float) -> tuple[float, float]:
        return self.strain, 0.0

    def limit(self, axis: int, ratio: float, fraction: float, directions: int) -> tuple[str, float]:
        return "strain", math.copysign(2 * math.log(ratio), self.strain)
