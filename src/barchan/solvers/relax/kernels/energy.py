"""Energy, gradient and Hessian times vector over the list of near pairs, matrix-free.

Every grain gathers its own contacts in the order of the list, and sums over grains are made in blocks of fixed length:
the same bits on any number of threads. Vectors have two components (x, z) in two dimensions, else three.

A contact is kept as its normal and two numbers: a, the stiffness, and b, force over distance, so that its part of the
Hessian is K = (a + b) n⊗n − b I (Krijgsman and Luding 2016, eq. 7, with δ = −overlap).
"""

from __future__ import annotations

import math

from barchan.kernels.bound import FLAT, WALLS, push, surface_gap
from barchan.kernels.jit import njit, prange
from barchan.kernels.turning import rotated
from barchan.solvers.relax.layout import BLOCK

NEAR = 1e-4  # of the radius: the step of the differences that give the curvature of a wall


@njit(cache=True, error_model="numpy")
def _gap(piece, x, y, z, rest, kind, shape_table):
    """Distance and normal, in the scene's frame, from a wall's piece to a point."""
    px, py, pz = x - rest[piece, 0], y - rest[piece, 1], z - rest[piece, 2]
    q0, q1, q2, q3 = rest[piece, 3], rest[piece, 4], rest[piece, 5], rest[piece, 6]
    px, py, pz = rotated(q0, -q1, -q2, -q3, px, py, pz)
    distance, nx, ny, nz = surface_gap(kind[piece], px, py, pz, shape_table, piece)
    nx, ny, nz = rotated(q0, q1, q2, q3, nx, ny, nz)
    return distance, nx, ny, nz


@njit(cache=True, error_model="numpy")
def _wall_contacts(i, x, y, z, radius, material, kinds, table, rest, kind, shape_table, piece_material, block, keep):
    """Energy, gradient (3), force, overlap and contacts of one grain at all walls; with `keep`, also its Hessian.

    The curvature of the surface comes from differences of its normal, so that any shape will do.
    """
    energy, gx, gy, gz, push_sum, deep, touching = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if keep:
        for c in range(6):
            block[i, c] = 0.0
    for piece in range(len(kind)):
        distance, nx, ny, nz = _gap(piece, x, y, z, rest, kind, shape_table)
        if distance >= radius:
            continue
        row = material * kinds + piece_material[piece]
        stored, force, stiffness = push(radius - distance, radius, table, row)
        energy += stored
        gx -= force * nx
        gy -= force * ny
        gz -= force * nz
        push_sum += force
        deep += radius - distance
        touching += 1.0
        if not keep:
            continue
        h = NEAR * radius
        _, ax, ay, az = _gap(piece, x + h, y, z, rest, kind, shape_table)
        _, bx, by, bz = _gap(piece, x - h, y, z, rest, kind, shape_table)
        _, cx, cy, cz = _gap(piece, x, y + h, z, rest, kind, shape_table)
        _, dx, dy, dz = _gap(piece, x, y - h, z, rest, kind, shape_table)
        _, ex, ey, ez = _gap(piece, x, y, z + h, rest, kind, shape_table)
        _, fx, fy, fz = _gap(piece, x, y, z - h, rest, kind, shape_table)
        bend = force / (2.0 * h)
        block[i, 0] += stiffness * nx * nx - bend * (ax - bx)
        block[i, 1] += stiffness * ny * ny - bend * (cy - dy)
        block[i, 2] += stiffness * nz * nz - bend * (ez - fz)
        block[i, 3] += stiffness * nx * ny - 0.5 * bend * (ay - by + cx - dx)
        block[i, 4] += stiffness * nx * nz - 0.5 * bend * (az - bz + ex - fx)
        block[i, 5] += stiffness * ny * nz - 0.5 * bend * (cz - dz + ey - fy)
    return energy, gx, gy, gz, push_sum, deep, touching


@njit(cache=True, error_model="numpy")
def wall_touches(place, radius, material, kinds, table, rest, kind, shape_table, piece_material, found):
    """Contacts at walls: grain, piece, overlap, force, normal (3), as many as `found` holds; answers how many."""
    n = 0
    for i in range(len(place)):
        for piece in range(len(kind)):
            distance, nx, ny, nz = _gap(piece, place[i, 0], place[i, 1], place[i, 2], rest, kind, shape_table)
            if distance < radius[i]:
                if n < len(found):
                    row = material[i] * kinds + piece_material[piece]
                    _, force, _ = push(radius[i] - distance, radius[i], table, row)
                    found[n, 0], found[n, 1], found[n, 2], found[n, 3] = i, piece, radius[i] - distance, force
                    found[n, 4], found[n, 5], found[n, 6] = nx, ny, nz
                n += 1
    return n


@njit(cache=True, parallel=True, error_model="numpy")
def evaluate(
    count, moved, base, radius, material, kinds, weight, start, length, second, apart, table, wall_table, rest, kind,
    shape_table, piece_material, gradient, touch_length, touch_second, touch, wall_block, sums, keep,
):  # fmt: skip
    """Gradient, contacts and, per block of grains, the sums named above, at `moved` m from where the list was made.

    weight: (count, components) N, the force of gravity on each grain. keep: also write the contacts and the walls' part
    of the Hessian, which gradients alone do not need.
    """
    for b in prange((count + BLOCK - 1) // BLOCK):
        energy, force_sum, overlap_sum, touching, largest = 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(b * BLOCK, min(count, (b + 1) * BLOCK)):
            own = radius[i]
            n = start[i]
            g0, g1, g2 = 0.0, 0.0, 0.0
            for k in range(start[i], start[i] + length[i]):
                j = second[k]
                reach = own + radius[j]
                d0 = apart[k, 0] + (moved[i, 0] - moved[j, 0])
                if FLAT:
                    d1, d2 = apart[k, 2] + (moved[i, 1] - moved[j, 1]), 0.0
                else:
                    d1 = apart[k, 1] + (moved[i, 1] - moved[j, 1])
                    d2 = apart[k, 2] + (moved[i, 2] - moved[j, 2])
                square = d0 * d0 + d1 * d1 + d2 * d2
                if square >= reach * reach:
                    continue
                distance = math.sqrt(square)
                if distance == 0.0:  # two centres in one place: any direction will do, but both must say the same
                    d0, distance = (1e-150 if i < j else -1e-150), 1e-150
                stored, force, stiffness = push(
                    reach - distance, own * radius[j] / reach, table, material[i] * kinds + material[j]
                )
                pull = force / distance
                energy += 0.5 * stored
                g0 -= pull * d0
                g1 -= pull * d1
                g2 -= pull * d2
                force_sum += force
                overlap_sum += reach - distance
                touching += 1.0
                if keep:
                    touch_second[n] = j
                    touch[n, 0], touch[n, 1], touch[n, 2] = d0 / distance, d1 / distance, d2 / distance
                    touch[n, 3], touch[n, 4], touch[n, 5] = stiffness, pull, distance
                    n += 1
            if keep:
                touch_length[i] = n - start[i]
            if WALLS:
                y = base[i, 1] if FLAT else base[i, 1] + moved[i, 1]
                z = base[i, 2] + (moved[i, 1] if FLAT else moved[i, 2])
                e, w0, w1, w2, f, o, t = _wall_contacts(
                    i, base[i, 0] + moved[i, 0], y, z, own, material[i], kinds, wall_table, rest, kind, shape_table,
                    piece_material, wall_block, keep,
                )  # fmt: skip
                energy += e
                force_sum += 2.0 * f  # as if counted from both sides, like the contacts of grains
                overlap_sum += 2.0 * o
                touching += 2.0 * t
                g0 += w0
                g1 += w2 if FLAT else w1
                g2 += 0.0 if FLAT else w2
            g0 -= weight[i, 0]
            g1 -= weight[i, 1]
            gradient[i, 0], gradient[i, 1] = g0, g1
            if FLAT:
                energy -= weight[i, 0] * (base[i, 0] + moved[i, 0]) + weight[i, 1] * (base[i, 2] + moved[i, 1])
                largest = max(largest, g0 * g0 + g1 * g1)
            else:
                g2 -= weight[i, 2]
                gradient[i, 2] = g2
                energy -= (
                    weight[i, 0] * (base[i, 0] + moved[i, 0])
                    + weight[i, 1] * (base[i, 1] + moved[i, 1])
                    + weight[i, 2] * (base[i, 2] + moved[i, 2])
                )
                largest = max(largest, g0 * g0 + g1 * g1 + g2 * g2)
        sums[b, 0], sums[b, 1], sums[b, 2], sums[b, 3], sums[b, 4] = energy, force_sum, overlap_sum, touching, largest


@njit(cache=True, error_model="numpy")
def _own_product(i, start, touch_length, touch_second, touch, wall_block, v):
    """Row i of Hessian · v."""
    o0, o1, o2 = 0.0, 0.0, 0.0
    v0, v1 = v[i, 0], v[i, 1]
    v2 = 0.0 if FLAT else v[i, 2]
    for k in range(start[i], start[i] + touch_length[i]):
        j = touch_second[k]
        d0, d1 = v0 - v[j, 0], v1 - v[j, 1]
        d2 = 0.0 if FLAT else v2 - v[j, 2]
        n0, n1, n2, b = touch[k, 0], touch[k, 1], touch[k, 2], touch[k, 4]
        along = (touch[k, 3] + b) * (n0 * d0 + n1 * d1 + n2 * d2)
        o0 += along * n0 - b * d0
        o1 += along * n1 - b * d1
        o2 += along * n2 - b * d2
    if WALLS:
        w = wall_block
        if FLAT:
            o0 += w[i, 0] * v0 + w[i, 4] * v1
            o1 += w[i, 4] * v0 + w[i, 2] * v1
        else:
            o0 += w[i, 0] * v0 + w[i, 3] * v1 + w[i, 4] * v2
            o1 += w[i, 3] * v0 + w[i, 1] * v1 + w[i, 5] * v2
            o2 += w[i, 4] * v0 + w[i, 5] * v1 + w[i, 2] * v2
    return o0, o1, o2


@njit(cache=True, parallel=True, error_model="numpy")
def product(count, start, touch_length, touch_second, touch, wall_block, v, out, sums):
    """out = Hessian · v and v · Hessian · v, which is returned."""
    blocks = (count + BLOCK - 1) // BLOCK
    for b in prange(blocks):
        total = 0.0
        for i in range(b * BLOCK, min(count, (b + 1) * BLOCK)):
            o0, o1, o2 = _own_product(i, start, touch_length, touch_second, touch, wall_block, v)
            out[i, 0], out[i, 1] = o0, o1
            total += o0 * v[i, 0] + o1 * v[i, 1]
            if not FLAT:
                out[i, 2] = o2
                total += o2 * v[i, 2]
        sums[b, 0] = total
    total = 0.0
    for b in range(blocks):
        total += sums[b, 0]
    return total
