"""What a sphere feels from others and from walls, one thread a sphere. A template: see `bound.py`.

Every sphere computes all its contacts itself, so nothing is added up by more than one thread and the sums have an
order: a pair is computed twice, and both times as on the CPU, from the sphere with the lower index to the other, so
that what one of the two loses the other gains to the last bit. REAL is the type of all but positions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from barchan.kernels.bound import (
    CLUMPS,
    MATERIALS,
    MEMORY,
    MESHES,
    PATH,
    PERIODIC,
    REAL,
    REPEATED,
    ROLLING,
    STICTION,
    TINY,
    VECTOR,
    WALL_MEMORY,
    WALL_PATH,
    WALL_VECTOR,
    device_law,
    device_wall_law,
)
from barchan.kernels.cuda_device import device
from barchan.solvers.soft.cuda.kernels.fours import put_four, read_four, take_four
from barchan.solvers.soft.cuda.kernels.rows import IMAGE, ROW, TOUCHED
from barchan.solvers.soft.kernels.meshes import join_sphere
from barchan.solvers.soft.kernels.surfaces import image_shift, piece_gap, wall_hop
from barchan.solvers.soft.kernels.walls import BEYOND, joined_gap
from barchan.solvers.soft.layout import ROLLING_STEPS, TOO_FAR, WALL_SLOTS

SINGLE = REAL is np.float32
CLOSE = 1.0 + 1e-12  # for a first look, without the square root
M1, M4 = MEMORY > 1, MEMORY > 4
W1, W2, W3, W4, W5 = WALL_MEMORY > 1, WALL_MEMORY > 2, WALL_MEMORY > 3, WALL_MEMORY > 4, WALL_MEMORY > 5


@device
def pair_forces(i: int, c: Any, place: Any, motion: Any, dt: float) -> Any:
    """Force and torque on the grain of sphere i from all spheres near it; its memory, work and overlap are kept.

    Threads look for their next touching pair each by itself, and then compute one all together.
    """
    fx, fy, fz = REAL(0.0), REAL(0.0), REAL(0.0)
    tx, ty, tz = REAL(0.0), REAL(0.0), REAL(0.0)
    work_n, work_t, work_r = REAL(0.0), REAL(0.0), REAL(0.0)
    deep, partner = REAL(0.0), 0
    half, step, one = REAL(0.5 * dt), REAL(dt), REAL(1.0)
    x, y, z, radius = read_four(place, (i, 0))
    # What every pair needs of its own sphere is read once: the compiler cannot know that what is written below lies
    # elsewhere.
    g = c.grain[i] if CLUMPS else i
    own_vx, own_vy, own_vz, own_mass = read_four(motion, (g, 0))
    own_wx, own_wy, own_wz, own_inertia = read_four(motion, (g, 4))
    count = c.pair_count[i]
    k = 0
    upcoming = c.pair_other[0, i]  # read one ahead, so that nobody waits for it
    while k < count:
        entry, j, square, other = 0, 0, 0.0, 0.0
        dx, dy, dz = 0.0, 0.0, 0.0
        looking = True
        while looking and k < count:
            entry = upcoming
            if k + 1 < count:
                upcoming = c.pair_other[k + 1, i]
            j = entry & ROW
            dx, dy, dz, other = read_four(place, (j, 0))
            dx, dy, dz = dx - x, dy - y, dz - z
            if PERIODIC:
                if entry & IMAGE != 0:
                    dx -= c.box[0] * math.floor(dx * c.inverse[0] + 0.5)
                    dy -= c.box[1] * math.floor(dy * c.inverse[1] + 0.5)
                    dz -= c.box[2] * math.floor(dz * c.inverse[2] + 0.5)
            square = dx * dx + dy * dy + dz * dz
            if square < CLOSE * (radius + other) * (radius + other):
                looking = False
            else:
                if entry >= TOUCHED:
                    c.pair_other[k, i] = entry - TOUCHED
                k += 1
        if looking:
            break
        per: Any = one
        if SINGLE:  # a root in single precision, and a step of Newton's method in double
            per = one / math.sqrt(max(REAL(square), REAL(TINY)))
            distance = square * per
            distance += 0.5 * per * (square - distance * distance)
        else:
            distance = max(math.sqrt(square), 1e-100)
        overlap = radius + other - distance
        if overlap <= 0.0:
            if entry >= TOUCHED:
                c.pair_other[k, i] = entry - TOUCHED
            k += 1
            continue
        first = j > i  # whether this sphere is the first of the two
        old = entry >= TOUCHED  # whether the two touched a step ago; what is read is of use only then
        h = c.grain[j] if CLUMPS else j
        vx, vy, vz, mass_h = read_four(motion, (h, 0))
        wx, wy, wz, inertia_h = read_four(motion, (h, 4))
        zero: Any = REAL(0.0)
        m0, m1, m2, m3, m4, m5, m6, m7 = zero, zero, zero, zero, zero, zero, zero, zero
        if M1:
            m0, m1, m2, m3 = take_four(c.pair_memory, (k, i, 0))
        else:
            m0 = c.pair_memory[k, i, 0]
        if M4:
            m4, m5, m6, m7 = take_four(c.pair_memory, (k, i, 4))
        ri, rj = (REAL(radius), REAL(other)) if first else (REAL(other), REAL(radius))
        if not SINGLE:
            per = one / REAL(distance)
        per = per if first else -per
        nx, ny, nz = REAL(dx) * per, REAL(dy) * per, REAL(dz) * per
        xi = max(REAL(overlap), REAL(1e-12) * ri)
        la = ri - REAL(0.5) * xi
        lb = rj - REAL(0.5) * xi
        pax, pay, paz = (own_wx, own_wy, own_wz) if first else (wx, wy, wz)
        pbx, pby, pbz = (wx, wy, wz) if first else (own_wx, own_wy, own_wz)
        vx, vy, vz = vx - own_vx, vy - own_vy, vz - own_vz
        vx, vy, vz = (vx, vy, vz) if first else (-vx, -vy, -vz)
        ax, ay, az, bx, by, bz = zero, zero, zero, zero, zero, zero
        if CLUMPS:
            a, b = (g, h) if first else (h, g)
            p, q = (i, j) if first else (j, i)
            ax = REAL(place[p, 0] - c.position[a, 0]) + la * nx
            ay = REAL(place[p, 1] - c.position[a, 1]) + la * ny
            az = REAL(place[p, 2] - c.position[a, 2]) + la * nz
            bx = REAL(place[q, 0] - c.position[b, 0]) - lb * nx
            by = REAL(place[q, 1] - c.position[b, 1]) - lb * ny
            bz = REAL(place[q, 2] - c.position[b, 2]) - lb * nz
            vx = vx + (pby * bz - pbz * by) - (pay * az - paz * ay)
            vy = vy + (pbz * bx - pbx * bz) - (paz * ax - pax * az)
            vz = vz + (pbx * by - pby * bx) - (pax * ay - pay * ax)
        else:
            ux, uy, uz = la * pax + lb * pbx, la * pay + lb * pby, la * paz + lb * pbz
            vx -= uy * nz - uz * ny
            vy -= uz * nx - ux * nz
            vz -= ux * ny - uy * nx
        closing = -(vx * nx + vy * ny + vz * nz)
        sx = vx + closing * nx
        sy = vy + closing * ny
        sz = vz + closing * nz
        if not old:
            m0, m1, m2, m3, m4, m5 = zero, zero, zero, zero, zero, zero
            c.pair_other[k, i] = entry | TOUCHED
        gx, gy, gz = REAL(0.0), REAL(0.0), REAL(0.0)
        if VECTOR:
            size = m0 * m0 + m1 * m1 + m2 * m2
            along = m0 * nx + m1 * ny + m2 * nz
            m0 -= along * nx
            m1 -= along * ny
            m2 -= along * nz
            kept = math.sqrt(size / max(m0 * m0 + m1 * m1 + m2 * m2, REAL(TINY)))
            gx, gy, gz = half * sx, half * sy, half * sz
            m0, m1, m2 = kept * m0 + gx, kept * m1 + gy, kept * m2 + gz
        if PATH:
            gx = half * math.sqrt(sx * sx + sy * sy + sz * sz)
            m0 += gx
        row = 0
        if MATERIALS:
            mine, its = c.material[i], c.material[j]
            row = mine * c.kinds + its if first else its * c.kinds + mine
        # Read anew for every contact, from a cache: kept in registers, they would leave room for fewer threads.
        c0, c1, c2, c3 = take_four(c.table, (row, 0))
        c4, c5, c6, c7 = take_four(c.table, (row, 4))
        c8, c9, c10, c11 = take_four(c.table, (row, 8))
        mass = own_mass * mass_h / (own_mass + mass_h)
        fn, px, py, pz, m0, m1, m2, m3, m4, m5 = device_law(
            xi, closing, sx, sy, sz, ri * rj / (ri + rj), mass, step, half, m0, m1, m2, m3, m4, m5,
            c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11,
        )  # fmt: skip
        if M1:
            put_four(c.pair_memory, (k, i, 0), m0 + gx, m1 + gy, m2 + gz, m3)
        else:
            c.pair_memory[k, i, 0] = m0 + gx
        if M4:
            put_four(c.pair_memory, (k, i, 4), m4, m5, m6, m7)
        qx, qy, qz = px - fn * nx, py - fn * ny, pz - fn * nz
        rx, ry, rz, rolled = REAL(0.0), REAL(0.0), REAL(0.0), REAL(0.0)
        if ROLLING:
            ux, uy, uz = pbx - pax, pby - pay, pbz - paz
            spin = max(math.sqrt(ux * ux + uy * uy + uz * uz), REAL(TINY))
            inertia = own_inertia * inertia_h / (own_inertia + inertia_h)
            brake = min(fn * (c.table[row, 12] / spin + c.table[row, 13]), inertia / (REAL(ROLLING_STEPS) * step))
            rx, ry, rz = brake * ux, brake * uy, brake * uz
            rolled = brake * spin * spin
        # What acts on this sphere, with the lever from its grain's centre: the other side's is the opposite.
        rx, ry, rz = (rx, ry, rz) if first else (-rx, -ry, -rz)
        if CLUMPS:
            qx, qy, qz = (qx, qy, qz) if first else (-qx, -qy, -qz)
            ax, ay, az = (ax, ay, az) if first else (bx, by, bz)
            tx += ay * qz - az * qy + rx
            ty += az * qx - ax * qz + ry
            tz += ax * qy - ay * qx + rz
        else:
            lever = la if first else lb
            tx += lever * (ny * qz - nz * qy) + rx
            ty += lever * (nz * qx - nx * qz) + ry
            tz += lever * (nx * qy - ny * qx) + rz
            qx, qy, qz = (qx, qy, qz) if first else (-qx, -qy, -qz)
        fx, fy, fz = fx + qx, fy + qy, fz + qz
        once = one if first else REAL(0.0)
        work_n += once * (fn * closing)
        work_t += once * (px * sx + py * sy + pz * sz)
        work_r += once * rolled
        depth = once * (xi / min(ri, rj))
        if depth > deep:
            deep, partner = depth, h
        k += 1
    if deep > 0.0:
        c.book[0, i] += dt * work_n
        c.book[1, i] += dt * work_t
        if ROLLING:
            c.book[2, i] += dt * work_r
        if deep > c.deep[i]:
            c.deep[i] = deep
            c.deep_with[i] = c.row[partner]
    return fx, fy, fz, tx, ty, tz


@device
def wall_forces(i: int, c: Any, fx: Any, fy: Any, fz: Any, tx: Any, ty: Any, tz: Any) -> Any:
    """The same with what walls add to it, which `touch_walls` has found."""
    for k in range(c.wall_start[i], c.wall_start[i + 1]):
        at = (k // 16) * 16 * WALL_SLOTS + k % 16
        fx, fy, fz = (
            REAL(fx + c.wall_slots[at]), REAL(fy + c.wall_slots[at + 16]), REAL(fz + c.wall_slots[at + 32])
        )  # fmt: skip
        tx, ty, tz = (
            REAL(tx + c.wall_slots[at + 48]), REAL(ty + c.wall_slots[at + 64]), REAL(tz + c.wall_slots[at + 80])
        )  # fmt: skip
    return fx, fy, fz, tx, ty, tz


@device
def find_hop(
    i: int, c: Any, place: Any, motion: Any, center: Any, pose: Any, hop: Any, hop_with: Any, axial: Any, dt: float,
    s: int, limit: float, sure: float,
) -> None:  # fmt: skip
    """Where step s moves sphere i by more radii than limit against a wall, halt[s + 1] says so.

    hop: (M,) how far a step has moved the sphere where that was too far, else 0; hop_with: (M,) against which piece.
    sure: m²/s², half the square of the speed up to which no grain goes too far in a step.
    """
    low, high = c.wall_start[i], c.wall_start[i + 1]
    if low == high:
        return
    a = c.grain[i] if CLUMPS else i
    pace = float(motion[a, 0]) ** 2 + float(motion[a, 1]) ** 2 + float(motion[a, 2]) ** 2
    spin = float(motion[a, 4]) ** 2 + float(motion[a, 5]) ** 2 + float(motion[a, 6]) ** 2
    if pace + c.lever * spin < sure:
        return
    for k in range(low, high):
        p = c.wall_piece[k]
        way = wall_hop(i, p, dt, place, c.grain, c.start, center, motion, c.frame, pose, c.kind, c.shape_table, axial)
        if way > limit and way > hop[i]:
            hop[i], hop_with[i] = way, p
            c.halt[s + 1] = TOO_FAR


@device
def touch_walls(
    i: int, c: Any, place: Any, motion: Any, center: Any, pose: Any, swallowed: Any, s: int, dt: float
) -> None:
    """What walls do to sphere i is put into slots; only the law itself is of type REAL, there are few contacts.

    It is a launch of its own: together with pairs it would take more registers than a GPU has for all its threads.
    """
    low, high = c.wall_start[i], c.wall_start[i + 1]
    if low == high:
        return
    half = 0.5 * dt
    x, y, z, radius = place[i, 0], place[i, 1], place[i, 2], place[i, 3]
    a = c.grain[i] if CLUMPS else i
    if MESHES:
        join_sphere(
            i, c.wall_start, c.wall_piece, place, c.mesh, c.facet_table, c.frame, pose, c.kind, c.shape_table,
            c.wall_gap, c.wall_seam, c.wall_memory,
        )  # fmt: skip
    for k in range(low, high):
        p = c.wall_piece[k]
        at = (k // 16) * 16 * WALL_SLOTS + k % 16
        at_memory = (k // 16) * 16 * WALL_MEMORY + k % 16
        ox, oy, oz = 0.0, 0.0, 0.0
        if REPEATED:
            ox, oy, oz = image_shift(
                p, x, y, z, radius, BEYOND * radius, c.frame, pose, c.kind, c.shape_table
            )  # fmt: skip
        if MESHES:
            distance, ux, uy, uz = joined_gap(k, c.wall_gap, c.wall_seam)
        else:
            distance, ux, uy, uz = piece_gap(p, x - ox, y - oy, z - oz, c.frame, pose, c.kind, c.shape_table)
        if distance >= radius or c.absorbing[p] > 0.0:
            if distance < radius:
                swallowed[s] = 1
            for n in range(WALL_SLOTS):
                c.wall_slots[at + 16 * n] = 0.0
            for n in range(WALL_MEMORY):
                c.wall_memory[at_memory + 16 * n] = REAL(0.0)
            continue
        xi = radius - distance
        nx, ny, nz = -ux, -uy, -uz  # from the grain to the wall
        lever = radius - 0.5 * xi
        zx, zy, zz = x + lever * nx, y + lever * ny, z + lever * nz
        ax, ay, az = zx - center[a, 0], zy - center[a, 1], zz - center[a, 2]
        pax, pay, paz = motion[a, 4], motion[a, 5], motion[a, 6]
        f = c.frame[p]
        wx, wy, wz = pose[f, 10], pose[f, 11], pose[f, 12]
        wall_x = pose[f, 7] + wy * (zz - oz) - wz * (zy - oy)
        wall_y = pose[f, 8] + wz * (zx - ox) - wx * (zz - oz)
        wall_z = pose[f, 9] + wx * (zy - oy) - wy * (zx - ox)
        vx = wall_x - motion[a, 0] - (pay * az - paz * ay)
        vy = wall_y - motion[a, 1] - (paz * ax - pax * az)
        vz = wall_z - motion[a, 2] - (pax * ay - pay * ax)
        closing = -(vx * nx + vy * ny + vz * nz)
        sx, sy, sz = vx + closing * nx, vy + closing * ny, vz + closing * nz
        m0 = float(c.wall_memory[at_memory])
        m1 = float(c.wall_memory[at_memory + 16]) if W1 else 0.0
        m2 = float(c.wall_memory[at_memory + 32]) if W2 else 0.0
        m3 = float(c.wall_memory[at_memory + 48]) if W3 else 0.0
        m4 = float(c.wall_memory[at_memory + 64]) if W4 else 0.0
        m5 = float(c.wall_memory[at_memory + 80]) if W5 else 0.0
        gx, gy, gz = 0.0, 0.0, 0.0
        if WALL_VECTOR:
            size = m0 * m0 + m1 * m1 + m2 * m2
            along = m0 * nx + m1 * ny + m2 * nz
            m0, m1, m2 = m0 - along * nx, m1 - along * ny, m2 - along * nz
            kept = math.sqrt(size / max(m0 * m0 + m1 * m1 + m2 * m2, 1e-100))
            gx, gy, gz = half * sx, half * sy, half * sz
            m0, m1, m2 = kept * m0 + gx, kept * m1 + gy, kept * m2 + gz
        if WALL_PATH:
            gx = half * math.sqrt(sx * sx + sy * sy + sz * sz)
            m0 += gx
        row = c.material[i] * c.kinds + c.piece_material[p]
        push, px, py, pz, n0, n1, n2, n3, n4, n5 = device_wall_law(
            REAL(xi), REAL(closing), REAL(sx), REAL(sy), REAL(sz), REAL(radius), REAL(motion[a, 3]), REAL(dt),
            REAL(half), REAL(m0), REAL(m1), REAL(m2), REAL(m3), REAL(m4), REAL(m5),
            c.wall_table[row, 0], c.wall_table[row, 1], c.wall_table[row, 2], c.wall_table[row, 3],
            c.wall_table[row, 4], c.wall_table[row, 5], c.wall_table[row, 6], c.wall_table[row, 7],
            c.wall_table[row, 8], c.wall_table[row, 9], c.wall_table[row, 10], c.wall_table[row, 11],
        )  # fmt: skip
        fn = float(push)
        c.wall_memory[at_memory] = REAL(n0 + gx)
        if W1:
            c.wall_memory[at_memory + 16] = REAL(n1 + gy)
        if W2:
            c.wall_memory[at_memory + 32] = REAL(n2 + gz)
        if W3:
            c.wall_memory[at_memory + 48] = n3
        if W4:
            c.wall_memory[at_memory + 64] = n4
        if W5:
            c.wall_memory[at_memory + 80] = n5
        qx, qy, qz = px - fn * nx, py - fn * ny, pz - fn * nz
        dx, dy, dz = wx - pax, wy - pay, wz - paz
        spin = max(math.sqrt(dx * dx + dy * dy + dz * dz), 1e-100)
        brake = min(fn * (c.wall_table[row, 12] / spin + c.wall_table[row, 13]), motion[a, 7] / (ROLLING_STEPS * dt))
        rx, ry, rz = brake * dx, brake * dy, brake * dz
        bx, by, bz = ay * qz - az * qy + rx, az * qx - ax * qz + ry, ax * qy - ay * qx + rz
        c.wall_slots[at], c.wall_slots[at + 16], c.wall_slots[at + 32] = qx, qy, qz
        c.wall_slots[at + 48], c.wall_slots[at + 64], c.wall_slots[at + 80] = bx, by, bz
        if STICTION:
            c.wall_slots[at + 96], c.wall_slots[at + 112], c.wall_slots[at + 128] = ux, uy, uz
            c.wall_slots[at + 144], c.wall_slots[at + 160], c.wall_slots[at + 176] = wall_x, wall_y, wall_z
            c.wall_slots[at + 192] = c.wall_table[row, 14] * fn
        c.book[3, i] += dt * fn * closing
        c.book[4, i] += dt * (px * sx + py * sy + pz * sz)
        c.book[5, i] += dt * brake * spin * spin
        c.book[6, i] += dt * (qx * wall_x + qy * wall_y + qz * wall_z + rx * wx + ry * wy + rz * wz)
        if xi / radius > c.deep[i]:
            c.deep[i] = xi / radius
            c.deep_with[i] = -1 - p
