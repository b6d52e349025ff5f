"""Polygons cut into triangles: nothing of the area is lost, neighbours share whole edges, nothing has no mass."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from shapely import Polygon

from barchan.errors import SceneError
from barchan.model.triangles import _check_mesh_size, _without_flat, areas, least_angles, neighbours, triangulated
from barchan.scene import PolygonGrain
from solvers import beams_lab as lab
from solvers.inside import peek


def outline(points: np.ndarray) -> tuple[float, float]:
    """Area (m²) of a polygon by the shoelace formula, and its perimeter (m)."""
    x, z = points.T
    area = 0.5 * abs(np.sum(x * np.roll(z, -1) - z * np.roll(x, -1)))
    return float(area), float(np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1).sum())


def check(points: np.ndarray, corners: np.ndarray) -> None:
    """The triangles fill the polygon, are one piece, and have no seam inside.

    An edge belongs to one triangle at the rim and to two inside: those that only one has are as long as the outline. A
    corner that hung in the middle of a neighbour's edge would leave edges unshared and make the rim longer.
    """
    area, around = outline(points)
    assert (areas(corners) > 0).all()
    assert areas(corners).sum() == pytest.approx(area, rel=1e-9)
    shared = neighbours(corners)
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    assert sides.sum() - 2 * sides[shared[:, 0], shared[:, 2]].sum() == pytest.approx(around, rel=1e-9)
    joined = coo_matrix((np.ones(len(shared)), (shared[:, 0], shared[:, 1])), shape=(len(corners), len(corners)))
    assert connected_components(joined, directed=False)[0] == 1


@pytest.mark.parametrize("mesh_size", [1e-3, 5e-4, 2e-4])
@pytest.mark.parametrize("way", [1, -1])
def test_a_round_grain_takes_any_mesh(mesh_size: float, way: int) -> None:
    """A regular 30-gon of radius 5 mm: points along its cut sides are in line but for rounding, and with them Delaunay
    makes triangles without area, which are no reason to refuse it. Angles of a mesh of even points are near 60°."""
    angle = 2 * np.pi * np.arange(30)[::way] / 30
    points = 5e-3 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    corners = triangulated(points, mesh_size, 5.0)
    check(points, corners)
    assert least_angles(corners).min() > 20


@pytest.mark.parametrize("depth", [0.2, 0.6], ids=["nearly_round", "jagged"])
def test_scattered_polygons_take_any_mesh(depth: float) -> None:
    """Corners all round a middle, each at a radius of its own: all that the mesh has to respect are angles of 5°.

    In every third polygon one side has two more corners in line, as drawn outlines do.
    """
    rng, concave = np.random.default_rng(11), 0
    for trial in range(60):
        count = int(rng.integers(3, 15))
        angle = rng.random() + 2 * np.pi * (np.arange(count) + 0.3 * (rng.random(count) - 0.5)) / count
        points = np.stack([np.cos(angle), np.sin(angle)], axis=1) * 1e-2 * (1 - depth * rng.random((count, 1)))
        before, after = points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points
        concave += bool((before[:, 0] * after[:, 1] < before[:, 1] * after[:, 0]).any())
        if trial % 3 == 0:
            points = np.insert(points, [1, 1], points[0] + after[0] * [[0.4], [0.7]], axis=0)
        corners = triangulated(points, (4e-3, 2e-3, 1e-3)[trial // 3 % 3], 5.0)
        check(points, corners)
        assert least_angles(corners).min() >= 5.0
    assert 5 < concave < 55


def test_coarse_triangles_of_corners_in_line() -> None:
    """Without a mesh size too: a rectangle of 4 × 1 with ten corners along each long side, turned by 30°."""
    along = np.linspace(-2.0, 2.0, 10)
    flat = np.array([*((x, -0.5) for x in along), *((x, 0.5) for x in along[::-1])]) * 1e-2
    c, s = np.sqrt(0.75), 0.5
    points = flat @ np.array([[c, s], [-s, c]])
    corners = triangulated(points, None, 5.0)
    check(points, corners)
    assert len(corners) == 18  # a polygon of k corners, all of which are used, has k − 2 triangles


def test_a_flat_triangle_inside_leaves_no_seam() -> None:
    """B and D lie on the line A–C, and flat triangles between two that are not: all corners stay joined.

    A square of corners S, C, N, A with B and D on its diagonal. One side has ABN, BDN, DCN, the other only ACS, and two
    flat triangles ABD, ADC are between. Cut from B and D, the lower half has three triangles too, and seven edges are
    shared: three on the diagonal, and two in either half.
    """
    points = np.array([(-1.0, 0.0), (-0.3, 0.0), (1.0, 0.0), (0.4, 0.0), (0.0, 1.0), (0.0, -1.0)])
    a, b, c, d, north, south = range(6)
    found = np.array([(a, b, north), (b, d, north), (d, c, north), (a, b, d), (a, d, c), (a, south, c)])
    mended = points[_without_flat(points, found)]
    mended = np.where((areas(mended) > 0)[:, None, None], mended, mended[:, ::-1])
    check(points[[a, south, c, north]], mended)
    assert len(mended) == 6 and len(neighbours(mended)) == 7


def test_two_flat_triangles_with_the_same_longest_edge() -> None:
    """As before, with one flat triangle ABC above and one ACD below the diagonal: between ABN, BCN and ADS, DCS."""
    points = np.array([(-1.0, 0.0), (-0.3, 0.0), (1.0, 0.0), (0.4, 0.0), (0.0, 1.0), (0.0, -1.0)])
    a, b, c, d, north, south = range(6)
    found = np.array([(a, b, north), (b, c, north), (a, c, b), (a, d, c), (a, d, south), (d, c, south)])
    mended = points[_without_flat(points, found)]
    mended = np.where((areas(mended) > 0)[:, None, None], mended, mended[:, ::-1])
    check(points[[a, south, c, north]], mended)
    assert len(mended) == 6 and len(neighbours(mended)) == 7


@pytest.mark.parametrize("mesh_size", [None, 4e-3])
def test_no_triangle_is_without_mass_whatever_is_allowed(mesh_size: float | None) -> None:
    """`least_angle = 0` takes thin triangles but none that rounding alone has made: masses are of the order of the
    mean, and where a corner stands off a line by a millionth of the size, the polygon is refused."""
    angle = 0.3 + 2 * np.pi * np.arange(5) / 5
    points = 1e-2 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    inline = np.insert(points, [1, 1], points[0] + (points[1] - points[0]) * [[1 / 3], [2 / 3]], axis=0)
    corners = triangulated(inline, mesh_size, 0.0)
    check(inline, corners)
    assert areas(corners).min() > 0.01 * areas(corners).mean()
    sliver = np.array([(0.0, 0.0), (1e-2, 0.0), (5e-3, 1e-8)])
    with pytest.raises(SceneError, match=r"angle of .*must be at least 0\.01°"):
        triangulated(sliver, mesh_size, 0.0)
    with pytest.raises(SceneError, match="it has no area"):
        triangulated(sliver * (1.0, 1e-7), mesh_size, 0.0)


def test_a_round_grain_of_a_fine_mesh_stays_whole_and_at_rest() -> None:
    """Every triangle of it has a mass, so that the solver's forces at rest are those of rounding: below 1e-9 of
    E times its size."""
    angle = 2 * np.pi * np.arange(30) / 30
    points = tuple((5e-3 * np.cos(t), 5e-3 * np.sin(t)) for t in angle)
    assert PolygonGrain(points=points, mesh_size=1e-3).least_angle == 5.0
    machine = lab.solver(lab.scene([lab.polygon(0.0, 0.0, *points, mesh_size=1e-3)]))
    assert len(machine) == 1
    mass = peek(machine, "mass")[: machine.triangle_count]
    assert mass.sum() == pytest.approx(1000 * 0.01 * 15 * 25e-6 * np.sin(np.pi / 15), rel=1e-9)
    assert mass.min() > 0.1 * mass.mean()
    assert np.abs(lab.forces(machine)[:, :2]).max() < 1e-9 * 100.0 * 5e-3


@pytest.mark.parametrize(
    ("points", "more", "said"),
    [
        ([(0, 0), (1e-2, 1e-2), (1e-2, 0), (0, 1e-2)], {}, "shape.points: no simple polygon: Self-intersection"),
        ([(0, 0), (4e-3, 0), (8e-3, 0)], {}, "shape.points: no simple polygon: it has no area"),
        ([(0, 0), (4e-3, 0), (4e-3, 4e-3)], {"mesh_size": 1e-9}, "shape.mesh_size: 1e-09 m would cut"),
    ],
    ids=["bow tie", "line", "dust"],
)
def test_what_is_wrong_with_a_polygon_and_where(points: list[tuple[float, float]], more: dict, said: str) -> None:
    """The halves of a bow tie have areas that cancel, and yet it is one; and the group or source is named."""
    good, bad = lab.grain(0.0, 0.0), lab.polygon(5e-2, 0.0, *points, **more)
    with pytest.raises(SceneError) as caught:
        lab.solver(lab.scene([good, bad]))
    assert str(caught.value).startswith(f"grains[1].{said}")
    region = {"kind": "box", "low": (4e-2, 0.0, 0.0), "high": (9e-2, 0.0, 1e-1)}
    source = {"name": "spout", "material": "a", "shape": bad["shape"], "region": region, "count": 2}
    with pytest.raises(SceneError) as caught:
        lab.solver(lab.scene([good], sources=[source]))
    assert str(caught.value).startswith(f"sources[0].{said}")


def test_the_mesh_size_that_is_advised_is_taken() -> None:
    """A right-angled triangle with legs of 4 mm: what the message proposes makes no more than 100 000 triangles."""
    points = np.array([(0.0, 0.0), (4e-3, 0.0), (4e-3, 4e-3)])
    with pytest.raises(SceneError) as caught:
        triangulated(points, 5e-6, 5.0)
    advised = float(caught.value.findings[0].remedy.split()[-2])
    assert 1e-5 < advised < 5e-5
    assert 8e-6 / (0.433 * advised**2) < 1e5


def test_the_mesh_size_that_is_advised_is_not_refused() -> None:
    """Squares of 0.3 to 3 m: however the numbers are rounded, what the message proposes is below its own limit."""
    for side in np.geomspace(0.3, 3.0, 40):
        points = side * np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
        with pytest.raises(SceneError) as caught:
            _check_mesh_size(Polygon(points), points, 1e-3 * side)
        _check_mesh_size(Polygon(points), points, float(caught.value.findings[0].remedy.split()[-2]))
