"""The linear spring and dashpot with a capped tangential spring (Cundall and Strack 1979)."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, NamedTuple

from annotated_types import Gt

from barchan.parts.laws import Contact, Law, Surface, Vector, cap, combined, dot, length, scaled
from barchan.parts.laws._normal import damping_ratio, dashpot_share
from barchan.schema.quantities import Stiffness, Unit


class LinearConstants(NamedTuple):
    """Constants of a pair of materials."""

    stiffness: float  # N/m, if given
    modulus: float  # Pa: stiffness per effective radius, otherwise
    damping: float  # share of critical damping
    tangential: float  # tangential over normal stiffness
    friction: float


def force(contact: Contact, memory: Any, p: LinearConstants) -> tuple[float, Vector, Any]:
    """Fn = k ξ + γ ξ̇ ≥ 0, Ft = kt δ + γt Vt; the spring, and the sum, at most μ Fn.

    γ is a little other in the step in which two bodies meet, and for the length of a step: see `dashpot_share`.
    """
    stiffness = p.stiffness + p.modulus * contact.radius
    viscosity = 2 * p.damping * math.sqrt(stiffness * contact.mass)
    viscosity *= dashpot_share(contact.overlap, contact.closing, contact.half, stiffness, contact.mass)
    normal = max(0.0, stiffness * contact.overlap + viscosity * contact.closing)
    spring = p.tangential * stiffness
    dashpot = 2 * p.damping * math.sqrt(spring * contact.mass)
    most = p.friction * normal
    pull = scaled(memory, spring)
    memory = scaled(memory, cap(most, dot(pull, pull)))
    friction = combined(spring, memory, dashpot, contact.slip)
    return normal, scaled(friction, cap(most, dot(friction, friction))), memory


def stored(overlap: float, radius: float, mass: float, memory: Any, p: LinearConstants) -> tuple[float, float]:
    """½ k ξ² and ½ kt δ², J."""
    stiffness = p.stiffness + p.modulus * radius
    stretch = length(memory)
    return 0.5 * stiffness * overlap * overlap, 0.5 * p.tangential * stiffness * stretch * stretch


class Linear(Law):
    """Linear spring and dashpot, tangential spring capped by Coulomb's limit."""

    key: ClassVar[str] = "linear"
    memory = 3
    sticks = True
    advance = "vector"
    Constants = LinearConstants
    force = staticmethod(force)
    stored = staticmethod(stored)

    stiffness: Stiffness | None = None
    """Force over overlap, normal to the contact; left out, 2 E* times the effective radius."""
    tangential: Annotated[float, Gt(0), Unit("")] = 2 / 7
    """The stiffness along the contact over that normal to it."""

    @property
    def passive(self) -> bool:
        return True

    def constants(self, surface: Surface) -> LinearConstants:
        restitution = 0.5 if surface.restitution is None else surface.restitution
        return LinearConstants(
            stiffness=self.stiffness or 0.0,
            modulus=0.0 if self.stiffness else 2 * surface.young,
            damping=damping_ratio(restitution),
            tangential=self.tangential,
            friction=surface.friction,
        )

    def contact_time(self, surface: Surface, radius: float, mass: float, speed: float) -> float:
        p = self.constants(surface)
        return math.pi * math.sqrt(mass / (p.stiffness + p.modulus * radius))
