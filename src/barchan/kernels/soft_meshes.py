"""Near walls, and the seams of meshes. A template: see `bound.py`.

A sphere touches a mesh where the distance from its centre to the surface has a local minimum. Every facet by itself
knows its own nearest point only; where that point lies on another facet which comes nearer still, or as near, the
surface has no minimum of its own there, and the other facet stands for both.
"""

from __future__ import annotations

import math
from typing import Any

from numba import njit, prange

from barchan.kernels.bound import WALL_MEMORY
from barchan.kernels.soft_walls import BEHIND, DROPPED, TOUCHES, wall_gap
from barchan.kernels.wall_frames import rotated

SAME_PLACE = 1e-4  # of a sphere's radius: within it two points of a mesh count as one


@njit(cache=True, parallel=True)
def near_walls(
    place: Any, count: int, grids: Any, present: Any, frame: Any, pose: Any, kind: Any, shape_table: Any, skin: float,
    found: Any, found_count: Any,
) -> None:  # fmt: skip
    """For every sphere the near pieces, in ascending order: found[i, :found_count[i]].

    Where a row is too short the count still says how long it should have been.
    """
    room = found.shape[1]
    for i in prange(count):
        n = 0
        x, y, z, reach = place[i, 0], place[i, 1], place[i, 2], place[i, 3] + skin
        for entry in range(len(grids.loose)):
            p = grids.loose[entry]
            if present[p]:
                distance, _, _, _ = wall_gap(p, x, y, z, frame, pose, kind, shape_table)
                if distance < reach:
                    if n < room:
                        found[i, n] = p
                    n += 1
        for g in range(len(grids.piece)):
            f = frame[grids.piece[g]]
            if not present[grids.piece[g]]:
                continue
            lx, ly, lz = rotated(
                pose[f, 3], -pose[f, 4], -pose[f, 5], -pose[f, 6], x - pose[f, 0], y - pose[f, 1], z - pose[f, 2]
            )
            lx, ly, lz = lx - grids.corner[g, 0], ly - grids.corner[g, 1], lz - grids.corner[g, 2]
            size, cells = grids.size[g], grids.cells[g]
            low_x, high_x = cell_range(lx, reach, size, cells[0])
            low_y, high_y = cell_range(ly, reach, size, cells[1])
            low_z, high_z = cell_range(lz, reach, size, cells[2])
            for cx in range(low_x, high_x):
                for cy in range(low_y, high_y):
                    for cz in range(low_z, high_z):
                        c = grids.offset[g] + (cx * cells[1] + cy) * cells[2] + cz
                        for e in range(grids.start[c], grids.start[c + 1]):
                            p = grids.entries[e]
                            # A facet lies in several cells: it is looked at in the lowest of those searched.
                            if (
                                cx != max(low_x, grids.first[p, 0])
                                or cy != max(low_y, grids.first[p, 1])
                                or cz != max(low_z, grids.first[p, 2])
                            ):
                                continue
                            distance, _, _, _ = wall_gap(p, x, y, z, frame, pose, kind, shape_table)
                            if distance < reach:
                                if n < room:
                                    k = n
                                    while k > 0 and found[i, k - 1] > p:
                                        found[i, k] = found[i, k - 1]
                                        k -= 1
                                    found[i, k] = p
                                n += 1
        found_count[i] = n


@njit(cache=True)
def cell_range(x: float, reach: float, size: float, cells: int) -> tuple[int, int]:
    """The cells along an axis, first and last + 1, that x ± reach touches; x counts from the grid's corner."""
    low = min(max((x - reach) / size, 0.0), float(cells))
    high = min(max((x + reach) / size, -1.0), cells - 1.0)
    return math.floor(low), math.floor(high) + 1


@njit(cache=True)
def nearer(q: int, k: int, gap: Any) -> bool:
    """Whether contact q comes before k: by distance, then by place in the list."""
    return gap[q, 3] < gap[k, 3] or (gap[q, 3] == gap[k, 3] and q < k)


@njit(cache=True)
def facing(
    k: int, low: int, high: int, x: float, y: float, z: float, same: float, piece: Any, mesh: Any, facet_table: Any,
    frame: Any, pose: Any, kind: Any, shape_table: Any, gap: Any,
) -> float:  # fmt: skip
    """How far, m, the point lies on the grains' side of the mesh near contact k; negative behind it.

    Of the facets that meet at the contact's foot the one that is seen most squarely decides.
    """
    depth = 0.0
    dx, dy, dz = gap[k, 3] * gap[k, 0], gap[k, 3] * gap[k, 1], gap[k, 3] * gap[k, 2]
    for q in range(low, high):
        p = piece[q]
        if mesh[p] != mesh[piece[k]]:
            continue
        distance, _, _, _ = wall_gap(p, x - dx, y - dy, z - dz, frame, pose, kind, shape_table)
        if distance <= same:
            f = frame[p]
            nx, ny, nz = rotated(
                pose[f, 3], pose[f, 4], pose[f, 5], pose[f, 6], facet_table[p, 6], facet_table[p, 7], facet_table[p, 8]
            )
            seen = nx * dx + ny * dy + nz * dz
            if abs(seen) > abs(depth):
                depth = seen
    return depth


@njit(cache=True, parallel=True, error_model="numpy")
def join_facets(
    count: int, start: Any, piece: Any, place: Any, mesh: Any, facet_table: Any, frame: Any, pose: Any, kind: Any,
    shape_table: Any, gap: Any, seam: Any, memory: Any,
) -> None:  # fmt: skip
    """Decide which contacts with facets are contacts with the mesh: see `seam` in `soft_walls.py`.

    gap: (contacts, 4) normal, from the facet's nearest point to the sphere's centre, and distance, m. A contact that
    another one has come to stand for hands over what it remembers.
    """
    for i in prange(count):
        low, high = start[i], start[i + 1]
        x, y, z, radius = place[i, 0], place[i, 1], place[i, 2], place[i, 3]
        same = SAME_PLACE * radius
        for k in range(low, high):
            gap[k, 3], gap[k, 0], gap[k, 1], gap[k, 2] = wall_gap(piece[k], x, y, z, frame, pose, kind, shape_table)
            seam[k] = TOUCHES
        for k in range(low, high):
            if mesh[piece[k]] < 0 or gap[k, 3] >= radius:
                continue
            best = TOUCHES
            fx, fy, fz = x - gap[k, 3] * gap[k, 0], y - gap[k, 3] * gap[k, 1], z - gap[k, 3] * gap[k, 2]
            for q in range(low, high):
                if mesh[piece[q]] == mesh[piece[k]] and nearer(q, k, gap) and (best < 0 or nearer(q, best, gap)):
                    distance, _, _, _ = wall_gap(piece[q], fx, fy, fz, frame, pose, kind, shape_table)
                    if distance <= same:
                        best = q
            seam[k] = best
        for k in range(low, high):
            p = piece[k]
            if mesh[p] >= 0 and gap[k, 3] < radius:
                if facet_table[p, 6] != 0.0 or facet_table[p, 7] != 0.0 or facet_table[p, 8] != 0.0:
                    take_side(
                        k, low, high, x, y, z, radius, piece, mesh, facet_table, frame, pose, kind, shape_table, gap,
                        seam,
                    )  # fmt: skip
        for k in range(low, high):
            heir = k
            while seam[heir] >= 0:
                heir = seam[heir]
            if heir != k and seam[heir] != DROPPED:
                hand_over(k, heir, memory)


@njit(cache=True)
def take_side(
    k: int, low: int, high: int, x: float, y: float, z: float, radius: float, piece: Any, mesh: Any, facet_table: Any,
    frame: Any, pose: Any, kind: Any, shape_table: Any, gap: Any, seam: Any,
) -> None:  # fmt: skip
    """For the nearest contact k with a mesh that has a side: is the sphere's centre on it?

    If so, facets seen from behind do not count: they lie at the far side of a thin wall. If not, the nearest facet
    pushes the sphere back the way it came, and no other does.
    """
    for q in range(low, high):
        if mesh[piece[q]] == mesh[piece[k]] and nearer(q, k, gap):
            return
    same = SAME_PLACE * radius
    front = facing(k, low, high, x, y, z, same, piece, mesh, facet_table, frame, pose, kind, shape_table, gap) >= 0.0
    for q in range(low, high):
        if q == k or mesh[piece[q]] != mesh[piece[k]] or gap[q, 3] >= radius:
            continue
        if not front:
            seam[q] = k
        elif (
            seam[q] == TOUCHES
            and facing(q, low, high, x, y, z, same, piece, mesh, facet_table, frame, pose, kind, shape_table, gap) < 0.0
        ):
            seam[q] = DROPPED
    if not front:
        seam[k] = BEHIND


@njit(cache=True)
def hand_over(old: int, new: int, memory: Any) -> None:
    """Move what contact `old` remembers to `new`, if that has nothing to remember."""
    was = (old // 16) * 16 * WALL_MEMORY + old % 16
    at = (new // 16) * 16 * WALL_MEMORY + new % 16
    for c in range(WALL_MEMORY):
        if memory[at + 16 * c] != 0.0:
            return
    for c in range(WALL_MEMORY):
        memory[at + 16 * c] = memory[was + 16 * c]
        memory[was + 16 * c] = 0.0
