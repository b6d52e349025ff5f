"""Strips of triangles along the lines in which a wall is cut: straight sides, which meet where the wall bends.

Lines become paths, which go straight on where several of them meet. A path is drawn as thick as the strip and cut
across where its sides meet and where the box repeats. What lies between two cuts is made triangles by itself, so that
each side has its own face up to the corner and no triangle belongs to two sides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

_STRAIGHT = np.radians(30 + 1e-6)  # by which a wall may bend and be one side, and a bit more for round-off
_ONWARD = 1e-3  # rad: a side that bends less where the box repeats goes on there
_BACK = np.pi - 1e-3  # rad: a line that bends more does not go on
_FINE = 1e-6  # of the thickness: what is nearer than that is one point
_NOTHING = 1e-9  # of the thickness squared: triangles smaller than that are left out
_BEYOND = 2.0  # thicknesses by which a path is drawn beyond where the box repeats


class _Ends(NamedTuple):
    """Both ends of all segments: those of segment k are 2 k and 2 k + 1."""

    place: np.ndarray  # (m, 2) m
    out: np.ndarray  # (m, 2), unit: from there along its segment
    next: np.ndarray  # (m,) int64, the end with which the path goes on; −1 where it stops
    across: np.ndarray  # (m,) bool: which is elsewhere, where the box repeats
    alone: np.ndarray  # (m,) bool: no other segment ends there


class _Path(NamedTuple):
    points: np.ndarray  # (n, 2) m, the last is the first of a ring
    ends: tuple[int, int]
    ring: bool


class _Side(NamedTuple):
    points: np.ndarray  # (n, 2) m
    path: int
    real: bool  # else it is beyond where the box repeats, and no part of the strip


def strip(
    lines: np.ndarray, thickness: float, reach: float, box: tuple[float, float] = (0.0, 0.0)
) -> tuple[np.ndarray, np.ndarray]:
    """Triangles (q, 3, 2) m of a strip along segments (n, 2, 2) m, cut to pieces about as long as `reach` (m), and of
    which side each is (q,).

    box: m along x and z, after which all repeats, or 0. Where a strip meets itself, it has no end; elsewhere its ends
    reach out by half its width.
    """
    pieces = segments(lines, thickness)
    if not len(pieces):
        return np.zeros((0, 3, 2)), np.zeros(0, np.int64)
    ends = _ends(pieces, np.array(box, float), 0.5 * _FINE * thickness)
    paths = _paths(ends, thickness)
    sides: list[_Side] = []
    cuts: list[np.ndarray] = []
    bodies, last = [], {}
    for k, path in enumerate(paths):
        along = _along(k, path, ends, thickness)
        real = [len(sides) + m for m, one in enumerate(along) if one.real]
        last[path.ends[0]], last[path.ends[1]] = real[0], real[-1]
        sides += along
        cuts += _cuts(along, path.ring, thickness)
        bodies.append(_body(along, thickness))
    order = _order(paths, ends)
    faces, of = _faces([bodies[k] for k in order], cuts, _NOTHING * thickness**2)
    corners, side = _triangles(faces, order[of], sides, thickness, reach)
    there = np.array([one.real for one in sides])[side]
    side = _one_across(ends, last, len(sides))[side[there]]
    return np.ascontiguousarray(corners[there]), np.unique(side, return_inverse=True)[1].astype(np.int64)


def segments(lines: np.ndarray, thickness: float) -> np.ndarray:
    """Lines (n, 2, 2) m cut where they meet, each part once, and without what is nothing beside the thickness."""
    import shapely

    if not len(lines):
        return np.zeros((0, 2, 2))
    grid = _FINE * thickness
    noded = shapely.get_parts(shapely.unary_union(shapely.set_precision(shapely.linestrings(lines), grid)))
    found = [shapely.get_coordinates(part) for part in noded]
    pieces = np.concatenate([np.zeros((0, 2, 2)), *(np.stack([one[:-1], one[1:]], axis=1) for one in found)])
    # A strip lies where its wall does, and not on the grid: its ends must meet where the box repeats.
    places = lines.reshape(-1, 2)
    snapped = shapely.get_coordinates(shapely.set_precision(shapely.points(places), grid))
    true = {tuple(one): place for one, place in zip(snapped[::-1], places[::-1], strict=True)}
    pieces = np.array([[true.get(tuple(end), end) for end in piece] for piece in pieces]).reshape(-1, 2, 2)
    return pieces[np.linalg.norm(pieces[:, 1] - pieces[:, 0], axis=1) > grid]


def _ends(pieces: np.ndarray, box: np.ndarray, near: float) -> _Ends:
    """At each point where segments end, those two that bend least against each other go on, then the next two."""
    import shapely

    place = pieces.reshape(-1, 2)
    way = np.stack([pieces[:, 1] - pieces[:, 0], pieces[:, 0] - pieces[:, 1]], axis=1).reshape(-1, 2)
    out = way / np.linalg.norm(way, axis=1)[:, None]
    inside = place - box * np.floor(np.divide(place, box, out=np.zeros_like(place), where=box > 0))
    inside = np.where((box > 0) & (box - inside < near), inside - box, inside)
    points = shapely.points(inside)
    one, other = shapely.STRtree(points).query(points, predicate="dwithin", distance=near)
    label = np.arange(len(place))
    np.minimum.at(label, one, other)
    ends = _Ends(place, out, np.full(len(place), -1), np.zeros(len(place), bool), np.bincount(label)[label] == 1)
    order = np.argsort(label, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
        pairs = [(_bend(ends, a, b), a, b) for k, a in enumerate(group) for b in group[k + 1 :]]
        for bend, a, b in sorted(pairs):
            if bend < _BACK and ends.next[a] < 0 and ends.next[b] < 0:
                ends.next[a], ends.next[b] = b, a
                ends.across[[a, b]] = np.abs(place[a] - place[b]).max() > near
    return ends


def _bend(ends: _Ends, a: int, b: int) -> float:
    """The angle by which a path turns that comes in by end a and goes on with end b."""
    return float(_angle(-ends.out[a], ends.out[b]))


def _angle(u: np.ndarray, v: np.ndarray) -> Any:
    return np.arctan2(np.abs(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]), (u * v).sum(axis=-1))


def _paths(ends: _Ends, thickness: float) -> list[_Path]:
    """All segments, one after another; open ends reach out by half the thickness, rings begin where they bend most."""
    import shapely

    after = np.where(ends.across, -1, ends.next)
    seen = np.zeros(len(after), bool)
    paths = []
    for begin in [*np.flatnonzero(after < 0), *np.flatnonzero(after >= 0)]:  # first those that have ends
        if seen[begin]:
            continue
        way = [begin, begin ^ 1]
        while after[way[-1]] not in (-1, begin):
            way += [after[way[-1]], after[way[-1]] ^ 1]
        seen[way] = True
        ring = after[way[-1]] == begin
        points = ends.place[[way[0], *way[1::2]]].copy()
        if ring:
            ahead = np.diff(points, axis=0)
            most = int(np.argmax(np.round(_angle(np.roll(ahead, 1, axis=0), ahead), 6)))
            points = np.concatenate([points[most:-1], points[: most + 1]])
        for k, end in ((0, way[0]), (-1, way[-1])):
            if ends.alone[end]:
                points[k] -= 0.5 * thickness * ends.out[end]
        points = shapely.get_coordinates(shapely.simplify(shapely.linestrings(points), _FINE * thickness))
        paths.append(_Path(points, (int(way[0]), int(way[-1])), bool(ring)))
    return paths


def _straight_parts(path: _Path) -> list[np.ndarray]:
    """Parts of a path whose direction changes by no more than _STRAIGHT."""
    way = np.unwrap(np.arctan2(*np.diff(path.points, axis=0).T[::-1]))
    parts, begin = [], 0
    for k in range(1, len(way) + 1):
        if k == len(way) or abs(way[k] - way[begin]) > _STRAIGHT:
            parts.append(path.points[begin : k + 1])
            begin = k
    return parts


def _along(k: int, path: _Path, ends: _Ends, thickness: float) -> list[_Side]:
    """All sides along path k in their order, and where the box repeats at an end, which way it goes on there."""
    sides = [_Side(points, k, True) for points in _straight_parts(path)]
    on = []
    for place, end in zip(path.points[[0, -1]], path.ends, strict=True):
        far = place + _BEYOND * thickness * ends.out[ends.next[end]]
        on.append([_Side(np.stack([place, far]), k, False)] if ends.across[end] else [])
    return [*(one._replace(points=one.points[::-1]) for one in on[0]), *sides, *on[1]]


def _cuts(along: list[_Side], ring: bool, thickness: float) -> list[np.ndarray]:
    """Lines (2, 2) m across a path where its sides meet, half way between their directions."""
    cuts = []
    for one, other in zip(along[-1:] + along if ring else along, along if ring else along[1:], strict=False):
        before, after = np.diff(one.points, axis=0), np.diff(other.points, axis=0)
        u, v = before[-1] / np.linalg.norm(before[-1]), after[0] / np.linalg.norm(after[0])
        half = 0.5 * float(_angle(u, v))
        if half > 0.5 * _BACK:
            continue
        mean = (u + v) / np.linalg.norm(u + v)
        # As far as the outlines meet; at a sharp bend these may end before.
        most = thickness + min(np.linalg.norm(before, axis=1).sum(), np.linalg.norm(after, axis=1).sum())
        across = 1.001 * min(0.5 * thickness / np.cos(half), most) * np.array([-mean[1], mean[0]])
        cuts.append(np.stack([other.points[0] - across, other.points[0] + across]))
    return cuts


def _body(along: list[_Side], thickness: float) -> Any:
    """What a path covers, with what is beyond its ends where the box repeats."""
    import shapely

    points = np.concatenate([along[0].points[:1], *(one.points[1:] for one in along)])
    return shapely.linestrings(points).buffer(0.5 * thickness, cap_style="flat", join_style="mitre")


def _order(paths: list[_Path], ends: _Ends) -> np.ndarray:
    """Paths that go on everywhere come before those that stop at others, and long ones before short ones."""
    import shapely

    first, last = np.array([path.ends for path in paths]).T
    stops = ~ends.alone & (ends.next < 0)
    length = shapely.length([shapely.linestrings(path.points) for path in paths])
    return np.lexsort((-length, stops[first].astype(int) + stops[last]))


def _one_across(ends: _Ends, last: dict[int, int], count: int) -> np.ndarray:
    """Names (count,) of sides: one name for those that go straight on where the box repeats.

    last: of the ends of paths, the side there.
    """
    names = np.arange(count)
    for end, side in last.items():
        on = int(ends.next[end])
        if ends.across[end] and _bend(ends, end, on) < _ONWARD:
            names[names == names[side]] = names[last[on]]
    return names


def _faces(bodies: list[Any], cuts: list[np.ndarray], least: float) -> tuple[np.ndarray, np.ndarray]:
    """The parts, larger than `least` (m²), into which cuts and outlines divide what bodies cover, and the first body
    that covers each.
    """
    import shapely

    drawn = [*shapely.boundary(bodies), *map(shapely.linestrings, cuts)]
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(shapely.unary_union(drawn))))
    faces = faces[shapely.area(faces) > least]
    face, body = shapely.STRtree(bodies).query(shapely.point_on_surface(faces), predicate="intersects")
    first = np.full(len(faces), len(bodies))
    np.minimum.at(first, face, body)
    return faces[first < len(bodies)], first[first < len(bodies)]


def _triangles(
    faces: np.ndarray, paths: np.ndarray, sides: list[_Side], thickness: float, reach: float
) -> tuple[np.ndarray, np.ndarray]:
    """Counter-clockwise triangles (q, 3, 2) m of faces, each of a path, and of which side each is (q,).

    A face belongs to the side that runs through it. Where several sides of its path do, as where a path crosses
    itself, or none, triangles belong to the nearest.
    """
    import shapely

    lines = np.array([shapely.linestrings(one.points) for one in sides])
    of_path = np.array([one.path for one in sides])
    face, side = shapely.STRtree(lines).query(faces, predicate="intersects")
    through = shapely.length(shapely.intersection(faces[face], lines[side])) > _FINE * thickness
    own = through & (of_path[side] == paths[face])
    face, side = face[own], side[own]
    order = np.lexsort((side, face))
    face, side = face[order], side[order]
    made, names = [np.zeros((0, 3, 2))], [np.zeros(0, np.int64)]
    for k, whole in enumerate(shapely.constrained_delaunay_triangles(shapely.segmentize(faces, reach))):
        corners = np.array([shapely.get_coordinates(one)[:3] for one in shapely.get_parts(whole)]).reshape(-1, 3, 2)
        u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        twice = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
        corners = np.where((twice > 0)[:, None, None], corners, corners[:, ::-1])
        corners = corners[np.abs(twice) > _NOTHING * thickness**2]
        mine = side[np.searchsorted(face, k) : np.searchsorted(face, k, "right")]
        if not len(mine):
            mine = np.flatnonzero(of_path == paths[k])
        made.append(corners)
        names.append(mine[shapely.STRtree(lines[mine]).nearest(shapely.points(corners.mean(axis=1)))])
    return np.concatenate(made), np.concatenate(names)
