"""The kernels behind the pictures, in samples of an image."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan.kernels.ready import raster


@pytest.mark.parametrize(("x", "y", "radius"), [(100.0, 100.0, 60.0), (97.3, 104.8, 41.7), (100.5, 99.5, 33.0)])
def test_a_sphere_covers_its_disc(x, y, radius):
    depth, owner = raster.splat(np.array([[x, y, 5.0]]), np.array([radius]), 200, 200)
    assert np.count_nonzero(owner == 0) == pytest.approx(math.pi * radius**2, rel=0.01)
    assert np.array_equal(owner >= 0, np.isfinite(depth))


def test_depth_is_the_surface_of_the_sphere():
    depth, owner = raster.splat(np.array([[20.0, 20.0, 7.0]]), np.array([10.0]), 40, 40)
    rows, columns = np.nonzero(owner == 0)
    distance = (columns + 0.5 - 20.0) ** 2 + (rows + 0.5 - 20.0) ** 2
    assert depth[rows, columns] == pytest.approx(7.0 + np.sqrt(100.0 - distance), abs=1e-4)


def test_the_nearest_sphere_wins_in_either_order():
    centre, radius = np.array([[30.0, 30.0, 0.0], [34.0, 30.0, 50.0]]), np.array([20.0, 10.0])
    for order in ([0, 1], [1, 0]):
        _, owner = raster.splat(centre[order], radius[order], 64, 64)
        assert order[owner[30, 34]] == 1
        assert order[owner[30, 15]] == 0


def test_spheres_that_cut_through_one_another_meet_in_their_middle_plane():
    _, owner = raster.splat(np.array([[20.0, 20.0, 0.0], [32.0, 20.0, 0.0]]), np.array([10.0, 10.0]), 52, 40)
    rows, columns = np.nonzero(owner >= 0)
    assert np.array_equal(owner[rows, columns], (columns + 0.5 > 26.0).astype(int))


def test_spheres_outside_the_image_leave_no_trace():
    centre = np.array([[-50.0, 10.0, 0.0], [10.0, 500.0, 0.0], [1e7, 1e7, 0.0]])
    depth, owner = raster.splat(centre, np.full(3, 5.0), 20, 20)
    assert np.all(owner == -1)
    assert np.all(depth == -np.inf)


def test_a_line_is_fainter_behind_a_surface():
    depth = np.full((20, 40), -np.inf, np.float32)
    depth[:, 20:] = 5.0
    ink = np.zeros((20, 40), np.float32)
    raster.stroke(ink, depth, np.array([[2.0, 10.0, 0.0, 38.0, 10.0, 0.0]]), 1.0, 0.8, 0.2)
    assert ink[10, 10] == pytest.approx(0.8)
    assert ink[10, 30] == pytest.approx(0.2)
    assert ink[3, 10] == 0.0


def test_a_pane_takes_light_where_it_lies_before_the_surface():
    depth = np.full((20, 40), -np.inf, np.float32)
    depth[:, 20:] = 5.0
    veil = np.ones((20, 40), np.float32)
    corners = np.array([[0, 0, 0], [40, 0, 0], [40, 20, 0], [0, 20, 0]], float)
    raster.glaze(veil, depth, corners[[[0, 1, 2], [0, 2, 3]]].reshape(2, 9), 0.1)
    assert np.allclose(veil[1:-1, 1:19], 0.9)
    assert np.all(veil[:, 21:] == 1.0)


def test_looks_fill_the_disc():
    points = raster.spiral(5)
    assert points.shape == (raster.SAMPLES**2, 5, 2)
    assert np.linalg.norm(points, axis=2).max() < 1.0
    assert np.abs(points.mean(axis=(0, 1))).max() < 0.1
