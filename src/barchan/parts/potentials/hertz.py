"""Hertz's elastic spheres."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

from barchan.parts.laws import Surface
from barchan.parts.potentials import Potential


class HertzConstants(NamedTuple):
    """Constants of a pair of materials."""

    young: float  # E*, Pa


def push(overlap: float, radius: float, p: HertzConstants) -> tuple[float, float, float]:
    """(8/15) E* √R* ξ^(5/2), (4/3) E* √R* ξ^(3/2), 2 E* √(R* ξ)."""
    slope = 2 * p.young * math.sqrt(radius * overlap)
    return (4 / 15) * slope * overlap * overlap, (2 / 3) * slope * overlap, slope


class Hertz(Potential):
    """Hertz's elastic spheres: energy ∝ ξ^(5/2); at rest the same normal force as the contact law `hertz`."""

    key: ClassVar[str] = "hertz"
    Constants = HertzConstants
    push = staticmethod(push)

    def constants(self, surface: Surface) -> HertzConstants:
        return HertzConstants(surface.young)
