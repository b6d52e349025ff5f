"""The loop over events of the hard-sphere solver. A template: see `bound.py`.

Every grain has one entry in the calendar: the first of its collisions, as far as it is known, and of its leaving its
cell. A collision stands in the entry of the grain whose path changed last; if its partner's path has changed since, the
entry is stale, and the grain looks again. So a collision costs two predictions, and nothing else has to be told.
"""

from __future__ import annotations

import math
from typing import Any

from numba import njit

from barchan.kernels.hard_pairs import (
    CLOCK,
    CROSSINGS,
    EVENTS,
    GONE,
    GRAVITY,
    HALF,
    LEAVES,
    LOOKS,
    MASS,
    MEETS,
    NEVER,
    OUTER,
    PERIOD,
    RADIUS,
    SHIFTED,
    STALE,
    STALLED,
    VX,
    VY,
    VZ,
    X,
    Y,
    Z,
    bring,
    leave_cell,
    resolve_pair,
)  # fmt: skip
from barchan.kernels.hard_queue import (
    CELL,
    COUNT,
    FACE,
    PARTNER,
    PARTNER_COUNT,
    TAKEN,
    begin,
    find_next,
    move,
    tune,
)  # fmt: skip
from barchan.kernels.hard_walls import ABSORBING, BEGUN, BREAKS, FRAME, impact, resolve_wall

# Partners that are no grains: nothing, another look, and from FIRST_WALL downwards the pieces of walls.
NOTHING, LOOK, FIRST_WALL = -1, -2, -3
# Why `advance` comes back.
ARRIVED, PAUSED, SPREAD, STUCK = range(4)
MOST_STALLED = 10_000  # events a grain in a row, in a time that the clock cannot tell from none


@njit(cache=True, error_model="numpy", _nrt=False)
def search_cells(
    i: int, t: float, horizon: float, face: int, grain: Any, link: Any, after: Any, head: Any, space: Any, cells: Any
) -> float:
    """Find the first grain that i meets before `horizon`; with a face, only in the cells that have come near with it.

    The partner is entered in `link`; the answer is the moment.
    """
    gx, gy, gz = space[GRAVITY], space[GRAVITY + 1], space[GRAVITY + 2]
    hx, hy, hz = space[HALF], space[HALF + 1], space[HALF + 2]
    lx, ly, lz = space[PERIOD], space[PERIOD + 1], space[PERIOD + 2]
    own = t - grain[i, CLOCK]
    vx, vy, vz = grain[i, VX] + gx * own, grain[i, VY] + gy * own, grain[i, VZ] + gz * own
    x = grain[i, X] + own * (grain[i, VX] + 0.5 * gx * own)
    y = grain[i, Y] + own * (grain[i, VY] + 0.5 * gy * own)
    z = grain[i, Z] + own * (grain[i, VZ] + 0.5 * gz * own)
    radius = grain[i, RADIUS]
    nx, ny, nz = cells[0], cells[1], cells[2]
    cell = link[i, CELL]
    cz = cell % nz
    cy = (cell // nz) % ny
    cx = cell // (nz * ny)
    x_first, x_last, y_first, y_last, z_first, z_last = cx - 1, cx + 1, cy - 1, cy + 1, cz - 1, cz + 1
    if face >= 0:
        if face == 0:
            x_last = x_first
        elif face == 1:
            x_first = x_last
        elif face == 2:
            y_last = y_first
        elif face == 3:
            y_first = y_last
        elif face == 4:
            z_last = z_first
        else:
            z_first = z_last
    best = horizon - t
    found = -1
    for ix in range(x_first, x_last + 1):
        if ix < 0 or ix >= nx:
            if cells[3] == 0:
                continue
            ix = ix + nx if ix < 0 else ix - nx
        for iy in range(y_first, y_last + 1):
            if iy < 0 or iy >= ny:
                if cells[4] == 0:
                    continue
                iy = iy + ny if iy < 0 else iy - ny
            row = (ix * ny + iy) * nz
            for iz in range(z_first, z_last + 1):
                if iz < 0 or iz >= nz:
                    if cells[5] == 0:
                        continue
                    iz = iz + nz if iz < 0 else iz - nz
                j = head[row + iz]
                while j >= 0:
                    since = t - grain[j, CLOCK]
                    dx = grain[j, X] + since * (grain[j, VX] + 0.5 * gx * since) - x
                    dy = grain[j, Y] + since * (grain[j, VY] + 0.5 * gy * since) - y
                    dz = grain[j, Z] + since * (grain[j, VZ] + 0.5 * gz * since) - z
                    if dx > hx:
                        dx -= lx
                    elif dx < -hx:
                        dx += lx
                    if dy > hy:
                        dy -= ly
                    elif dy < -hy:
                        dy += ly
                    if dz > hz:
                        dz -= lz
                    elif dz < -hz:
                        dz += lz
                    wx = grain[j, VX] + gx * since - vx
                    wy = grain[j, VY] + gy * since - vy
                    wz = grain[j, VZ] + gz * since - vz
                    closing = -(dx * wx + dy * wy + dz * wz)
                    if closing > 0.0 and j != i:
                        reach = radius + grain[j, RADIUS]
                        gap = dx * dx + dy * dy + dz * dz - reach * reach
                        root = closing * closing - gap * (wx * wx + wy * wy + wz * wz)
                        if root >= 0.0:
                            # Touching or overlapping, and approaching: at once.
                            time = max(gap, 0.0) / (closing + math.sqrt(root))
                            if time < best:
                                best, found = time, j
                    j = after[j]
    if found < 0:
        return horizon
    link[i, PARTNER] = found
    link[i, PARTNER_COUNT] = link[found, COUNT]
    return t + best


@njit(cache=True, error_model="numpy", _nrt=False)
def search_walls(
    i: int, t: float, horizon: float, grain: Any, link: Any, space: Any, wall_start: Any, wall_list: Any, piece: Any,
    shape_table: Any, frame: Any, rest: Any, motion_kind: Any, motion_table: Any,
) -> float:  # fmt: skip
    """Find the first wall that i meets before `horizon`; the piece is entered in `link`, the answer is the moment."""
    cell = link[i, CELL]
    first, last = wall_start[cell], wall_start[cell + 1]
    if first == last:
        return horizon
    gx, gy, gz = space[GRAVITY], space[GRAVITY + 1], space[GRAVITY + 2]
    own = t - grain[i, CLOCK]
    vx, vy, vz = grain[i, VX] + gx * own, grain[i, VY] + gy * own, grain[i, VZ] + gz * own
    x = grain[i, X] + own * (grain[i, VX] + 0.5 * gx * own)
    y = grain[i, Y] + own * (grain[i, VY] + 0.5 * gy * own)
    z = grain[i, Z] + own * (grain[i, VZ] + 0.5 * gz * own)
    for entry in range(first, last):
        p = wall_list[entry]
        f = piece[p, FRAME]
        until, broken = horizon, False
        for k in range(BREAKS, rest.shape[1]):
            moment = rest[f, k] + rest[f, BEGUN]
            if t < moment < until:
                until, broken = moment, True
        time, again = impact(
            p, t, until, x, y, z, vx, vy, vz, grain[i, RADIUS], space, piece, shape_table, frame, rest, motion_kind,
            motion_table,
        )  # fmt: skip
        if time < horizon:
            horizon = time
            link[i, PARTNER] = LOOK if again else FIRST_WALL - p
        elif broken:
            horizon = until
            link[i, PARTNER] = LOOK
    return horizon


@njit(cache=True, error_model="numpy", _nrt=False)
def predict(
    i: int, t: float, known: float, face: int, grain: Any, link: Any, after: Any, head: Any, space: Any, cells: Any,
    calendar: Any, turn: Any, bins: Any, heap: Any, moment: Any, wall_start: Any, wall_list: Any, piece: Any,
    shape_table: Any, frame: Any, rest: Any, motion_kind: Any, motion_table: Any,
) -> None:  # fmt: skip
    """Find the next event of grain i after time t, and enter it.

    With the face through which it has just passed into its cell, only cells that have come near are searched: up to
    then the collision entered at the moment `known` was the first.
    """
    leaves, next_face = leave_cell(i, t, link[i, CELL], grain, space, cells)
    if face < 0:
        link[i, PARTNER] = NOTHING
    meets = search_cells(i, t, known, face, grain, link, after, head, space, cells)
    if wall_start[link[i, CELL]] < wall_start[link[i, CELL] + 1]:
        first = min(meets, leaves)
        wall = search_walls(
            i, t, first, grain, link, space, wall_start, wall_list, piece, shape_table, frame, rest, motion_kind,
            motion_table,
        )  # fmt: skip
        if wall < first:
            meets = wall
    grain[i, MEETS], grain[i, LEAVES] = meets, leaves
    link[i, FACE] = next_face
    move(i, min(meets, leaves), calendar, turn, bins, heap, moment, link)


@njit(cache=True, _nrt=False)
def unlink(i: int, link: Any, after: Any, before: Any, head: Any) -> None:
    """Take grain i out of the list of its cell."""
    later, earlier = after[i], before[i]
    if earlier >= 0:
        after[earlier] = later
    else:
        head[link[i, CELL]] = later
    if later >= 0:
        before[later] = earlier


@njit(cache=True, _nrt=False)
def enlist(i: int, cell: int, link: Any, after: Any, before: Any, head: Any) -> None:
    """Put grain i into the list of a cell."""
    first = head[cell]
    after[i], before[i] = first, -1
    if first >= 0:
        before[first] = i
    head[cell] = i
    link[i, CELL] = cell


@njit(cache=True, error_model="numpy", _nrt=False)
def cross(
    i: int, grain: Any, link: Any, after: Any, before: Any, head: Any, space: Any, cells: Any, book: Any, tally: Any
) -> None:
    """Let grain i pass into the next cell."""
    face = link[i, FACE]
    axis = face // 2
    stride = 1
    if axis == 0:
        stride = cells[1] * cells[2]
    elif axis == 1:
        stride = cells[2]
    cell = link[i, CELL]
    place = (cell // stride) % cells[axis]
    unlink(i, link, after, before, head)
    length = 0.0
    if face % 2:
        place += 1
        cell += stride
        if place == cells[axis]:
            place = 0
            cell -= stride * cells[axis]
            length = -space[PERIOD + axis]
    else:
        place -= 1
        cell -= stride
        if place < 0:
            place = cells[axis] - 1
            cell += stride * cells[axis]
            length = space[PERIOD + axis]
    if length != 0.0:
        # Potential energy that it seems to gain or lose by a period is kept in the books.
        grain[i, axis] += length
        book[SHIFTED] += grain[i, MASS] * space[GRAVITY + axis] * length
    enlist(i, cell, link, after, before, head)
    tally[CROSSINGS] += 1
    if cells[3 + axis] == 0 and (place == 0 or place == cells[axis] - 1):
        tally[OUTER] += 1


@njit(cache=True, _nrt=False)
def swallow(i: int, p: int, grain: Any, link: Any, after: Any, before: Any, head: Any, tally: Any, gone: Any) -> None:
    """Take grain i out of the game; the solver removes it when the loop comes back."""
    unlink(i, link, after, before, head)
    link[i, COUNT] += 1
    gone[tally[GONE], 0] = i
    gone[tally[GONE], 1] = p
    tally[GONE] += 1
    grain[i, MEETS] = grain[i, LEAVES] = NEVER


@njit(cache=True, _nrt=False)
def start(
    now: float, width: float, count: int, grain: Any, link: Any, after: Any, before: Any, head: Any, calendar: Any,
    turn: Any, bins: Any, heap: Any, moment: Any,
) -> None:  # fmt: skip
    """Put all grains into the lists of their cells; the first that each will do is to look what comes.

    The calendar begins at time `now` with bins of that width, s.
    """
    head[:] = -1
    for i in range(count - 1, -1, -1):
        enlist(i, link[i, CELL], link, after, before, head)
        grain[i, MEETS], grain[i, LEAVES] = now, NEVER
        link[i, PARTNER] = LOOK
    begin(now, width, count, grain, calendar, turn, bins, heap, moment, link)


@njit(cache=True, error_model="numpy", _nrt=False)
def advance(
    until: float, most: int, spread: int, count: int, kinds: int, before: Any, attitude: Any, clock: Any, book: Any,
    tally: Any, gone: Any, surfaces: Any, wall_surfaces: Any, grain: Any, link: Any, after: Any, head: Any, space: Any,
    cells: Any, calendar: Any, turn: Any, bins: Any, heap: Any, moment: Any, wall_start: Any, wall_list: Any,
    piece: Any, shape_table: Any, frame: Any, rest: Any, motion_kind: Any, motion_table: Any,
) -> int:  # fmt: skip
    """Let happen all that is due up to time `until`, s, or `most` events; says why it came back."""
    every = max(4 * count, 4096)  # events between two tunings
    stop = tally[EVENTS] + most
    while find_next(until, grain, calendar, turn, bins, heap, moment, link):
        t, i = moment[0], heap[0]
        tally[EVENTS] += 1
        turn[TAKEN] += 1
        if t > clock[0]:
            clock[0] = t
            tally[STALLED] = 0
        else:
            tally[STALLED] += 1
            if tally[STALLED] > MOST_STALLED * count:
                return STUCK
        partner, face, known = -1, -1, NEVER
        if grain[i, LEAVES] < grain[i, MEETS]:
            face, known = link[i, FACE], grain[i, MEETS]
            cross(i, grain, link, after, before, head, space, cells, book, tally)
        else:
            other = link[i, PARTNER]
            if other >= 0:
                if link[other, COUNT] != link[i, PARTNER_COUNT]:
                    tally[STALE] += 1
                else:
                    partner = other
                    bring(i, t, grain, space, attitude)
                    bring(partner, t, grain, space, attitude)
                    resolve_pair(i, partner, t, kinds, grain, space, surfaces, book, tally)
                    link[i, COUNT] += 1
                    link[partner, COUNT] += 1
            elif other <= FIRST_WALL:
                p = FIRST_WALL - other
                bring(i, t, grain, space, attitude)
                if piece[p, ABSORBING] > 0:
                    swallow(i, p, grain, link, after, before, head, tally, gone)
                    move(i, NEVER, calendar, turn, bins, heap, moment, link)
                    continue
                resolve_wall(
                    i, p, t, kinds, grain, space, wall_surfaces, book, tally, piece, shape_table, frame, rest,
                    motion_kind, motion_table,
                )  # fmt: skip
                link[i, COUNT] += 1
            else:
                tally[LOOKS] += 1
        while True:
            predict(
                i, t, known, face, grain, link, after, head, space, cells, calendar, turn, bins, heap, moment,
                wall_start, wall_list, piece, shape_table, frame, rest, motion_kind, motion_table,
            )  # fmt: skip
            if partner < 0:
                break
            i, partner = partner, -1
        if turn[TAKEN] >= every:
            tune(t, count, grain, calendar, turn, bins, heap, moment, link)
        if tally[EVENTS] >= stop:
            return PAUSED
        if tally[OUTER] > spread:
            return SPREAD
    return ARRIVED
