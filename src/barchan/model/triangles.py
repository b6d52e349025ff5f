"""Grains of triangles: the ready shapes and polygons cut into triangles, and which of these share an edge."""

from __future__ import annotations

import functools
import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.model.clumps import ClumpProperties
from barchan.scene.polygons import (
    CrossGrain,
    EllGrain,
    FlatShape,
    HexagonGrain,
    IrregularGrain,
    PolygonGrain,
    SquareGrain,
    StarGrain,
    TriangleGrain,
)

_SAME = 1e-9  # of the extent: corners closer than this are one
_ROUNDS = 12  # of cutting sides that a triangulation missed
_SMOOTHINGS = 6
_FLAT = 1e-12  # of the extent: a triangle of less height has its corners on one line, as far as rounding can tell
_MOST = 100_000  # triangles of one grain
_THINNEST = 0.01  # degrees: thinner triangles have hardly a mass, and no time step would be short enough for them


@dataclass(frozen=True)
class Template:
    """A grain of size 1 (of a polygon: in metres) about its centre of mass, in its own x–z plane."""

    corners: np.ndarray  # (m, 3, 2) m, counter-clockwise
    shared: np.ndarray  # (b, 3) int64: two triangles, and the edge of the first (from that corner on) they share

    @property
    def centres(self) -> np.ndarray:
        """Centres of mass of the triangles, (m, 2) m."""
        return self.corners.mean(axis=1)

    @property
    def radius(self) -> float:
        """Of the circle about the centre of mass that holds the grain, m."""
        return float(np.linalg.norm(self.corners, axis=2).max())


def areas(corners: np.ndarray) -> np.ndarray:
    """Areas (…,) of triangles (…, 3, 2), positive where the corners run counter-clockwise."""
    u, v = corners[..., 1, :] - corners[..., 0, :], corners[..., 2, :] - corners[..., 0, :]
    return np.asarray(0.5 * (u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]))


def least_angles(corners: np.ndarray) -> np.ndarray:
    """The smallest angle (m,) of each triangle (m, 3, 2), degrees."""
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    a, b, c = np.sort(sides, axis=1).T
    return np.degrees(np.arccos(np.clip((b * b + c * c - a * a) / (2 * b * c), -1.0, 1.0)))


@functools.lru_cache(maxsize=64)
def template(shape: FlatShape) -> Template:
    """The triangles of a shape, and which of them share an edge."""
    if isinstance(shape, PolygonGrain):
        corners = triangulated(np.array(shape.points), shape.mesh_size, shape.least_angle)
    elif isinstance(shape, IrregularGrain):
        corners = fans(np.ones((1, shape.corners)), np.zeros((1, shape.corners)))[0]
    elif isinstance(shape, SquareGrain):
        corners = _quartered(np.zeros((1, 2)), 1.0)
    elif isinstance(shape, CrossGrain):
        corners = _quartered(np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1)]) / 3, 1 / 3)
    elif isinstance(shape, EllGrain):
        corners = _quartered(np.array([(0, 0), (1, 0), (0, 1)]) / 2, 1 / 2)
    elif isinstance(shape, HexagonGrain):
        corners = fans(np.ones((1, 6)), np.zeros((1, 6)))[0]
    elif isinstance(shape, StarGrain):
        corners = _star(shape.points, shape.waist)
    else:
        assert isinstance(shape, TriangleGrain)
        tips = np.array([(-0.5, 0.0), (0.5, 0.0), (0.0, np.sqrt(0.75))])
        a, b, c = (tips + np.roll(tips, -1, axis=0)) / 2
        corners = np.array([(a, b, c), (tips[0], a, c), (tips[1], b, a), (tips[2], c, b)])
    weight = areas(corners)
    corners = corners - np.average(corners.mean(axis=1), axis=0, weights=weight)
    return Template(corners, neighbours(corners))


def flat_clump(shape: FlatShape) -> ClumpProperties:
    """What fills and sizes need to know of a shape: circles about its triangles stand for spheres.

    Volume and moments are those of a plate of unit thickness and density.
    """
    grain = template(shape)
    weight, centres = areas(grain.corners), grain.centres
    own = np.sum((np.roll(grain.corners, -1, axis=1) - grain.corners) ** 2, axis=(1, 2)) / 36
    polar = float(np.sum(weight * (own + np.sum(centres**2, axis=1))))
    offsets = np.stack([centres[:, 0], np.zeros(len(centres)), centres[:, 1]], axis=1)
    moments = np.array([polar / 2, polar, polar / 2])
    return ClumpProperties(
        volume=float(weight.sum()), centre=np.zeros(3), inertia=np.diag(moments), moments=moments,
        axes=np.array([1.0, 0.0, 0.0, 0.0]), bounding_radius=grain.radius, offsets=offsets,
        radii=np.linalg.norm(grain.corners - centres[:, None], axis=2).max(axis=1),
    )  # fmt: skip


def neighbours(corners: np.ndarray) -> np.ndarray:
    """(b, 3) int64: triangles that share an edge, and which edge of the first it is, in the order of the triangles."""
    count = len(corners)
    points = corners.reshape(-1, 2)
    step = _SAME * max(float(np.ptp(points)), 1e-300)
    _, name = np.unique(np.round(points / step), axis=0, return_inverse=True)
    name = name.reshape(count, 3)
    ends = np.sort(np.stack([name, np.roll(name, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    _, edge, times = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(edge.ravel(), kind="stable")
    first = order[np.concatenate([[0], np.cumsum(times)[:-1]])[times == 2]]
    second = order[np.cumsum(times)[times == 2] - 1]
    found = np.stack([first // 3, second // 3, first % 3], axis=1).astype(np.int64)
    return found[np.lexsort(found.T[::-1])].reshape(-1, 3)


def fans(radius: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Polygons of n triangles round a middle: (g, n, 3, 2) m.

    radius: (g, n) of the corners, in halves of the size; shift: (g, n), of the spacing of corners, round the middle.
    """
    n = radius.shape[1]
    angle = 2 * np.pi * (np.arange(n) + shift) / n
    tip = 0.5 * radius[..., None] * np.stack([np.cos(angle), np.sin(angle)], axis=2)
    return np.stack([np.zeros_like(tip), tip, np.roll(tip, -1, axis=1)], axis=2)


def _quartered(middles: np.ndarray, edge: float) -> np.ndarray:
    """Squares about these middles, four triangles each."""
    ring = edge / 2 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    tips = middles[:, None] + ring
    centre = np.broadcast_to(middles[:, None], tips.shape)
    return np.stack([centre, tips, np.roll(tips, -1, axis=1)], axis=2).reshape(-1, 3, 2)


def _star(points: int, waist: float) -> np.ndarray:
    angle = np.pi * np.arange(2 * points) / points
    ring = 0.5 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    tips, hollows = ring[0::2], waist * ring[1::2]
    before = np.roll(hollows, 1, axis=0)
    return np.concatenate([
        np.stack([np.zeros_like(tips), before, hollows], axis=1), np.stack([tips, hollows, before], axis=1)
    ])  # fmt: skip


# ---------------------------------------------------------------- polygons


def triangulated(points: np.ndarray, mesh_size: float | None, least_angle: float) -> np.ndarray:
    """A simple polygon (k, 2) m as triangles (m, 3, 2); SceneError where it is none or triangles are too thin."""
    import shapely

    polygon = shapely.Polygon(points)
    nothing = _FLAT * float(np.ptp(points, axis=0).max()) ** 2
    if not polygon.is_valid or polygon.area <= nothing:
        # The two halves of a bow tie may have the same area with opposite signs: what it spans tells that it is one.
        spans = shapely.MultiPoint(points).convex_hull.area > nothing
        why = shapely.is_valid_reason(polygon) if spans else "it has no area"
        raise SceneError(Finding("shape.points", f"no simple polygon: {why}", "sides must not cross or touch"))
    if mesh_size is None:
        pieces = shapely.get_parts(shapely.constrained_delaunay_triangles(polygon))
        corners = np.array([shapely.get_coordinates(piece)[:3] for piece in pieces])
        places, name = np.unique(corners.reshape(-1, 2), axis=0, return_inverse=True)
        corners = places[_without_flat(places, name.reshape(-1, 3))]
    else:
        _check_mesh_size(polygon, points, mesh_size)
        corners = _meshed(polygon, points, mesh_size)
    corners = np.where((areas(corners) > 0)[:, None, None], corners, corners[:, ::-1])
    missing = abs(areas(corners).sum() - polygon.area) / polygon.area
    thin = float(least_angles(corners).min())
    if missing > 1e-9:
        raise SceneError(Finding("shape.mesh_size", f"triangles leave out {100 * missing:.2g}% of the polygon",
                                 "they must fill it", "take a smaller mesh_size"))  # fmt: skip
    if thin < max(least_angle, _THINNEST):
        raise SceneError(Finding(
            "shape.points", f"a triangle has an angle of {thin:.2g}°",
            f"must be at least {max(least_angle, _THINNEST):g}°",
            "set a smaller mesh_size, or move corners" + (", or allow it with least_angle" if thin > _THINNEST else ""),
        ))  # fmt: skip
    return corners


def _check_mesh_size(polygon: Any, points: np.ndarray, mesh_size: float) -> None:
    """SceneError where a mesh would have more triangles than a grain can sensibly have, or than memory holds.

    An equilateral triangle of that edge has √3/4 of its square, and the points of the mesh are looked for in the
    rectangle about the polygon.
    """
    spanned = float(np.prod(np.ptp(points, axis=0)))
    count = max(polygon.area / 0.433, spanned / 43.3) / mesh_size**2 + polygon.length / mesh_size
    if count > _MOST:
        raise SceneError(Finding(
            "shape.mesh_size", f"{mesh_size:g} m would cut the polygon into about {count:.2g} triangles",
            f"a grain may have {_MOST}", f"take at least {mesh_size * float(np.sqrt(2 * count / _MOST)):.2g} m",
        ))  # fmt: skip


def _flat(points: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Which triangles (m, 3), rows of points (k, 2), have their corners on one line, (m,) bool."""
    corners = points[found]
    longest = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2).max(axis=1)
    return np.asarray(2 * np.abs(areas(corners)) <= _FLAT * float(np.ptp(points, axis=0).max()) * longest)


def _without_flat(points: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Triangles (m, 3), rows of points (k, 2), without those that have no area.

    Such a triangle has one corner on its longest edge. The triangle beyond that edge is cut in two from there, so that
    neighbours share whole edges as before; at the rim there is none, and the flat one just goes.
    """
    rows = np.flatnonzero(_flat(points, found)).tolist()
    if not rows:
        return found
    triangles = {k: tuple(row) for k, row in enumerate(found.tolist())}
    owners: dict[frozenset[int], set[int]] = {}

    def enter(k: int, corners: tuple[int, ...]) -> None:
        triangles[k] = corners
        for e in range(3):
            owners.setdefault(frozenset((corners[e], corners[e - 1])), set()).add(k)

    def take(k: int) -> tuple[int, ...]:
        corners = triangles.pop(k)
        for e in range(3):
            owners[frozenset((corners[e], corners[e - 1]))].discard(k)
        return corners

    def waiting(k: int) -> tuple[float, int, int]:
        """Long ones come first: beyond the longest of all edges lies none that is flat, or one just as long."""
        tips = points[list(triangles[k])]
        sides = np.linalg.norm(tips[[1, 2, 0]] - tips[[2, 0, 1]], axis=1)
        return -float(sides.max()), k, int(np.argmax(sides))

    for k, corners in triangles.items():
        enter(k, corners)
    queue = [waiting(k) for k in rows]
    heapq.heapify(queue)
    for _ in range(_ROUNDS * len(rows)):
        if not queue:
            break
        _, one, at = entry = heapq.heappop(queue)
        if one not in triangles or waiting(one) != entry or not _flat(points, np.array([triangles[one]]))[0]:
            continue  # another has changed it
        corners = take(one)
        middle, a, b = (corners[(at + shift) % 3] for shift in range(3))
        for other in sorted(owners[frozenset((a, b))]):
            (tip,) = set(take(other)) - {a, b}
            for k, cut in ((one, (a, middle, tip)), (other, (middle, b, tip))):
                enter(k, cut)
                if _flat(points, np.array([cut]))[0]:
                    heapq.heappush(queue, waiting(k))
    return np.array(list(triangles.values()), np.int64).reshape(-1, 3)


def _meshed(polygon: object, points: np.ndarray, mesh_size: float) -> np.ndarray:
    """Triangles of about that edge: Delaunay's of cut sides and of points inside, smoothed, until no side is missed."""
    import shapely
    from scipy.spatial import Delaunay

    ends = np.roll(points, -1, axis=0)
    cuts = np.maximum(1, np.ceil(np.linalg.norm(ends - points, axis=1) / mesh_size - 1e-9)).astype(int)
    ring = np.concatenate([
        a + (b - a) * np.arange(n)[:, None] / n for a, b, n in zip(points, ends, cuts, strict=True)
    ])  # fmt: skip
    low, high = points.min(axis=0), points.max(axis=0)
    rows = np.arange(low[1], high[1], mesh_size * np.sqrt(0.75))
    columns = np.arange(low[0] - mesh_size, high[0] + mesh_size, mesh_size)
    grid = np.stack(np.meshgrid(columns, rows), axis=2)
    grid[1::2, :, 0] += mesh_size / 2
    spots = grid.reshape(-1, 2)
    core = polygon.buffer(-0.55 * mesh_size)  # type: ignore[attr-defined]
    spots = spots[shapely.contains_xy(core, spots)]
    for turn in range(_ROUNDS + _SMOOTHINGS):
        everything = np.concatenate([ring, spots])
        found = Delaunay(everything).simplices
        smoothing = turn < _SMOOTHINGS and len(spots) > 0
        found = found[~_flat(everything, found)] if smoothing else _without_flat(everything, found)
        found = found[shapely.contains_xy(polygon, everything[found].mean(axis=1))]
        edges = np.sort(found[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        if smoothing:
            total, times = np.zeros_like(everything), np.zeros(len(everything))
            for a, b in (edges.T, edges.T[::-1]):
                np.add.at(total, a, everything[b])
                np.add.at(times, a, 1.0)
            spots = (total / np.maximum(times, 1.0)[:, None])[len(ring) :]
            continue
        side = np.sort(np.stack([np.arange(len(ring)), np.roll(np.arange(len(ring)), -1)], axis=1), axis=1)
        known = {(int(a), int(b)) for a, b in edges}
        missed = [k for k, (a, b) in enumerate(side) if (int(a), int(b)) not in known]
        if not missed:
            break
        ring = np.insert(ring, np.array(missed) + 1, (ring[missed] + np.roll(ring, -1, axis=0)[missed]) / 2, axis=0)
    return np.asarray(everything[found])
