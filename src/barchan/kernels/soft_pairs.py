"""The contact pass between spheres, sixteen at a time. A template: see `bound.py`.

What lets LLVM turn the inner loop into vector instructions: arrays with constant strides and unsigned indices, numbers
rather than tuples in the loop body (numba then knows that arrays do not overlap), a factor of 0 or 1 instead of a
branch, and a loop of constant length. Where a law cannot become vector code (it takes powers), BRANCH passes over pairs
that do not touch.
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
    VECTOR,
    law,
    stored,
)
from barchan.kernels.jit import njit, prange
from barchan.kernels.soft_slots import SLOTS

U = np.uint64
LANES = U(16)
WORKS = 4 if DEFORMS else 3  # work done against a pair: normal, friction, rolling; work of the box through it
ROLLING_STEPS = 8.0  # rolling resistance may not stop a spin in fewer steps than this
M1, M2, M3, M4, M5 = MEMORY > 1, MEMORY > 2, MEMORY > 3, MEMORY > 4, MEMORY > 5
TINY = 1e-100


@njit(parallel=True, cache=True, error_model="numpy")
def pair_pass(
    blocks: int, first: Any, second: Any, place: Any, grain: Any, center: Any, motion: Any, reduced: Any,
    material: Any, kinds: Any, table: Any, box: Any, inverse: Any, memory: Any, slots: Any, work: Any, deepest: Any,
    half: float, step: float, advance: float, weight: float,
) -> None:  # fmt: skip
    """Forces, torques and work of all near pairs.

    half: time, s, by which the memory is brought forward before and after the law is asked.
    advance: 1 to keep the memory that comes out of it, 0 to leave it as it was.
    weight: time, s, with which the power of this moment enters the work.
    reduced: reduced radius and mass of every pair, and one over the smaller radius.
    deepest: the deepest overlap of each pair so far, over the smaller radius.
    """
    for b in prange(blocks):
        at = U(b) * LANES
        at_memory = U(b) * (LANES * U(MEMORY))
        at_slot = U(b) * (LANES * U(SLOTS))
        at_reduced = U(b) * (LANES * U(3))
        at_work = U(b) * (LANES * U(WORKS))
        for lane in range(16):
            k = U(lane)
            i = first[at + k]
            j = second[at + k]
            dx = place[j, 0] - place[i, 0]
            dy = place[j, 1] - place[i, 1]
            dz = place[j, 2] - place[i, 2]
            ux, uy, uz = 0.0, 0.0, 0.0
            if PERIODIC:
                if DEFORMS:  # the second sphere's image lags behind it by this velocity
                    ux = box[3] * math.floor(dx * inverse[0] + 0.5)
                    uy = box[4] * math.floor(dy * inverse[1] + 0.5)
                    uz = box[5] * math.floor(dz * inverse[2] + 0.5)
                dx -= box[0] * math.floor(dx * inverse[0] + 0.5)
                dy -= box[1] * math.floor(dy * inverse[1] + 0.5)
                dz -= box[2] * math.floor(dz * inverse[2] + 0.5)
            ri = place[i, 3]
            rj = place[j, 3]
            square = dx * dx + dy * dy + dz * dz
            if BRANCH:
                if square >= (ri + rj) * (ri + rj):
                    for c in range(U(SLOTS)):
                        slots[at_slot + U(c) * LANES + k] = 0.0
                    for c in range(U(MEMORY)):
                        memory[at_memory + U(c) * LANES + k] *= 1.0 - advance
                    continue
            distance = max(math.sqrt(square), TINY)
            per = 1.0 / distance
            nx, ny, nz = dx * per, dy * per, dz * per
            overlap = ri + rj - distance
            touch = 1.0 if overlap > 0.0 else 0.0
            xi = max(overlap, 1e-12 * ri)
            la = ri - 0.5 * xi
            lb = rj - 0.5 * xi
            if CLUMPS:
                a = grain[i]
                c = grain[j]
                ax = place[i, 0] - center[a, 0] + la * nx
                ay = place[i, 1] - center[a, 1] + la * ny
                az = place[i, 2] - center[a, 2] + la * nz
                bx = place[j, 0] - center[c, 0] - lb * nx
                by = place[j, 1] - center[c, 1] - lb * ny
                bz = place[j, 2] - center[c, 2] - lb * nz
            else:
                a = i
                c = j
                ax, ay, az = la * nx, la * ny, la * nz
                bx, by, bz = -lb * nx, -lb * ny, -lb * nz
            pax, pay, paz = motion[a, 4], motion[a, 5], motion[a, 6]
            pbx, pby, pbz = motion[c, 4], motion[c, 5], motion[c, 6]
            vx = motion[c, 0] - motion[a, 0] + (pby * bz - pbz * by) - (pay * az - paz * ay)
            vy = motion[c, 1] - motion[a, 1] + (pbz * bx - pbx * bz) - (paz * ax - pax * az)
            vz = motion[c, 2] - motion[a, 2] + (pbx * by - pby * bx) - (pax * ay - pay * ax)
            if DEFORMS:
                vx, vy, vz = vx - ux, vy - uy, vz - uz
            closing = -(vx * nx + vy * ny + vz * nz)
            sx = vx + closing * nx
            sy = vy + closing * ny
            sz = vz + closing * nz
            o0 = memory[at_memory + k]
            o1 = memory[at_memory + LANES + k] if M1 else 0.0
            o2 = memory[at_memory + U(32) + k] if M2 else 0.0
            o3 = memory[at_memory + U(48) + k] if M3 else 0.0
            o4 = memory[at_memory + U(64) + k] if M4 else 0.0
            o5 = memory[at_memory + U(80) + k] if M5 else 0.0
            m0, m1, m2, m3, m4, m5 = o0, o1, o2, o3, o4, o5
            gx, gy, gz = 0.0, 0.0, 0.0  # growth of the memory in half the step
            if VECTOR:
                along = m0 * nx + m1 * ny + m2 * nz
                m0 -= along * nx
                m1 -= along * ny
                m2 -= along * nz
                kept = math.sqrt((o0 * o0 + o1 * o1 + o2 * o2) / max(m0 * m0 + m1 * m1 + m2 * m2, TINY))
                gx, gy, gz = half * sx, half * sy, half * sz
                m0 = kept * m0 + gx
                m1 = kept * m1 + gy
                m2 = kept * m2 + gz
            if PATH:
                gx = half * math.sqrt(sx * sx + sy * sy + sz * sz)
                m0 += gx
            row = U(0)
            if MATERIALS:
                row = U(material[i]) * U(kinds) + U(material[j])
            fn, tx, ty, tz, m0, m1, m2, m3, m4, m5 = law(
                xi, closing, sx, sy, sz, reduced[at_reduced + k], reduced[at_reduced + LANES + k], step,
                m0, m1, m2, m3, m4, m5,
                table[row, 0], table[row, 1], table[row, 2], table[row, 3], table[row, 4], table[row, 5],
                table[row, 6], table[row, 7], table[row, 8], table[row, 9], table[row, 10], table[row, 11],
            )  # fmt: skip
            keep = 1.0 - advance
            take = advance * touch
            memory[at_memory + k] = keep * o0 + take * (m0 + gx)
            if M1:
                memory[at_memory + LANES + k] = keep * o1 + take * (m1 + gy)
            if M2:
                memory[at_memory + U(32) + k] = keep * o2 + take * (m2 + gz)
            if M3:
                memory[at_memory + U(48) + k] = keep * o3 + take * m3
            if M4:
                memory[at_memory + U(64) + k] = keep * o4 + take * m4
            if M5:
                memory[at_memory + U(80) + k] = keep * o5 + take * m5
            fn *= touch
            tx *= touch
            ty *= touch
            tz *= touch
            fx = tx - fn * nx
            fy = ty - fn * ny
            fz = tz - fn * nz
            rx, ry, rz, rolled = 0.0, 0.0, 0.0, 0.0
            if ROLLING:
                wx, wy, wz = pbx - pax, pby - pay, pbz - paz
                spin = max(math.sqrt(wx * wx + wy * wy + wz * wz), TINY)
                inertia = motion[a, 7] * motion[c, 7] / (motion[a, 7] + motion[c, 7])
                brake = min(fn * (table[row, 12] / spin + table[row, 13]), inertia / (ROLLING_STEPS * step))
                rx, ry, rz = brake * wx, brake * wy, brake * wz
                rolled = brake * spin * spin
            slots[at_slot + k] = fx
            slots[at_slot + U(16) + k] = fy
            slots[at_slot + U(32) + k] = fz
            slots[at_slot + U(48) + k] = ay * fz - az * fy + rx
            slots[at_slot + U(64) + k] = az * fx - ax * fz + ry
            slots[at_slot + U(80) + k] = ax * fy - ay * fx + rz
            slots[at_slot + U(96) + k] = bz * fy - by * fz - rx
            slots[at_slot + U(112) + k] = bx * fz - bz * fx - ry
            slots[at_slot + U(128) + k] = by * fx - bx * fy - rz
            work[at_work + k] += weight * fn * closing
            work[at_work + U(16) + k] += weight * (tx * sx + ty * sy + tz * sz)
            work[at_work + U(32) + k] += weight * rolled
            if DEFORMS:
                work[at_work + U(48) + k] -= weight * (fx * ux + fy * uy + fz * uz)
            depth = take * xi * reduced[at_reduced + U(32) + k]  # trial steps do not count
            deepest[at + k] = max(deepest[at + k], depth)


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
