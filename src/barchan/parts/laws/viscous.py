"""Yee's law 1: friction without memory. Piles always flow away in the end."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

from barchan.parts.laws import TINY, Contact, Surface, Vector, length, scaled
from barchan.parts.laws._normal import GRAVITY, hertz_energy, viscoelastic_constant, viscoelastic_force
from barchan.parts.laws._viscoelastic import Viscoelastic
from barchan.schema.quantities import Damping, PositiveSpeed


class ViscousConstants(NamedTuple):
    """Constants of a pair of materials."""

    stiffness: float  # kα/√R*, N/m²
    damping: float  # kβ, N s/m^(3/2)
    damping_scale: float
    friction: float
    drag: float  # kt, N s/m
    drag_rate: float  # kt per effective mass, 1/s


def force(contact: Contact, memory: Any, p: ViscousConstants) -> tuple[float, Vector, Any]:
    """|Ft| = min(μs Fn, kt |Vt|)."""
    stiffness = p.stiffness * math.sqrt(contact.radius)
    damping = viscoelastic_constant(stiffness, contact.mass, p.damping, p.damping_scale)
    normal = viscoelastic_force(contact.overlap, contact.closing, stiffness, damping)
    drag = p.drag + p.drag_rate * contact.mass
    speed = max(length(contact.slip), TINY)
    return normal, scaled(contact.slip, min(drag, p.friction * normal / speed)), memory


def stored(overlap: float, radius: float, mass: float, memory: Any, p: ViscousConstants) -> tuple[float, float]:
    """Hertz's energy, and nothing in the tangential direction, J."""
    return hertz_energy(overlap, p.stiffness * math.sqrt(radius)), 0.0


class Viscous(Viscoelastic):
    """Yee's law 1: viscous friction under Coulomb's limit, no memory; piles flow away."""

    key: ClassVar[str] = "viscous"
    Constants = ViscousConstants
    force = staticmethod(force)
    stored = staticmethod(stored)

    drag: Damping | None = None
    """Friction over slip speed below Coulomb's limit, kt; left out, a grain's own weight brings friction to that limit
    at `creep_speed`."""
    creep_speed: PositiveSpeed = 0.01
    """The slip speed at which a grain's weight calls up all of its friction, where `drag` is left out."""

    @property
    def passive(self) -> bool:
        return True

    def friction_constants(self, surface: Surface) -> dict[str, float]:
        # The effective mass of two equal grains is half a grain's; against a wall it is the grain's own.
        grain_per_effective = 1.0 if surface.wall else 2.0
        rate = surface.friction * GRAVITY * grain_per_effective / self.creep_speed
        return {
            "friction": surface.friction,
            "drag": self.drag or 0.0,
            "drag_rate": rate if self.drag is None else 0.0,
        }
