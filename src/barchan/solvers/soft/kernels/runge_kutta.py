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

import numpy as np

from barchan.kernels.bound import Arrays
from barchan.kernels.jit import njit
from barchan.kernels.pointers import call_forces
from barchan.solvers.soft.kernels.rows import WORKS
from barchan.solvers.soft.kernels.stages import all_grains
from barchan.solvers.soft.kernels.state import State
from barchan.solvers.soft.kernels.surfaces import move_walls, wall_gap, wall_pace

from barchan.solvers.soft.layout import (  # isort: skip
    ACCEPTED, CLOCK, DIFFERENCE, DONE, GONE_BY_WALLS, HOPPED, KNOWN, LEAST, LISTED, LONGEST, MAY_STRAY, MOST, MOVED,
    NEXT, REJECTED, SAVE, SET, SHARE, SHORTEST, SLOPES, STAGE, STEP, SURPRISE, SWALLOWED, TOLERANCE, TOO_FAR,
    WALL_SPEED, WALL_WORKS, WORN,
)  # fmt: skip

CLEAR = 0.9  # of the way to what a grain may meet: what a step may take of it
# Weight of what is found at the end of a step. With 1 it would rule the steps of a heap at rest, which are at the limit
# of stability; a tenth leaves them to the two formulas and still meets every contact.
LENIENT = 0.1


@njit(cache=True)
def keep_power(work: Any, wall_work: Any, power: Any, stage: int) -> None:
    """The power of all contacts in a stage, W, from the lanes of work, which are emptied."""
    power[stage, :] = 0.0
    for b in range(len(work) // (16 * WORKS)):
        for q in range(WORKS):
            for k in range(16):
                power[stage, q] += work[(b * WORKS + q) * 16 + k]
    for b in range(len(wall_work) // (16 * WALL_WORKS)):
        for q in range(WALL_WORKS):
            for k in range(16):
                power[stage, WORKS + q] += wall_work[(b * WALL_WORKS + q) * 16 + k]
    work[:] = 0.0
    wall_work[:] = 0.0


@njit(cache=True)
def worn(worst: float, at: float, pace: float, strayed: Any, clock: Any, cursor: Any) -> bool:
    """Whether the pair list must be made anew before forces can be found at time `at`, s; pace: m/s, of the walls."""
    if cursor[MOVED] == 1:
        return False
    way = abs(at - clock[LISTED]) * pace
    if worst <= 1.0 and way <= strayed[MAY_STRAY]:
        return False
    strayed[GONE_BY_WALLS] = way
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
def longest_step(
    h: float, share: float, walls: float, gone: float, grains: int, start: Any, offset: Any, place: Any, origin: Any,
    free: Any, velocity: Any, motion: Any, wall_start: Any, wall_piece: Any, frame: Any, pose: Any,
    kind: Any, shape_table: Any,
) -> float:  # fmt: skip
    """The longest step, s, not above h: in it no grain and a wall that it could reach come nearer to each other by more
    than `share` of the radius of the grain's smallest sphere, nor does a grain go farther than by that radius where it
    could meet another one.

    walls: m/s, as fast as any of them moves; gone: m, that they may have gone since the lists were made from cells.
    origin and free: where spheres were then, and how far grains may go from there, see `solvers/soft/free.py`.
    """
    for g in range(grains):
        vx, vy, vz = velocity[g, 0], velocity[g, 1], velocity[g, 2]
        radius, lever, moved = place[start[g], 3], 0.0, 0.0
        for i in range(start[g], start[g + 1]):
            radius = min(radius, place[i, 3])
            lever = max(lever, offset[i, 0] ** 2 + offset[i, 1] ** 2 + offset[i, 2] ** 2)
            dx, dy, dz = place[i, 0] - origin[i, 0], place[i, 1] - origin[i, 1], place[i, 2] - origin[i, 2]
            moved = max(moved, dx * dx + dy * dy + dz * dz)
        turning = lever * (motion[g, 4] ** 2 + motion[g, 5] ** 2 + motion[g, 6] ** 2)
        speed = math.sqrt(vx * vx + vy * vy + vz * vz) + math.sqrt(turning)
        if (speed + walls) * h <= min(share, 1.0) * radius:
            continue
        moved = math.sqrt(moved)
        h = min(h, max(radius, CLEAR * (free[g, 1] - moved)) / max(speed, 1e-300))
        if math.isinf(share):
            continue
        way = free[g, 0] - moved - gone
        for i in range(start[g], start[g + 1]):
            reach = place[i, 3] + (speed + walls) * h
            for k in range(wall_start[i], wall_start[i + 1]):
                distance, _, _, _ = wall_gap(
                    wall_piece[k], place[i, 0], place[i, 1], place[i, 2], reach, reach, frame, pose, kind, shape_table
                )  # fmt: skip
                way = min(way, distance - place[i, 3])
        h = min(h, max(share * radius, CLEAR * way) / (speed + walls))
    return h


@njit(cache=True)
def clear_step(c: Arrays, clock: Any, controls: Any, at: float, origin: Any, free: Any, wall_way: float) -> float:
    """The next step, s, cut by `longest_step` for the state at time `at`, s.

    origin: (M, 3) m, where spheres were when the lists were made from cells; wall_way: m, that walls have gone since,
    up to the time of the list of pairs.
    """
    move_walls(at, c.frames, c.rest, c.motion_range, c.motion_kind, c.motion_table, c.begun, c.pose)
    walls = max(wall_pace(c.frames, c.pose, c.axial, c.reach), controls[WALL_SPEED])
    return longest_step(
        clock[NEXT], controls[SHARE], walls, wall_way + abs(at - clock[LISTED]) * walls, c.grains, c.start, c.offset,
        c.place, origin, free, c.velocity, c.motion, c.wall_start, c.wall_piece, c.frame, c.pose, c.kind,
        c.shape_table,
    )  # fmt: skip


@njit(cache=True)
def copy_over(to: Any, kept: Any) -> None:
    """Copy one array over another; as a slice its check of shapes would take seconds to compile."""
    flat, old = to.ravel(), kept.ravel()
    for k in range(len(flat)):
        flat[k] = old[k]


@njit(cache=True)
def copied(array: Any) -> Any:
    """A copy; each in its place would take long to compile."""
    return array.copy()


@njit(cache=True)
def reject(y: Any, base: Any, slopes: Any, lower: Any, cursor: Any) -> None:
    """Back to the beginning of the step."""
    cursor[REJECTED] += 1
    cursor[STAGE] = 0
    cursor[MOVED] = 0
    cursor[KNOWN] = 0  # stiction knows the length of the step
    what = np.int64(SET)
    all_grains(what, y, base, slopes, lower, lower, cursor[STAGE], 0.0, 0.0)


@njit(cache=True, nogil=True)
def runge_kutta_steps(
    c: Arrays, end: float, frame: float, tableau: Any, lower: Any, higher: Any, order: int, controls: Any,
    incremental: bool, base: Any, slopes: Any, power: Any, works: Any, clock: Any, cursor: Any, origin: Any, free: Any,
    wall_way: float, forces: int,
) -> int:  # fmt: skip
    """Steps up to the time `end`, s. Answers DONE, or WORN where the pair list must be made anew first, or SWALLOWED
    after a step in which a wall has taken a grain, or TOO_FAR after one that was too long for a grain near a wall and
    could not be shorter.

    controls: tolerance, shortest and longest step, the fastest that walls move, m/s, and others. works: J, the work of
    contacts so far. origin, free, wall_way: see `clear_step`. forces: the address of `evaluate`. A step is cut so that
    whole steps of its length fill the rest of a frame.
    """
    y = State(
        c.grains, c.start, c.offset, c.place, c.origin, c.wear, c.position, c.velocity, c.orientation, c.angular,
        c.motion, c.inertia, c.force, c.torque, c.gravity, c.freedom,
    )  # fmt: skip
    count = len(lower)
    onward = 0
    save, put, keep = np.int64(SAVE), np.int64(SET), np.int64(SLOPES)
    differ, surprised = np.int64(DIFFERENCE), np.int64(SURPRISE)
    tolerance, shortest, longest = controls[TOLERANCE], controls[LEAST], controls[MOST]
    while cursor[STAGE] > 0 or end - clock[CLOCK] > 1e-12 * max(end, frame):
        if cursor[STAGE] == 0 and cursor[MOVED] == 0:
            clock[NEXT] = max(clear_step(c, clock, controls, clock[CLOCK], origin, free, wall_way), shortest)
            clock[STEP] = fitting(clock[NEXT], end - clock[CLOCK])
            all_grains(save, y, base, slopes, lower, lower, count, 0.0, 0.0)
            cursor[STAGE] = cursor[KNOWN]
        h = clock[STEP]
        shift = h if incremental else 0.0
        while cursor[STAGE] < count:
            s = cursor[STAGE]
            worst = all_grains(put, y, base, slopes, tableau[s], lower, s, h, shift)
            at = clock[CLOCK] + h * tableau[s].sum()
            pace = wall_pace(c.frames, c.pose, c.axial, c.reach)
            if worn(worst, at, pace, c.strayed, clock, cursor):
                return WORN
            call_forces(forces, c, at, 0.0, h, 0.0, 1.0, 0.0, 0.0, onward)
            all_grains(keep, y, base, slopes, lower, lower, s, h, 0.0)
            keep_power(c.work, c.wall_work, power, s)
            cursor[STAGE] = s + 1
            cursor[MOVED] = 0
        error = math.sqrt(all_grains(differ, y, base, slopes, lower, higher, count, h, 0.0))
        best = next_step(tolerance, h, error, order)
        if cursor[STAGE] == count:
            clock[NEXT] = min(max(best, shortest), longest)
            if best < 0.75 * h and h > shortest * (1 + 1e-9):
                reject(y, base, slopes, lower, cursor)
                continue
            cursor[STAGE] = count + 1
        worst = all_grains(put, y, base, slopes, lower, lower, count, h, 0.0)
        pace = wall_pace(c.frames, c.pose, c.axial, c.reach)
        if worn(worst, clock[CLOCK] + h, pace, c.strayed, clock, cursor):
            return WORN
        clock[NEXT] = max(clear_step(c, clock, controls, clock[CLOCK] + h, origin, free, wall_way), shortest)
        remembered, wall_remembered, held = copied(c.memory), copied(c.wall_memory), copied(c.held)
        tether, drag = copied(c.tether), copied(c.drag)
        deep, wall_deep = copied(c.deepest), copied(c.wall_deepest)
        at = clock[CLOCK] + h
        # Friction remembers the accepted step only; then the forces at its end. One call for both: each takes a second
        # to compile.
        half, step, advance, weight, hold_weight, swallowed = 0.5 * h, h, 1.0, 0.0, h, 0.0
        for turn in range(2):
            call_forces(forces, c, at, half, step, advance, weight, hold_weight, 0.0, onward)
            if turn == 0:
                rest = end - at
                step = fitting(clock[NEXT], rest) if rest > 1e-12 * max(end, frame) else h
                half, advance, weight, hold_weight, swallowed = 0.0, 0.0, 1.0, 0.0, c.swallowed[0]
        c.swallowed[0] = swallowed
        all_grains(keep, y, base, slopes, lower, lower, count, h, 0.0)
        keep_power(c.work, c.wall_work, power, count)
        cursor[MOVED] = 0
        surprise = math.sqrt(all_grains(surprised, y, base, slopes, lower, lower, count, h, 0.0))
        best = next_step(tolerance, h, LENIENT * surprise, order)
        if c.hop[HOPPED] > 0.0 and h > shortest * (1 + 1e-9):
            c.hop[HOPPED] = 0.0
            best = min(best, 0.5 * h)
        clock[NEXT] = max(min(best, clock[NEXT]), shortest)
        if best < 0.75 * h and h > shortest * (1 + 1e-9):
            copy_over(c.memory, remembered)
            copy_over(c.wall_memory, wall_remembered)
            copy_over(c.held, held)
            copy_over(c.tether, tether)
            copy_over(c.drag, drag)
            copy_over(c.deepest, deep)
            copy_over(c.wall_deepest, wall_deep)
            c.swallowed[0] = 0.0
            reject(y, base, slopes, lower, cursor)
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
        copy_over(slopes[0], slopes[count])
        copy_over(power[0], power[count])
        if c.hop[HOPPED] > 0.0:
            return TOO_FAR
        if c.swallowed[0] > 0.0:
            return SWALLOWED
    return DONE
