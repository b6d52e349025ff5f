"""Hertz–Mindlin with history: non-linear elastic spheres, constant restitution, Mindlin's no-slip tangential spring."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, Literal, NamedTuple

from barchan.parts.laws import Contact, Law, Surface, Vector, cap, combined, dot, length, scaled
from barchan.parts.laws._normal import damping_ratio, hertz_contact_time


class HertzConstants(NamedTuple):
    """Constants of a pair of materials."""

    young: float  # E*, Pa
    damping: float  # 2 √(5/6) ζ
    ratio: float  # kt/Sn = 4 G*/E*
    damping_t: float  # 2 √(5/6) ζ √(kt/Sn)
    friction: float


def force(contact: Contact, memory: Any, p: HertzConstants) -> tuple[float, Vector, Any]:
    """Fn = (4/3) E* a ξ + γ ξ̇ ≥ 0 with a = √(R* ξ); Ft = kt δ + γt Vt, kt = 8 G* a; spring and sum at most μ Fn.

    While kt grows, δ shrinks so that kt δ stays; while it falls, δ stays and kt δ falls with it (Thornton 2013). What
    has slipped since the middle of the step is held by the present kt already, and does not shrink. Damping grows as
    √(m* S), S = 2 E* a being the normal stiffness, so that restitution does not depend on the speed (Tsuji 1992).
    """
    slope = 2 * p.young * math.sqrt(contact.radius * contact.overlap)
    kept = min(1.0, memory[3] / slope)
    stretch = combined(kept, memory, (1 - kept) * contact.half, contact.slip)
    normal, friction, stretch = _held(contact, stretch, slope, p)
    return normal, friction, (stretch[0], stretch[1], stretch[2], slope)


def mindlin_force(contact: Contact, memory: Any, p: HertzConstants) -> tuple[float, Vector, Any]:
    """The same, but δ stays while kt grows: a load that grows between shear and shear back gives energy."""
    slope = 2 * p.young * math.sqrt(contact.radius * contact.overlap)
    normal, friction, stretch = _held(contact, memory, slope, p)
    return normal, friction, (stretch[0], stretch[1], stretch[2], slope)


def _held(
    contact: Contact, stretch: Any, slope: float, p: HertzConstants
) -> tuple[float, Vector, tuple[float, float, float]]:
    """Fn, Ft, and δ cut to Coulomb's limit."""
    critical = math.sqrt(slope * contact.mass)
    normal = max(0.0, (2 / 3) * slope * contact.overlap + p.damping * critical * contact.closing)
    spring = p.ratio * slope
    dashpot = p.damping_t * critical
    most = p.friction * normal
    pull = scaled(stretch, spring)
    stretch = scaled(stretch, cap(most, dot(pull, pull)))
    friction = combined(spring, stretch, dashpot, contact.slip)
    return normal, scaled(friction, cap(most, dot(friction, friction))), stretch


def stored(overlap: float, radius: float, mass: float, memory: Any, p: HertzConstants) -> tuple[float, float]:
    """(8/15) E* √R* ξ^(5/2) and ½ kt δ², J."""
    slope = 2 * p.young * math.sqrt(radius * overlap)
    stretch = length(memory)
    return (4 / 15) * slope * overlap * overlap, 0.5 * p.ratio * slope * stretch * stretch


class Hertz(Law):
    """Hertz–Mindlin with history; restitution does not depend on speed."""

    key: ClassVar[str] = "hertz"
    memory = 4  # δ, and the normal stiffness S = kt/ratio that held it
    sticks = True
    advance = "vector"
    Constants = HertzConstants
    force = staticmethod(force)
    stored = staticmethod(stored)

    tangential: Literal["thornton", "mindlin"] = "thornton"
    """What a growing load does to the stretched spring: "thornton" keeps its force; "mindlin" keeps its stretch and can
    give more energy than it took."""

    @property
    def passive(self) -> bool:
        return self.tangential == "thornton"

    def form(self) -> tuple[Callable[..., Any], bool]:
        return (force if self.passive else mindlin_force), False

    def constants(self, surface: Surface) -> HertzConstants:
        restitution = 0.5 if surface.restitution is None else surface.restitution
        damping = 2 * math.sqrt(5 / 6) * damping_ratio(restitution)
        ratio = 4 * surface.shear / surface.young
        return HertzConstants(surface.young, damping, ratio, damping * math.sqrt(ratio), surface.friction)

    def contact_time(self, surface: Surface, radius: float, mass: float, speed: float) -> float:
        return hertz_contact_time((4 / 3) * surface.young * math.sqrt(radius), mass, speed)
