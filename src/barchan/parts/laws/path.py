"""Yee's law 2 (Elperin and Golshtein 1997): friction that grows with the path slipped."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

from barchan.parts.laws import TINY, Contact, Surface, Vector, length, scaled
from barchan.parts.laws._normal import hertz_energy, viscoelastic_constant, viscoelastic_force
from barchan.parts.laws._viscoelastic import Viscoelastic
from barchan.schema.quantities import Stiffness


class PathConstants(NamedTuple):
    """Constants of a pair of materials."""

    stiffness: float  # kα/√R*, N/m²
    damping: float  # kβ, N s/m^(3/2)
    damping_scale: float
    friction: float
    spring: float  # kt, N/m, if given
    spring_ratio: float  # kt over the secant stiffness Fn/ξ, otherwise


STEPS_TO_REST = 4.0  # slip may not be brought to rest in fewer steps than this


def force(contact: Contact, memory: Any, p: PathConstants) -> tuple[float, Vector, Any]:
    """|Ft| = min(μs Fn, kt δ) against slip; δ = ∫|Vt| dt is a scalar.

    The direction of vanishing slip is undefined; there friction is the drag that stops the slip in a few steps.
    """
    stiffness = p.stiffness * math.sqrt(contact.radius)
    damping = viscoelastic_constant(stiffness, contact.mass, p.damping, p.damping_scale)
    normal = viscoelastic_force(contact.overlap, contact.closing, stiffness, damping)
    spring = p.spring + p.spring_ratio * stiffness * math.sqrt(contact.overlap)
    speed = max(length(contact.slip), TINY)
    most = min(p.friction * normal, spring * memory[0])
    drag = min(most / speed, contact.mass / (STEPS_TO_REST * contact.step))
    return normal, scaled(contact.slip, drag), memory


def stored(overlap: float, radius: float, mass: float, memory: Any, p: PathConstants) -> tuple[float, float]:
    """Hertz's energy; a force that always opposes slip gives nothing back, J."""
    return hertz_energy(overlap, p.stiffness * math.sqrt(radius)), 0.0


class Path(Viscoelastic):
    """Yee's law 2: friction grows with the path slipped since the contact began (Elperin–Golshtein)."""

    key: ClassVar[str] = "path"
    memory = 1
    advance = "path"
    Constants = PathConstants
    force = staticmethod(force)
    stored = staticmethod(stored)

    spring: Stiffness | None = None
    """The stiffness kt against slip; left out, it is that of the normal contact under its present load."""

    @property
    def passive(self) -> bool:
        return True

    def friction_constants(self, surface: Surface) -> dict[str, float]:
        return {
            "friction": surface.friction,
            "spring": self.spring or 0.0,
            "spring_ratio": 0.0 if self.spring else 1.0,
        }
