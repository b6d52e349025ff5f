"""Triangles at walls that are strips of triangles themselves: what lies in a straight side of a wall counts as one.

If each triangle of a side pushed by itself, a push would depend on where the side happens to be cut, and a square that
falls flat on it would start to spin. So the areas that they share with a grain's triangle are added up before the law
is applied, and the areas' changes as the triangle moves, which say where the push goes.
"""

from __future__ import annotations

import math
from typing import Any

from barchan.kernels.jit import njit
from barchan.solvers.beams.kernels.overlap import TINY, squeezed

from barchan.solvers.beams.layout import (  # isort: skip
    AREA, EXACT, KIND, POINT_X, POINT_Z, PUSH_X, PUSH_Z, STORED, TURN_FIRST, TURN_SECOND,
)  # fmt: skip

# What overlaps add up to: area (m²), its first moments (m³), how it grows as the triangle moves and turns (m, m²), and
# the area between the triangle's middle and its own edges in them (m²).
SUMS = 7
TOTAL, MOMENT_X, MOMENT_Z, GROWS_X, GROWS_Z, GROWS_TURN, SWEPT = range(SUMS)
NARROW = 0.25  # of the root of the area: a shorter line S1 S2, where a strip is all but pierced, has no clear direction


@njit(cache=True)
def is_of(p: int, i: int, name: int, free: int, first: Any, second: Any, touching: Any, side: Any) -> bool:
    """Whether pair p is an overlap of triangle i with the side `name` of a wall.

    side: (rows − free,) to which side each of the walls' triangles belongs.
    """
    return bool(first[p] == i and touching[p] and second[p] >= free and side[second[p] - free] == name)


@njit(cache=True)
def leads(p: int, free: int, first: Any, second: Any, touching: Any, side: Any) -> bool:
    """Whether pair p is the first overlap of its triangle with this side of a wall: it does what all of them do."""
    i, name = first[p], side[second[p] - free]
    q = p - 1
    while q >= 0 and first[q] == i:
        if is_of(q, i, name, free, first, second, touching, side):
            return False
        q -= 1
    return True


@njit(cache=True, error_model="numpy")
def add_overlap(here: Any, tag: Any, n: int, x: float, z: float, sums: Any) -> None:
    """Add the polygon here[:n] that a triangle about (x, z) shares with one of a wall; tag: as `clip` leaves them.

    Moments are taken about (x, z). An edge that moves with the triangle adds its length times how far it goes along
    its outward normal; `GROWS` has the opposite sign, which is the way of the push.
    """
    ox, oz = here[0, 0] - x, here[0, 1] - z
    for v in range(n):
        w = v + 1 if v + 1 < n else 0
        ax, az, bx, bz = here[v, 0] - x, here[v, 1] - z, here[w, 0] - x, here[w, 1] - z
        part = 0.5 * ((ax - ox) * (bz - oz) - (az - oz) * (bx - ox))
        sums[TOTAL] += part
        sums[MOMENT_X] += part * (ox + ax + bx) / 3.0
        sums[MOMENT_Z] += part * (oz + az + bz) / 3.0
        if tag[v] < 3:
            dx, dz = bx - ax, bz - az
            sums[GROWS_X] -= dz
            sums[GROWS_Z] += dx
            sums[GROWS_TURN] += 0.5 * ((ax + bx) * dx + (az + bz) * dz)
            sums[SWEPT] += 0.5 * (ax * bz - az * bx)


@njit(cache=True, error_model="numpy")
def side_push(
    sums: Any, graded: bool, young: float, area_i: float, area_side: float, x: float, z: float, xk: float, zk: float,
    row: Any,
) -> None:  # fmt: skip
    """What a side of a wall does to a triangle about (x, z), entered in `row`; the wall's torque is about (xk, zk).

    graded: the gradient of the energy `squeezed`. Else Y times the area, or the rest of the triangle where that is
    smaller, across the line S1 S2 between the points where the outlines cross and at its middle: kinds 1 and 2 of
    the paper, with the side instead of a triangle. A constant pressure on any outline from S1 to S2 has that direction
    and acts there.
    """
    area = sums[TOTAL]
    if area <= 0.0:
        return
    if graded:
        row[STORED], press = squeezed(area, young, min(area_i, area_side))
        row[KIND] = EXACT
    else:
        part = max(0.0, min(area, area_i - area))
        chord = max(math.sqrt(sums[GROWS_X] ** 2 + sums[GROWS_Z] ** 2), NARROW * math.sqrt(area), TINY)
        press = young * part / chord
        row[STORED] = 2.0 / 3.0 * press * part
        row[KIND] = 1
    fx, fz, turn = press * sums[GROWS_X], press * sums[GROWS_Z], press * sums[GROWS_TURN]
    row[PUSH_X], row[PUSH_Z], row[TURN_FIRST] = fx, fz, turn
    row[TURN_SECOND] = -(turn + (x - xk) * fz - (z - zk) * fx)
    row[AREA] = area
    row[POINT_X], row[POINT_Z] = x + sums[MOMENT_X] / area, z + sums[MOMENT_Z] / area
    wide = sums[GROWS_X] ** 2 + sums[GROWS_Z] ** 2
    if wide > NARROW**2 * area:
        # The middle M of the line c = S2 − S1: M · c is GROWS_TURN, and M × c twice what SWEPT has beyond TOTAL.
        cx, cz = sums[GROWS_Z], -sums[GROWS_X]
        along, across = sums[GROWS_TURN] / wide, 2.0 * (sums[SWEPT] - area) / wide
        row[POINT_X], row[POINT_Z] = x + along * cx + across * cz, z + along * cz - across * cx


@njit(cache=True)
def whole_area(i: int, k: int, free: int, area: Any, thick: float) -> float:
    """The area (m²) of which overlaps of triangle i with row k are told as shares: that of the smaller triangle.

    Of a strip, `thick` m wide, no more than it can have of the triangle: one that has gone into a thin strip with all
    its width is about to pass through it, however little of it is inside.
    """
    if k < free:
        return min(area[i], area[k])
    return min(area[i], area[k], thick * math.sqrt(area[i]))
