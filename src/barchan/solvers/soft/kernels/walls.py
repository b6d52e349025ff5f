"""The contact pass between spheres and walls. A template: see `bound.py`.

Near contacts of a sphere with a wall's pieces are kept in a list with a skin, by sphere, with their memory beside them
in the same blocks of sixteen as between spheres. A piece's pose is brought up to date before each pass.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from barchan.kernels.bound import (
    MESHES,
    REPEATED,
    WALL_MEMORY,
    WALL_PATH,
    WALL_VECTOR,
    wall_law,
    wall_stored,
)
from barchan.kernels.jit import inlined, njit, prange
from barchan.solvers.soft.kernels.lanes import ask_for_lines
from barchan.solvers.soft.kernels.surfaces import image_shift, piece_gap, wall_gap
from barchan.solvers.soft.layout import BEHIND, ROLLING_STEPS, TINY, TOUCHES, WALL_SLOTS, WALL_WORKS

W1, W2, W3, W4, W5 = WALL_MEMORY > 1, WALL_MEMORY > 2, WALL_MEMORY > 3, WALL_MEMORY > 4, WALL_MEMORY > 5
BEYOND = -1e-9  # of a radius: what is not farther than this beyond a periodic face is met on this side of it
FAR = 1e300
AHEAD = 24  # contacts ahead: what is asked for then, to be in the cache by the time it is wanted


@njit(cache=True)
def joined_gap(k: int, gap: Any, seam: Any) -> tuple[float, float, float, float]:
    """The gap of near contact k, found by `join_facets`, after the other facets of its mesh have had their say."""
    if seam[k] == TOUCHES:
        return gap[k, 3], gap[k, 0], gap[k, 1], gap[k, 2]
    if seam[k] == BEHIND:
        return -gap[k, 3], -gap[k, 0], -gap[k, 1], -gap[k, 2]
    return FAR, gap[k, 0], gap[k, 1], gap[k, 2]


@njit(cache=True)
def carry_wall_memory(
    count: int, start: Any, piece: Any, memory: Any, old_index: Any, old_start: Any, old_piece: Any, old_memory: Any
) -> None:
    """Give every contact of the new list what the same sphere and piece remembered in the old one."""
    for i in range(count):
        a = old_index[i]
        if a < 0:
            continue
        for k in range(start[i], start[i + 1]):
            for old in range(old_start[a], old_start[a + 1]):
                if old_piece[old] == piece[k]:
                    for c in range(WALL_MEMORY):
                        memory[(k // 16 * WALL_MEMORY + c) * 16 + k % 16] = old_memory[
                            (old // 16 * WALL_MEMORY + c) * 16 + old % 16
                        ]


@inlined
def touch_wall(
    k: int, sphere: Any, piece: Any, gap: Any, seam: Any, place: Any, grain: Any, center: Any, motion: Any,
    material: Any, frame: Any, pose: Any, kind: Any, shape_table: Any, piece_material: Any, kinds: int, table: Any,
    memory: Any, slots: Any, work: Any, deepest: Any, absorbing: Any, swallowed: Any, half: float, step: float,
    advance: float, weight: float,
) -> None:  # fmt: skip
    """Force, torque and work of one near contact with a wall."""
    i = sphere[k]
    p = piece[k]
    a = i if len(motion) == len(place) else grain[i]  # of single spheres: what is not read need not be fetched
    at = (k // 16) * 16 * WALL_SLOTS + k % 16
    at_work = (k // 16) * 16 * WALL_WORKS + k % 16
    at_memory = (k // 16) * 16 * WALL_MEMORY + k % 16
    x, y, z, radius = place[i, 0], place[i, 1], place[i, 2], place[i, 3]
    ox, oy, oz = 0.0, 0.0, 0.0
    if REPEATED:
        ox, oy, oz = image_shift(p, x, y, z, radius, BEYOND * radius, frame, pose, kind, shape_table)
    if MESHES:
        distance, ux, uy, uz = joined_gap(k, gap, seam)
    else:
        distance, ux, uy, uz = piece_gap(p, x - ox, y - oy, z - oz, frame, pose, kind, shape_table)
    if distance >= radius or absorbing[p] > 0.0:
        if distance < radius and advance > 0.0:
            swallowed[0] = 1.0
        for c in range(WALL_SLOTS):
            slots[at + 16 * c] = 0.0
        for c in range(WALL_MEMORY):
            memory[at_memory + 16 * c] *= 1.0 - advance
        return
    xi = radius - distance
    deepest[k] = max(deepest[k], advance * xi / radius)
    nx, ny, nz = -ux, -uy, -uz  # from the grain to the wall
    lever = radius - 0.5 * xi
    zx, zy, zz = x + lever * nx, y + lever * ny, z + lever * nz
    ax, ay, az = zx - center[a, 0], zy - center[a, 1], zz - center[a, 2]
    pax, pay, paz = motion[a, 4], motion[a, 5], motion[a, 6]
    f = frame[p]
    wx, wy, wz = pose[f, 10], pose[f, 11], pose[f, 12]
    wall_x = pose[f, 7] + wy * (zz - oz) - wz * (zy - oy)
    wall_y = pose[f, 8] + wz * (zx - ox) - wx * (zz - oz)
    wall_z = pose[f, 9] + wx * (zy - oy) - wy * (zx - ox)
    vx = wall_x - motion[a, 0] - (pay * az - paz * ay)
    vy = wall_y - motion[a, 1] - (paz * ax - pax * az)
    vz = wall_z - motion[a, 2] - (pax * ay - pay * ax)
    closing = -(vx * nx + vy * ny + vz * nz)
    sx, sy, sz = vx + closing * nx, vy + closing * ny, vz + closing * nz
    m0 = memory[at_memory]
    m1 = memory[at_memory + 16] if W1 else 0.0
    m2 = memory[at_memory + 32] if W2 else 0.0
    m3 = memory[at_memory + 48] if W3 else 0.0
    m4 = memory[at_memory + 64] if W4 else 0.0
    m5 = memory[at_memory + 80] if W5 else 0.0
    gx, gy, gz = 0.0, 0.0, 0.0
    if WALL_VECTOR:
        size = m0 * m0 + m1 * m1 + m2 * m2
        along = m0 * nx + m1 * ny + m2 * nz
        m0, m1, m2 = m0 - along * nx, m1 - along * ny, m2 - along * nz
        kept = math.sqrt(size / max(m0 * m0 + m1 * m1 + m2 * m2, TINY))
        gx, gy, gz = half * sx, half * sy, half * sz
        m0, m1, m2 = kept * m0 + gx, kept * m1 + gy, kept * m2 + gz
    if WALL_PATH:
        gx = half * math.sqrt(sx * sx + sy * sy + sz * sz)
        m0 += gx
    row = material[i] * kinds + piece_material[p] if kinds > 1 else 0
    fn, tx, ty, tz, m0, m1, m2, m3, m4, m5 = wall_law(
        xi, closing, sx, sy, sz, radius, motion[a, 3], step, half, m0, m1, m2, m3, m4, m5,
        table[row, 0], table[row, 1], table[row, 2], table[row, 3], table[row, 4], table[row, 5],
        table[row, 6], table[row, 7], table[row, 8], table[row, 9], table[row, 10], table[row, 11],
    )  # fmt: skip
    if advance > 0.0:
        memory[at_memory] = m0 + gx
        if W1:
            memory[at_memory + 16] = m1 + gy
        if W2:
            memory[at_memory + 32] = m2 + gz
        if W3:
            memory[at_memory + 48] = m3
        if W4:
            memory[at_memory + 64] = m4
        if W5:
            memory[at_memory + 80] = m5
    fx, fy, fz = tx - fn * nx, ty - fn * ny, tz - fn * nz
    dx, dy, dz = wx - pax, wy - pay, wz - paz
    spin = max(math.sqrt(dx * dx + dy * dy + dz * dz), TINY)
    brake = min(fn * (table[row, 12] / spin + table[row, 13]), motion[a, 7] / (ROLLING_STEPS * step))
    rx, ry, rz = brake * dx, brake * dy, brake * dz
    slots[at] = fx
    slots[at + 16] = fy
    slots[at + 32] = fz
    slots[at + 48] = ay * fz - az * fy + rx
    slots[at + 64] = az * fx - ax * fz + ry
    slots[at + 80] = ax * fy - ay * fx + rz
    slots[at + 96] = ux
    slots[at + 112] = uy
    slots[at + 128] = uz
    slots[at + 144] = wall_x
    slots[at + 160] = wall_y
    slots[at + 176] = wall_z
    slots[at + 192] = table[row, 14] * fn
    work[at_work] += weight * fn * closing
    work[at_work + 16] += weight * (tx * sx + ty * sy + tz * sz)
    work[at_work + 32] += weight * brake * spin * spin
    work[at_work + 48] += weight * (fx * wall_x + fy * wall_y + fz * wall_z + rx * wx + ry * wy + rz * wz)


@njit(parallel=True, cache=True, error_model="numpy")
def wall_pass(
    contacts: int, sphere: Any, piece: Any, gap: Any, seam: Any, place: Any, grain: Any, center: Any, motion: Any,
    material: Any, frame: Any, pose: Any, kind: Any, shape_table: Any, piece_material: Any, kinds: int, table: Any,
    memory: Any, slots: Any, work: Any, deepest: Any, absorbing: Any, swallowed: Any, half: float, step: float,
    advance: float, weight: float,
) -> None:  # fmt: skip
    """Forces, torques and work of all near contacts with walls; arguments as in `pair_strip`.

    gap and seam: what `join_facets` found, read where there are meshes. A contact with an absorbing piece has no force:
    it is told in swallowed[0], in a pass that advances.
    """
    for k in prange(contacts):
        soon = sphere[min(np.int64(k) + AHEAD, contacts - 1)]  # spheres at a wall are far from each other in memory
        ask_for_lines(place, np.uint64(soon) * np.uint64(4), 1)
        whose = soon if len(motion) == len(place) else grain[soon]
        ask_for_lines(motion, np.uint64(whose) * np.uint64(8), 1)
        touch_wall(
            np.int64(k), sphere, piece, gap, seam, place, grain, center, motion, material, frame, pose, kind,
            shape_table, piece_material, kinds, table, memory, slots, work, deepest, absorbing, swallowed, half,
            step, advance, weight,
        )  # fmt: skip


@njit(cache=True, error_model="numpy")
def wall_state(
    contacts: int, sphere: Any, piece: Any, gap: Any, seam: Any, place: Any, grain: Any, motion: Any, material: Any,
    frame: Any, pose: Any, kind: Any, shape_table: Any, piece_material: Any, kinds: int, table: Any, memory: Any,
    out: Any,
) -> None:  # fmt: skip
    """Per near contact: overlap (m, negative for a gap), energy stored in the normal and tangential direction (J)."""
    for k in range(contacts):
        i = sphere[k]
        if MESHES:
            distance, _, _, _ = joined_gap(k, gap, seam)
        else:
            distance, _, _, _ = wall_gap(
                piece[k], place[i, 0], place[i, 1], place[i, 2], place[i, 3], BEYOND * place[i, 3], frame, pose, kind,
                shape_table,
            )  # fmt: skip
        overlap = place[i, 3] - distance
        out[k, 0] = overlap
        out[k, 1] = 0.0
        out[k, 2] = 0.0
        if overlap > 0.0:
            at = (k // 16) * 16 * WALL_MEMORY + k % 16
            row = material[i] * kinds + piece_material[piece[k]]
            m1 = memory[at + 16] if W1 else 0.0
            m2 = memory[at + 32] if W2 else 0.0
            m3 = memory[at + 48] if W3 else 0.0
            m4 = memory[at + 64] if W4 else 0.0
            m5 = memory[at + 80] if W5 else 0.0
            normal, tangential = wall_stored(
                overlap, place[i, 3], motion[grain[i], 3], memory[at], m1, m2, m3, m4, m5, table, row
            )
            out[k, 1] = normal
            out[k, 2] = tangential
