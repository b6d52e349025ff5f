"""Contacts of triangles: near pairs that do overlap, what they do to each other, and the sum of it for every triangle.

Each overlap writes to a row of its own, and the rows are added up in the order of the list: the same bits on any number
of threads.
Functions work on the rows low … high of what they are given: `beams_advance` shares them out among threads.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from barchan.kernels.jit import njit
from barchan.solvers.beams.kernels.friction import friction_force, holding_force, slip_place
from barchan.solvers.beams.kernels.overlap import TINY, clip, exact, five_kinds, parting_edge
from barchan.solvers.beams.kernels.strips import SUMS, add_overlap, is_of, leads, side_push, whole_area
from barchan.solvers.beams.kernels.walls import wall_distance, wall_push

from barchan.solvers.beams.layout import (  # isort: skip
    AREA, COVERED, DRAG_LOAD_TURN, DRAG_LOAD_X, DRAG_LOAD_Z, DRAG_TURN_FIRST, DRAG_TURN_SECOND, DRAG_X, DRAG_Z, HELD,
    KIND, LOAD_TURN, LOAD_X, LOAD_Z, LOADS, MODE, POINT_X, POINT_Z, PUSH_X, PUSH_Z, SEVERAL, STORED, TAKEN, TURN_FIRST,
    TURN_SECOND, WALL_AREA, WALL_COLUMNS, WALL_HELD, WALL_MODE, WALL_PART, WALL_POINT_X, WALL_POINT_Z, WALL_STORED,
    WALL_X, WALL_Z,
)  # fmt: skip


@njit(cache=True)
def side_by_side(world: Any, i: int, k: int, sx: float, sz: float, both: Any) -> None:
    """The corners of two triangles in both (2, 6) m, those of the second moved by s, m."""
    for v in range(3):
        both[0, 2 * v], both[0, 2 * v + 1] = world[i, 2 * v], world[i, 2 * v + 1]
        both[1, 2 * v], both[1, 2 * v + 1] = world[k, 2 * v] + sx, world[k, 2 * v + 1] + sz


@njit(cache=True)
def find_overlaps(
    low: int, high: int, first: Any, second: Any, round_way: Any, allowed: Any, slip: Any, slip_before: Any, state: Any,
    bound: Any, world: Any, parting: Any, touching: Any, advance: float,
) -> None:  # fmt: skip
    """touching[p] = 1 for near pairs low … high that overlap, else 0; circles about triangles are looked at first.

    round_way: (pairs, 2) m, by how much the second triangle is to be moved to be near the first; (0, 2) where no axis
    is periodic. allowed: as in `relieve`, over when the pair is apart. slip: (pairs,) m, of friction that has a memory,
    which goes to slip_before: with `advance` only pairs that push get it back. parting[p]: the edge that kept the pair
    apart last time, which mostly does so again.
    """
    both = np.empty((2, 6))
    for p in range(low, high):
        i, k = first[p], second[p]
        if len(slip):
            slip_before[p] = slip[p]
            if advance > 0.0:
                slip[p] = 0.0
        dx, dz = state[i, 0, 0] - state[k, 0, 0], state[i, 1, 0] - state[k, 1, 0]
        sx, sz = 0.0, 0.0
        if len(round_way):
            sx, sz = round_way[p, 0], round_way[p, 1]
            dx, dz = dx - sx, dz - sz
        reach = bound[i] + bound[k]
        touching[p] = 0
        if dx * dx + dz * dz < reach * reach:
            if sx == 0.0 and sz == 0.0:
                parting[p] = parting_edge(world, i, k, parting[p])
            else:
                side_by_side(world, i, k, sx, sz, both)
                parting[p] = parting_edge(both, 0, 1, parting[p])
            touching[p] = parting[p] == 6
        if len(allowed) and advance > 0.0 and not touching[p]:
            allowed[p] = 0.0


@njit(cache=True)
def relieve(row: Any, allowed: Any, p: int, graded: bool, advance: float) -> None:
    """Take from what an overlap does the part of its area that is allowed.

    allowed: (pairs,) m², the area in which pieces of a grain lay in each other when it broke, and have done since: it
    shrinks with the overlap, if `advance` is 1, and never grows. Only what goes beyond it pushes, so that breaking by
    itself sets nothing in motion. Forces go with the area, or in graded contact with its square, and energies with one
    power more.
    """
    if advance > 0.0:
        allowed[p] = min(allowed[p], row[AREA])
    share = max(0.0, 1.0 - allowed[p] / max(row[AREA], TINY))
    force = share * share if graded else share
    row[PUSH_X] *= force
    row[PUSH_Z] *= force
    row[TURN_FIRST] *= force
    row[TURN_SECOND] *= force
    row[STORED] *= force * share
    row[AREA] *= share


@njit(cache=True)
def list_overlaps(pairs: int, touching: Any, overlaps: Any) -> int:
    """The near pairs that overlap, in the order of the list; answers with their number."""
    count = 0
    for p in range(pairs):
        if touching[p]:
            overlaps[count] = p
            count += 1
    return count


@njit(cache=True, error_model="numpy")
def push_apart(
    low: int, high: int, free: int, overlaps: Any, first: Any, second: Any, round_way: Any, allowed: Any, touching: Any,
    side: Any, slip: Any, slip_before: Any, state: Any, world: Any, mass: Any, area: Any, material: Any, kinds: int,
    table: Any, graded: bool, slow: float, grip: float, step: float, advance: float, out: Any,
) -> None:  # fmt: skip
    """What the overlapping pairs low … high do: out[pair] has the columns of `beams_overlap`, points beside the first.

    round_way: as in `find_overlaps`. allowed, advance: as in `relieve`. graded: the force has an energy; else the
    paper's five kinds. table: (kinds², 2) contact stiffness Y (Pa) and friction of two materials. side: as in `is_of`;
    of the overlaps with one side of a wall the first does what all of them do. slip, slip_before: as in
    `find_overlaps`, (0,) where friction has no memory; grip: stiffness of its springs over Y and the root of the
    smaller triangle's area.
    """
    here, spare, both, sums = np.empty((9, 2)), np.empty((9, 2)), np.empty((2, 6)), np.empty(SUMS)
    tag, spare_tag, mark = np.empty(9, np.int64), np.empty(9, np.int64), np.empty(9, np.int64)
    for c in range(low, high):
        p = overlaps[c]
        i, k = first[p], second[p]
        row = out[p]
        row[:] = 0.0
        sx, sz = 0.0, 0.0
        if len(round_way):
            sx, sz = round_way[p, 0], round_way[p, 1]
        xi, zi, xk, zk = state[i, 0, 0], state[i, 1, 0], state[k, 0, 0] + sx, state[k, 1, 0] + sz
        young, friction = table[material[i] * kinds + material[k], 0], table[material[i] * kinds + material[k], 1]
        if k >= free:
            if not leads(p, free, first, second, touching, side):
                continue
            sums[:] = 0.0
            q = p
            while q < len(first) and first[q] == i:
                if is_of(q, i, side[k - free], free, first, second, touching, side):
                    if len(round_way):
                        sx, sz = round_way[q, 0], round_way[q, 1]
                    side_by_side(world, i, second[q], sx, sz, both)
                    n = clip(both, 0, 1, here, tag, spare, spare_tag)
                    add_overlap(here, tag, n, xi, zi, sums)
                q += 1
            side_push(sums, graded, young, area[i], area[k], xi, zi, xk, zk, row)
        else:
            side_by_side(world, i, k, sx, sz, both)
            n = clip(both, 0, 1, here, tag, spare, spare_tag)
            if n == 0:
                continue
            if graded:
                exact(here, tag, n, young, min(area[i], area[k]), xi, zi, xk, zk, row)
            else:
                five_kinds(both, 0, 1, here, tag, n, mark, young, area[i], area[k], xi, zi, xk, zk, row)
            if len(allowed) and allowed[p] > 0.0:
                relieve(row, allowed, p, graded, advance)
        push = math.sqrt(row[PUSH_X] ** 2 + row[PUSH_Z] ** 2)
        if friction > 0.0 and push > 0.0:
            ix, iz, kx, kz = row[POINT_X] - xi, row[POINT_Z] - zi, row[POINT_X] - xk, row[POINT_Z] - zk
            tx, tz = -row[PUSH_Z] / push, row[PUSH_X] / push
            rate = slip_rate(state, i, k, ix, iz, kx, kz, tx, tz, 1)
            heft = mass[i] * mass[k] / (mass[i] + mass[k])
            if len(slip):
                # Velocities are those at the end of the step: half of what they changed by leaves those in its middle.
                gone = step * (rate - 0.5 * step * slip_rate(state, i, k, ix, iz, kx, kz, tx, tz, 2))
                q = slip_place(p, free, first, second, side)
                hold = grip * young * math.sqrt(min(area[i], area[k]))
                drag, drawn, row[MODE] = holding_force(
                    push, slip_before[q] + advance * gone, rate, friction, hold, heft
                )  # fmt: skip
                row[HELD] = 0.5 * hold * drawn * drawn
                if advance > 0.0:
                    slip[q] = drawn
            else:
                drag = friction_force(push, rate, friction, slow, heft, step)
            fx, fz = drag * tx, drag * tz
            row[DRAG_X], row[DRAG_Z] = fx, fz
            row[DRAG_TURN_FIRST], row[DRAG_TURN_SECOND] = ix * fz - iz * fx, -(kx * fz - kz * fx)


@njit(cache=True)
def slip_rate(
    state: Any, i: int, k: int, ix: float, iz: float, kx: float, kz: float, tx: float, tz: float, order: int
) -> float:
    """How fast triangle i slips along (tx, tz) against k, at points beside their centres; the second order its rate.

    The rate is without what turning adds, which no contact lasts long enough to feel.
    """
    ux = state[i, 0, order] - state[i, 2, order] * iz - state[k, 0, order] + state[k, 2, order] * kz
    uz = state[i, 1, order] + state[i, 2, order] * ix - state[k, 1, order] - state[k, 2, order] * kx
    return float(ux * tx + uz * tz)


@njit(cache=True)
def gather(count: int, overlaps: Any, first: Any, second: Any, out: Any, load: Any) -> None:
    """Add what the overlaps do to the loads of their triangles, in the order of the list.

    Few of the near pairs overlap: one thread is done with them before several have begun.
    """
    for c in range(count):
        p = overlaps[c]
        i, k = first[p], second[p]
        load[i, LOAD_X] += out[p, PUSH_X]
        load[i, LOAD_Z] += out[p, PUSH_Z]
        load[i, LOAD_TURN] += out[p, TURN_FIRST]
        load[i, DRAG_LOAD_X] += out[p, DRAG_X]
        load[i, DRAG_LOAD_Z] += out[p, DRAG_Z]
        load[i, DRAG_LOAD_TURN] += out[p, DRAG_TURN_FIRST]
        load[k, LOAD_X] -= out[p, PUSH_X]
        load[k, LOAD_Z] -= out[p, PUSH_Z]
        load[k, LOAD_TURN] += out[p, TURN_SECOND]
        load[k, DRAG_LOAD_X] -= out[p, DRAG_X]
        load[k, DRAG_LOAD_Z] -= out[p, DRAG_Z]
        load[k, DRAG_LOAD_TURN] += out[p, DRAG_TURN_SECOND]
        load[i, COVERED] += out[p, AREA]
        load[k, COVERED] += out[p, AREA]


@njit(cache=True)
def note(row: Any, fx: float, fz: float, x: float, z: float) -> None:
    """Add a force at a point to the force and the torque about the origin in row (3,)."""
    row[0] += fx
    row[1] += fz
    row[2] += x * fz - z * fx


@njit(cache=True, error_model="numpy")
def push_from_walls(
    low: int, high: int, walls: int, wall_kind: Any, wall_now: Any, wall_motion: Any, wall_material: Any,
    wall_present: Any,
    wall_slip: Any, state: Any, world: Any, bound: Any, mass: Any, area: Any, material: Any, kinds: int, table: Any,
    graded: bool, slow: float, grip: float, step: float, advance: float, wall_servo: Any, hole: int, load: Any,
    wall_power: Any, reaction: Any,
) -> None:  # fmt: skip
    """Add what half-planes and circles do to the triangles that reach behind them.

    wall_now: (walls, 4) as in `wall_distance`; wall_motion: (walls, 3) velocity of the scene's origin on the wall and
    spin. wall_power: (free, 2) W, what walls do through pushes and through friction. reaction: (free, servos, 3) the
    force of walls that are moved by forces and its torque about the origin; wall_servo: (walls,) which one, or −1.
    hole: the material of walls that push nothing but absorb what touches them. wall_slip: (rows, walls) m, and grip:
    as in `push_apart`; (rows, 0) where friction has no memory.
    """
    corner = np.empty((3, 2))
    holding = wall_slip.shape[1] > 0
    for t in range(low, high):
        wall_power[t, 0], wall_power[t, 1] = 0.0, 0.0
        reaction[t] = 0.0
        x, z = state[t, 0, 0], state[t, 1, 0]
        for w in range(walls):
            before = 0.0
            if holding:
                before = wall_slip[t, w]
                if advance > 0.0:
                    wall_slip[t, w] = 0.0
            if not wall_present[w]:
                continue
            now = wall_now[w]
            away, _, _ = wall_distance(wall_kind[w], now, x, z)
            if away > bound[t]:
                continue
            young = table[material[t] * kinds + wall_material[w], 0]
            friction = table[material[t] * kinds + wall_material[w], 1]
            stored, part, px, pz = wall_push(world, t, wall_kind[w], now, young, area[t], graded, corner)
            if wall_material[w] == hole:
                if part > 0.0:
                    load[t, TAKEN] = w + 1
                continue
            load[t, WALL_STORED] += stored
            load[t, WALL_AREA] = max(load[t, WALL_AREA], part)
            fx, fz = 0.0, 0.0
            for c in range(3):
                gx, gz = corner[c, 0], corner[c, 1]
                fx, fz = fx + gx, fz + gz
                load[t, LOAD_X] += gx
                load[t, LOAD_Z] += gz
                load[t, LOAD_TURN] += (world[t, 2 * c] - x) * gz - (world[t, 2 * c + 1] - z) * gx
                vx = wall_motion[w, 0] - wall_motion[w, 2] * world[t, 2 * c + 1]
                vz = wall_motion[w, 1] + wall_motion[w, 2] * world[t, 2 * c]
                wall_power[t, 0] += gx * vx + gz * vz
                if wall_servo[w] >= 0:
                    note(reaction[t, wall_servo[w]], gx, gz, world[t, 2 * c], world[t, 2 * c + 1])
            push = math.sqrt(fx * fx + fz * fz)
            own = load[t, LOADS + WALL_COLUMNS * w : LOADS + WALL_COLUMNS * (w + 1)]
            own[WALL_X], own[WALL_Z], own[WALL_PART] = fx, fz, part
            own[WALL_POINT_X], own[WALL_POINT_Z] = px, pz
            if friction > 0.0 and push > 0.0:
                vx, vz = wall_motion[w, 0] - wall_motion[w, 2] * pz, wall_motion[w, 1] + wall_motion[w, 2] * px
                tx, tz = -fz / push, fx / push
                ux = state[t, 0, 1] - state[t, 2, 1] * (pz - z) - vx
                uz = state[t, 1, 1] + state[t, 2, 1] * (px - x) - vz
                rate = ux * tx + uz * tz
                if holding:
                    ux = state[t, 0, 2] - state[t, 2, 2] * (pz - z)
                    uz = state[t, 1, 2] + state[t, 2, 2] * (px - x)
                    gone = step * (rate - 0.5 * step * (ux * tx + uz * tz))
                    hold = grip * young * math.sqrt(area[t])
                    drag, drawn, mode = holding_force(push, before + advance * gone, rate, friction, hold, mass[t])
                    own[WALL_MODE] = mode
                    load[t, WALL_HELD] += 0.5 * hold * drawn * drawn
                    if advance > 0.0:
                        wall_slip[t, w] = drawn
                else:
                    drag = friction_force(push, rate, friction, slow, mass[t], step)
                fx, fz = drag * tx, drag * tz
                own[WALL_X] += fx
                own[WALL_Z] += fz
                load[t, DRAG_LOAD_X] += fx
                load[t, DRAG_LOAD_Z] += fz
                load[t, DRAG_LOAD_TURN] += (px - x) * fz - (pz - z) * fx
                wall_power[t, 1] += fx * vx + fz * vz
                if wall_servo[w] >= 0:
                    note(reaction[t, wall_servo[w]], fx, fz, px, pz)


@njit(cache=True)
def is_taken(count: int, overlaps: Any, second: Any, material: Any, hole: int, free: int, load: Any) -> bool:
    """Whether a triangle touches a wall that absorbs it; hole: as in `push_from_walls`."""
    for c in range(count):
        if material[second[overlaps[c]]] == hole:
            return True
    for t in range(free):
        if load[t, TAKEN] > 0.0:
            return True
    return False


@njit(cache=True)
def count_kinds(count: int, overlaps: Any, out: Any, seen: Any) -> None:
    """Add the overlaps of each kind, 0 … 6, to `seen`."""
    for c in range(count):
        seen[int(out[overlaps[c], KIND])] += 1


@njit(cache=True)
def deepest_overlap(
    count: int, overlaps: Any, first: Any, second: Any, out: Any, area: Any, free: int, thick: float, load: Any
) -> tuple[float, int, int]:
    """The largest share of the smaller triangle that lies in an overlap, and the two triangles; −1: a smooth wall.

    Also of one triangle in several others, where that is most of it. thick: as in `whole_area`.
    """
    worst, one, other = 0.0, -1, -1
    for c in range(count):
        p = overlaps[c]
        share = out[p, AREA] / max(whole_area(first[p], second[p], free, area, thick), TINY)
        if share > worst:
            worst, one, other = share, first[p], second[p]
    for t in range(free):
        share = load[t, WALL_AREA] / area[t]
        if share > worst:
            worst, one, other = share, t, -1
        share = load[t, COVERED] / area[t]
        if share > max(worst, 0.5):
            worst, one, other = share, t, SEVERAL
    return worst, one, other
