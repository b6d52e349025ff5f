"""What the study of drums measures, and how studies share work among cores."""

from __future__ import annotations

import dataclasses
import math
import os

import numpy as np
import pytest

from barchan.studies import p03
from barchan.studies.cores import side_by_side
from barchan.studies.p03 import inclination


@pytest.mark.parametrize("slope", [-20.0, 0.0, 15.0, 35.0])
@pytest.mark.parametrize("heavy", [1.0, 3.0])
def test_the_inclination_is_that_of_the_surface_wherever_the_centre_of_mass_is(slope: float, heavy: float) -> None:
    """Grains on a fine lattice fill a drum up to a straight line, higher on the left; those on the left are heavier.

    The line from the axis to the centre of mass then leans by more than the surface. The second highest grain of a
    column lies a spacing of R/60 below the line at most, at either end of half a radius: 2° and less in the slope.
    """
    radius = 0.02
    x, z = (axis.ravel() for axis in np.meshgrid(*(np.linspace(-radius, radius, 121),) * 2))
    inside = (np.hypot(x, z) < radius) & (z < -0.1 * radius - math.tan(math.radians(slope)) * x)
    mass = np.where(x < 0.0, heavy, 1.0)[inside]
    place = np.column_stack([x, z])[inside]
    middle = np.average(place, axis=0, weights=mass)
    lean = math.degrees(math.atan2(-middle[0], -middle[1]))
    assert heavy == 1.0 or lean > slope + 5.0
    assert inclination(place, mass, radius) == pytest.approx(slope, abs=2.0)


def test_work_is_shared_among_processes_and_comes_back_in_its_order() -> None:
    """As in this process; and each of two others is another process."""
    tasks = [4.0, 9.0, 16.0]
    assert side_by_side(math.sqrt, tasks, 2) == side_by_side(math.sqrt, tasks, 1) == [2.0, 3.0, 4.0]
    assert os.getpid() not in side_by_side(_process, [0, 1], 2)


def _process(_: int) -> int:
    return os.getpid()


def test_a_drum_is_filled_again_above_grains_that_have_fallen() -> None:
    """Twenty grains fall for 0.1 s; then three more hang above them, and those below lie where and as they have come to
    lie, at rest: no triangle has more of its area in another, a step later, than in a bed that has just fallen.
    """
    once = p03.Drum.small()
    falling = once.filled(0.0, 2)
    falling.advance_to(0.1)
    lying = falling.snapshot()
    twice = dataclasses.replace(once, more=((0.1, p03.Box((-6e-3, 5e-3), (6e-3, 10e-3), 3)),)).filled(1.0, 2)
    frame = twice.snapshot()
    assert (len(lying.id), len(frame.id)) == (20, 23)
    assert np.allclose(frame.position[:20], lying.position, rtol=0, atol=1e-12)
    assert np.allclose(frame.orientation[:20], lying.orientation, rtol=0, atol=1e-12)
    assert lying.position[:, 2].mean() < -0.2 * once.radius < 0.0 < frame.position[20:, 2].min()
    twice.advance(1)
    assert twice.worst_overlap < 0.2
