"""Normal forces and damping that several laws share."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from barchan.parts.laws import TINY

GRAVITY = 9.81  # m/s², only to scale default constants


def damping_ratio(restitution: float) -> float:
    """ζ, the share of critical damping, that gives this coefficient of restitution.

    A damped linear oscillator that is left when its force falls to zero (a dry contact never pulls) rebounds with
    e = exp(−2ζ acos ζ/√(1 − ζ²)), and with acosh above ζ = 1 (Schwager and Pöschel 2007). Hertz's contact with
    damping ∝ ξ^¼ maps on to the same oscillator by y = ξ^(5/4) (Antypov and Elliott 2011), so it has the same e(ζ).
    """
    return 0.0 if restitution >= 1 else _damping_for(restitution, _rebound, 100)


def _damping_for(restitution: float, rebound: Callable[[float], float], halvings: int) -> float:
    """The damping at which the falling function `rebound` takes this value, by halving an interval."""
    low, high = 0.0, 1.0
    while rebound(high) > restitution:
        high *= 2
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rebound(middle) > restitution else (low, middle)
    return 0.5 * (low + high)


def _rebound(ratio: float) -> float:
    if abs(ratio - 1) < 1e-9:
        return math.exp(-2)
    if ratio < 1:
        return math.exp(-2 * ratio / math.sqrt(1 - ratio**2) * math.acos(ratio))
    return math.exp(-2 * ratio / math.sqrt(ratio**2 - 1) * math.acosh(ratio))


@functools.cache
def viscoelastic_damping(restitution: float) -> float:
    """κ of ẍ + x^(3/2) + κ ẋ √x = 0, ẋ(0) = 1, that rebounds with this restitution and never pulls.

    Such a contact (Brilliantov 1996) dissipates more at higher speed; with kβ = κ m*^(2/5) kα^(3/5) v^(−1/5) it has
    the given restitution at the impact speed v.
    """
    return _damping_for(restitution, _viscoelastic_rebound, 50)


def _viscoelastic_rebound(damping: float) -> float:
    """Speed after the collision, by the midpoint rule with a step of 1/2000 of the contact time."""
    x, v, step = 0.0, 1.0, 2.94 / 2000
    while True:
        middle_x = x + 0.5 * step * v
        root = math.sqrt(max(x, 0.0))
        middle_v = v - 0.5 * step * root * (x + damping * v)
        push = math.sqrt(max(middle_x, 0.0)) * (middle_x + damping * middle_v)
        if middle_v < 0 and push <= 0:
            return -v
        x, v = x + step * middle_v, v - step * push


def dashpot_share(overlap: float, closing: float, half: float, stiffness: float, mass: float) -> float:
    """What a linear dashpot's force must be multiplied with, so that restitution does not depend on the time step.

    A force that is asked once a step acts from half a step before its moment to half a step after. In the step in which
    two bodies meet, they met q = ξ/(ξ̇ dt) < 1 steps before its moment, and the dashpot, which jumps then, is owed q + ½
    steps. And the speed it is asked at is taken on from the acceleration of a step before: after dt ξ̇ it is ½ dt² k ξ̇/m
    too high. half: dt/2 with either sign; 0 where it is asked otherwise, and the answer is 1.
    """
    met = overlap / max(2.0 * max(half, -half) * closing, TINY)
    return min(met + 0.5, max(1.0, 1e9 * (1.0 - met))) / (1.0 + 2.0 * half * half * stiffness / mass)


def viscoelastic_force(overlap: float, closing: float, stiffness: float, damping: float) -> float:
    """Brilliantov's viscoelastic sphere, N: kα ξ^(3/2) + kβ ξ̇ ξ^(1/2), and a dry contact never pulls."""
    return max(0.0, math.sqrt(overlap) * (stiffness * overlap + damping * closing))


def viscoelastic_constant(stiffness: float, mass: float, damping: float, scale: float) -> float:
    """kβ, N s/m^(3/2): as given, plus scale · (m*² kα³)^(1/5), the part that comes from a restitution."""
    return damping + scale * fifth_root(mass * mass * stiffness * stiffness * stiffness)


def fifth_root(x: float) -> float:
    """x^(1/5) for 0 < x. Powers do not become vector instructions: kernels have a root of their own for this one."""
    return x**0.2


def hertz_energy(overlap: float, stiffness: float) -> float:
    """Energy, J, stored in a Hertzian overlap whose force is stiffness · ξ^(3/2)."""
    return 0.4 * stiffness * overlap * overlap * math.sqrt(overlap)


def hertz_contact_time(stiffness: float, mass: float, speed: float) -> float:
    """Duration, s, of Hertz's undamped head-on collision: 2.9432 (m*²/(k² v))^(1/5), k in N/m^(3/2)."""
    scale = 1.25 * mass / stiffness  # Landau and Lifshitz's form: k' = 4k/5 in m v² = k' h^(5/2)
    return 2.943275 * (scale * scale / speed) ** 0.2
