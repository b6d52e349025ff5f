"""Shapes of triangles: area, balance, neighbours and beams, from geometry."""

from __future__ import annotations

import numpy as np
import pytest

from barchan.model.build import build
from barchan.model.build_triangles import build_triangles
from barchan.model.triangles import areas, least_angles, template
from barchan.scene import (
    CrossGrain,
    EllGrain,
    HexagonGrain,
    IrregularGrain,
    PolygonGrain,
    SquareGrain,
    StarGrain,
    TriangleGrain,
)
from solvers import beams_lab as lab

# Areas of shapes of size 1, by hand: five squares of 1/3; three of 1/2; ten triangles from the middle to a tip.
SHAPES = [
    (SquareGrain(), 1.0, 4, 4),
    (TriangleGrain(), np.sqrt(3) / 4, 4, 3),
    (HexagonGrain(), 6 * np.sqrt(3) / 16, 6, 6),
    (CrossGrain(), 5 / 9, 20, 24),
    (EllGrain(), 3 / 4, 12, 14),
    (StarGrain(points=5, waist=0.5), 10 * 0.5 * 0.5 * 0.25 * np.sin(np.pi / 5), 10, 10),
]


@pytest.mark.parametrize(("shape", "area", "triangles", "beams"), SHAPES, ids=lambda value: getattr(value, "key", ""))
def test_ready_shapes_have_their_area_and_balance_on_their_middle(shape, area, triangles, beams):
    grain = template(shape)
    assert (len(grain.corners), len(grain.shared)) == (triangles, beams)
    assert areas(grain.corners).sum() == pytest.approx(area, rel=1e-12)
    assert (areas(grain.corners) > 0).all()
    assert np.abs(areas(grain.corners) @ grain.centres).max() < 1e-15


@pytest.mark.parametrize("shape", [one[0] for one in SHAPES], ids=lambda shape: shape.key)
def test_beams_of_ready_shapes_sit_at_the_centres_of_mass(shape):
    """The paper asks for beams between centres of mass, perpendicular to the shared edge: their ends have no lever."""
    scene = lab.scene([lab.grain(0.0, 0.0, shape.to_dict(), size=2e-3)])
    made = build_triangles(scene, build(scene)[1])
    assert np.abs(made.foot).max() < 1e-15
    chord = made.position[made.ends[:, 1]] - made.position[made.ends[:, 0]]
    assert np.linalg.norm(chord, axis=1) == pytest.approx(made.length, rel=1e-12)
    along = np.stack([np.cos(made.rest[:, 0]), np.sin(made.rest[:, 0])], axis=1)
    assert np.abs(chord - made.length[:, None] * along).max() < 1e-15


def test_a_polygon_is_filled_with_sound_triangles():
    """An L of 2 × 2 without a corner of 1.3 × 1.3 has 2.31 of area; refined, no angle is below 20°."""
    corners = ((0, 0), (2, 0), (2, 0.7), (0.7, 0.7), (0.7, 2), (0, 2))
    coarse = template(PolygonGrain(points=corners))
    assert (len(coarse.corners), len(coarse.shared)) == (4, 3)
    fine = template(PolygonGrain(points=corners, mesh_size=0.3))
    for grain in (coarse, fine):
        assert areas(grain.corners).sum() == pytest.approx(2.31, rel=1e-12)
    assert len(fine.corners) > 40 and least_angles(fine.corners).min() > 20
    assert len(fine.shared) > len(fine.corners)


def test_mass_and_inertia_are_those_of_the_whole_shape():
    """A square plate: m = ρ a² h, I = m a²/6 about its middle; irregular grains differ, and balance in their place."""
    scene = lab.scene([lab.grain(0.01, -0.02, size=3e-3)])
    grains = build(scene)[1]
    build_triangles(scene, grains)
    assert grains.mass[0] == pytest.approx(1000 * 9e-6 * 0.01, rel=1e-12)
    assert grains.inertia[0, 1] == pytest.approx(grains.mass[0] * 9e-6 / 6, rel=1e-12)
    pebbles = lab.grain(0.0, 0.0, IrregularGrain(corners=6).to_dict(), size=2e-3)
    pebbles["fill"]["positions"] = [(0.01 * k, 0.0, 0.0) for k in range(5)]
    scene = lab.scene([pebbles])
    grains = build(scene)[1]
    place = grains.position.copy()
    made = build_triangles(scene, grains)
    assert np.abs(grains.position - place).max() < 1e-15
    assert len(set(np.round(grains.mass * 1e9))) == 5
    tips = made.body.reshape(-1, 3, 2) + (made.position - place[made.grain][:, ::2])[:, None]
    assert np.linalg.norm(tips, axis=2).max() == pytest.approx(1e-3, rel=1e-9)
