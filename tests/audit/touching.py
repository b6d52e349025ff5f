"""Which bodies touch in a frame, found from nothing but places and radii of its spheres and the scene's walls.

Everything is written down from the words of docs/file-format.md and docs/scenes.md, with NumPy alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from audit.taken import Taken

LEAST = 1e-11  # of the smaller radius: overlaps less deep may be there or not, for round-off


class Table(NamedTuple):
    """Contacts: rows of grains in the frame, second −1 − w at wall w; points and ways as recorded ones."""

    first: np.ndarray  # (C,)
    second: np.ndarray  # (C,)
    face: np.ndarray  # (C,)
    overlap: np.ndarray  # (C,) m
    depth: np.ndarray  # (C,) overlap over the smaller sphere's radius
    normal: np.ndarray  # (C, 3) towards the first body
    point: np.ndarray  # (C, 3) m, beside the first body
    opposite: np.ndarray  # (C, 3) m, the same point beside the second; at walls nothing else
    radius: np.ndarray  # (C,) m, effective, of the two spheres


def shortest(cell: np.ndarray, way: np.ndarray) -> np.ndarray:
    """Vectors (…, 3) m to the nearest image in the recorded box, rows (0 or 1, 7)."""
    way = np.array(way, float)
    if not len(cell):
        return way
    x, y, z, tilt = cell[0, 3:]
    if z > 0:
        rows = np.round(way[..., 2] / z)
        way[..., 2] -= rows * z
        way[..., 0] -= rows * tilt
    if y > 0:
        way[..., 1] -= y * np.round(way[..., 1] / y)
    if x > 0:
        way[..., 0] -= x * np.round(way[..., 0] / x)
    return way


def turned(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors (…, 3) turned by a unit quaternion (w, x, y, z), or each by its own."""
    w, u = q[..., :1], q[..., 1:]
    return np.asarray(v + 2 * w * np.cross(u, v) + 2 * np.cross(u, np.cross(u, v)))


def table(taken: Taken, frame: SimpleNamespace) -> Table:
    """Every contact of the frame's spheres with each other and with walls; found once, and kept with the frame."""
    if "table" in vars(frame):
        return frame.table  # type: ignore[no-any-return]
    parts = [_among(frame), *(_at_wall(taken, frame, w) for w in range(len(taken.scene.get("walls", ()))))]
    frame.table = Table(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    return frame.table


def _among(frame: SimpleNamespace) -> Table:
    place, radius, grain = frame.sphere_position, frame.sphere_radius, frame.sphere_grain
    i, j = np.triu_indices(len(radius), 1)
    apart = shortest(frame.cell, place[i] - place[j])
    far = np.linalg.norm(apart, axis=1)
    overlap, smaller = radius[i] + radius[j] - far, np.minimum(radius[i], radius[j])
    at = (overlap > LEAST * smaller) & (grain[i] != grain[j])
    i, j, apart, far, overlap, smaller = (one[at] for one in (i, j, apart, far, overlap, smaller))
    normal = apart / far[:, None]
    return Table(
        grain[i], grain[j], np.zeros(len(i), np.int64), overlap, overlap / smaller, normal,
        place[i] - (radius[i] - overlap / 2)[:, None] * normal, place[j] + (radius[j] - overlap / 2)[:, None] * normal,
        radius[i] * radius[j] / (radius[i] + radius[j]),
    )  # fmt: skip


def _at_wall(taken: Taken, frame: SimpleNamespace, w: int) -> Table:
    wall, pose = taken.scene["walls"][w], frame.wall_pose[w]
    local = turned(pose[3:] * (1, -1, -1, -1), frame.sphere_position - pose[:3])
    found = []
    there = frame.wall_present[w] and not wall["absorbing"]
    for face, distance, up in gaps(wall, local) if there else ():
        overlap = frame.sphere_radius - distance
        at = np.flatnonzero(overlap > LEAST * frame.sphere_radius)
        normal, depth = turned(pose[3:], up[at]), overlap[at]
        point = frame.sphere_position[at] - (frame.sphere_radius[at] - depth / 2)[:, None] * normal
        radius, whole = frame.sphere_radius[at], np.full(len(at), 1)
        found.append(Table(
            frame.sphere_grain[at], (-1 - w) * whole, face * whole, depth, depth / radius, normal, point, point, radius
        ))  # fmt: skip
    if not found:
        nothing, vector = np.zeros(0), np.zeros((0, 3))
        whole = np.zeros(0, np.int64)
        return Table(whole, whole, whole, nothing, nothing, vector, vector, vector, nothing)
    return Table(*(np.concatenate(column) for column in zip(*found, strict=True)))


def gaps(wall: dict[str, Any], place: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Of each face of a wall its number, distances (M,) m and normals (M, 3), at places where it was made (M, 3) m."""
    if wall["shape"] == "plane":
        normal = np.array(wall["normal"], float) / np.linalg.norm(wall["normal"])
        yield 0, (place - wall["point"]) @ normal, np.tile(normal, (len(place), 1))
    elif wall["shape"] == "sphere" and wall["side"] == "outside":
        away = place - wall["center"]
        far = np.linalg.norm(away, axis=1)
        yield 0, far - wall["radius"], away / np.maximum(far, 1e-300)[:, None]
    elif wall["shape"] == "cylinder" and wall.get("length") is None:
        axis = np.array(wall["axis"], float) / np.linalg.norm(wall["axis"])
        away = place - wall["point"]
        away -= np.outer(away @ axis, axis)
        far = np.linalg.norm(away, axis=1)
        sign = 1.0 if wall.get("side") == "outside" else -1.0
        yield 0, sign * (far - wall["radius"]), sign * away / np.maximum(far, 1e-300)[:, None]
    elif wall["shape"] == "box" and wall["side"] == "inside":
        names = [name for name in ("-x", "+x", "-y", "+y", "-z", "+z") if name not in wall["open"]]
        for face, name in enumerate(names):
            low, high, axis = np.array(wall["low"], float), np.array(wall["high"], float), "xyz".index(name[1])
            low[axis] = high[axis] = (low if name[0] == "-" else high)[axis]
            away = place - np.clip(place, low, high)
            far = np.linalg.norm(away, axis=1)
            yield face, far, away / np.maximum(far, 1e-300)[:, None]
    elif wall["shape"] == "mesh" and wall["side"] == "both":
        corners = np.array(wall["vertices"], float)
        for number, face in enumerate(faces(corners, wall["triangles"])):
            ways = np.stack([place - on_triangle(place, *corners[np.array(one)]) for one in face])
            far = np.linalg.norm(ways, axis=2)
            way, least = ways[far.argmin(axis=0), np.arange(len(place))], far.min(axis=0)
            yield number, least, way / np.maximum(least, 1e-300)[:, None]
    elif wall["appears"] < 1e6:
        raise AssertionError(f"the audit knows no wall of shape {wall['shape']!r}")


def faces(corners: np.ndarray, triangles: Any) -> list[list[Any]]:
    """Triangles of a mesh that lie side by side in a plane, in the order of the first of each."""
    found: list[list[Any]] = []
    for one in triangles:
        for face in found:
            out = np.cross(corners[face[0][1]] - corners[face[0][0]], corners[face[0][2]] - corners[face[0][0]])
            beside = any(len({*one} & {*other}) == 2 for other in face)
            if beside and np.allclose((corners[np.array(one)] - corners[face[0][0]]) @ out, 0.0):
                face.append(one)
                break
        else:
            found.append([one])
    return found


def on_triangle(place: np.ndarray, *corners: np.ndarray) -> np.ndarray:
    """(M, 3) m of the triangle nearest to places (M, 3) m: below them, or on one of its sides."""
    out = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    out /= np.linalg.norm(out)
    best = place - np.outer((place - corners[0]) @ out, out)
    outside = np.zeros(len(place), bool)
    sides = [(corners[k], corners[(k + 1) % 3] - corners[k]) for k in range(3)]
    for start, side in sides:
        outside |= np.cross(side, best - start) @ out < 0
    on_sides = np.stack([
        start + np.clip((place - start) @ side / (side @ side), 0.0, 1.0)[:, None] * side for start, side in sides
    ])  # fmt: skip
    nearest = np.linalg.norm(place - on_sides, axis=2).argmin(axis=0)
    return np.where(outside[:, None], on_sides[nearest, np.arange(len(place))], best)


def told(frame: SimpleNamespace) -> Table:
    """The recorded contacts, of bodies whose overlaps are none of spheres."""
    first, second = recorded(frame)
    nothing = np.zeros((len(first), 3))
    return Table(first, second, frame.face, frame.overlap, frame.overlap, nothing, frame.point, frame.point, nothing)


def recorded(frame: SimpleNamespace) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the grains of recorded contacts, the second −1 − w at walls."""
    first, second = np.searchsorted(frame.id, frame.first), frame.second.copy()
    pair = second >= 0
    second[pair] = np.searchsorted(frame.id, second[pair])
    return first, second


def matched(frame: SimpleNamespace, own: Table, size: float) -> np.ndarray:
    """(C,) for each recorded contact the row of `own` that it is: bodies, face and, beside its first body, place.

    AssertionError where one is missing or too many. size: m, of the smallest sphere.
    """
    first, second = recorded(frame)
    seen, rows = _keys(first, second, frame.face), _keys(own.first, own.second, own.face)
    assert sorted(seen) == sorted(rows), f"t = {frame.time}: {sorted(seen)} recorded, {sorted(rows)} touch"
    found, used = np.zeros(len(first), np.int64), set[int]()
    by_key: dict[tuple[int, ...], list[int]] = {}
    for row, key in enumerate(rows):
        by_key.setdefault(key, []).append(row)
    for k, key in enumerate(seen):
        free = [row for row in by_key[key] if row not in used]
        far = [math.dist(frame.point[k], _beside(own, row, int(first[k]))) for row in free]
        best = int(np.argmin(far))
        assert far[best] < 1e-3 * size, f"t = {frame.time}: contact {k} is {far[best]} m from where {key} touch"
        found[k] = free[best]
        used.add(free[best])
    return found


def _beside(own: Table, row: int, first: int) -> np.ndarray:
    """The point of a contact on the side of its recorded first body."""
    return np.asarray(own.point[row] if own.first[row] == first else own.opposite[row])


def _keys(first: np.ndarray, second: np.ndarray, face: np.ndarray) -> list[tuple[int, ...]]:
    """A pair of bodies, the smaller row first, walls last, and its face."""
    keys = []
    for a, b, f in zip(first.tolist(), second.tolist(), face.tolist(), strict=True):
        keys.append((min(a, b), max(a, b), 0) if b >= 0 else (a, b, f))
    return keys


def sided(frame: SimpleNamespace, own: Table, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points (C, 3) m and normals (C, 3) of `own` as recorded contacts have them: seen from their first body."""
    first, _ = recorded(frame)
    same = (own.first[rows] == first)[:, None]
    return np.where(same, own.point[rows], own.opposite[rows]), np.where(same, 1.0, -1.0) * own.normal[rows]


def touching_bodies(own: Table) -> np.ndarray:
    """(K, 3) pairs of bodies that touch, each once, and the face of a wall."""
    return np.array(sorted(set(_keys(own.first, own.second, own.face))), np.int64).reshape(-1, 3)
