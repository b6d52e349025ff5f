"""The loop over events of the hard-sphere solver. A template: see `bound.py`.

Every grain has one entry in the calendar: the first of its collisions, as far as it is known, and of its leaving its
cell. A collision stands in the entry of the grain whose path changed last; if its partner's path has changed since, the
entry is stale, and the grain looks again. So a collision costs two predictions, and nothing else has to be told.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from barchan.kernels.turning import rotated
from barchan.kernels.wall_frames import frame_pose
from barchan.solvers.hard.kernels.pairs import NEVER, bring, leave_cell, resolve_pair
from barchan.solvers.hard.kernels.queue import TAKEN, begin, entry, find_next, inlined, inner, move, tune
from barchan.solvers.hard.kernels.search import (
    FIRST_WALL,
    LOOK,
    NOTHING,
    image,
    next_cell_time,
    search_cells,
    search_held,
    search_walls,
)
from barchan.solvers.hard.kernels.walls import hold, resolve_wall

from barchan.solvers.hard.layout import (  # isort: skip
    ABSORBING, ANY_HELD, ARRIVED, BEGUN, CELL, CELL_X, CELL_Y, CELL_Z, CLOCK, CORNER, COUNT, CROSSINGS, EVENTS, FACE,
    GONE, GRAVITY, GRIP, HELD, LAST, LEAVES, LOOKS, MASS, MEETS, OUTER, PARTNER, PARTNER_COUNT, PAUSED, PERIOD, SHIFTED,
    SIZE, SPREAD, STALE, STALLED, STICKY, STUCK, X, Y, Z,
)  # fmt: skip

REBIN = 6  # `FACE` of a grain that is held: when it is looked up in which cell it has come to be
MOST_STALLED = 10_000  # events a grain in a row, in a time that the clock cannot tell from none


@inner
def rebin(
    i: int, t: float, grain: Any, link: Any, after: Any, before: Any, head: Any, space: Any, cells: Any, frame: Any,
    rest: Any, motion_kind: Any, motion_table: Any,
) -> None:  # fmt: skip
    """Put grain i, which a moving wall holds, into the cell where it is now."""
    f = int(grain[i, LAST])
    pose = frame_pose(f, t, rest, frame, motion_kind, motion_table, rest[f, BEGUN])
    x, y, z = rotated(pose[3], pose[4], pose[5], pose[6], grain[i, X], grain[i, Y], grain[i, Z])
    unlink(i, link, after, before, head)
    for axis in range(3):
        here = x + pose[0] if axis == 0 else (y + pose[1] if axis == 1 else z + pose[2])
        c = math.floor((here - space[CORNER + axis]) / space[SIZE + axis])
        if cells[3 + axis] > 0:
            c = c % cells[axis]
        link[i, CELL_X + axis] = min(max(c, 0), cells[axis] - 1)
    cell = (link[i, CELL_X] * cells[1] + link[i, CELL_Y]) * cells[2] + link[i, CELL_Z]
    enlist(i, cell, link, after, before, head)


@inlined
def predict(
    i: int, t: float, known: float, face: int, grain: Any, link: Any, after: Any, head: Any, space: Any, cells: Any,
    calendar: Any, turn: Any, bins: Any, heap: Any, moment: Any, wall_start: Any, wall_list: Any, piece: Any,
    shape_table: Any, frame: Any, rest: Any, motion_kind: Any, motion_table: Any,
) -> None:  # fmt: skip
    """Find the next event of grain i after time t, and enter it.

    With the face through which it has just passed into its cell, only cells that have come near are searched: up to
    then the collision entered at the moment `known` was the first.
    """
    held, holding = grain[i, CLOCK] == HELD, True
    if face < 0:
        link[i, PARTNER] = NOTHING
    if held:
        leaves, next_face, meets = grain[i, LEAVES], REBIN, NEVER
        if not leaves > t:  # it has just been put into its cell; collisions do not put that off
            leaves = next_cell_time(i, t, grain, space, frame, rest)
    else:
        leaves, next_face = leave_cell(i, t, grain, link, space, cells)
        meets, holding = search_cells(i, t, known, face, grain, link, after, head, space, cells)
    if cells[ANY_HELD] > 0 and (holding or face >= 0):
        first = min(meets, leaves)
        other = search_held(
            i, t, first, grain, link, after, head, space, cells, piece, shape_table, frame, rest, motion_kind,
            motion_table,
        )  # fmt: skip
        if other < first:
            meets = other
    if not held and wall_start[link[i, CELL]] < wall_start[link[i, CELL] + 1]:
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


@inner
def unlink(i: int, link: Any, after: Any, before: Any, head: Any) -> None:
    """Take grain i out of the list of its cell."""
    later, earlier = after[i], before[i]
    if earlier >= 0:
        after[earlier] = later
    else:
        head[link[i, CELL]] = later
    if later >= 0:
        before[later] = earlier


@inner
def enlist(i: int, cell: int, link: Any, after: Any, before: Any, head: Any) -> None:
    """Put grain i into the list of a cell."""
    first = head[cell]
    after[i], before[i] = first, -1
    if first >= 0:
        before[first] = i
    head[cell] = i
    link[i, CELL] = cell


@inlined
def cross(
    i: int, images: Any, grain: Any, link: Any, after: Any, before: Any, head: Any, space: Any, cells: Any, book: Any,
    tally: Any,
) -> None:  # fmt: skip
    """Let grain i pass into the next cell."""
    face = link[i, FACE]
    axis = face // 2
    place = link[i, CELL_X + axis] + (1 if face % 2 else -1)
    length = 0.0
    if place == cells[axis]:
        place, length = 0, -space[PERIOD + axis]
    elif place < 0:
        place, length = cells[axis] - 1, space[PERIOD + axis]
    unlink(i, link, after, before, head)
    link[i, CELL_X + axis] = place
    cell = (link[i, CELL_X] * cells[1] + link[i, CELL_Y]) * cells[2] + link[i, CELL_Z]
    if length != 0.0:
        # Potential energy that it seems to gain or lose by a period is kept in the books.
        grain[i, axis] += length
        images[i, axis] += 1 if length < 0.0 else -1
        book[SHIFTED] += grain[i, MASS] * space[GRAVITY + axis] * length
    enlist(i, cell, link, after, before, head)
    tally[CROSSINGS] += 1
    if cells[3 + axis] == 0 and (place == 0 or place == cells[axis] - 1):
        tally[OUTER] += 1


@inner
def swallow(i: int, p: int, grain: Any, link: Any, after: Any, before: Any, head: Any, tally: Any, gone: Any) -> None:
    """Take grain i out of the game; the solver removes it when the loop comes back."""
    unlink(i, link, after, before, head)
    link[i, COUNT] += 1
    gone[tally[GONE], 0] = i
    gone[tally[GONE], 1] = p
    tally[GONE] += 1
    grain[i, MEETS] = grain[i, LEAVES] = NEVER


@entry
def start(
    now: float, width: float, count: int, grain: Any, link: Any, after: Any, before: Any, head: Any, calendar: Any,
    turn: Any, bins: Any, heap: Any, moment: Any,
) -> None:  # fmt: skip
    """Put all grains into the lists of their cells; the first that each will do is to look what comes.

    The calendar begins at time `now` with bins of that width, s.
    """
    head[:] = -1
    for i in range(count - 1, -1, -1):
        enlist(i, int(np.int64(link[i, CELL])), link, after, before, head)
        grain[i, MEETS] = now
        if grain[i, CLOCK] != HELD:
            grain[i, LEAVES] = NEVER
        link[i, PARTNER] = LOOK
    begin(now, width, count, grain, calendar, turn, bins, heap, moment, link)


@entry
def advance(
    until: float, most: int, spread: int, count: int, kinds: int, before: Any, attitude: Any, images: Any, clock: Any,
    book: Any, tally: Any, gone: Any, surfaces: Any, wall_surfaces: Any, grain: Any, link: Any, after: Any, head: Any,
    space: Any, cells: Any, calendar: Any, turn: Any, bins: Any, heap: Any, moment: Any, wall_start: Any,
    wall_list: Any, piece: Any, shape_table: Any, frame: Any, rest: Any, motion_kind: Any, motion_table: Any,
) -> int:  # fmt: skip
    """Let happen all that is due up to time `until`, s, or `most` events; says why it came back."""
    every = max(4 * count, 4096)  # events between two tunings
    stop = tally[EVENTS] + most
    while find_next(until, grain, calendar, turn, bins, heap, moment, link):
        # As int64, which int() alone does not make of an int32: any other int would compile what is called once more.
        t, i = moment[0], int(np.int64(heap[0]))
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
            face = int(np.int64(link[i, FACE]))
            if face == REBIN:
                face = -1
                rebin(
                    i, t, grain, link, after, before, head, space, cells, frame, rest, motion_kind, motion_table
                )  # fmt: skip
            else:
                known = grain[i, MEETS]
                cross(i, images, grain, link, after, before, head, space, cells, book, tally)
        else:
            other = int(np.int64(link[i, PARTNER]))
            if other >= 0:
                if link[other, COUNT] != link[i, PARTNER_COUNT]:
                    tally[STALE] += 1
                elif cells[ANY_HELD] > 0 and (grain[i, CLOCK] == HELD or grain[other, CLOCK] == HELD):
                    free, fixed = (other, i) if grain[i, CLOCK] == HELD else (i, other)
                    partner = other if free == other else -1
                    bring(free, t, grain, space, attitude)
                    resolve_wall(
                        free, -1 - fixed, t,
                        image(link[free, CELL_X] - link[fixed, CELL_X], cells[0], space[PERIOD]),
                        image(link[free, CELL_Y] - link[fixed, CELL_Y], cells[1], space[PERIOD + 1]),
                        image(link[free, CELL_Z] - link[fixed, CELL_Z], cells[2], space[PERIOD + 2]),
                        kinds, grain, space, surfaces, wall_surfaces, book, tally, piece, shape_table, frame, rest,
                        motion_kind, motion_table,
                    )  # fmt: skip
                    link[free, COUNT] += 1
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
                if piece[p, GRIP] == ABSORBING:
                    swallow(i, p, grain, link, after, before, head, tally, gone)
                    move(i, NEVER, calendar, turn, bins, heap, moment, link)
                    continue
                if piece[p, GRIP] == STICKY:
                    cells[ANY_HELD] += 1
                    hold(
                        i, p, t, grain, attitude, space, book, piece, frame, rest, motion_kind, motion_table
                    )  # fmt: skip
                else:
                    resolve_wall(
                        i, p, t, 0.0, 0.0, 0.0, kinds, grain, space, surfaces, wall_surfaces, book, tally, piece,
                        shape_table, frame, rest, motion_kind, motion_table,
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
