"""Triangles at walls without corners: half-planes, and circles that hold grains inside."""

from __future__ import annotations

import math
from typing import Any

from barchan.kernels.jit import njit
from barchan.solvers.beams.kernels.overlap import TINY, squeezed
from barchan.solvers.beams.layout import FLAT


@njit(cache=True)
def wall_distance(kind: int, wall: Any, x: float, z: float) -> tuple[float, float, float]:
    """Distance (m, negative behind the wall) of a point, and the unit normal from the wall.

    wall: the present point and normal (x, z, nx, nz) of a half-plane, or centre and radius (x, z, r, 0) of a circle.
    """
    if kind == FLAT:
        return (x - wall[0]) * wall[2] + (z - wall[1]) * wall[3], wall[2], wall[3]
    dx, dz = wall[0] - x, wall[1] - z
    far = math.sqrt(dx * dx + dz * dz)
    if far < 1e-12 * wall[2]:
        return wall[2], 0.0, 1.0
    return wall[2] - far, dx / far, dz / far


@njit(cache=True)
def wall_push(
    corners: Any, t: int, kind: int, wall: Any, young: float, total: float, exact: bool, out: Any
) -> tuple[float, float, float, float]:  # fmt: skip
    """The forces of a wall on the corners of triangle t: out (3, 2) N. Answers with energy, area, and contact point.

    The part of the triangle behind the wall is bounded by the straight line between the points where the distance,
    taken as linear along the edges, is zero. `exact`: the force is the gradient of the energy `squeezed` of that part
    with respect to the three distances, so energy is conserved at a wall of any curvature. Else it is Y times the
    smaller part of the triangle, along the wall's normal at the middle of the line, entered at the corners so that
    force and torque are the same.
    """
    out[:] = 0.0
    d0, nx0, nz0 = wall_distance(kind, wall, corners[t, 0], corners[t, 1])
    d1, nx1, nz1 = wall_distance(kind, wall, corners[t, 2], corners[t, 3])
    d2, nx2, nz2 = wall_distance(kind, wall, corners[t, 4], corners[t, 5])
    behind = (d0 < 0.0) + (d1 < 0.0) + (d2 < 0.0)
    if behind == 0 or behind == 3:
        return 0.0, total if behind == 3 else 0.0, corners[t, 0], corners[t, 1]
    # The corner that stands alone on its side, p, and the two others in turn.
    lone = behind == 1
    if (d0 < 0.0) == lone and (d1 < 0.0) != lone and (d2 < 0.0) != lone:
        p = 0
    elif (d1 < 0.0) == lone and (d0 < 0.0) != lone and (d2 < 0.0) != lone:
        p = 1
    else:
        p = 2
    q, r = (p + 1) % 3, (p + 2) % 3
    dp = d0 if p == 0 else d1 if p == 1 else d2
    dq = d0 if q == 0 else d1 if q == 1 else d2
    dr = d0 if r == 0 else d1 if r == 1 else d2
    ax, az = corners[t, 2 * q] - corners[t, 2 * p], corners[t, 2 * q + 1] - corners[t, 2 * p + 1]
    bx, bz = corners[t, 2 * r] - corners[t, 2 * p], corners[t, 2 * r + 1] - corners[t, 2 * p + 1]
    a, b = dp / (dp - dq), dp / (dp - dr)  # where the line crosses the two edges, as shares of them
    sx, sz = a * ax - b * bx, a * az - b * bz
    chord = max(math.sqrt(sx * sx + sz * sz), TINY)
    px = corners[t, 2 * p] + 0.5 * (a * ax + b * bx)
    pz = corners[t, 2 * p + 1] + 0.5 * (a * az + b * bz)
    tip = a * b * total
    if not exact:
        part = min(tip, total - tip)
        _, nx, nz = wall_distance(kind, wall, px, pz)
        # One force at the point (px, pz), which has these weights among the corners:
        out[p, 0], out[p, 1] = (1.0 - 0.5 * (a + b)) * young * part * nx, (1.0 - 0.5 * (a + b)) * young * part * nz
        out[q, 0], out[q, 1] = 0.5 * a * young * part * nx, 0.5 * a * young * part * nz
        out[r, 0], out[r, 1] = 0.5 * b * young * part * nx, 0.5 * b * young * part * nz
        return 2.0 / 3.0 * young * part * part / chord, part, px, pz
    area = tip if lone else total - tip
    stored, press = squeezed(area, young, total)
    sign = 1.0 if lone else -1.0
    by_a, by_b = press * sign * b * total, press * sign * a * total
    # a = dp/(dp − dq): ∂a/∂dp = −dq/(dp − dq)², ∂a/∂dq = dp/(dp − dq)².
    over_a, over_b = 1.0 / (dp - dq) ** 2, 1.0 / (dp - dr) ** 2
    force_p, force_q, force_r = by_a * dq * over_a + by_b * dr * over_b, -by_a * dp * over_a, -by_b * dp * over_b
    for corner, force in ((p, force_p), (q, force_q), (r, force_r)):
        nx = nx0 if corner == 0 else nx1 if corner == 1 else nx2
        nz = nz0 if corner == 0 else nz1 if corner == 1 else nz2
        out[corner, 0], out[corner, 1] = force * nx, force * nz
    return stored, area, px, pz
