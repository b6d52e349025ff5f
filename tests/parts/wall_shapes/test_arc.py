"""A round wall that is not closed: where it is, where it ends, and that grains swing in it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan.errors import SceneError
from barchan.parts.wall_shapes.arc import Arc
from solvers import lab


def test_it_goes_from_its_start_to_its_end():
    """A quarter from x towards z: all of it lies at R about the centre, between the two angles, as long as R π/2."""
    arc = Arc(center=(1.0, 2.0, 3.0), radius=2.0, start=0.0, end="90 deg", width=0.4)
    vertices, triangles = arc.surface(None, None)
    way = vertices - np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(np.hypot(way[:, 0], way[:, 2]), 2.0, rtol=1e-12)
    angle = np.arctan2(way[:, 2], way[:, 0])
    assert (angle.min(), angle.max()) == pytest.approx((0.0, math.pi / 2), abs=1e-12)
    assert (way[:, 1].min(), way[:, 1].max()) == pytest.approx((-0.2, 0.2))
    u, v = (vertices[triangles[:, k]] - vertices[triangles[:, 0]] for k in (1, 2))
    area = 0.5 * np.linalg.norm(np.cross(u, v), axis=1).sum()
    assert area == pytest.approx(2.0 * math.pi / 2 * 0.4, rel=2e-4)


def test_a_full_circle_is_closed():
    """Every edge along y belongs to two triangles: nothing is open but the two rims."""
    vertices, triangles = Arc(radius=1.0, end="360 deg").surface(None, None)
    edges = np.sort(np.concatenate([triangles[:, pair] for pair in ([0, 1], [1, 2], [2, 0])]), axis=1)
    found, times = np.unique(edges, axis=0, return_counts=True)
    open_ends = vertices[found[times == 1]]
    np.testing.assert_allclose(open_ends[:, 0, 1], open_ends[:, 1, 1])
    assert len(open_ends) == 2 * 128


@pytest.mark.parametrize("end", [0.0, -1.0, "400 deg"])
def test_an_arc_goes_round_once_at_the_most(end):
    with pytest.raises(SceneError, match="must be greater than start, by a full circle at the most"):
        Arc(radius=1.0, end=end)


def test_a_ball_swings_in_a_bowl():
    """Without friction it is a pendulum of length l = R − r: T = 2π√(l/g) (1 + θ²/16 + 11θ⁴/3072), θ = 0.6.

    The strips leave the circle by 3e-4 of its radius; 1% of the period and of the amplitude are granted. Left of its
    start, where the bowl has ended, a second ball falls freely.
    """
    radius, ball, amplitude = 0.1, 5e-3, 0.6
    length = radius - ball
    swinging = (length * math.sin(amplitude), 0.0, -length * math.cos(amplitude))
    bowl = {"name": "bowl", "shape": "arc", "radius": radius, "start": "200 deg", "end": "360 deg", "material": "a"}
    slick = lab.material(density=1000.0, friction=0.0, restitution=1.0)
    balls = lab.grains([swinging, (-radius - 2 * ball, 0.0, 0.0)], size=2 * ball)
    scene = lab.walled([balls], [bowl], a=slick, gravity=(0.0, 0.0, -lab.GRAVITY))
    machine = lab.solver(scene, 2e-5)
    time, place = 0.005 * np.arange(100), []
    for t in time:
        machine.advance_to(t)
        place.append(machine.frame().position)
    place = np.array(place)
    x = place[:, 0, 0]
    (k,) = np.flatnonzero((x[:-1] > 0) & (x[1:] <= 0))
    (m,) = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
    first, second = (time[n] - x[n] * (time[n + 1] - time[n]) / (x[n + 1] - x[n]) for n in (k, m))
    expected = 2 * math.pi * math.sqrt(length / 9.81) * (1 + amplitude**2 / 16 + 11 * amplitude**4 / 3072)
    assert 2 * (second - first) == pytest.approx(expected, rel=0.01)
    assert -x.min() == pytest.approx(swinging[0], rel=0.01)
    np.testing.assert_allclose(place[:, 1, 2], -9.81 * time**2 / 2, atol=1e-5)
