"""Restitution that falls with a power of the speed."""

from __future__ import annotations

import math
from typing import ClassVar

from barchan.parts.laws import Surface
from barchan.parts.restitutions import Restitution
from barchan.schema.quantities import Coefficient, PositiveSpeed


def rebound(speed: float, a: float, b: float, c: float) -> float:
    """εn = a (v/b)^−c, at most 1."""
    share = math.pow(speed / b, c)
    return a / share if share > a else 1.0


class Power(Restitution):
    """εn (v/`speed`)^−`exponent`, at most 1, at the approach speed v; εn is the materials' restitution."""

    key: ClassVar[str] = "power"
    rebound = staticmethod(rebound)

    speed: PositiveSpeed = 1.0
    """The approach speed at which the materials' restitution holds."""
    exponent: Coefficient = 0.234
    """How steeply restitution falls with the speed; 0.234 is for ice in Saturn's rings (Bridges, Hatzes and Lin
    1984)."""

    def constants(self, surface: Surface) -> tuple[float, float, float]:
        return 1.0 if surface.restitution is None else surface.restitution, self.speed, self.exponent
