"""Which spheres touch which walls, and which lie inside a closed surface, found without compiled code.

A `gap` changes by no more than its point moves. So one at the middle of a ball tells of all spheres in the ball:
spheres are put into balls, these into larger ones, and only what lies in a ball that may touch is asked by itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from barchan.geometry import conjugate, images, multiply, rotate
from barchan.model.build import Walls

BRANCH = 8  # balls in the next larger one
SLACK = 1e-6  # of a ball's radius, for round-off
BEYOND = -1e-9  # of a radius: a foot that is not farther beyond a periodic face is met on this side of it
SAME_PLACE = 1e-4  # of a radius: within it two points of a mesh count as one
AT_ONCE = 1 << 18  # points times triangles that are looked at together


class Touching(NamedTuple):
    """Spheres that touch pieces of walls, by sphere, then by piece."""

    sphere: np.ndarray  # (C,) int64
    piece: np.ndarray  # (C,) int64
    distance: np.ndarray  # (C,) m, of the centre, below the sphere's radius
    normal: np.ndarray  # (C, 3) unit vector from the piece to the centre
    place: np.ndarray  # (C, 4) m, the sphere itself, or that image of it which touches

    def take(self, rows: np.ndarray) -> Touching:
        """Some of the contacts."""
        return Touching(*(one[rows] for one in self))


def frames_at(walls: Walls, poses: np.ndarray) -> np.ndarray:
    """Origin and quaternion (F, 7) of the frames of walls' pieces, where a wall's point X lies at p + q·X.

    poses: (W, 7) p, m, and q of all walls.
    """
    owner = np.zeros(len(walls.rest), np.int64)
    owner[walls.frame] = walls.wall
    place, turn = poses[owner, :3], poses[owner, 3:]
    return np.hstack([place + rotate(turn, walls.rest[:, :3]), multiply(turn, walls.rest[:, 3:])])


def touching(
    walls: Walls, frames: np.ndarray, ball: np.ndarray, pieces: np.ndarray, *, repeats: bool = True
) -> Touching:  # fmt: skip
    """All contacts of spheres, (M, 4) m, with these pieces, whose frames (F, 7) are as in `frames_at`.

    repeats: whether a periodic box repeats what of a bounded piece lies in it.
    """
    repeated = repeats and walls.repeated and (walls.shape_table[pieces, -3:] > 0).any(axis=1)
    once = _touching(walls, frames, ball, pieces[~np.broadcast_to(repeated, pieces.shape)])
    if not np.any(repeated):
        return once
    pieces = pieces[repeated]
    low, lengths = walls.shape_table[pieces[0], -6:-3], walls.shape_table[pieces[0], -3:]
    reach = np.where(lengths > 0, ball[:, 3].max(initial=0.0), np.inf)
    image, whose = images(ball, low - reach, low + lengths + reach, lengths)
    found = _touching(walls, frames, image, pieces)
    place, radius = found.place[:, :3], found.place[:, 3:]
    foot, slack = place - found.distance[:, None] * found.normal, BEYOND * radius
    beyond = (lengths > 0) & ((place < low) | (place >= low + lengths))
    counts = ~(beyond & ((foot <= low - slack) | (foot >= low + lengths + slack))).any(axis=1)
    found = found._replace(sphere=whose[found.sphere]).take(counts)
    found = found.take(np.lexsort((found.distance, found.piece, found.sphere)))
    again = (np.diff(found.sphere, prepend=-1) == 0) & (np.diff(found.piece, prepend=-1) == 0)
    both = Touching(*(np.concatenate(pair) for pair in zip(once, found.take(~again), strict=True)))
    return both.take(np.lexsort((both.piece, both.sphere)))


def _touching(walls: Walls, frames: np.ndarray, ball: np.ndarray, pieces: np.ndarray) -> Touching:
    """The same without images."""
    order, levels = _nested(ball)
    ask = _asker(walls, pieces)
    faceted = walls.mesh[pieces, None] >= 0
    low = np.where(faceted, walls.facet_table[pieces, :3], -np.inf)
    high = np.where(faceted, walls.facet_table[pieces, 3:6], np.inf)
    frame = frames[walls.frame[pieces]]
    which, node = _every(len(pieces), len(levels[0]))
    values = np.zeros((len(node), 4))
    for depth, level in enumerate(levels):
        if depth:
            (which,), node = _opened([which], node, len(level))
        turn, reach = frame[which, 3:], level[node, 3]
        place = rotate(conjugate(turn), level[node, :3] - frame[which, :3])
        near = _away(place, low[which], high[which]) < reach
        which, node, place = which[near], node[near], place[near]
        values = ask(which, place)
        near = values[:, 0] < level[node, 3]
        which, node, values = which[near], node[near], values[near]
    normal = rotate(frame[which, 3:], values[:, 1:])
    found = Touching(order[node], pieces[which], values[:, 0], normal, ball[order[node]])
    return found.take(np.lexsort((found.piece, found.sphere)))


def _nested(ball: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Balls (K, 4) m in larger balls, from a few to the given ones, and the order in which these then stand.

    The k-th ball holds those from BRANCH · k on of the next level, BRANCH of them as far as there are so many.
    """
    from scipy.spatial import cKDTree  # slow to import

    order = cKDTree(ball[:, :3], leafsize=BRANCH).indices if len(ball) else np.zeros(0, np.int64)
    levels = [ball[order]]
    while len(levels[0]) > BRANCH:
        inner, begin = levels[0], np.arange(0, len(levels[0]), BRANCH)
        low, high = (one.reduceat(inner[:, :3], begin) for one in (np.minimum, np.maximum))
        middle = 0.5 * (low + high)
        far = np.linalg.norm(inner[:, :3] - np.repeat(middle, BRANCH, axis=0)[: len(inner)], axis=1) + inner[:, 3]
        levels.insert(0, np.column_stack([middle, (1 + SLACK) * np.maximum.reduceat(far, begin)]))
    return order, levels


def _every(count: int, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Every one of `count` things with every one of the balls."""
    return np.repeat(np.arange(count), nodes), np.tile(np.arange(nodes), count)


def _opened(beside: list[np.ndarray], node: np.ndarray, count: int) -> tuple[list[np.ndarray], np.ndarray]:
    """The balls inside these balls, of `count` in all, and what stands beside each."""
    inner = (BRANCH * node[:, None] + np.arange(BRANCH)).ravel()
    there = inner < count
    return [np.repeat(one, BRANCH)[there] for one in beside], inner[there]


def _away(place: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """How far, m, points (K, 3) are from boxes."""
    return np.asarray(np.linalg.norm(np.maximum(np.maximum(low - place, place - high), 0.0), axis=1))


def _asker(walls: Walls, pieces: np.ndarray) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A function that asks gaps, (K, 4), at points (K, 3) m of the frames of these pieces: the k-th for a k of (K,)."""
    gaps = [walls.gaps[kind] for kind in walls.kind[pieces]]
    numbers = [len(inspect.signature(gap).parameters) - 3 for gap in walls.gaps]
    own = [tuple(walls.shape_table[p, : numbers[walls.kind[p]]].tolist()) for p in pieces]

    def ask(which: np.ndarray, place: np.ndarray) -> np.ndarray:
        asked = zip(which.tolist(), place.tolist(), strict=True)
        return np.array([gaps[k](*at, *own[k]) for k, at in asked], float).reshape(-1, 4)

    return ask


# ------------------------------------------------------------ meshes


def joined(walls: Walls, frames: np.ndarray, found: Touching) -> Touching:
    """The contacts that count where facets join into a mesh, as `solvers/soft/kernels/meshes.py` has it.

    Behind a mesh with a side the nearest facet counts alone, at a negative distance.
    """
    rows = np.flatnonzero(walls.mesh[found.piece] >= 0)
    if not len(rows):
        return found
    counts, distance = np.ones(len(found.sphere), bool), found.distance.copy()
    key = np.stack([found.sphere[rows], walls.mesh[found.piece[rows]]])
    _, group = np.unique(key, axis=1, return_inverse=True)
    rows = rows[np.lexsort((found.distance[rows], group.ravel()))]
    parts = np.split(rows, np.flatnonzero(np.diff(np.sort(group.ravel()))) + 1)
    for mine in parts:
        counts[mine], distance[mine[0]] = _join(walls, frames, found.take(mine))
    return found._replace(distance=distance).take(np.flatnonzero(counts))


def _join(walls: Walls, frames: np.ndarray, mine: Touching) -> tuple[np.ndarray, float]:
    """Which contacts of one sphere with one mesh, the nearest first, count; and how far, m, the nearest one is."""
    frame, nearest = frames[walls.frame[mine.piece]], float(mine.distance[0])
    way, same = mine.distance[:, None] * mine.normal, SAME_PLACE * mine.place[0, 3]
    facet, at = _every(len(way), len(way))
    foot = rotate(conjugate(frame[facet, 3:]), (mine.place[:, :3] - way)[at] - frame[facet, :3])
    lies = (_asker(walls, mine.piece)(facet, foot)[:, 0] <= same).reshape(len(way), len(way))  # on a facet, a foot
    counts = ~np.triu(lies, 1).any(axis=0)
    facing = rotate(frame[:, 3:], walls.facet_table[mine.piece, 6:9])
    if not facing.any():
        return counts, nearest
    seen = np.where(lies, facing @ way.T, 0.0)
    front = np.take_along_axis(seen, np.abs(seen).argmax(axis=0)[None], axis=0)[0] >= 0.0
    if front[0]:
        return counts & front, nearest
    return np.arange(len(way)) == 0, -nearest


def inside(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Which of the points (N, 3) m a closed surface of triangles (T, 3, 3) m encloses, (N,) bool.

    A ball of points that no triangle comes near is inside as a whole, or outside.
    """
    order, levels = _nested(np.column_stack([points, np.zeros(len(points))]))
    low, high = corners.min(axis=1), corners.max(axis=1)
    which, node = _every(len(corners), len(levels[0]))
    left, found = np.arange(len(levels[0])), np.zeros(len(points), bool)
    for depth, level in enumerate(levels):
        if depth:
            (which,), node = _opened([which], node, len(level))
            _, left = _opened([], left, len(level))
        last = depth == len(levels) - 1
        near = _away(level[node, :3], low[which], high[which]) <= level[node, 3]
        which, node = which[near], node[near]
        clear = left if last else np.setdiff1d(left, node)
        within = clear[windings(level[clear, :3], corners) > 0.5]
        size = BRANCH ** (len(levels) - 1 - depth)
        rows = (size * within[:, None] + np.arange(size)).ravel()
        found[order[rows[rows < len(points)]]] = True
        left = np.intersect1d(left, node)
    return found


def windings(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """How often a closed surface of triangles (T, 3, 3) m wraps round each point (N, 3) m: 1 inside, 0 outside."""
    return np.concatenate([np.zeros(0), *(_windings(some, corners) for some in _portions(points, len(corners)))])


def _portions(points: np.ndarray, triangles: int) -> Iterator[np.ndarray]:
    size = max(1, AT_ONCE // max(triangles, 1))
    return (points[k : k + size] for k in range(0, len(points), size))


def _windings(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    a, b, c = (corners[None, :, k] - points[:, None] for k in range(3))
    la, lb, lc = (np.sqrt(np.einsum("ptk,ptk->pt", one, one)) for one in (a, b, c))
    volume: Any = np.einsum("ptk,ptk->pt", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("ptk,ptk->pt", one, other) for one, other in ((a, b), (b, c), (c, a)))
    angle = 2.0 * np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb)
    return np.asarray(angle.sum(axis=1) / (4.0 * np.pi))
