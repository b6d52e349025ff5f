"""Coulomb's friction between triangles, and at walls: with a memory that holds what rests, or without one.

With a memory every contact is a spring along its tangent, which is drawn out by slip until it pulls with μ times the
push, and from then on slides along. In two dimensions that is one number, which turns with the contact by itself.
Without one friction falls off in proportion to the slip where that is slow, and what should rest creeps.
"""

from __future__ import annotations

import math
from typing import Any

from barchan.kernels.jit import njit
from barchan.solvers.beams.layout import HOLDS, SLIDES

BRAKE = 0.1  # of the momentum that a step of friction without memory may take at most
DAMPING = 0.3  # of critical: what the springs of contacts that hold lose as they swing


@njit(cache=True, error_model="numpy")
def friction_force(
    push: float, slip_rate: float, friction: float, slow: float, mass: float, step: float
) -> float:  # fmt: skip
    """Friction without memory along the tangent, N: μ · push against the slip, less where that is slower than `slow`.

    slip_rate: m/s, of the first body along the tangent; mass: effective, kg.
    """
    return -slip_rate * min(friction * push / max(abs(slip_rate), slow), BRAKE * mass / step)


@njit(cache=True, error_model="numpy")
def holding_force(
    push: float, slip: float, slip_rate: float, friction: float, stiffness: float, mass: float
) -> tuple[float, float, int]:
    """Friction with memory along the tangent, N, with how far its spring is drawn out, m, and the contact's mode.

    slip: m, how far the spring would be drawn out if nothing slid; stiffness: N/m. What it is drawn out beyond μ · push
    has slid.
    """
    most = friction * push
    slip = min(max(slip, -most / stiffness), most / stiffness)
    pull = stiffness * slip + 2.0 * DAMPING * math.sqrt(stiffness * mass) * slip_rate
    return -min(max(pull, -most), most), slip, HOLDS if abs(pull) < most else SLIDES


@njit(cache=True)
def slip_place(p: int, free: int, first: Any, second: Any, side: Any) -> int:
    """Where the slip of pair p is kept: that of a triangle at a side of a wall with the first near pair of the two.

    So it stays when the triangle slides from one of the side's triangles on to the next.
    """
    if second[p] < free:
        return p
    name = side[second[p] - free]
    found = q = p
    while q >= 0 and first[q] == first[p] and second[q] >= free:
        if side[second[q] - free] == name:
            found = q
        q -= 1
    return found
