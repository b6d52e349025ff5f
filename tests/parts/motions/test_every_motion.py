"""What holds for every motion: pose and velocity agree, on random instances of all that are registered."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import numba
import numpy as np
import pytest

from barchan import registry
from barchan.geometry import rotate

sample = runpy.run_path(str(Path(__file__).parents[2] / "samples.py"))["sample"]

AT_REST = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@pytest.fixture(params=registry.parts("motions"))
def motions(request):
    return sample(registry.part("motions", request.param), 12)


@pytest.fixture
def points():
    return np.random.default_rng(1).uniform(-2.0, 2.0, size=(10, 3))


def position(motion, t, points):
    """Where the wall's points are at time t."""
    pose = motion.at(t)
    return motion.pivot() + rotate(pose[3:7], points - motion.pivot()) + pose[:3]


def velocity(motion, t, points):
    """How fast the wall's points move at time t."""
    pose = motion.at(t)
    return pose[7:10] + np.cross(pose[10:13], position(motion, t, points) - motion.pivot() - pose[:3])


def moments(motion):
    """Times in s before, during and after the motion, off its start and end."""
    end = motion.end if motion.end is not None else motion.start + 7.0
    inside = motion.start + np.array([0.01, 0.2, 0.5, 0.77, 0.99]) * (end - motion.start)
    return [motion.start - 0.1, *inside.tolist(), end + 0.1]


def test_the_pose_is_thirteen_floats_with_a_unit_quaternion(motions):
    for motion in motions:
        for t in moments(motion):
            pose = motion.at(t)
            assert len(pose) == 13
            assert all(type(value) is float for value in pose)
            assert math.hypot(*pose[3:7]) == pytest.approx(1.0, abs=1e-14)


def test_the_velocity_is_the_change_of_the_pose(motions, points):
    step = 1e-6
    for motion in motions:
        for t in moments(motion):
            change = (position(motion, t + step, points) - position(motion, t - step, points)) / (2.0 * step)
            assert np.allclose(change, velocity(motion, t, points), atol=1e-7), (motion, t)


def test_it_rests_in_place_until_it_starts(motions):
    for motion in motions:
        assert motion.at(motion.start - 1e-9) == AT_REST
        assert motion.at(motion.start)[:7] == AT_REST[:7]


def test_it_stays_where_the_end_has_left_it(motions, points):
    ending = [motion for motion in motions if motion.end is not None]
    assert ending
    for motion in ending:
        last = motion.at(motion.end)
        assert last[7:] == AT_REST[7:]
        assert motion.at(motion.end + 100.0) == last
        just_before = position(motion, motion.end - 1e-9, points)
        assert np.allclose(position(motion, motion.end, points), just_before, atol=1e-7)


def test_no_point_is_faster_than_it_says(motions, points):
    for motion in motions:
        reach = np.linalg.norm(points - motion.pivot(), axis=1)
        for t in moments(motion):
            speed = np.linalg.norm(velocity(motion, t, points), axis=1)
            assert np.all(speed <= [motion.speed(float(r)) + 1e-12 for r in reach])


def test_a_motion_is_remade_from_its_fields(motions):
    for motion in motions:
        assert type(motion).model_validate_json(motion.model_dump_json()) == motion


def test_numba_compiles_the_same_path(motions):
    fast = numba.njit(type(motions[0]).path)
    for motion in motions:
        for t in moments(motion):
            assert fast(t, *motion.arguments(motion.parameters())) == motion.at(t)
