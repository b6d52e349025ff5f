"""The contact pass between spheres, sixteen at a time. A template: see `bound.py`.

What lets LLVM turn the inner loops into vector instructions: arrays with constant strides and unsigned indices, numbers
rather than tuples in the loop body (numba then knows that arrays do not overlap), a choice between two numbers instead
of a branch, and loops of constant length. Where a law cannot become vector code (it takes powers), BRANCH passes over
pairs that do not touch.

There is a loop for each of a few stages, with the numbers in between in a desk of sixteen lanes for each thread: a
processor looks ahead only so far, and while one pair waits for its root it must find others to go on with.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from barchan.kernels.bound import (
    BRANCH,
    CLUMPS,
    DEFORMS,
    MATERIALS,
    MEMORY,
    PATH,
    PERIODIC,
    ROLLING,
    STICKS,
    VECTOR,
    law,
    law_at_rest,
    stored,
)
from barchan.kernels.jit import get_thread_id, inlined, njit
from barchan.solvers.soft.kernels.lanes import (
    ask_for_lines,
    ask_for_rows,
    eights_to_lanes,
    fours_to_lanes,
    lanes_to_rows,
)
from barchan.solvers.soft.kernels.rows import LEVERS, SLOTS, WORKS, U
from barchan.solvers.soft.layout import LANES as LANE_COUNT
from barchan.solvers.soft.layout import ROLLING_STEPS, STRIP, TINY

LANES = U(LANE_COUNT)
RETRY = 8  # evaluations until a block with a pair that slid is tried again as if none did
M1, M2, M3, M4, M5 = MEMORY > 1, MEMORY > 2, MEMORY > 3, MEMORY > 4, MEMORY > 5
SOON, LATER = 2, 4  # blocks ahead: what is asked for then, to be in the cache by the time it is wanted
MEMORY_LINES, REDUCED_LINES = 2 * MEMORY, 6  # lines of the cache that hold a block's

# Columns of a thread's desk, of sixteen lanes each. First and second sphere, and what moves them:
X, Y, Z, R = U(0), U(16), U(32), U(48)
SECOND = U(64)
FIRST_GRAIN, SECOND_GRAIN = U(128), U(256)
VX, VY, VZ, WX, WY, WZ, INERTIA = U(0), U(16), U(32), U(64), U(80), U(96), U(112)
# the normal, the overlap, lengths of the levers and whether the two touch; of clumps the levers themselves, and of a
# box that deforms the velocity of the image;
NX, NY, NZ, XI, LEVER, OTHER_LEVER, TOUCH = U(384), U(400), U(416), U(432), U(448), U(464), U(480)
AX, AY, AZ, BX, BY, BZ = U(496), U(512), U(528), U(544), U(560), U(576)
UX, UY, UZ = U(592), U(608), U(624)
# how fast they close and slip, and what the contact remembers;
CLOSING, SX, SY, SZ = U(640), U(656), U(672), U(688)
O0, O1, O2, O3, O4, O5 = U(704), U(720), U(736), U(752), U(768), U(784)
# what the law answers; and the rows for the grains.
PUSH, TX, TY, TZ = U(800), U(816), U(832), U(848)
M0 = U(864)
ROWS = U(960)
DESK = U(1152)


@inlined
def renewed(old: float, new: float, touches: bool, advance: float) -> float:
    """What a contact remembers after an evaluation: nothing where the two do not touch, the old after a trial."""
    kept = new if touches else 0.0
    return kept if advance > 0.0 else old


@inlined
def put(
    d: Any, desk: Any, fn: float, tx: float, ty: float, tz: float, m0: float, m1: float, m2: float, m3: float,
    m4: float, m5: float,
) -> None:  # fmt: skip
    """The answer of a law."""
    desk[d + PUSH], desk[d + TX], desk[d + TY], desk[d + TZ] = fn, tx, ty, tz
    desk[d + M0] = m0
    if M1:
        desk[d + M0 + LANES] = m1
    if M2:
        desk[d + M0 + U(32)] = m2
    if M3:
        desk[d + M0 + U(48)] = m3
    if M4:
        desk[d + M0 + U(64)] = m4
    if M5:
        desk[d + M0 + U(80)] = m5


@inlined(cache=True)
def pair_strip(
    strip: int, blocks: int, first: Any, second: Any, first_grain: Any, second_grain: Any, place: Any, center: Any,
    motion: Any, reduced: Any, material: Any, kinds: Any, table: Any, box: Any, inverse: Any, memory: Any, slots: Any,
    work: Any, deepest: Any, slid: Any, desk: Any, half: float, step: float, advance: float, weight: float, base: int,
    mask: int, ahead: bool,
) -> None:  # fmt: skip
    """Forces, torques and work of the near pairs in one strip of blocks.

    half: time, s, by which the memory is brought forward before and after the law is asked.
    advance: 1 to keep the memory that comes out of it, 0 to leave it as it was.
    weight: time, s, with which the power of this moment enters the work.
    reduced: reduced radius and mass of every pair, and one over the smaller radius; or of a block that stands for all.
    work, deepest: of each lane of a strip, the work so far; the deepest overlap so far, over the smaller radius, and
    the block it was in.
    slid: for each block, for how many evaluations still it is taken for granted that some pair slides.
    base, mask: what a pair hands to its grains goes to row base + (pair & mask) of the slots.
    ahead: whether to ask early for what is wanted soon.
    """
    home = U(get_thread_id()) * DESK
    at_work = U(strip) * (LANES * U(WORKS))
    at_deepest = U(strip) * (LANES * U(2))
    own = LANES * U(3) if len(reduced) > 48 else U(0)
    for b in range(strip * STRIP, min(strip * STRIP + STRIP, blocks)):
        at = U(b) * LANES
        at_memory = U(b) * (LANES * U(MEMORY))
        at_reduced = U(b) * own
        if ahead and b + SOON < blocks:  # second spheres lie here and there: no processor foresees where
            ask_for_rows(place, 4, second, at + U(SOON) * LANES)
            ask_for_rows(motion, 8, second_grain, at + U(SOON) * LANES)
        if ahead and b + LATER < blocks:
            ask_for_lines(memory, at_memory + U(LATER) * (LANES * U(MEMORY)), MEMORY_LINES)
            if own > U(0):
                ask_for_lines(reduced, at_reduced + U(LATER) * own, REDUCED_LINES)
        fours_to_lanes(place, first, at, desk, home)
        fours_to_lanes(place, second, at, desk, home + SECOND)
        eights_to_lanes(motion, first_grain, at, desk, home + FIRST_GRAIN)
        eights_to_lanes(motion, second_grain, at, desk, home + SECOND_GRAIN)
        for lane in range(16):
            k = U(lane)
            d = home + k
            e = d + SECOND
            dx = desk[e + X] - desk[d + X]
            dy = desk[e + Y] - desk[d + Y]
            dz = desk[e + Z] - desk[d + Z]
            if PERIODIC:
                cx = np.floor(dx * inverse[0] + 0.5)
                cy = np.floor(dy * inverse[1] + 0.5)
                cz = np.floor(dz * inverse[2] + 0.5)
                if DEFORMS:  # the second sphere's image lags behind it by this velocity
                    desk[d + UX], desk[d + UY], desk[d + UZ] = box[3] * cx, box[4] * cy, box[5] * cz
                dx -= box[0] * cx
                dy -= box[1] * cy
                dz -= box[2] * cz
            ri = desk[d + R]
            rj = desk[e + R]
            distance = max(math.sqrt(dx * dx + dy * dy + dz * dz), TINY)
            per = 1.0 / distance
            nx, ny, nz = dx * per, dy * per, dz * per
            overlap = ri + rj - distance
            xi = max(overlap, 1e-12 * ri)
            la = ri - 0.5 * xi
            lb = rj - 0.5 * xi
            desk[d + NX], desk[d + NY], desk[d + NZ] = nx, ny, nz
            desk[d + XI], desk[d + LEVER], desk[d + OTHER_LEVER] = xi, la, lb
            desk[d + TOUCH] = 1.0 if overlap > 0.0 else 0.0
            if CLUMPS:
                a = first_grain[at + k]
                c = second_grain[at + k]
                desk[d + AX] = desk[d + X] - center[a, 0] + la * nx
                desk[d + AY] = desk[d + Y] - center[a, 1] + la * ny
                desk[d + AZ] = desk[d + Z] - center[a, 2] + la * nz
                desk[d + BX] = desk[e + X] - center[c, 0] - lb * nx
                desk[d + BY] = desk[e + Y] - center[c, 1] - lb * ny
                desk[d + BZ] = desk[e + Z] - center[c, 2] - lb * nz
        for lane in range(16):
            k = U(lane)
            d = home + k
            a = d + FIRST_GRAIN
            c = d + SECOND_GRAIN
            nx, ny, nz = desk[d + NX], desk[d + NY], desk[d + NZ]
            pax, pay, paz = desk[a + WX], desk[a + WY], desk[a + WZ]
            pbx, pby, pbz = desk[c + WX], desk[c + WY], desk[c + WZ]
            vx, vy, vz = desk[c + VX] - desk[a + VX], desk[c + VY] - desk[a + VY], desk[c + VZ] - desk[a + VZ]
            if CLUMPS:
                ax, ay, az = desk[d + AX], desk[d + AY], desk[d + AZ]
                bx, by, bz = desk[d + BX], desk[d + BY], desk[d + BZ]
                vx = vx + (pby * bz - pbz * by) - (pay * az - paz * ay)
                vy = vy + (pbz * bx - pbx * bz) - (paz * ax - pax * az)
                vz = vz + (pbx * by - pby * bx) - (pax * ay - pay * ax)
            else:
                la, lb = desk[d + LEVER], desk[d + OTHER_LEVER]
                wx, wy, wz = la * pax + lb * pbx, la * pay + lb * pby, la * paz + lb * pbz
                vx -= wy * nz - wz * ny
                vy -= wz * nx - wx * nz
                vz -= wx * ny - wy * nx
            if DEFORMS:
                vx, vy, vz = vx - desk[d + UX], vy - desk[d + UY], vz - desk[d + UZ]
            closing = -(vx * nx + vy * ny + vz * nz)
            sx = vx + closing * nx
            sy = vy + closing * ny
            sz = vz + closing * nz
            desk[d + CLOSING], desk[d + SX], desk[d + SY], desk[d + SZ] = closing, sx, sy, sz
            m0 = memory[at_memory + k]
            m1 = memory[at_memory + LANES + k] if M1 else 0.0
            m2 = memory[at_memory + U(32) + k] if M2 else 0.0
            if VECTOR:
                size = m0 * m0 + m1 * m1 + m2 * m2
                along = m0 * nx + m1 * ny + m2 * nz
                m0 -= along * nx
                m1 -= along * ny
                m2 -= along * nz
                kept = math.sqrt(size / max(m0 * m0 + m1 * m1 + m2 * m2, TINY))
                m0 = kept * m0 + half * sx
                m1 = kept * m1 + half * sy
                m2 = kept * m2 + half * sz
            if PATH:
                m0 += half * math.sqrt(sx * sx + sy * sy + sz * sz)
            desk[d + O0] = m0
            if M1:
                desk[d + O1] = m1
            if M2:
                desk[d + O2] = m2
            if M3:
                desk[d + O3] = memory[at_memory + U(48) + k]
            if M4:
                desk[d + O4] = memory[at_memory + U(64) + k]
            if M5:
                desk[d + O5] = memory[at_memory + U(80) + k]
        slides: Any = np.int64(1)
        if STICKS:
            slides = np.int64(slid[b])
            if slides == 0:  # most pairs at rest stick, for which the law has less to do
                for lane in range(16):
                    k = U(lane)
                    d = home + k
                    row = U(0)
                    if MATERIALS:
                        row = U(material[first[at + k]]) * U(kinds) + U(material[second[at + k]])
                    fn, tx, ty, tz, m0, m1, m2, m3, m4, m5 = law_at_rest(
                        desk[d + XI], desk[d + CLOSING], desk[d + SX], desk[d + SY], desk[d + SZ],
                        reduced[at_reduced + k], reduced[at_reduced + LANES + k], step, half,
                        desk[d + O0], desk[d + O1] if M1 else 0.0, desk[d + O2] if M2 else 0.0,
                        desk[d + O3] if M3 else 0.0, desk[d + O4] if M4 else 0.0, desk[d + O5] if M5 else 0.0,
                        table[row, 0], table[row, 1], table[row, 2], table[row, 3], table[row, 4], table[row, 5],
                        table[row, 6], table[row, 7], table[row, 8], table[row, 9], table[row, 10], table[row, 11],
                    )  # fmt: skip
                    answer = fn + tx + ty + tz + m0 + m1 + m2 + m3 + m4 + m5  # no number where something slides
                    slides += np.int64(1) if desk[d + TOUCH] > 0.0 and answer != answer else np.int64(0)
                    put(d, desk, fn, tx, ty, tz, m0, m1, m2, m3, m4, m5)
                slid[b] = RETRY if slides > 0 else 0
            else:
                slid[b] = slides - 1
        if slides > 0:
            for lane in range(16):
                k = U(lane)
                d = home + k
                if BRANCH:
                    if desk[d + TOUCH] == 0.0:
                        put(d, desk, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
                        continue
                row = U(0)
                if MATERIALS:
                    row = U(material[first[at + k]]) * U(kinds) + U(material[second[at + k]])
                fn, tx, ty, tz, m0, m1, m2, m3, m4, m5 = law(
                    desk[d + XI], desk[d + CLOSING], desk[d + SX], desk[d + SY], desk[d + SZ],
                    reduced[at_reduced + k], reduced[at_reduced + LANES + k], step, half,
                    desk[d + O0], desk[d + O1] if M1 else 0.0, desk[d + O2] if M2 else 0.0,
                    desk[d + O3] if M3 else 0.0, desk[d + O4] if M4 else 0.0, desk[d + O5] if M5 else 0.0,
                    table[row, 0], table[row, 1], table[row, 2], table[row, 3], table[row, 4], table[row, 5],
                    table[row, 6], table[row, 7], table[row, 8], table[row, 9], table[row, 10], table[row, 11],
                )  # fmt: skip
                put(d, desk, fn, tx, ty, tz, m0, m1, m2, m3, m4, m5)
        for lane in range(16):
            k = U(lane)
            d = home + k
            touches = desk[d + TOUCH] > 0.0
            nx, ny, nz = desk[d + NX], desk[d + NY], desk[d + NZ]
            closing, sx, sy, sz = desk[d + CLOSING], desk[d + SX], desk[d + SY], desk[d + SZ]
            m0 = desk[d + M0]
            m1 = desk[d + M0 + LANES] if M1 else 0.0
            m2 = desk[d + M0 + U(32)] if M2 else 0.0
            if VECTOR:
                m0 += half * sx
                m1 += half * sy
                m2 += half * sz
            if PATH:
                m0 += half * math.sqrt(sx * sx + sy * sy + sz * sz)
            memory[at_memory + k] = renewed(memory[at_memory + k], m0, touches, advance)
            if M1:
                memory[at_memory + LANES + k] = renewed(memory[at_memory + LANES + k], m1, touches, advance)
            if M2:
                memory[at_memory + U(32) + k] = renewed(memory[at_memory + U(32) + k], m2, touches, advance)
            if M3:
                m3 = desk[d + M0 + U(48)]
                memory[at_memory + U(48) + k] = renewed(memory[at_memory + U(48) + k], m3, touches, advance)
            if M4:
                m4 = desk[d + M0 + U(64)]
                memory[at_memory + U(64) + k] = renewed(memory[at_memory + U(64) + k], m4, touches, advance)
            if M5:
                m5 = desk[d + M0 + U(80)]
                memory[at_memory + U(80) + k] = renewed(memory[at_memory + U(80) + k], m5, touches, advance)
            fn = desk[d + PUSH] if touches else 0.0
            tx = desk[d + TX] if touches else 0.0
            ty = desk[d + TY] if touches else 0.0
            tz = desk[d + TZ] if touches else 0.0
            fx = tx - fn * nx
            fy = ty - fn * ny
            fz = tz - fn * nz
            rx, ry, rz, rolled = 0.0, 0.0, 0.0, 0.0
            if ROLLING:
                a = d + FIRST_GRAIN
                c = d + SECOND_GRAIN
                wx, wy, wz = desk[c + WX] - desk[a + WX], desk[c + WY] - desk[a + WY], desk[c + WZ] - desk[a + WZ]
                spin = max(math.sqrt(wx * wx + wy * wy + wz * wz), TINY)
                inertia = desk[a + INERTIA] * desk[c + INERTIA] / (desk[a + INERTIA] + desk[c + INERTIA])
                row = U(0)
                if MATERIALS:
                    row = U(material[first[at + k]]) * U(kinds) + U(material[second[at + k]])
                brake = min(fn * (table[row, 12] / spin + table[row, 13]), inertia / (ROLLING_STEPS * step))
                rx, ry, rz = brake * wx, brake * wy, brake * wz
                rolled = brake * spin * spin
            r = d + ROWS
            desk[r], desk[r + U(16)], desk[r + U(32)] = fx, fy, fz
            if CLUMPS:
                ax, ay, az = desk[d + AX], desk[d + AY], desk[d + AZ]
                bx, by, bz = desk[d + BX], desk[d + BY], desk[d + BZ]
                desk[r + U(48)] = ay * fz - az * fy + rx
                desk[r + U(64)] = az * fx - ax * fz + ry
                desk[r + U(80)] = ax * fy - ay * fx + rz
                desk[r + U(96)] = bz * fy - by * fz - rx
                desk[r + U(112)] = bx * fz - bz * fx - ry
                desk[r + U(128)] = by * fx - bx * fy - rz
            else:
                la, lb = desk[d + LEVER], desk[d + OTHER_LEVER]
                cx, cy, cz = ny * fz - nz * fy, nz * fx - nx * fz, nx * fy - ny * fx
                if LEVERS:
                    desk[r + U(48)], desk[r + U(64)], desk[r + U(80)] = cx, cy, cz
                    desk[r + U(96)], desk[r + U(112)] = la, lb
                else:
                    desk[r + U(48)] = la * cx + rx
                    desk[r + U(64)] = la * cy + ry
                    desk[r + U(80)] = la * cz + rz
                    desk[r + U(96)] = lb * cx - rx
                    desk[r + U(112)] = lb * cy - ry
                    desk[r + U(128)] = lb * cz - rz
            work[at_work + k] += weight * fn * closing
            work[at_work + U(16) + k] += weight * (tx * sx + ty * sy + tz * sz)
            work[at_work + U(32) + k] += weight * rolled
            if DEFORMS:
                work[at_work + U(48) + k] -= weight * (fx * desk[d + UX] + fy * desk[d + UY] + fz * desk[d + UZ])
            depth = advance * desk[d + XI] * reduced[at_reduced + U(32) + k] if touches else 0.0
            deeper = depth > deepest[at_deepest + k]  # trial steps do not count
            deepest[at_deepest + k] = depth if deeper else deepest[at_deepest + k]
            deepest[at_deepest + LANES + k] = float(b) if deeper else deepest[at_deepest + LANES + k]
        lanes_to_rows(desk, home + ROWS, SLOTS, slots, (U(base) + (at & U(mask))) * U(SLOTS))


@njit(cache=True, error_model="numpy")
def pair_state(
    pairs: int, first: Any, second: Any, place: Any, grain: Any, motion: Any, material: Any, kinds: int,
    table: Any, box: Any, inverse: Any, memory: Any, out: Any,
) -> None:  # fmt: skip
    """Per pair: overlap (m, negative for a gap), energy stored in the normal and in the tangential direction (J)."""
    for k in range(pairs):
        i = first[k]
        j = second[k]
        dx = place[j, 0] - place[i, 0]
        dy = place[j, 1] - place[i, 1]
        dz = place[j, 2] - place[i, 2]
        if PERIODIC:
            dx -= box[0] * math.floor(dx * inverse[0] + 0.5)
            dy -= box[1] * math.floor(dy * inverse[1] + 0.5)
            dz -= box[2] * math.floor(dz * inverse[2] + 0.5)
        ri = place[i, 3]
        rj = place[j, 3]
        overlap = ri + rj - math.sqrt(dx * dx + dy * dy + dz * dz)
        out[k, 0] = overlap
        out[k, 1] = 0.0
        out[k, 2] = 0.0
        if overlap > 0.0:
            a = motion[grain[i], 3]
            b = motion[grain[j], 3]
            at = (k // 16) * 16 * MEMORY + k % 16
            row = material[i] * kinds + material[j] if MATERIALS else 0
            m1 = memory[at + 16] if M1 else 0.0
            m2 = memory[at + 32] if M2 else 0.0
            m3 = memory[at + 48] if M3 else 0.0
            m4 = memory[at + 64] if M4 else 0.0
            m5 = memory[at + 80] if M5 else 0.0
            normal, tangential = stored(
                overlap, ri * rj / (ri + rj), a * b / (a + b), memory[at], m1, m2, m3, m4, m5, table, row
            )
            out[k, 1] = normal
            out[k, 2] = tangential
