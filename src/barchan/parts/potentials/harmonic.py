"""The linear spring (Krijgsman and Luding 2016, eq. 1)."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from barchan.parts.laws import Surface
from barchan.parts.potentials import Potential
from barchan.schema.quantities import Stiffness


class HarmonicConstants(NamedTuple):
    """Constants of a pair of materials."""

    stiffness: float  # N/m, if given
    modulus: float  # Pa: stiffness per effective radius, otherwise


def push(overlap: float, radius: float, p: HarmonicConstants) -> tuple[float, float, float]:
    """½ k ξ², k ξ, k."""
    stiffness = p.stiffness + p.modulus * radius
    return 0.5 * stiffness * overlap * overlap, stiffness * overlap, stiffness


class Harmonic(Potential):
    """A linear spring: energy ½ k ξ²; at rest the same force as the contact law `linear`."""

    key: ClassVar[str] = "harmonic"
    Constants = HarmonicConstants
    push = staticmethod(push)

    stiffness: Stiffness | None = None
    """Force over overlap, k; left out, 2 E* times the effective radius."""

    def constants(self, surface: Surface) -> HarmonicConstants:
        return HarmonicConstants(self.stiffness or 0.0, 0.0 if self.stiffness else 2 * surface.young)
