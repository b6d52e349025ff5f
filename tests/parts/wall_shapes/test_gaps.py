"""Each gap against an oracle that shares no formula with it: the nearest point of the parametrised surface, sought."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from barchan.parts.wall_shapes import box, cone, cylinder, disk, frustum, line, plane, rectangle, ring, sphere

POINTS = np.random.default_rng(3).uniform(-2.0, 2.0, size=(12, 3))


def turned(radius, height, v):
    return np.array([radius * math.cos(2.0 * math.pi * v), radius * math.sin(2.0 * math.pi * v), height])


def mantle(bottom, top, height):
    return lambda u, v: turned(bottom + (top - bottom) * u, height * u, v)


def flat(inner, outer, height):
    return lambda u, v: turned(inner + (outer - inner) * u, height, v)


def face(axis, sign, half):
    def at(u, v):
        point = np.roll([0.0, 2.0 * u - 1.0, 2.0 * v - 1.0], axis) * half
        point[axis] = sign * half[axis]
        return point

    return at


HALF = np.array([0.7, 1.1, 0.4])

# Name: gap, its parameters, the sheets (u, v in 0 … 1) of its surface, and whether a point is behind it.
CASES = {
    "tube": (cylinder.gap, (0.8, 0.0, 1.3, 0.0), [mantle(0.8, 0.8, 1.3)], None),
    "inside": (
        cylinder.gap,
        (0.8, -1e30, 1e30, -1.0),
        [lambda u, v: turned(0.8, 6 * u - 3, v)],
        lambda p: not bored(p),
    ),
    "outside": (cylinder.gap, (0.8, -1e30, 1e30, 1.0), [lambda u, v: turned(0.8, 6 * u - 3, v)], lambda p: bored(p)),
    "funnel": (cone.gap, (0.2, 1.4, 0.9), [mantle(0.2, 1.4, 0.9)], None),
    "narrowing": (cone.gap, (1.2, 0.3, 0.5), [mantle(1.2, 0.3, 0.5)], None),
    "pointed": (cone.gap, (0.0, 1.0, 0.7), [mantle(0.0, 1.0, 0.7)], None),
    "disk": (disk.gap, (0.0, 0.9), [flat(0.0, 0.9, 0.0)], None),
    "annulus": (disk.gap, (0.6, 1.3), [flat(0.6, 1.3, 0.0)], None),
    "rectangle": (rectangle.gap, (0.5, 1.2), [lambda u, v: np.array([u - 0.5, 2.4 * v - 1.2, 0.0])], None),
    "ring": (ring.gap, (1.1,), [lambda u, v: turned(1.1, 0.0, v)], None),
    "line": (line.gap, (1.5,), [lambda u, v: np.array([0.0, 0.0, 1.5 * u])], None),
    "sphere": (
        sphere.gap,
        (1.5, 1.0),
        [lambda u, v: turned(1.5 * math.sin(math.pi * u), 1.5 * math.cos(math.pi * u), v)],
        lambda p: math.hypot(*p) < 1.5,
    ),
    "block": (
        box.gap,
        tuple(HALF),
        [face(axis, sign, HALF) for axis in range(3) for sign in (-1.0, 1.0)],
        lambda p: bool(np.all(np.abs(p) < HALF)),
    ),
    "frustum": (
        frustum.gap,
        (1.3, 0.5, 1.6),
        [mantle(1.3, 0.5, 1.6), flat(0.0, 1.3, 0.0), flat(0.0, 0.5, 1.6)],
        lambda p: 0.0 < p[2] < 1.6 and math.hypot(p[0], p[1]) < 1.3 - 0.5 * p[2],
    ),
    "spike": (
        frustum.gap,
        (0.9, 0.0, 1.8),
        [mantle(0.9, 0.0, 1.8), flat(0.0, 0.9, 0.0)],
        lambda p: 0.0 < p[2] < 1.8 and math.hypot(p[0], p[1]) < 0.9 - 0.5 * p[2],
    ),
    "stump": (
        frustum.gap,
        (0.4, 1.5, 0.8),
        [mantle(0.4, 1.5, 0.8), flat(0.0, 0.4, 0.0), flat(0.0, 1.5, 0.8)],
        lambda p: 0.0 < p[2] < 0.8 and math.hypot(p[0], p[1]) < 0.4 + 1.375 * p[2],
    ),
}


def bored(point):
    return math.hypot(point[0], point[1]) < 0.8


def sought(sheet, point):
    """The distance in m from a sheet, by a search from the best of a grid."""

    def squared(uv):
        return float(((sheet(*uv) - point) ** 2).sum())

    grid = [(u, v) for u in np.linspace(0.0, 1.0, 9) for v in np.linspace(0.0, 1.0, 17)]
    best = min(grid, key=squared)
    # The angle may run past a full turn, so that the search does not stop at the seam.
    bounds = [
        (0.0, 1.0),
        (best[1] - 0.2, best[1] + 0.2) if np.allclose(sheet(0.5, 0.0), sheet(0.5, 1.0)) else (0.0, 1.0),
    ]
    options = {"ftol": 1e-15, "gtol": 1e-12, "eps": 1e-7}
    found = minimize(squared, best, bounds=bounds, method="L-BFGS-B", options=options)
    return math.sqrt(min(found.fun, squared(best)))


@pytest.mark.parametrize("case", CASES)
def test_gap_is_the_distance_found_by_search(case):
    gap, parameters, sheets, behind = CASES[case]
    for point in POINTS:
        expected = min(sought(sheet, point) for sheet in sheets)
        if behind is not None and behind(point):
            expected = -expected
        assert gap(*point, *parameters)[0] == pytest.approx(expected, abs=2e-6), point


def test_plane_has_a_front_and_a_back():
    assert plane.gap(3.0, 4.0, -0.5, 1.0) == (-0.5, 0.0, 0.0, 1.0)
    assert plane.gap(3.0, 4.0, -0.5, 0.0) == (0.5, 0.0, 0.0, -1.0)
    assert plane.gap(3.0, 4.0, 0.5, 0.0) == plane.gap(3.0, 4.0, 0.5, 1.0) == (0.5, 0.0, 0.0, 1.0)


def test_hollow_sphere_keeps_grains_in():
    assert sphere.gap(0.0, 0.0, 0.9, 1.0, -1.0) == pytest.approx((0.1, 0.0, 0.0, -1.0))
    assert sphere.gap(0.0, 0.0, 1.1, 1.0, -1.0) == pytest.approx((-0.1, 0.0, 0.0, -1.0))
    assert sphere.gap(0.0, 0.0, 1.1, 1.0, 0.0) == pytest.approx((0.1, 0.0, 0.0, 1.0))
    assert sphere.gap(0.0, 0.0, 0.9, 1.0, 0.0) == pytest.approx((0.1, 0.0, 0.0, -1.0))


def test_two_sided_endless_cylinder():
    assert cylinder.gap(1.1, 0.0, 1e6, 1.0, -1e30, 1e30, 0.0) == pytest.approx((0.1, 1.0, 0.0, 0.0))
    assert cylinder.gap(0.9, 0.0, -1e6, 1.0, -1e30, 1e30, 0.0) == pytest.approx((0.1, -1.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("gap", "parameters"), [(cone.gap, (0.2, 1.0, 0.8)), (cylinder.gap, (0.6, 0.0, 0.8, 0.0))], ids=["funnel", "tube"]
)
def test_a_grain_that_falls_past_a_hopper_on_the_outside_is_not_drawn_in(gap, parameters):
    """It feels its own distance, pushing outwards, and no jump where it passes the rims."""
    heights = np.linspace(1.2, -0.4, 1601)
    felt = np.array([gap(1.05, 0.0, height, *parameters) for height in heights])
    assert np.all(felt[:, 0] > 0.0)
    assert np.all(felt[:, 1] > 0.0)
    assert np.all(np.abs(np.diff(felt[:, 0])) <= 1.001e-3)


def test_a_grain_in_a_funnel_is_pushed_inwards_and_up():
    distance, nx, ny, nz = cone.gap(0.3, 0.0, 0.4, 0.2, 1.0, 0.8)
    assert distance == pytest.approx(0.3 / math.sqrt(2.0))
    assert (nx, ny, nz) == pytest.approx((-math.sqrt(0.5), 0.0, math.sqrt(0.5)))
