"""One sweep through the list of pairs: their forces, the sums of grains, their drift. A template: see `bound.py`.

Of many pairs, sums and drift take turns with pairs in short stretches of the list, so that what pairs hand to their
grains, and the grains themselves, are still in the processor's cache when they are wanted again. See `sweep_rows.py`
for parts and rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.kernels.bound import ADAPTIVE
from barchan.kernels.jit import inlined, njit, prange
from barchan.solvers.soft.kernels.drift import LOOK, drift_stretch
from barchan.solvers.soft.kernels.gather import gather_stretch
from barchan.solvers.soft.kernels.pairs import pair_strip
from barchan.solvers.soft.kernels.rows import SLOTS, U
from barchan.solvers.soft.layout import BASE, CHUNK, GRAIN_FROM, GRAIN_TO, PAIRS, STRIP, STRIP_FROM, STRIP_TO

MANY = 8000  # blocks, the data of which no cache holds
LAST = np.int64(1) << np.int64(62)


@inlined
def sweep_part(
    part: int, belated: int, parts: Any, mask: int, late: Any, late_grain: Any, late_row: Any, far_pair: Any,
    far_start: Any, behind: int, pair_force: Any, grains: int, onward: int,
    blocks: int, first: Any, second: Any, first_grain: Any, second_grain: Any, place: Any, position: Any, motion: Any,
    reduced: Any, material: Any, kinds: Any, table: Any, box: Any, inverse: Any, memory: Any, slots: Any, work: Any,
    deepest: Any, slid: Any, desk: Any, half: float, step: float, advance: float, weight: float,
    kick: float, spans: Any, links: Any, wall_slots: Any, gravity: Any,
    freedom: Any, stiction: Any, hold_weight: float, inertia: Any, orientation: Any, force: Any, torque: Any,
    velocity: Any, angular: Any, held: Any, pull: Any,
    start: Any, offset: Any, turn: Any, origin: Any, wear: Any,
) -> float:  # fmt: skip
    """`sweep` of one part, or of its share of the late grains."""
    strip, end = parts[part, STRIP_FROM], parts[part, STRIP_TO]
    n, last = parts[part, GRAIN_FROM], min(parts[part, GRAIN_TO], grains)
    base, ring = parts[part, BASE], mask
    ahead, chunk = blocks > MANY, CHUNK if mask >= 0 else end - strip
    if belated > 0:
        strip, ring = end, -1
        n, last = part * len(late_grain) // len(parts), (part + 1) * len(late_grain) // len(parts)
    home, way = n, 0.0
    while True:
        begin, high = strip, min(strip + chunk, end)
        for s in range(begin, high):
            pair_strip(
                s, blocks, first, second, first_grain, second_grain, place, position, motion, reduced, material, kinds,
                table, box, inverse, memory, slots, work, deepest, slid, desk, half, step, advance, weight, base, mask,
                ahead,
            )  # fmt: skip
        for e in range(far_start[begin], far_start[high]):
            source, to = U(base + (far_pair[e] & mask)) * U(SLOTS), U(behind + e) * U(SLOTS)
            for q in range(SLOTS):
                slots[to + U(q)] = slots[source + U(q)]
        if onward == 0:
            for k in range(begin * STRIP * 16, min(high * STRIP, blocks) * 16):
                source = U(base + (k & mask)) * U(SLOTS)
                for q in range(3):
                    pair_force[k, q] = slots[source + U(q)]
        strip = high
        done = LAST if strip == end else strip * STRIP * 16
        begin = n
        if belated > 0:
            n = last
        else:
            while n < last and np.int64(spans[n + 1, PAIRS]) <= done:
                n += 1
        gather_stretch(
            begin, n, belated, late, late_grain, late_row, onward, home, kick, spans, links, slots,
            wall_slots, gravity, freedom, stiction, step, hold_weight, inertia, orientation, motion, force,
            torque, velocity, angular, held, pull, base, ring,
        )  # fmt: skip
        if not ADAPTIVE:
            if onward > 0:
                far = drift_stretch(
                    begin, n, belated, late, late_grain, home, step, start, offset, inertia, force, torque, position,
                    velocity, orientation, angular, turn, motion, place, origin, wear, onward == LOOK,
                )  # fmt: skip
                way = max(way, far)
        if strip >= end:
            return way


@njit(cache=True, parallel=True, error_model="numpy", no_cpython_wrapper=True)
def sweep(
    belated: int, parts: Any, mask: int, late: Any, late_grain: Any, late_row: Any, far_pair: Any, far_start: Any,
    behind: int, pair_force: Any, grains: int, onward: int,
    blocks: int, first: Any, second: Any, first_grain: Any, second_grain: Any, place: Any, position: Any, motion: Any,
    reduced: Any, material: Any, kinds: Any, table: Any, box: Any, inverse: Any, memory: Any, slots: Any, work: Any,
    deepest: Any, slid: Any, desk: Any, half: float, step: float, advance: float, weight: float,
    kick: float, spans: Any, links: Any, wall_slots: Any, gravity: Any,
    freedom: Any, stiction: Any, hold_weight: float, inertia: Any, orientation: Any, force: Any, torque: Any,
    velocity: Any, angular: Any, held: Any, pull: Any,
    start: Any, offset: Any, turn: Any, origin: Any, wear: Any,
) -> float:  # fmt: skip
    """Forces, torques and work of all near pairs; every grain adds up its contacts and is kicked; and drifts.

    belated: 1 for the late grains, when this has been done for all others. grains: how many there are, or 0 for pairs
    alone. onward: LOOK or BLIND for the drift of the next step, of length `step`; forces are not kept then. 0: they
    are, those of pairs too; −1: but for those. Answers with what `drift` does, or `drift_one` where it does not look.
    """
    worst = 0.0
    for part in prange(len(parts)):
        way = sweep_part(
            np.int64(part), belated, parts, mask, late, late_grain, late_row, far_pair, far_start, behind, pair_force,
            grains, onward, blocks, first, second, first_grain, second_grain, place, position, motion, reduced,
            material, kinds, table, box, inverse, memory, slots, work, deepest, slid, desk, half, step, advance, weight,
            kick, spans, links, wall_slots, gravity, freedom, stiction, hold_weight,
            inertia, orientation, force, torque, velocity, angular, held, pull, start, offset, turn, origin, wear,
        )  # fmt: skip
        worst = max(worst, way)
    return worst
