"""What goes through a periodic face goes the short way, and what touches through one touches."""

from __future__ import annotations

import numpy as np
import pytest

from barchan.measures import heap, moving, pile_height
from draw.frames import frame_of

UPRIGHT = np.array([[0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]])  # repeats along x and y
LEANING = np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.3]])  # repeats along x and z, the image above 0.3 m to the right


@pytest.mark.parametrize(
    ("cell", "begin", "end"),
    [
        (UPRIGHT, (0.99, 0.5, 0.2), (0.01, 0.5, 0.2)),
        (UPRIGHT, (0.005, 0.99, 0.2), (0.995, 0.01, 0.2)),
        (LEANING, (0.6, 0.5, 0.99), (0.3, 0.5, 0.01)),
    ],
)
def test_a_grain_that_creeps_through_a_face_stays_slow(cell: np.ndarray, begin: object, end: object) -> None:
    """Each goes some 2 cm in a second, seen as nearly 1 m: it is still at 5 cm/s and moves at 1 cm/s."""
    before, after = frame_of([begin], 0.05, time=1.0, cell=cell), frame_of([end], 0.05, time=2.0, cell=cell)
    assert not moving(before, after, threshold=0.05).any()
    assert moving(before, after, threshold=0.01).all()


def test_a_heap_goes_on_behind_a_face() -> None:
    """A stair of touching spheres that begins at the right face and goes up behind the left one is one heap, as high as
    its last step; without the face only its foot is. A sphere in the air is no part of it.
    """
    steps = np.array([(0.86, 0.0, 0.05), (0.95, 0.0, 0.09), (1.04, 0.0, 0.13), (1.13, 0.0, 0.17)])
    inside = np.concatenate([steps % (1.0, 1.0, 9.0), [(0.5, 0.5, 0.6)]])
    frame = frame_of(inside, 0.05, cell=UPRIGHT)
    assert heap(frame, floor=0.0).tolist() == [True, True, True, True, False]
    assert pile_height(frame, floor=0.0) == pytest.approx(0.22)
    open_frame = frame_of(inside, 0.05)
    assert heap(open_frame, floor=0.0).tolist() == [True, True, False, False, False]


def test_a_heap_goes_on_behind_a_face_that_leans() -> None:
    """In a box that repeats upwards too, a sphere under the lid touches one on the floor 0.3 m beside it."""
    frame = frame_of([(0.20, 0.0, 0.96), (0.90, 0.0, 0.05)], 0.05, cell=LEANING)
    assert heap(frame, floor=0.0).all()
    apart = frame_of([(0.40, 0.0, 0.96), (0.90, 0.0, 0.05)], 0.05, cell=LEANING)
    assert not heap(apart, floor=0.0).all()
