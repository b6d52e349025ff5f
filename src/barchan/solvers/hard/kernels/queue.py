"""The calendar of events: one entry a grain, found, moved and taken in constant time.

Time is cut into bins of equal width. The bin of the present is a small binary heap; later bins, up to one turn of the
calendar, are lists in no order; what is later still waits in one more list, which is sorted into bins at every turn.
The calendar is tuned (see `tune`) so that the heap stays small.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.kernels.jit import njit
from barchan.solvers.hard.layout import LEAVES, MEETS, NARROWNESS, NEXT, NOWHERE, ORIGIN, PREVIOUS, WHERE, WIDTH

# How the kernels of hard spheres are compiled. None makes or drops arrays, so no references are counted (`_nrt`), which
# made them 1.8 times faster. What only kernels call is compiled without a door for Python, which took a third of the
# time, and is kept on disk as a part of what calls it.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
_INNER = {**_OPTIONS, "no_cpython_wrapper": True}
entry = njit(cache=True, **_OPTIONS)
inner = njit(**_INNER)
inlined = njit(forceinline=True, **_INNER)

# Entries of `turn`, int64: the present bin, entries in the heap, entries taken and bins passed since the last tuning.
BIN, HEAP, TAKEN, PASSED = 0, 1, 2, 3
IN_HEAP = 1 << 30  # `WHERE` of an entry at place k of the heap is IN_HEAP + k, of others the number of their bin
MOST_IN_HEAP = 24.0  # entries of a bin on average, above which the bins are made narrower
LEAST_IN_HEAP = 1.5  # and below which they are made wider


@inner
def climb(k: int, heap: Any, moment: Any, link: Any) -> None:
    """Move the entry at place k of the heap towards the top until its parent comes before it."""
    i, t = heap[k], moment[k]
    while k > 0:
        parent = (k - 1) >> 1
        if moment[parent] <= t:
            break
        heap[k], moment[k] = heap[parent], moment[parent]
        link[heap[k], WHERE] = IN_HEAP + k
        k = parent
    heap[k], moment[k] = i, t
    link[i, WHERE] = IN_HEAP + k


@inner
def sink(k: int, count: int, heap: Any, moment: Any, link: Any) -> None:
    """Move the entry at place k of the heap away from the top until it comes before its children."""
    i, t = heap[k], moment[k]
    while True:
        child = 2 * k + 1
        if child >= count:
            break
        if child + 1 < count and moment[child + 1] < moment[child]:
            child += 1
        if moment[child] >= t:
            break
        heap[k], moment[k] = heap[child], moment[child]
        link[heap[k], WHERE] = IN_HEAP + k
        k = child
    heap[k], moment[k] = i, t
    link[i, WHERE] = IN_HEAP + k


@inner
def put(i: int, t: float, calendar: Any, turn: Any, bins: Any, heap: Any, moment: Any, link: Any) -> None:
    """Enter grain i, which has no entry, at time t."""
    last = len(bins) - 1  # the list of what comes after this turn
    place = (t - calendar[ORIGIN]) * calendar[NARROWNESS]
    b = last if not place < last else int(place)
    if b <= turn[BIN]:
        k = turn[HEAP]
        heap[k], moment[k] = i, t
        turn[HEAP] = k + 1
        climb(k, heap, moment, link)
        return
    first = bins[b]
    link[i, NEXT], link[i, PREVIOUS], link[i, WHERE] = first, NOWHERE, b
    if first >= 0:
        link[first, PREVIOUS] = i
    bins[b] = i


@inner
def take_out(i: int, turn: Any, bins: Any, heap: Any, moment: Any, link: Any) -> None:
    """Remove the entry of grain i, if it has one."""
    where = link[i, WHERE]
    if where >= IN_HEAP:
        k, last = where - IN_HEAP, turn[HEAP] - 1
        turn[HEAP] = last
        if k != last:
            heap[k], moment[k] = heap[last], moment[last]
            link[heap[k], WHERE] = IN_HEAP + k
            moved = heap[k]
            climb(k, heap, moment, link)
            sink(link[moved, WHERE] - IN_HEAP, last, heap, moment, link)
    elif where >= 0:
        after, before = link[i, NEXT], link[i, PREVIOUS]
        if before >= 0:
            link[before, NEXT] = after
        else:
            bins[where] = after
        if after >= 0:
            link[after, PREVIOUS] = before
    link[i, WHERE] = NOWHERE


@inlined
def move(i: int, t: float, calendar: Any, turn: Any, bins: Any, heap: Any, moment: Any, link: Any) -> None:
    """Enter grain i at time t in place of the entry it has."""
    where = link[i, WHERE]
    if where >= IN_HEAP and (t - calendar[ORIGIN]) * calendar[NARROWNESS] < turn[BIN] + 1:
        k = where - IN_HEAP
        moment[k] = t
        climb(k, heap, moment, link)
        sink(link[i, WHERE] - IN_HEAP, turn[HEAP], heap, moment, link)
        return
    take_out(i, turn, bins, heap, moment, link)
    put(i, t, calendar, turn, bins, heap, moment, link)


@inner
def empty_into_heap(b: int, grain: Any, turn: Any, bins: Any, heap: Any, moment: Any, link: Any) -> None:
    """Move all entries of bin b into the heap."""
    i = bins[b]
    bins[b] = NOWHERE
    while i >= 0:
        after = link[i, NEXT]
        k = turn[HEAP]
        heap[k], moment[k] = i, min(grain[i, MEETS], grain[i, LEAVES])
        turn[HEAP] = k + 1
        climb(k, heap, moment, link)
        i = after


@inlined
def find_next(until: float, grain: Any, calendar: Any, turn: Any, bins: Any, heap: Any, moment: Any, link: Any) -> bool:
    """Turn the calendar until the next entry is at the top of the heap; False where none is due by `until`."""
    last = len(bins) - 1
    idle = 0
    while turn[HEAP] == 0:
        if calendar[ORIGIN] + (turn[BIN] + 1) * calendar[WIDTH] > until:
            return False
        turn[BIN] += 1
        turn[PASSED] += 1
        idle += 1
        if turn[BIN] < last:
            empty_into_heap(turn[BIN], grain, turn, bins, heap, moment, link)
            continue
        calendar[ORIGIN] += last * calendar[WIDTH]
        turn[BIN] = 0
        if idle >= last:  # a whole turn without an entry: all bins are empty, and too narrow
            calendar[WIDTH] *= 4.0
            calendar[NARROWNESS] = 1.0 / calendar[WIDTH]
            idle = 0
        i = np.int64(bins[last])
        bins[last] = NOWHERE
        while i >= 0:
            after = np.int64(link[i, NEXT])
            put(i, min(grain[i, MEETS], grain[i, LEAVES]), calendar, turn, bins, heap, moment, link)
            i = after
    return bool(moment[0] <= until)


@inner
def begin(
    now: float, width: float, count: int, grain: Any, calendar: Any, turn: Any, bins: Any, heap: Any, moment: Any,
    link: Any,
) -> None:  # fmt: skip
    """Make the calendar anew, beginning at time `now` with bins of that width, s."""
    calendar[ORIGIN], calendar[WIDTH], calendar[NARROWNESS] = now, width, 1.0 / width
    turn[:] = 0
    bins[:] = NOWHERE
    for i in range(count):
        link[i, WHERE] = NOWHERE
        put(i, min(grain[i, MEETS], grain[i, LEAVES]), calendar, turn, bins, heap, moment, link)


@inner
def tune(
    now: float, count: int, grain: Any, calendar: Any, turn: Any, bins: Any, heap: Any, moment: Any, link: Any
) -> None:
    """Choose the width of bins from how many entries a bin has had since the last time, and begin anew if it is off."""
    filling = turn[TAKEN] / max(turn[PASSED], 1)
    if filling > MOST_IN_HEAP or filling < LEAST_IN_HEAP:
        factor = 6.0 / max(filling, 1e-3)
        begin(
            now, calendar[WIDTH] * min(max(factor, 1e-3), 1e3), count, grain, calendar, turn, bins, heap, moment, link
        )
    turn[TAKEN] = turn[PASSED] = 0
