"""Restitution of viscoelastic spheres, which falls with the speed."""

from __future__ import annotations

import math
from typing import ClassVar

from barchan.parts.laws import Surface
from barchan.parts.restitutions import Restitution
from barchan.schema.quantities import PositiveSpeed


def rebound(speed: float, a: float, b: float, c: float) -> float:
    """εn of spheres with the force ξ^(3/2) + β ξ̇ ξ^(1/2), which never pulls; a = √β, and only x = a v^(1/10) matters.

    The first coefficient is Schwager and Pöschel's; the others were fitted to integrated collisions, to 0.2% of εn for
    β v^(1/5) up to 40, where εn is 0.002.
    """
    x = a * math.pow(speed, 0.1)
    return 1.0 / (1.0 + x * x * (1.15344 + x * (0.0498522 + x * (0.3797344 + x * (-0.0474568 + 0.0028095 * x)))))


class Viscoelastic(Restitution):
    """That of viscoelastic spheres, which falls with the speed.

    Slow collisions are nearly elastic: 1 − εn goes as the fifth root of the speed.
    """

    key: ClassVar[str] = "viscoelastic"
    rebound = staticmethod(rebound)

    speed: PositiveSpeed = 1.0
    """The approach speed at which the materials' restitution holds."""

    def constants(self, surface: Surface) -> tuple[float, float, float]:
        wanted = 1.0 if surface.restitution is None else surface.restitution
        low, high = 0.0, 1.0
        while rebound(self.speed, high, 0.0, 0.0) > wanted:
            high *= 2.0
        for _ in range(200):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if rebound(self.speed, middle, 0.0, 0.0) > wanted else (low, middle)
        return low, 0.0, 0.0
