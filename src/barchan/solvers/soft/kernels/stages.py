"""The stages of a Runge–Kutta step of grains: states, slopes, and how far two formulas differ.

The state of a grain is position, velocity, orientation, angular momentum (13 floats).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from barchan.kernels.jit import inlined, njit, prange
from barchan.kernels.turning import rotated, spin_of, turned
from barchan.solvers.soft.kernels.state import State
from barchan.solvers.soft.layout import DIFFERENCE, SAVE, SET, SLOPES


@inlined
def save_one(g: int, y: Any, base: Any) -> float:
    """SAVE of one grain."""
    position, velocity, orientation, angular = y.position, y.velocity, y.orientation, y.angular
    for k in range(3):
        base[g, k] = position[g, k]
        base[g, 3 + k] = velocity[g, k]
        base[g, 10 + k] = angular[g, k]
    for k in range(4):
        base[g, 6 + k] = orientation[g, k]
    return 0.0


@inlined
def set_one(g: int, y: Any, base: Any, slopes: Any, weights: Any, count: int, h: float, shift: float) -> float:
    """SET of one grain; answers with the square of its farthest way over its leeway."""
    position, velocity, orientation, angular, motion = y.position, y.velocity, y.orientation, y.angular, y.motion
    inertia, start, offset, place, origin, wear, gravity, freedom = (
        y.inertia, y.start, y.offset, y.place, y.origin, y.wear, y.gravity, y.freedom,
    )  # fmt: skip
    for k in range(3):
        x, v, momentum = base[g, k], base[g, 3 + k], base[g, 10 + k]
        for r in range(count):
            x += h * weights[r] * slopes[r, g, k]
            v += h * weights[r] * slopes[r, g, 3 + k]
            momentum += h * weights[r] * slopes[r, g, 10 + k]
        fall = freedom[k] * gravity[k]
        velocity[g, k], angular[g, k] = v, momentum
        position[g, k] = x + shift * v + 0.5 * shift * shift * fall
        motion[g, k] = v + shift * fall
    qw, qx, qy, qz = base[g, 6], base[g, 7], base[g, 8], base[g, 9]
    for r in range(count):
        qw += h * weights[r] * slopes[r, g, 6]
        qx += h * weights[r] * slopes[r, g, 7]
        qy += h * weights[r] * slopes[r, g, 8]
        qz += h * weights[r] * slopes[r, g, 9]
    per = 1.0 / math.sqrt(qw * qw + qx * qx + qy * qy + qz * qz)
    qw, qx, qy, qz = qw * per, qx * per, qy * per, qz * per
    orientation[g, 0], orientation[g, 1], orientation[g, 2], orientation[g, 3] = qw, qx, qy, qz
    a, b, d = inertia[g, 0], inertia[g, 1], inertia[g, 2]
    lx, ly, lz = angular[g, 0], angular[g, 1], angular[g, 2]
    wx, wy, wz = spin_of(qw, qx, qy, qz, lx, ly, lz, a, b, d)
    motion[g, 4], motion[g, 5], motion[g, 6] = wx, wy, wz
    if shift > 0.0:
        qw, qx, qy, qz = turned(qw, qx, qy, qz, shift * wx, shift * wy, shift * wz)
    far = 0.0
    for i in range(start[g], start[g + 1]):
        ox, oy, oz = rotated(qw, qx, qy, qz, offset[i, 0], offset[i, 1], offset[i, 2])
        ox, oy, oz = ox + position[g, 0], oy + position[g, 1], oz + position[g, 2]
        place[i, 0], place[i, 1], place[i, 2] = ox, oy, oz
        mx, my, mz = ox - origin[i, 0], oy - origin[i, 1], oz - origin[i, 2]
        far = max(far, mx * mx + my * my + mz * mz)
    return wear[g] * far


@inlined
def keep_one(g: int, y: Any, slopes: Any, stage: int) -> float:
    """SLOPES of one grain."""
    velocity, orientation, motion, force, torque = y.velocity, y.orientation, y.motion, y.force, y.torque
    for k in range(3):
        slopes[stage, g, k] = velocity[g, k]
        slopes[stage, g, 3 + k] = force[g, k] / motion[g, 3]
        slopes[stage, g, 10 + k] = torque[g, k]
    qw, qx, qy, qz = orientation[g, 0], orientation[g, 1], orientation[g, 2], orientation[g, 3]
    wx, wy, wz = motion[g, 4], motion[g, 5], motion[g, 6]
    slopes[stage, g, 6] = 0.5 * (-wx * qx - wy * qy - wz * qz)
    slopes[stage, g, 7] = 0.5 * (wx * qw + wy * qz - wz * qy)
    slopes[stage, g, 8] = 0.5 * (-wx * qz + wy * qw + wz * qx)
    slopes[stage, g, 9] = 0.5 * (wx * qy - wy * qx + wz * qw)
    return 0.0


@inlined
def differ_one(g: int, slopes: Any, lower: Any, higher: Any, count: int, h: float) -> float:
    """DIFFERENCE of one grain, squared."""
    square = 0.0
    for k in range(3):
        d = 0.0
        for r in range(count):
            d += h * (higher[r] - lower[r]) * slopes[r, g, k]
        square += d * d
    return square


@inlined
def surprise_one(g: int, y: Any, base: Any, slopes: Any, last: int, h: float) -> float:
    """SURPRISE of one grain, squared.

    x0 + h/2 (v0 + v1) + h²/12 (a0 − a1) is right to the fourth order: of a smooth motion this is as small as what the
    two formulas differ by.
    """
    position, velocity = y.position, y.velocity
    square = 0.0
    for k in range(3):
        d = position[g, k] - base[g, k] - 0.5 * h * (base[g, 3 + k] + velocity[g, k])
        d -= h * h / 12.0 * (slopes[0, g, 3 + k] - slopes[last, g, 3 + k])
        square += d * d
    return square


@njit(cache=True, parallel=True, error_model="numpy")
def all_grains(
    what: int, y: State, base: Any, slopes: Any, weights: Any, others: Any, count: int, h: float, shift: float
) -> float:  # fmt: skip
    """Do one of these to all grains; answers with the largest square that any of them gives, 0 where there is none.

    SAVE: y at the beginning of a step, to base.
    SET: the state base + h Σ weights[r] slopes[r], r < count; contacts see it after a drift and a fall for the time
    `shift`. Answers with the farthest way of any sphere since the pair list was made, over its leeway.
    SLOPES: dy/dt of the stage `count` from its forces.
    DIFFERENCE: the distance, m, between a grain's positions by two formulas of so many stages, weights and others.
    SURPRISE: how far, m, a grain is from where its velocities and accelerations at both ends of the step put it, with
    the slopes at the end in row `count`, and those at the beginning in row 0.

    One parallel loop serves them all, because every such loop takes long to compile. Callers name what and count as
    variables: for constants all would be compiled again.
    """
    worst = 0.0
    for i in prange(y.grains):
        g, square = np.int64(i), 0.0
        if what == SAVE:
            square = save_one(g, y, base)
        elif what == SET:
            square = set_one(g, y, base, slopes, weights, count, h, shift)
        elif what == SLOPES:
            square = keep_one(g, y, slopes, count)
        elif what == DIFFERENCE:
            square = differ_one(g, slopes, weights, others, count, h)
        else:
            square = surprise_one(g, y, base, slopes, count, h)
        worst = max(worst, square)
    return worst
