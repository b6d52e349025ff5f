"""Stick and slip with a virtual spring, reversible in both directions (Hasan and van Opheusden 2007)."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, NamedTuple

from annotated_types import Gt

from barchan.parts.laws import TINY, Contact, Law, Surface, Vector, cap, combined, dot, length, scaled
from barchan.parts.laws._normal import damping_ratio
from barchan.schema.quantities import Damping, Fraction, Stiffness, Unit

BEGUN, STICK, SLIP = 0.0, 1.0, 2.0  # what a contact remembers of its mode: nothing yet, sticking, slipping


class StickSlipConstants(NamedTuple):
    """Constants of a pair of materials."""

    stiffness: float  # kn, N/m, if given
    modulus: float  # Pa: stiffness per effective radius, otherwise
    viscosity: float  # γn, N s/m, if given
    damping: float  # share of critical damping, otherwise
    tangential: float  # kt/kn
    dashpot: float  # γt, N s/m, if given
    dashpot_share: float  # of critical damping, otherwise
    static: float  # μs
    sliding: float  # μd
    stick_speed: float  # ε, m/s


def force(contact: Contact, memory: Any, p: StickSlipConstants) -> tuple[float, Vector, Any]:
    """Fn = kn ξ + γn ξ̇ ≥ 0; sticking Ft = kt δ + γt Vt, at most μs Fn; slipping Ft = μd Fn along Vt.

    A contact remembers its mode, the speed of slip a step ago, and δ, or while it slips the direction a step ago. It
    begins to stick where the speed is at most ε and falls (the net tangential force opposes the slip), where slip has
    turned round within a step that is too long to see it pass through ε, or where it is at most ε when the bodies meet.
    It slips from the moment on at which kt |δ| exceeds μs Fn, and δ is forgotten. The dashpot may not add to the spring
    more than Coulomb's limit allows: the paper does not say so, but finds what it finds on five spheres only then (H2).
    """
    stiffness = p.stiffness + p.modulus * contact.radius
    viscosity = p.viscosity + 2 * p.damping * math.sqrt(stiffness * contact.mass)
    normal = max(0.0, stiffness * contact.overlap + viscosity * contact.closing)
    spring = p.tangential * stiffness
    dashpot = p.dashpot + 2 * p.dashpot_share * math.sqrt(spring * contact.mass)
    speed = length(contact.slip)
    mode = memory[3]
    kept = (memory[0], memory[1], memory[2])
    stretch = scaled(kept, 0.0 if mode == SLIP else 1.0)
    slow = speed <= p.stick_speed and (mode == BEGUN or speed < memory[4])
    turned = mode == SLIP and dot(contact.slip, kept) < 0
    most = p.static * normal
    if (mode == STICK or slow or turned) and spring * length(stretch) <= most:
        friction = combined(spring, stretch, dashpot, contact.slip)
        friction = scaled(friction, cap(most, dot(friction, friction)))
        return normal, friction, (stretch[0], stretch[1], stretch[2], STICK, speed)
    way = scaled(contact.slip, 1 / max(speed, TINY))  # of length 1: what the kernel adds, slip · dt, is nothing to it
    return normal, scaled(way, p.sliding * normal), (way[0], way[1], way[2], SLIP, speed)


def stored(overlap: float, radius: float, mass: float, memory: Any, p: StickSlipConstants) -> tuple[float, float]:
    """½ kn ξ², and ½ kt δ² while the contact sticks, J."""
    stiffness = p.stiffness + p.modulus * radius
    stretch = length((memory[0], memory[1], memory[2])) if memory[3] == STICK else 0.0
    return 0.5 * stiffness * overlap * overlap, 0.5 * p.tangential * stiffness * stretch * stretch


class StickSlip(Law):
    """Stick and slip: a damped virtual spring while a contact sticks, two coefficients of friction (Hasan)."""

    key: ClassVar[str] = "stick-slip"
    memory = 5
    advance = "vector"
    scalar = True
    mode_at = 3
    modes = ("stick", "slip")
    Constants = StickSlipConstants
    force = staticmethod(force)
    stored = staticmethod(stored)

    stiffness: Stiffness | None = None
    """Force over overlap, kn; left out, 2 E* times the effective radius."""
    damping: Damping | None = None
    """Normal force over closing speed, γn; left out, it follows from the materials' restitution, or from 0.5 where they
    state none."""
    tangential: Annotated[float, Gt(0), Unit("")] = 1.0
    """The stiffness along the contact over that normal to it, kt/kn."""
    tangential_damping: Damping | None = None
    """Force over slip speed while the contact sticks, γt; left out, critical damping 2 √(m* kt) of the two bodies'
    effective mass."""
    sliding: Fraction = 1.0
    """The friction of a contact that slips over the materials' friction, μd/μs."""
    stick_speed: Annotated[float, Gt(0), Unit("m/s")] = 1e-3
    """Only slip slower than this, ε, can come to stick."""

    @property
    def passive(self) -> bool:
        return True

    def constants(self, surface: Surface) -> StickSlipConstants:
        restitution = 0.5 if surface.restitution is None else surface.restitution
        return StickSlipConstants(
            stiffness=self.stiffness or 0.0,
            modulus=0.0 if self.stiffness else 2 * surface.young,
            viscosity=self.damping or 0.0,
            damping=damping_ratio(restitution) if self.damping is None else 0.0,
            tangential=self.tangential,
            dashpot=self.tangential_damping or 0.0,
            dashpot_share=1.0 if self.tangential_damping is None else 0.0,
            static=surface.friction,
            sliding=self.sliding * surface.friction,
            stick_speed=self.stick_speed,
        )

    def contact_time(self, surface: Surface, radius: float, mass: float, speed: float) -> float:
        p = self.constants(surface)
        stiffness = p.stiffness + p.modulus * radius
        return math.pi * math.sqrt(mass / (stiffness * max(1.0, p.tangential)))
