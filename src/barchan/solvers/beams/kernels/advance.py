"""Many steps of triangles and beams between two visits to Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from barchan.kernels.bound import Arrays
from barchan.kernels.jit import njit, prange
from barchan.kernels.pointers import call_work
from barchan.kernels.servos import drift_servos, kick_servos
from barchan.model.layout import AXIS, PRESSED, RATE, TURNS, WAY
from barchan.solvers.beams.kernels.contacts import count_kinds, deepest_overlap, gather, is_taken, list_overlaps
from barchan.solvers.beams.kernels.motion import farthest

from barchan.solvers.beams.layout import (  # isort: skip
    BEND, CORRECT, DAMP, DRAG_LOAD_TURN, DRAG_LOAD_X, DRAG_LOAD_Z, FIND, FLAT, LOAD_TURN, LOAD_X, LOAD_Z, PLACE,
    PREDICT, PUSH, WALLS,
)  # fmt: skip

CHUNK = 192  # rows that one thread takes at a time


@njit(cache=True)
def move_walls(pose: Any, c: Arrays) -> None:
    """Put walls where `pose` (walls, 6) says, with their velocities: triangles, half-planes and circles."""
    for w in range(c.moved_walls):
        ox, oz, angle, vx, vz, wy = pose[w, 0], pose[w, 1], pose[w, 2], pose[w, 3], pose[w, 4], pose[w, 5]
        cos, sin = math.cos(angle), math.sin(angle)
        for row in range(c.wall_rows[w, 0], c.wall_rows[w, 1]):
            x0, z0 = c.wall_rest[row - c.free, 0], c.wall_rest[row - c.free, 1]
            x, z = ox + cos * x0 - sin * z0, oz + sin * x0 + cos * z0
            c.state[row, 0, 0], c.state[row, 0, 1] = x, vx + wy * z
            c.state[row, 1, 0], c.state[row, 1, 1] = z, vz - wy * x
            c.state[row, 2, 0], c.state[row, 2, 1] = angle, -wy
        for s in range(c.smooth):
            if c.smooth_wall[s] != w:
                continue
            x0, z0 = c.smooth_rest[s, 0], c.smooth_rest[s, 1]
            c.smooth_now[s, 0], c.smooth_now[s, 1] = ox + cos * x0 - sin * z0, oz + sin * x0 + cos * z0
            if c.smooth_kind[s] == FLAT:
                nx, nz = c.smooth_rest[s, 2], c.smooth_rest[s, 3]
                c.smooth_now[s, 2], c.smooth_now[s, 3] = cos * nx - sin * nz, sin * nx + cos * nz
            else:
                c.smooth_now[s, 2] = c.smooth_rest[s, 2]
            c.smooth_motion[s, 0], c.smooth_motion[s, 1], c.smooth_motion[s, 2] = vx, vz, -wy


@njit(cache=True)
def place_servos(pose: Any, c: Arrays) -> None:
    """Enter into `pose` (walls, 6) where walls are that are moved by forces."""
    for s in range(len(c.servo_row)):
        m, w = c.servo_row[s], c.servo_wall[s]
        way, rate = c.motion_table[m, WAY], c.motion_table[m, RATE]
        if c.motion_table[m, TURNS] > 0.0:
            x, z = c.motion_table[m, 0], c.motion_table[m, 2]
            angle, spin = -c.motion_table[m, AXIS + 1] * way, c.motion_table[m, AXIS + 1] * rate
            cos, sin = math.cos(angle), math.sin(angle)
            pose[w, 0], pose[w, 1], pose[w, 2] = x - cos * x + sin * z, z - sin * x - cos * z, angle
            pose[w, 3], pose[w, 4], pose[w, 5] = -spin * z, spin * x, spin
        else:
            ax, az = c.motion_table[m, AXIS], c.motion_table[m, AXIS + 2]
            pose[w, 0], pose[w, 1], pose[w, 2] = ax * way, az * way, 0.0
            pose[w, 3], pose[w, 4], pose[w, 5] = ax * rate, az * rate, 0.0


@njit(cache=True)
def press_servos(c: Arrays) -> None:
    """Add up what triangles do to the walls that are moved by forces, along or about their axes, in a fixed order.

    A smooth wall has its part in `reaction`, a strip of triangles in the loads of its rows.
    """
    for s in range(len(c.servo_row)):
        m, w = c.servo_row[s], c.servo_wall[s]
        fx, fz, turn = 0.0, 0.0, 0.0
        for t in range(c.free if c.smooth else 0):
            fx, fz, turn = fx - c.reaction[t, s, 0], fz - c.reaction[t, s, 1], turn - c.reaction[t, s, 2]
        for row in range(c.wall_rows[w, 0], c.wall_rows[w, 1]):
            gx, gz = c.load[row, LOAD_X] + c.load[row, DRAG_LOAD_X], c.load[row, LOAD_Z] + c.load[row, DRAG_LOAD_Z]
            fx, fz = fx + gx, fz + gz
            turn += c.load[row, LOAD_TURN] + c.load[row, DRAG_LOAD_TURN]
            turn += c.state[row, 0, 0] * gz - c.state[row, 1, 0] * gx
        if c.motion_table[m, TURNS] > 0.0:  # turn is counter-clockwise in the x–z plane: about −y
            turn -= c.motion_table[m, 0] * fz - c.motion_table[m, 2] * fx
            c.servo[s, PRESSED] = -c.motion_table[m, AXIS + 1] * turn
        else:
            c.servo[s, PRESSED] = c.motion_table[m, AXIS] * fx + c.motion_table[m, AXIS + 2] * fz


@njit(cache=True, parallel=True)
def phases(
    c: Arrays, begin: int, end: int, step: float, half: float, advance: float, gear: bool, work: int
) -> int:  # fmt: skip
    """The phases begin … end, one after another, each shared out among threads; half, advance and gear: as in
    `accelerate`, `bend` and `predict`. work: the address of `beams_phases.work`. Answers with the number of overlaps,
    if they were looked for.

    One parallel loop serves all of them, because every such loop takes seconds to compile. Callers name begin, end and
    gear as variables: for constants all would be compiled again.
    """
    overlaps = 0
    for which in range(begin, end + 1):
        count = c.rows
        if which in (PREDICT, CORRECT):
            count = c.free
        elif which == FIND:
            count = c.pairs
        elif which == PUSH:
            overlaps = list_overlaps(c.pairs, c.touching, c.overlaps)
            count = overlaps
        elif which == WALLS:
            gather(overlaps, c.overlaps, c.first, c.second, c.out, c.load)
            count = c.free if c.smooth else 0
        elif which in (BEND, DAMP):
            count = c.beams
        for k in prange((count + CHUNK - 1) // CHUNK):
            low = CHUNK * np.int64(k)
            call_work(work, which, low, min(low + CHUNK, count), c, step, half, advance, gear)
    return overlaps


@njit(cache=True)
def advance(
    c: Arrays, poses: Any, begin: int, step: float, gear: bool, reach: float, whole: int, pressed: Any, work: int
) -> int:  # fmt: skip
    """Take a step of `step` s for each of the poses (steps, walls, 6) of walls; answers with how many were taken.

    begin: number of the step before. Comes back early where a triangle has gone farther than `reach` (m) since the
    lists were made, where fewer than `whole` beams are left, where one yields for the first time, and where a wall
    absorbs a triangle. pressed: None where forces move no wall, which saves compiling what moves them. work: as in
    `phases`. c.worst: (3,) the deepest overlap so far with its triangles.
    """
    done, before = 0, 0
    for b in range(c.beams):
        before += c.yielded[b] == 0
    first, second, last = np.int64(PREDICT), np.int64(PLACE), np.int64(CORRECT)
    while done < len(poses):
        phases(c, first, first, step, 0.5 * step, 1.0, gear, work)
        if pressed is not None:
            drift_servos((begin + done) * step, step, c.servo, c.servo_table, c.servo_row, c.motion_table)
            place_servos(poses[done], c)
        move_walls(poses[done], c)
        count = phases(c, second, last, step, 0.5 * step, 1.0, gear, work)
        done += 1
        if pressed is not None:
            press_servos(c)
            kick_servos(
                (begin + done) * step, 0.5 * step, step, c.servo, c.servo_table, c.servo_row, c.motion_table
            )  # fmt: skip
        count_kinds(count, c.overlaps, c.out, c.seen)
        share, one, other = deepest_overlap(
            count, c.overlaps, c.first, c.second, c.out, c.area, c.free, c.thick[0], c.load
        )  # fmt: skip
        if share > c.worst[0]:
            c.worst[0], c.worst[1], c.worst[2] = share, one, other
        if c.hole >= 0 and is_taken(count, c.overlaps, c.second, c.material, c.hole, c.free, c.load):
            break
        left, stiff = 0, 0
        for b in range(c.beams):
            left += c.broken[b] == 0
            stiff += c.yielded[b] == 0
        if left < whole or stiff < before or farthest(c.rows, c.state, c.origin, step) > reach:
            break
    return done
