"""Yee's law 3 (Zhou 1999, Baxter 1997): friction with a vector memory of the displacement, and damping."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, NamedTuple

from annotated_types import Gt

from barchan.parts.laws import TINY, Contact, Surface, Vector, cap, combined, dot, length, scaled
from barchan.parts.laws._normal import hertz_energy, viscoelastic_constant, viscoelastic_force
from barchan.parts.laws._viscoelastic import Viscoelastic
from barchan.schema.quantities import Coefficient, Time, Unit


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
    normal, most, farthest, memory, left = _loaded(contact, memory, p)
    slope = p.exponent * max(left, SOFTEST) ** (p.exponent - 1)
    return _rubbed(contact, p, normal, most, farthest, memory, left**p.exponent, slope)


def root_force(contact: Contact, memory: Any, p: DisplacementConstants) -> tuple[float, Vector, Any]:
    """The same for γ = 1/2, the default: square roots become vector instructions, powers do not."""
    normal, most, farthest, memory, left = _loaded(contact, memory, p)
    slope = 0.5 / math.sqrt(max(left, SOFTEST))
    return _rubbed(contact, p, normal, most, farthest, memory, math.sqrt(left), slope)


def _loaded(contact: Contact, memory: Any, p: DisplacementConstants) -> tuple[float, float, float, Any, float]:
    """Fn, μs Fn, δmax, δ cut to it, and 1 − δ/δmax."""
    stiffness = p.stiffness * math.sqrt(contact.radius)
    damping = viscoelastic_constant(stiffness, contact.mass, p.damping, p.damping_scale)
    normal = viscoelastic_force(contact.overlap, contact.closing, stiffness, damping)
    farthest = max(p.reach * contact.overlap, TINY)
    memory = scaled(memory, cap(farthest, dot(memory, memory)))
    return normal, p.friction * normal, farthest, memory, 1 - min(length(memory) / farthest, 1.0)


def _rubbed(
    contact: Contact, p: DisplacementConstants, normal: float, most: float, farthest: float, memory: Any, rest: float,
    slope: float,
) -> tuple[float, Vector, Any]:  # fmt: skip
    """The answer of `force`; rest: (1 − δ/δmax)^γ, slope: of 1 − rest by δ/δmax."""
    spring = most * (1 - rest) / max(length(memory), TINY)
    stiffness = most * slope / farthest
    critical = 2 * math.sqrt(contact.mass * stiffness)
    dashpot = min(p.retardation * stiffness + p.share * critical, critical)
    friction = combined(spring, memory, dashpot, contact.slip)
    return normal, scaled(friction, cap(most, dot(friction, friction))), memory


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
    sticks = True
    advance = "vector"
    Constants = DisplacementConstants
    force = staticmethod(force)
    stored = staticmethod(stored)

    exponent: Annotated[float, Gt(0), Unit("")] = 0.5
    """The shape γ of the friction spring; 1.5 is Mindlin's."""
    retardation: Time | None = None
    """Damping over slope of the friction spring, kt; left out, `share` of critical damping is used."""
    share: Coefficient = 0.5
    """How much of critical damping the friction spring has, where `retardation` is left out."""

    def form(self) -> tuple[Callable[..., Any], bool]:
        return (root_force, False) if self.exponent == 0.5 else (force, True)

    def friction_constants(self, surface: Surface) -> dict[str, float]:
        return {
            "friction": surface.friction,
            "reach": surface.friction * (2 - surface.poisson) / (2 * (1 - surface.poisson)),
            "exponent": self.exponent,
            "retardation": self.retardation or 0.0,
            "share": self.share if self.retardation is None else 0.0,
        }
