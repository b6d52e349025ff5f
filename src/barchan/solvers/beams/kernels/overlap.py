"""Two triangles that overlap: the polygon they share, and what they do to each other.

Coordinates are x and z; corners run counter-clockwise. The shared polygon is found by clipping the first triangle with
the three half-planes of the second (Sutherland and Hodgman). Every edge of it is tagged with the edge it lies on, 0–2
of the first triangle or 3–5 of the second: a vertex between edges of both is a point where the outlines cross.
"""

from __future__ import annotations

import math
from typing import Any

from barchan.kernels.jit import njit

from barchan.solvers.beams.layout import (  # isort: skip
    AREA, EXACT, FULL, KIND, POINT_X, POINT_Z, PUSH_X, PUSH_Z, STORED, TURN_FIRST, TURN_SECOND,
)  # fmt: skip

TINY = 1e-300


@njit(cache=True, error_model="numpy")
def clip(world: Any, i: int, k: int, here: Any, tag: Any, spare: Any, spare_tag: Any) -> int:
    """The polygon that triangles i and k share: its number of vertices, which stand in here[:n], with tag[:n].

    world: (…, 6) m. here, spare: (9, 2). tag[v] is that of the edge from vertex v to the next.
    """
    n = 3
    for v in range(3):
        here[v, 0], here[v, 1], tag[v] = world[i, 2 * v], world[i, 2 * v + 1], v
    for e in range(3):
        f = 0 if e == 2 else e + 1
        ax, az = world[k, 2 * e], world[k, 2 * e + 1]
        ux, uz = world[k, 2 * f] - ax, world[k, 2 * f + 1] - az
        m = 0
        last = ux * (here[0, 1] - az) - uz * (here[0, 0] - ax)
        for v in range(n):
            w = v + 1 if v + 1 < n else 0
            this, last = last, ux * (here[w, 1] - az) - uz * (here[w, 0] - ax)
            if this > 0.0:
                spare[m, 0], spare[m, 1], spare_tag[m] = here[v, 0], here[v, 1], tag[v]
                m += 1
            if (this > 0.0) != (last > 0.0):
                share = this / (this - last)
                spare[m, 0] = here[v, 0] + share * (here[w, 0] - here[v, 0])
                spare[m, 1] = here[v, 1] + share * (here[w, 1] - here[v, 1])
                spare_tag[m] = 3 + e if this > 0.0 else tag[v]
                m += 1
        n = m
        if n < 3:
            return 0
        for v in range(n):
            here[v, 0], here[v, 1], tag[v] = spare[v, 0], spare[v, 1], spare_tag[v]
    return n


@njit(cache=True, error_model="numpy")
def polygon_area(here: Any, n: int) -> float:
    """m², from the first vertex on, so that a small polygon far from the origin loses no digits."""
    twice = 0.0
    for v in range(1, n - 1):
        ax, az = here[v, 0] - here[0, 0], here[v, 1] - here[0, 1]
        bx, bz = here[v + 1, 0] - here[0, 0], here[v + 1, 1] - here[0, 1]
        twice += ax * bz - az * bx
    return 0.5 * twice


@njit(cache=True, error_model="numpy")
def add(out: Any, fx: float, fz: float, px: float, pz: float, xi: float, zi: float, xk: float, zk: float) -> None:
    """Enter a force on the first triangle at a point, and its opposite on the second; torques are counter-clockwise."""
    out[PUSH_X] += fx
    out[PUSH_Z] += fz
    out[TURN_FIRST] += (px - xi) * fz - (pz - zi) * fx
    out[TURN_SECOND] -= (px - xk) * fz - (pz - zk) * fx


@njit(cache=True, error_model="numpy")
def squeezed(area: float, young: float, total: float) -> tuple[float, float]:
    """Energy FULL · Y area³/total^(3/2) of an overlap in `exact` contact (J), and its derivative by the area (N/m).

    An energy of the area alone (Feng and Owen 2004) has a force without jumps, which one of its perimeter has not; the
    third power lets it set in without a kink even where two sides meet face to face. total: m², area of the smaller
    triangle. FULL makes the force Y · area, as in the paper, where the longest edge of a right-angled triangle with
    equal legs has been pressed in flat over a tenth of the triangle's area.
    """
    share = area / total
    press = 3.0 * FULL * young * math.sqrt(total) * share * share
    return press * area / 3.0, press


@njit(cache=True, error_model="numpy")
def exact(
    here: Any, tag: Any, n: int, young: float, total: float, xi: float, zi: float, xk: float, zk: float, out: Any
) -> None:
    """The force that is the gradient of an energy of the area of the shared polygon.

    Only the edges that lie on the first triangle move with it, and the area changes by their outward normals times
    their length.
    """
    area = polygon_area(here, n)
    if area <= 0.0:
        return
    stored, press = squeezed(area, young, total)
    middle_x, middle_z = 0.0, 0.0
    for v in range(n):
        w = v + 1 if v + 1 < n else 0
        middle_x += here[v, 0] / n
        middle_z += here[v, 1] / n
        if tag[v] < 3:
            dx, dz = here[w, 0] - here[v, 0], here[w, 1] - here[v, 1]
            px, pz = 0.5 * (here[v, 0] + here[w, 0]), 0.5 * (here[v, 1] + here[w, 1])
            add(out, -press * dz, press * dx, px, pz, xi, zi, xk, zk)
    out[STORED] += stored
    out[AREA] += area
    out[KIND] = EXACT
    out[POINT_X], out[POINT_Z] = middle_x, middle_z


@njit(cache=True, error_model="numpy")
def corner_push(
    world: Any, row: int, first: bool, e: int, f: int, ax: float, az: float, bx: float, bz: float, young: float,
    total: float,
) -> tuple[float, float, float]:  # fmt: skip
    """Kind 1: the force on the first triangle where edges e and f of triangle `row` cross one edge of the other.

    a and b are the crossings, total the area of triangle `row`; `first`: whether that is the first one. Answers with
    the force and the area that counts, which is the smaller part that the line a–b cuts from the triangle.
    """
    at = f if f == (e + 1) % 3 else e  # the corner between the two edges
    dx, dz = bx - ax, bz - az
    size = math.sqrt(dx * dx + dz * dz)
    if size <= TINY:
        return 0.0, 0.0, 0.0
    cx, cz = world[row, 2 * at] - ax, world[row, 2 * at + 1] - az
    twice = dx * cz - dz * cx
    tip = 0.5 * abs(twice)
    part = min(tip, total - tip)
    # The normal (−dz, dx) points to the corner where `twice` is positive: the smaller part is pushed back.
    sign = -1.0 if (twice > 0.0) == (tip <= total - tip) else 1.0
    if not first:
        sign = -sign
    return -sign * young * part * dz / size, sign * young * part * dx / size, part


@njit(cache=True, error_model="numpy")
def common_edge(tag: Any, n: int, v: int, w: int) -> tuple[int, int, int, int]:
    """Edges of the first triangle through the crossings v and w, then those of the second, 0–2 each."""
    a, b = tag[v - 1 if v else n - 1], tag[v]
    c, d = tag[w - 1 if w else n - 1], tag[w]
    return min(a, b), min(c, d), max(a, b) - 3, max(c, d) - 3


@njit(cache=True, error_model="numpy")
def paired(
    world: Any, i: int, k: int, here: Any, tag: Any, n: int, v: int, w: int, young: float, area_i: float,
    area_k: float, xi: float, zi: float, xk: float, zk: float, out: Any,
) -> int:  # fmt: skip
    """The forces at two crossings, of kind 1 or 2, at the middle of the line between them; answers with the kind."""
    ei, fi, ek, fk = common_edge(tag, n, v, w)
    ax, az, bx, bz = here[v, 0], here[v, 1], here[w, 0], here[w, 1]
    px, pz = 0.5 * (ax + bx), 0.5 * (az + bz)
    size = max(math.sqrt((bx - ax) ** 2 + (bz - az) ** 2), TINY)
    kind = 0
    if ei != fi:
        fx, fz, part = corner_push(world, i, True, ei, fi, ax, az, bx, bz, young, area_i)
        add(out, fx, fz, px, pz, xi, zi, xk, zk)
        out[STORED] += 2.0 / 3.0 * young * part * part / size
        kind += 1
    if ek != fk:
        fx, fz, part = corner_push(world, k, False, ek, fk, ax, az, bx, bz, young, area_k)
        add(out, fx, fz, px, pz, xi, zi, xk, zk)
        out[STORED] += 2.0 / 3.0 * young * part * part / size
        kind += 1
    out[POINT_X], out[POINT_Z] = px, pz
    return kind


@njit(cache=True, error_model="numpy")
def crossed_wedges(
    here: Any, n: int, mark: Any, young: float, xi: float, zi: float, xk: float, zk: float, out: Any
) -> None:
    """Kind 3: two pairs of forces, each half of Y times the quadrilateral, across two of its sides.

    The sides meet at the corner with the smallest sum of distances from both centres of mass, and the forces drive
    these centres apart.
    """
    area = polygon_area(here, n)
    best, at = math.inf, 0
    for c in range(4):
        x, z = here[mark[c], 0], here[mark[c], 1]
        far = math.sqrt((x - xi) ** 2 + (z - zi) ** 2) + math.sqrt((x - xk) ** 2 + (z - zk) ** 2)
        if far < best:
            best, at = far, c
    x, z = here[mark[at], 0], here[mark[at], 1]
    for other in ((at + 1) % 4, (at + 3) % 4):
        dx, dz = here[mark[other], 0] - x, here[mark[other], 1] - z
        size = max(math.sqrt(dx * dx + dz * dz), TINY)
        sign = 1.0 if -dz * (xi - xk) + dx * (zi - zk) > 0.0 else -1.0
        push = 0.5 * sign * young * area / size
        add(out, -push * dz, push * dx, x + 0.5 * dx, z + 0.5 * dz, xi, zi, xk, zk)
        out[STORED] += young * area * area / (3.0 * size)
    out[POINT_X], out[POINT_Z] = x, z


@njit(cache=True, error_model="numpy")
def five_kinds(
    world: Any, i: int, k: int, here: Any, tag: Any, n: int, mark: Any, young: float, area_i: float, area_k: float,
    xi: float, zi: float, xk: float, zk: float, out: Any,
) -> None:  # fmt: skip
    """The forces of the paper's five kinds of overlap; none where one triangle lies inside the other.

    AREA is that of the shared polygon. STORED is the energy of corners that were pressed straight in,
    2/3 Y area²/|S1 S2|: what the rule takes or gives beyond it shows in the ledger.
    """
    out[AREA] = polygon_area(here, n)
    crossings = 0
    edges = 0  # how many edges of either triangle are crossed twice, where that matters
    for v in range(n):
        a, b = tag[v - 1 if v else n - 1], tag[v]
        if (a < 3) != (b < 3):
            mark[crossings] = v
            crossings += 1
    for e in range(6 if crossings == 4 else 0):
        through = 0
        for c in range(crossings):
            through += tag[mark[c]] == e or tag[mark[c] - 1 if mark[c] else n - 1] == e
        edges += through == 2
    if crossings == 2:
        out[KIND] = paired(
            world, i, k, here, tag, n, mark[0], mark[1], young, area_i, area_k, xi, zi, xk, zk, out
        )  # fmt: skip
    elif crossings == 4 and edges == 4:
        out[KIND] = 3
        crossed_wedges(here, n, mark, young, xi, zi, xk, zk, out)
    elif crossings >= 4:
        out[KIND] = 4 if crossings == 4 else 5
        shift = 0
        for c in range(0, crossings, 2):  # crossings are taken in pairs that lie on one edge of one triangle
            ei, fi, ek, fk = common_edge(tag, n, mark[c], mark[c + 1])
            if (ei == fi) == (ek == fk):
                shift = 1
        for c in range(shift, crossings + shift, 2):
            v, w = mark[c], mark[(c + 1) % crossings]
            ei, fi, ek, fk = common_edge(tag, n, v, w)
            if (ei == fi) != (ek == fk):
                paired(world, i, k, here, tag, n, v, w, young, area_i, area_k, xi, zi, xk, zk, out)


@njit(cache=True, error_model="numpy")
def parting_edge(world: Any, i: int, k: int, guess: int) -> int:
    """An edge of one of two triangles with the whole other triangle on its outer side: 0–2, 3–5, or 6 for none.

    Edges are tried from `guess` on, the one that did it last time.
    """
    edge = 0 if guess == 6 else guess
    for _ in range(6):
        a, b, e = (i, k, edge) if edge < 3 else (k, i, edge - 3)
        f = 0 if e == 2 else e + 1
        x, z = world[a, 2 * e], world[a, 2 * e + 1]
        ux, uz = world[a, 2 * f] - x, world[a, 2 * f + 1] - z
        if (
            ux * (world[b, 1] - z) - uz * (world[b, 0] - x) <= 0.0
            and ux * (world[b, 3] - z) - uz * (world[b, 2] - x) <= 0.0
            and ux * (world[b, 5] - z) - uz * (world[b, 4] - x) <= 0.0
        ):
            return edge
        edge = 0 if edge == 5 else edge + 1
    return 6
