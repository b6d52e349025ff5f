"""Yee's law 3 (Zhou 1999, Baxter 1997): friction with a vector memory of the displacement, and damping."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, NamedTuple

from annotated_types import Gt

from barchan.laws import TINY, Contact, Surface, Vector, combined, length, scaled, shrink_to
from barchan.laws._normal import hertz_energy, viscoelastic_constant, viscoelastic_force
from barchan.laws._viscoelastic import Viscoelastic
from barchan.scene.quantities import Coefficient, Time, Unit


class DisplacementConstants(NamedTuple):
    """Constants of a pair of materials."""

    stiffness: float  # kα/√R*, N/m²
    damping: float  # kβ, N s/m^(3/2)
    damping_scale: float
    friction: float
    reach: float  # δmax/ξ
    exponent: float  # γ
    retardation: float  # kt, s
    share: float  # of critical damping


SOFTEST = 0.01  # floor of 1 − δ/δmax in the slope, which is infinite at δmax where γ < 1


def force(contact: Contact, memory: Any, p: DisplacementConstants) -> tuple[float, Vector, Any]:
    """Ft = μs Fn [1 − (1 − δ/δmax)^γ] δ/|δ| + dt Vt, at most μs Fn; δ never grows beyond δmax.

    dt is kt times the slope of the spring, or a share of critical damping, and never above critical damping.
    """
    stiffness = p.stiffness * math.sqrt(contact.radius)
    damping = viscoelastic_constant(stiffness, contact.mass, p.damping, p.damping_scale)
    normal = viscoelastic_force(contact.overlap, contact.closing, stiffness, damping)
    most = p.friction * normal
    farthest = max(p.reach * contact.overlap, TINY)
    memory = scaled(memory, shrink_to(farthest, length(memory)))
    stretch = length(memory)
    left = 1 - min(stretch / farthest, 1.0)
    spring = most * (1 - left**p.exponent) / max(stretch, TINY)
    slope = most * p.exponent / farthest * max(left, SOFTEST) ** (p.exponent - 1)
    critical = 2 * math.sqrt(contact.mass * slope)
    dashpot = min(p.retardation * slope + p.share * critical, critical)
    friction = combined(spring, memory, dashpot, contact.slip)
    return normal, scaled(friction, shrink_to(most, length(friction))), memory


def stored(overlap: float, radius: float, mass: float, memory: Any, p: DisplacementConstants) -> tuple[float, float]:
    """Hertz's energy, and the work that loads the friction spring under the present load, J."""
    stiffness = p.stiffness * math.sqrt(radius)
    farthest = max(p.reach * overlap, TINY)
    stretch = min(length(memory), farthest)
    rest = 1 - (1 - stretch / farthest) ** (p.exponent + 1)
    load = p.friction * stiffness * overlap * math.sqrt(overlap)
    return hertz_energy(overlap, stiffness), load * (stretch - farthest / (p.exponent + 1) * rest)


class Displacement(Viscoelastic):
    """Yee's law 3: friction with a vector memory and damping; holds a pile (Zhou, Baxter)."""

    key: ClassVar[str] = "displacement"
    memory = 3
    advance = "vector"
    Constants = DisplacementConstants
    force = staticmethod(force)
    stored = staticmethod(stored)

    exponent: Annotated[float, Gt(0), Unit("")] = 0.5
    """γ, the shape of the spring; 3/2 is Mindlin's."""
    retardation: Time | None = None
    """kt, s: damping over slope of the spring; left out, `share` of critical damping is used."""
    share: Coefficient = 0.5
    """Share of critical damping of the friction spring, where `retardation` is left out."""

    def friction_constants(self, surface: Surface) -> dict[str, float]:
        return {
            "friction": surface.friction,
            "reach": surface.friction * (2 - surface.poisson) / (2 * (1 - surface.poisson)),
            "exponent": self.exponent,
            "retardation": self.retardation or 0.0,
            "share": self.share if self.retardation is None else 0.0,
        }
