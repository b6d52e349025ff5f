"""Near walls, and the seams of meshes. A template: see `bound.py`.

A sphere touches a mesh where the distance from its centre to the surface has a local minimum. Every facet by itself
knows its own nearest point only; where that point lies on another facet which comes nearer still, or as near, the
surface has no minimum of its own there, and the other facet stands for both.
"""

from __future__ import annotations

from typing import Any

from barchan.kernels.bound import WALL_MEMORY
from barchan.kernels.jit import njit, prange
from barchan.kernels.turning import rotated
from barchan.solvers.soft.kernels.surfaces import wall_gap
from barchan.solvers.soft.kernels.walls import BEYOND
from barchan.solvers.soft.layout import BEHIND, DROPPED, TOUCHES

SAME_PLACE = 1e-4  # of a sphere's radius: within it two points of a mesh count as one


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
        distance, _, _, _ = wall_gap(p, x - dx, y - dy, z - dz, same, same, frame, pose, kind, shape_table)
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
    """Decide which contacts with facets are contacts with the mesh: see `seam` in `walls.py`.

    gap: (contacts, 4) normal, from the facet's nearest point to the sphere's centre, and distance, m. A contact that
    another one has come to stand for hands over what it remembers.
    """
    for i in prange(count):
        join_sphere(i, start, piece, place, mesh, facet_table, frame, pose, kind, shape_table, gap, seam, memory)


@njit(cache=True, error_model="numpy")
def join_sphere(
    i: int, start: Any, piece: Any, place: Any, mesh: Any, facet_table: Any, frame: Any, pose: Any, kind: Any,
    shape_table: Any, gap: Any, seam: Any, memory: Any,
) -> None:  # fmt: skip
    """The contacts of sphere i."""
    low, high = start[i], start[i + 1]
    x, y, z, radius = place[i, 0], place[i, 1], place[i, 2], place[i, 3]
    same = SAME_PLACE * radius
    for k in range(low, high):
        gap[k, 3], gap[k, 0], gap[k, 1], gap[k, 2] = wall_gap(
            piece[k], x, y, z, radius, BEYOND * radius, frame, pose, kind, shape_table
        )
        seam[k] = TOUCHES
    for k in range(low, high):
        if mesh[piece[k]] < 0 or gap[k, 3] >= radius:
            continue
        best = TOUCHES
        fx, fy, fz = x - gap[k, 3] * gap[k, 0], y - gap[k, 3] * gap[k, 1], z - gap[k, 3] * gap[k, 2]
        for q in range(low, high):
            if mesh[piece[q]] == mesh[piece[k]] and nearer(q, k, gap) and (best < 0 or nearer(q, best, gap)):
                distance, _, _, _ = wall_gap(piece[q], fx, fy, fz, same, same, frame, pose, kind, shape_table)
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
