"""Still and moving grains of made-up heaps, and the surface between them."""

from __future__ import annotations

import numpy as np
import pytest

from barchan.measures import fracture_surface, moving
from draw.frames import frame_of

rng = np.random.default_rng(3)
PLACES = rng.uniform((0.0, 0.0, 0.0), (10.0, 2.0, 6.0), size=(4000, 3))


def slope(x: np.ndarray) -> np.ndarray:
    """The true surface, m: a plane that rises to the right."""
    return 1.0 + 0.4 * x


def test_who_moves() -> None:
    shift = np.where((PLACES[:, 2] > slope(PLACES[:, 0]))[:, None], (0.3, 0.0, -0.1), 0.0)
    before, after = frame_of(PLACES, 0.1, time=1.0), frame_of(PLACES + shift, 0.1, time=2.0)
    flags = moving(before, after, threshold=0.1)
    np.testing.assert_array_equal(flags, PLACES[:, 2] > slope(PLACES[:, 0]))


@pytest.mark.parametrize(("duration", "moves"), [(0.5, True), (2.0, False)])
def test_the_speed_counts_and_not_the_way(duration: float, moves: bool) -> None:
    """0.1 m in half a second is 0.2 m/s, in two seconds 0.05 m/s: faster and slower than 0.1 m/s."""
    before, after = frame_of(PLACES, 0.1, time=1.0), frame_of(PLACES + np.array([0.1, 0, 0]), 0.1, time=1.0 + duration)
    assert np.all(moving(before, after, threshold=0.1) == moves)


def test_a_grain_that_has_just_come_moves() -> None:
    before, after = frame_of(PLACES[:2], 0.1, time=0.0), frame_of(PLACES[:3], 0.1, time=1.0)
    assert moving(before, after, threshold=0.1).tolist() == [False, False, True]


@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_the_surface_is_found(noise: float) -> None:
    frame = frame_of(PLACES, 0.1)
    flags = (PLACES[:, 2] > slope(PLACES[:, 0])) ^ (rng.random(len(PLACES)) < noise)
    found = fracture_surface(frame, flags, columns=20)
    np.testing.assert_allclose(found.height, slope(found.x), atol=0.25)
    assert found.purity == pytest.approx(1 - noise, abs=0.04)


def test_no_surface_where_all_stand_still() -> None:
    found = fracture_surface(frame_of(PLACES, 0.1), np.zeros(len(PLACES), bool))
    assert np.isnan(found.height).all()
