"""Embedded Runge–Kutta steps of grains, with Yee's controller. A template: see `bound.py`.

The state of a grain is y = position, velocity, orientation, angular momentum (13 floats). A call may come back in the
middle of a step, when the pair list has worn out; `cursor` says where to go on.

Yee's controller compares the positions of two formulas. A contact that begins within a step and is seen by the second
stage of RKF45 only has no weight in either, and is overlooked. So a step is judged once more at its end, by the forces
found there, which are those that the next step begins with: they cost nothing more.
"""

from __future__ import annotations

import math
from typing import Any

from numba import njit, prange

from barchan.kernels.soft_motion import evaluate, spin_of, turned
from barchan.kernels.soft_pairs import WORKS
from barchan.kernels.soft_walls import WALL_WORKS, wall_pace
from barchan.kernels.wall_frames import rotated

STATE = 13
STAGE, ACCEPTED, REJECTED, MOVED, KNOWN = 0, 1, 2, 3, 4  # entries of `cursor`; KNOWN: the first stage's slopes are
# Entries of `clock`, s: time, next step, this step, time of the pair list, shortest and longest accepted step.
CLOCK, NEXT, STEP, LISTED, SHORTEST, LONGEST = 0, 1, 2, 3, 4, 5
DONE, WORN, SWALLOWED = 0, 1, 2
# Weight of what is found at the end of a step. With 1 it would rule the steps of a heap at rest, which are at the limit
# of stability; a tenth leaves them to the two formulas and still meets every contact.
LENIENT = 0.1


@njit(cache=True, parallel=True, error_model="numpy")
def save_state(c: Any, base: Any) -> None:
    """y at the beginning of a step."""
    position, velocity, orientation, angular = c.position, c.velocity, c.orientation, c.angular
    for g in prange(c.grains):
        for k in range(3):
            base[g, k] = position[g, k]
            base[g, 3 + k] = velocity[g, k]
            base[g, 10 + k] = angular[g, k]
        for k in range(4):
            base[g, 6 + k] = orientation[g, k]


@njit(cache=True, parallel=True, error_model="numpy")
def set_state(c: Any, base: Any, slopes: Any, weights: Any, count: int, h: float, shift: float) -> float:
    """y = base + h Σ weights[r] slopes[r]; contacts see it after a drift and a fall for the time `shift`.

    Answers with the square of the farthest way, m², of any sphere since the pair list was made.
    """
    position, velocity, orientation, angular, motion = c.position, c.velocity, c.orientation, c.angular, c.motion
    inertia, start, offset, place, origin, gravity, freedom = (
        c.inertia, c.start, c.offset, c.place, c.origin, c.gravity, c.freedom,
    )  # fmt: skip
    worst = 0.0
    for g in prange(c.grains):
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
        for i in range(start[g], start[g + 1]):
            ox, oy, oz = rotated(qw, qx, qy, qz, offset[i, 0], offset[i, 1], offset[i, 2])
            ox, oy, oz = ox + position[g, 0], oy + position[g, 1], oz + position[g, 2]
            place[i, 0], place[i, 1], place[i, 2] = ox, oy, oz
            mx, my, mz = ox - origin[i, 0], oy - origin[i, 1], oz - origin[i, 2]
            worst = max(worst, mx * mx + my * my + mz * mz)
    return worst


@njit(cache=True, parallel=True, error_model="numpy")
def keep_slopes(c: Any, slopes: Any, stage: int) -> None:
    """dy/dt of a stage from its forces."""
    velocity, orientation, motion, force, torque = c.velocity, c.orientation, c.motion, c.force, c.torque
    for g in prange(c.grains):
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


@njit(cache=True, parallel=True, error_model="numpy")
def largest_difference(c: Any, slopes: Any, lower: Any, higher: Any, count: int, h: float) -> float:
    """The largest distance, m, between a grain's positions by the two formulas."""
    worst = 0.0
    for g in prange(c.grains):
        square = 0.0
        for k in range(3):
            d = 0.0
            for r in range(count):
                d += h * (higher[r] - lower[r]) * slopes[r, g, k]
            square += d * d
        worst = max(worst, square)
    return math.sqrt(worst)


@njit(cache=True, parallel=True, error_model="numpy")
def largest_surprise(c: Any, base: Any, slopes: Any, last: int, h: float) -> float:
    """How far, m, a grain is at most from where its velocities and accelerations at both ends of the step put it.

    x0 + h/2 (v0 + v1) + h²/12 (a0 − a1) is right to the fourth order: of a smooth motion this is as small as what the
    two formulas differ by. `last`: the row of the slopes at the end; those at the beginning are in row 0.
    """
    position, velocity = c.position, c.velocity
    worst = 0.0
    for g in prange(c.grains):
        square = 0.0
        for k in range(3):
            d = position[g, k] - base[g, k] - 0.5 * h * (base[g, 3 + k] + velocity[g, k])
            d -= h * h / 12.0 * (slopes[0, g, 3 + k] - slopes[last, g, 3 + k])
            square += d * d
        worst = max(worst, square)
    return math.sqrt(worst)


@njit(cache=True)
def keep_power(c: Any, power: Any, stage: int) -> None:
    """The power of all contacts in a stage, W, from the lanes of work, which are emptied."""
    power[stage, :] = 0.0
    for b in range(len(c.work) // (16 * WORKS)):
        for q in range(WORKS):
            for k in range(16):
                power[stage, q] += c.work[(b * WORKS + q) * 16 + k]
    for b in range(len(c.wall_work) // (16 * WALL_WORKS)):
        for q in range(WALL_WORKS):
            for k in range(16):
                power[stage, WORKS + q] += c.wall_work[(b * WALL_WORKS + q) * 16 + k]
    c.work[:] = 0.0
    c.wall_work[:] = 0.0


@njit(cache=True)
def worn(c: Any, worst: float, at: float, clock: Any, cursor: Any, limit: float) -> bool:
    """Whether the pair list must be made anew before forces can be found at time `at`, s."""
    if cursor[MOVED] == 1:
        return False
    way = abs(at - clock[LISTED]) * wall_pace(c.frames, c.pose, c.axial, c.reach)
    if worst <= limit and way * way <= limit:
        return False
    c.strayed[0] = way
    clock[LISTED] = at
    cursor[MOVED] = 1
    return True


@njit(cache=True)
def next_step(tolerance: float, h: float, error: float, order: int) -> float:
    """Yee's h_opt: h (ε h/(2 error))^(1/order), s."""
    return h * (tolerance * h / (2.0 * max(error, 1e-300))) ** (1.0 / order)


@njit(cache=True)
def fitting(step: float, rest: float) -> float:
    """The longest step, s, not above `step`, of which a whole number fills the rest of a frame, s."""
    return rest / math.ceil(rest / step - 1e-9)


@njit(cache=True)
def reject(c: Any, base: Any, slopes: Any, lower: Any, cursor: Any) -> None:
    """Back to the beginning of the step."""
    cursor[REJECTED] += 1
    cursor[STAGE] = 0
    cursor[MOVED] = 0
    cursor[KNOWN] = 0  # stiction knows the length of the step
    set_state(c, base, slopes, lower, 0, 0.0, 0.0)


@njit(cache=True, nogil=True)
def runge_kutta_steps(
    c: Any, end: float, frame: float, tableau: Any, lower: Any, higher: Any, order: int, controls: Any,
    incremental: bool, base: Any, slopes: Any, power: Any, works: Any, clock: Any, cursor: Any, limit: float,
) -> int:  # fmt: skip
    """Steps up to the time `end`, s. Answers DONE, or WORN where the pair list must be made anew first, or SWALLOWED
    after a step in which a wall has taken a grain.

    controls: tolerance, shortest and longest step. works: J, the work of contacts so far. A step is cut so that whole
    steps of its length fill the rest of a frame.
    """
    count = len(lower)
    tolerance, shortest, longest = controls[0], controls[1], controls[2]
    while cursor[STAGE] > 0 or end - clock[CLOCK] > 1e-12 * max(end, frame):
        if cursor[STAGE] == 0 and cursor[MOVED] == 0:
            clock[STEP] = fitting(clock[NEXT], end - clock[CLOCK])
            save_state(c, base)
            cursor[STAGE] = cursor[KNOWN]
        h = clock[STEP]
        shift = h if incremental else 0.0
        while cursor[STAGE] < count:
            s = cursor[STAGE]
            worst = set_state(c, base, slopes, tableau[s], s, h, shift)
            at = clock[CLOCK] + h * tableau[s].sum()
            if worn(c, worst, at, clock, cursor, limit):
                return WORN
            evaluate(c, at, 0.0, h, 0.0, 1.0, 0.0, 0.0)
            keep_slopes(c, slopes, s)
            keep_power(c, power, s)
            cursor[STAGE] = s + 1
            cursor[MOVED] = 0
        error = largest_difference(c, slopes, lower, higher, count, h)
        best = next_step(tolerance, h, error, order)
        if cursor[STAGE] == count:
            clock[NEXT] = min(max(best, shortest), longest)
            if best < 0.75 * h and h > shortest * (1 + 1e-9):
                reject(c, base, slopes, lower, cursor)
                continue
            cursor[STAGE] = count + 1
        worst = set_state(c, base, slopes, lower, count, h, 0.0)
        if worn(c, worst, clock[CLOCK] + h, clock, cursor, limit):
            return WORN
        remembered, wall_remembered, held = c.memory.copy(), c.wall_memory.copy(), c.held.copy()
        tether, drag = c.tether.copy(), c.drag.copy()
        deep, wall_deep = c.deepest.copy(), c.wall_deepest.copy()
        at = clock[CLOCK] + h
        evaluate(c, at, 0.5 * h, h, 1.0, 0.0, h, 0.0)  # friction remembers the accepted step only
        rest = end - at
        after = fitting(clock[NEXT], rest) if rest > 1e-12 * max(end, frame) else h
        swallowed = c.swallowed[0]
        evaluate(c, at, 0.0, after, 0.0, 1.0, 0.0, 0.0)
        c.swallowed[0] = swallowed
        keep_slopes(c, slopes, count)
        keep_power(c, power, count)
        cursor[MOVED] = 0
        surprise = largest_surprise(c, base, slopes, count, h)
        best = next_step(tolerance, h, LENIENT * surprise, order)
        clock[NEXT] = max(min(best, clock[NEXT]), shortest)
        if best < 0.75 * h and h > shortest * (1 + 1e-9):
            c.memory[:] = remembered
            c.wall_memory[:] = wall_remembered
            c.held[:] = held
            c.tether[:] = tether
            c.drag[:] = drag
            c.deepest[:] = deep
            c.wall_deepest[:] = wall_deep
            c.swallowed[0] = 0.0
            reject(c, base, slopes, lower, cursor)
            continue
        clock[CLOCK] = at
        for s in range(count):
            for q in range(len(works)):
                works[q] += h * lower[s] * power[s, q]
        clock[SHORTEST] = min(clock[SHORTEST], h)
        clock[LONGEST] = max(clock[LONGEST], h)
        cursor[ACCEPTED] += 1
        cursor[STAGE] = 0
        cursor[KNOWN] = 0 if incremental else 1
        slopes[0] = slopes[count]
        power[0] = power[count]
        if c.swallowed[0] > 0.0:
            return SWALLOWED
    return DONE
