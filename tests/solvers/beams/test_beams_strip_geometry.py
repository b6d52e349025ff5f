"""How strips are cut to triangles: nothing is lost or there twice, and sides meet where the wall bends."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from barchan.errors import SceneError
from barchan.model.build import build
from barchan.solvers.beams import checks, strip_geometry
from solvers import beams_lab as lab

WIDE = 1e-3  # m
REACH = 2e-3  # m


def through(*points: tuple[float, float], closed: bool = False) -> np.ndarray:
    """Segments (n, 2, 2) from each of the points to the next."""
    path = np.array([*points, points[0]] if closed else points)
    return np.stack([path[:-1], path[1:]], axis=1)


def circle(count: int, turn: float = 360.0, radius: float = 0.02) -> np.ndarray:
    """Segments of a circle about the origin, turn in degrees."""
    angle = np.radians(np.linspace(0.0, turn, count + 1))
    angle[-1] = 0.0 if turn == 360.0 else angle[-1]
    return through(*(radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)))


def cut(lines: np.ndarray, box: tuple[float, float] = (0.0, 0.0)) -> tuple[np.ndarray, np.ndarray]:
    """Triangles and sides of a strip, of which all hold that callers rely on."""
    corners, side = strip_geometry.strip(lines, WIDE, REACH, box)
    again = strip_geometry.strip(lines, WIDE, REACH, box)
    assert np.array_equal(corners, again[0]) and np.array_equal(side, again[1])
    assert corners.shape == (len(side), 3, 2) and side.dtype == np.int64
    assert set(side) == set(range(len(set(side))))
    assert all(one.exterior.is_ccw for one in shapely.polygons(corners))
    return corners, side


def area(corners: np.ndarray) -> float:
    return float(shapely.area(shapely.polygons(corners)).sum())


def covered(corners: np.ndarray) -> float:
    return float(shapely.union_all(shapely.polygons(corners), grid_size=1e-12).area)


def test_a_strip_has_a_side_for_each_direction() -> None:
    """A right angle has two sides, a straight line one, and a quarter of a circle three, of up to 30° each."""
    bent = np.array([[(0.0, 0.0), (0.0, 0.01)], [(0.0, 0.01), (0.01, 0.01)]])
    corners, side = strip_geometry.strip(bent, 1e-3, 2e-3)
    middle = corners.mean(axis=1)
    assert set(side[middle[:, 1] < 8e-3]) != set(side[middle[:, 0] > 2e-3])
    assert len(set(side)) == 2
    _, side = strip_geometry.strip(bent[:1], 1e-3, 2e-3)
    assert set(side) == {0}
    angle = np.radians(np.linspace(0.0, 90.0, 19))
    points = 0.02 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    corners, side = strip_geometry.strip(np.stack([points[:-1], points[1:]], axis=1), 1e-3, 2e-3)
    found = [np.degrees(np.arctan2(*corners[side == k].mean(axis=1).T[::-1])) for k in range(side.max() + 1)]
    assert len(found) == 3
    assert all(np.ptp(one) < 36.0 for one in found)


# Areas in units of WIDE². Open ends reach out by half the width; where two arms go through each other at a right angle,
# one square is of both; at a bend by a right angle the mitre and what is of both arms are as large.
SHAPES = {
    "line": (through((0, 0), (0.01, 0)), 11.0),
    "box": (through((0, 0), (0.01, 0), (0.01, 0.01), (0, 0.01), closed=True), 40.0),
    "bend": (through((0, 0.01), (0, 0), (0.01, 0)), 21.0),
    "cross": (np.array([[(-5e-3, 0), (5e-3, 0)], [(0, -5e-3), (0, 5e-3)]]), 21.0),
    "post": (np.array([[(-5e-3, 0), (0, 0)], [(0, 0), (5e-3, 0)], [(0, 0), (0, -5e-3)]]), 16.0),
    "doubled": (np.array([[(0, 0), (0.01, 0)], [(5e-3, 0), (0.015, 0)]]), 16.0),
    "six": (through((0, 0), (0.01, 0), (0.01, 0.01), (5e-3, 0.01), (5e-3, 0)), 35.0),
    "loop": (through((0, 0), (0.01, 0), (0.01, 0.01), (5e-3, 0.01), (5e-3, -5e-3)), 40.0),
    "windows": (np.concatenate([through((0, x), (0.01, x)) for x in (0, 5e-3, 0.01)]
                               + [through((x, 0), (x, 0.01)) for x in (0, 5e-3, 0.01)]), 57.0),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_a_strip_is_as_large_as_its_outline(name: str) -> None:
    """Length times width, plus open ends, less what arms share: no part is lost, and none is there twice."""
    lines, expected = SHAPES[name]
    corners, _ = cut(np.asarray(lines, float))
    assert area(corners) == pytest.approx(expected * WIDE**2, rel=1e-12)
    assert covered(corners) == pytest.approx(expected * WIDE**2, rel=1e-7)


@pytest.mark.parametrize("count", [24, 100, 1000])
def test_a_ring_of_many_facets_is_whole(count: int) -> None:
    """A regular polygon with n sides of inner and outer radius r ∓ w/2 cos(π/n) has n sin(2 π/n)/2 (R² − r²) between
    its outlines. Outlines leave out bends inwards by less than 1 % of the width. One side has as many facets as bend by
    30° and no more.
    """
    corners, side = cut(circle(count))
    half = 0.5 * WIDE / np.cos(np.pi / count)
    expected = 0.5 * count * np.sin(2 * np.pi / count) * ((0.02 + half) ** 2 - (0.02 - half) ** 2)
    assert area(corners) == pytest.approx(expected, rel=5e-3)
    assert covered(corners) == pytest.approx(area(corners), rel=1e-7)
    assert len(set(side)) == np.ceil(count / (count // 12 + 1))


@pytest.mark.parametrize("seed", range(8))
def test_lines_in_any_order_and_anywhere(seed: int) -> None:
    """Lines that cross, end on each other and turn back at sharp angles: each point of the strip is in one triangle,
    and all that is nearer to a line than half the width is in the strip.
    """
    random = np.random.default_rng(seed)
    if seed % 2:
        lines = random.integers(-4, 5, (9, 2, 2)) * 2e-3
    else:
        lines = through(*np.cumsum(3e-3 * random.standard_normal((12, 2)), axis=0))
    corners, _ = cut(lines)
    assert covered(corners) == pytest.approx(area(corners), rel=1e-6)
    wire = shapely.union_all(shapely.linestrings(lines))
    near = shapely.intersection(wire.buffer(0.5 * WIDE), shapely.union_all(shapely.polygons(corners), grid_size=1e-12))
    assert near.area == pytest.approx(wire.buffer(0.5 * WIDE).area, rel=1e-6)


@pytest.mark.parametrize("wide", [1e-3, 2e-3, 3e-3])
def test_the_outer_face_of_a_box_is_of_one_side_up_to_the_corner(wide: float) -> None:
    """A bend is cut from the inner to the outer corner, so all edges on a face belong to triangles of its side."""
    lines = SHAPES["box"][0]
    corners, side = strip_geometry.strip(np.asarray(lines, float), wide, REACH)
    on_top = (np.abs(corners[..., 1] - 0.01 - wide / 2) < 1e-12).sum(axis=1) == 2
    reached = corners[on_top][np.abs(corners[on_top][..., 1] - 0.01 - wide / 2) < 1e-12][:, 0]
    assert (reached.min(), reached.max()) == pytest.approx((-wide / 2, 0.01 + wide / 2))
    assert len(set(side[on_top])) == 1
    assert len(set(side)) == 4


def test_lines_go_straight_on_where_others_meet_them() -> None:
    """A floor of two segments with a post below is a side from end to end, also above the post; a cross has two."""
    corners, side = cut(np.asarray(SHAPES["post"][0], float))
    floor = corners[:, :, 1].min(axis=1) > -WIDE / 2 - 1e-12
    assert len(set(side[floor])) == 1
    assert area(corners[floor]) == pytest.approx(11 * WIDE**2)
    assert not set(side[floor]) & set(side[~floor])
    assert len(set(cut(np.asarray(SHAPES["cross"][0], float))[1])) == 2


SAW = [(-4e-3, 0.0), (-1e-3, 1e-3), (1e-3, -1e-3), (4e-3, 0.0)]
BUMP = [(-4e-3, 0.0), (-1e-3, 0.0), (0.0, 2e-3), (1e-3, 0.0), (4e-3, 0.0)]
PEAK = [(-4e-3, 2e-3), (0.0, 0.0), (4e-3, 2e-3)]


@pytest.mark.parametrize("points", [[(-4e-3, 0.0), (4e-3, 0.0)], SAW, BUMP, PEAK], ids=["flat", "saw", "bump", "peak"])
def test_a_strip_round_the_box_fits_its_images(points: list[tuple[float, float]]) -> None:
    """Three images beside each other cover three times the area, so that none of it is there twice, and about the
    middle they cover what a wire three times as long does. A strip that goes straight on across the face is one side.
    """
    corners, side = cut(through(*points), (8e-3, 0.0))
    images = np.concatenate([corners + np.array([x, 0.0]) for x in (-8e-3, 0.0, 8e-3)])
    assert covered(images) == pytest.approx(3 * area(corners), rel=1e-7)
    wire = [(x + shift, z) for shift in (-8e-3, 0.0, 8e-3) for x, z in points[1 if shift > -8e-3 else 0 :]]
    long, _ = cut(through(*wire))
    window = shapely.box(-8e-3, -1.0, 8e-3, 1.0)
    one, other = (shapely.union_all(shapely.polygons(some), grid_size=1e-12) & window for some in (images, long))
    assert one.symmetric_difference(other).area < 1e-7 * one.area
    far = np.min([np.linalg.norm(corners - np.array(end), axis=2) for end in (points[0], points[-1])], axis=(0, 2))
    across = side[far < 0.6 * WIDE]
    assert len(set(across)) == (2 if points is PEAK else 1)


def test_an_end_that_meets_nothing_is_square_in_a_periodic_box_too() -> None:
    """A line that ends 1 mm before the face does not meet itself, and reaches out by half its width."""
    corners, _ = cut(through((-4e-3, 0.0), (3e-3, 0.0)), (8e-3, 0.0))
    assert area(corners) == pytest.approx(8 * WIDE**2)


@pytest.mark.parametrize("length", [1e-10, 1e-9])
def test_a_wall_of_which_nothing_is_left_is_refused(length: float) -> None:
    """Beside a strip 2 mm wide, lines shorter than a millionth of that are nothing: told before the run."""
    corners, side = strip_geometry.strip(through((0.0, 0.0), (length, 0.0)), 2e-3, REACH)
    assert corners.shape == (0, 3, 2) and side.shape == (0,) and side.dtype == np.int64
    wall = {"name": "dot", "shape": "line", "start": (0, 0, 0), "end": (length, 0, 0), "material": "a"}
    model, grains = build(lab.scene([lab.grain(0.0, 1e-2)], beams={"wall_thickness": 2e-3}, walls=[wall]))
    with pytest.raises(SceneError, match="nothing is left") as caught:
        checks.check(model, grains)
    assert [finding.where for finding in caught.value.findings] == ["walls[0]"]
