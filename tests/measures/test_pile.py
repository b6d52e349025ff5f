"""Heaps of known shape: what is measured is what was made."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import numpy as np
import pytest

from barchan.measures import pile

_frames = runpy.run_path(str(Path(__file__).parents[1] / "draw" / "frames.py"))
cone_frame, empty_frame, frame_of = _frames["cone_frame"], _frames["empty_frame"], _frames["frame_of"]


def layer(side: int, height: int, radius: float = 0.5):
    """Touching spheres on a square lattice, side × side × height."""
    index = np.array(np.meshgrid(*[np.arange(n) for n in (side, side, height)])).reshape(3, -1).T
    return frame_of(2.0 * radius * index + radius, radius)


@pytest.mark.parametrize("angle", [12.0, 25.0, 35.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_angle_of_a_cone_is_recovered(angle, seed):
    found = pile.angle_of_repose(cone_frame(angle, seed=seed))
    assert found.degrees_error < 1.5
    assert abs(found.degrees - angle) < 2.0 * found.degrees_error + 0.3
    assert abs(found.degrees - angle) < 1.5


def test_angle_does_not_depend_on_place_or_size():
    frame = cone_frame(28.0, grains=8000)
    moved = frame_of(1e-3 * frame.position + (0.3, -0.2, 0.7), 1e-3 * frame.radius)
    assert pile.angle_of_repose(moved).value == pytest.approx(pile.angle_of_repose(frame).value, rel=0.02)


def test_angle_in_two_dimensions():
    rng = np.random.default_rng(3)
    x, z = rng.uniform(-1.0, 1.0, 12_000), rng.uniform(0.0, math.tan(math.radians(22.0)), 12_000)
    inside = z < (1.0 - np.abs(x)) * math.tan(math.radians(22.0))
    frame = frame_of(np.column_stack([x, 0.0 * x, z])[inside], 0.01)
    assert pile.angle_of_repose(frame).degrees == pytest.approx(22.0, abs=1.0)


def test_a_flat_layer_has_no_slope():
    found = pile.angle_of_repose(layer(20, 3))
    assert abs(found.degrees) < 1.0
    assert found.degrees_error < 3.0


def test_an_angle_reads_like_one():
    assert str(pile.Angle(math.radians(31.24), math.radians(0.84))) == "31.2° ± 0.8°"


def test_height_counts_from_the_floor_to_the_highest_grain():
    assert pile.pile_height(layer(4, 3)) == pytest.approx(3.0)
    assert pile.pile_height(layer(4, 3), floor=0.0) == pytest.approx(3.0)


def test_height_leaves_out_grains_in_flight():
    heap = layer(4, 3)
    position = np.concatenate([heap.position, [[2.0, 2.0, 9.0], [2.0, 2.0, 10.0]]])
    assert pile.pile_height(frame_of(position, 0.5)) == pytest.approx(3.0)


def test_grains_that_wait_in_a_hopper_are_not_part_of_the_heap():
    """A layer of three, a tower of two on it up to z = 5, and a wide layer on the tower, as in a hopper above a heap:
    all of it touches. Below 5 the heap is 5 high and as wide as the lower layer.
    """
    lower, upper = layer(4, 3), layer(9, 1)
    tower = np.array([[2.5, 2.5, 3.5], [2.5, 2.5, 4.5]])
    stacked = frame_of(np.concatenate([lower.position, tower, upper.position + np.array([-2.0, -2.0, 5.0])]), 0.5)
    assert pile.pile_height(stacked, floor=0.0) == pytest.approx(6.0)
    assert pile.pile_height(stacked, floor=0.0, below=5.0) == pytest.approx(5.0)
    alone = frame_of(np.concatenate([lower.position, tower]), 0.5)
    assert pile.pile_width(stacked, floor=0.0, below=5.0) == pytest.approx(pile.pile_width(alone, floor=0.0))
    assert pile.pile_width(stacked, floor=0.0) > 1.5 * pile.pile_width(alone, floor=0.0)


def test_a_clump_is_part_of_the_heap_if_one_of_its_spheres_is():
    spheres = np.array([[0.0, 0.0, 0.5], [0.0, 0.0, 1.5], [0.0, 0.0, 3.2]])
    frame = frame_of(
        [[0.0, 0.0, 0.5], [0.0, 0.0, 2.35]],
        [0.5, 1.4],
        sphere_grain=np.array([0, 1, 1]),
        sphere_position=spheres,
        sphere_radius=np.full(3, 0.5),
    )
    assert pile.pile_height(frame) == pytest.approx(3.7)


def test_one_grain():
    frame = frame_of([[0.1, 0.2, 0.5]], 0.5)
    assert pile.pile_height(frame, floor=0.0) == pytest.approx(1.0)
    assert pile.pile_width(frame) == 0.0
    profile = pile.radial_profile(frame)
    surface = 0.5 + np.sqrt(0.25 - profile.radius**2)  # of the sphere
    assert profile.height == pytest.approx(surface, abs=0.05) and np.all(profile.cover > 0.9)
    assert pile.angle_of_repose(frame).error == pytest.approx(math.pi / 2.0)


def test_one_grain_above_the_floor_is_no_heap():
    frame = frame_of([[0.0, 0.0, 2.0]], 0.5)
    assert pile.pile_height(frame, floor=0.0) == 0.0
    assert not pile.heap(frame, floor=0.0).any()


def test_no_grains():
    frame = empty_frame()
    assert pile.pile_height(frame) == 0.0
    assert pile.pile_width(frame) == 0.0
    assert pile.radial_profile(frame).foot == 0.0
    assert pile.angle_of_repose(frame).error == pytest.approx(math.pi / 2.0)
    assert pile.packing_fraction(frame, (0, 0, 0), (1, 1, 1)).value == 0.0


def test_width_of_a_cone_holds_that_part_of_its_mass():
    """Mass within ρR of a cone's axis: 3ρ² − 2ρ³ (ring 2πr dr times height H(1 − r/R), over πR²H/3)."""
    frame = cone_frame(30.0)
    for rho in (0.5, 0.8646):
        part = 3.0 * rho**2 - 2.0 * rho**3
        assert pile.pile_width(frame, fraction=part) == pytest.approx(2.0 * rho, rel=0.02)


def test_profile_of_a_cone_falls_in_a_straight_line():
    frame = cone_frame(30.0)
    profile = pile.radial_profile(frame, bins=20)
    expected = (1.0 - profile.radius) * math.tan(math.radians(30.0))
    flank = (profile.radius > 0.15) & (profile.radius < 0.8)
    offset = profile.height[flank] - expected[flank]
    assert np.ptp(offset) < 0.03
    assert profile.foot == pytest.approx(1.0, abs=0.1)
    assert np.all(profile.cover[flank] > 0.99)


@pytest.mark.parametrize("bins", [50, 5000])
def test_rings_between_the_columns_have_no_height(bins):
    """A grid of columns that may grow no finer leaves most of 5000 rings empty, and the first; they end no heap."""
    profile = pile.radial_profile(frame_of([[0.1, 0.2, 0.5]], 0.5), bins=bins)
    empty = np.isnan(profile.height)
    assert empty.any() == (bins == 5000) and empty[0] == (bins == 5000)
    assert np.array_equal(empty, np.isnan(profile.cover)) and np.array_equal(empty, np.isnan(profile.spread))
    inside = ~empty & (profile.radius < 0.45)
    assert profile.height[inside] == pytest.approx(0.5 + np.sqrt(0.25 - profile.radius[inside] ** 2), abs=0.01)
    assert profile.foot == pytest.approx(0.5, abs=0.01)
    assert len(profile.plot().lines[0].get_xdata()) == np.count_nonzero(~empty)
    with pytest.raises(ValueError, match="at least 1"):
        pile.radial_profile(layer(2, 2), bins=0)


@pytest.mark.parametrize("corners", [((1, 1, 1), (0, 0, 0)), ((0, 1, 0), (1, 0, 1)), ((0, 0), (1, 1)), ((0, 0, 0), 1)])
def test_a_box_inside_out_is_refused(corners):
    with pytest.raises(ValueError, match="low must be below high"):
        pile.packing_fraction(layer(2, 2), *corners)


def test_packing_of_a_lattice():
    """Simple cubic: one sphere of radius a/2 in each cube a³, π/6."""
    found = pile.packing_fraction(layer(4, 4), (0.0, 0.0, 0.0), (4.0, 4.0, 4.0))
    assert abs(found.value - math.pi / 6.0) < 3.0 * found.error


def test_packing_counts_overlap_once():
    spheres = np.zeros((2, 3))
    frame = frame_of([[0.0, 0.0, 0.0]], 1.0, sphere_grain=np.zeros(2, int), sphere_position=spheres,
                     sphere_radius=np.ones(2))  # fmt: skip
    found = pile.packing_fraction(frame, (-1.0, -1.0, -1.0), (1.0, 1.0, 1.0))
    assert abs(found.value - math.pi / 6.0) < 3.0 * found.error
