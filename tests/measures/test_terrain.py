"""A map of heights over spheres whose surface is known."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np

from barchan.measures import height_map

frame_of = runpy.run_path(str(Path(__file__).parents[1] / "draw" / "frames.py"))["frame_of"]


def test_the_envelope_of_two_spheres():
    """A sphere of radius R at height z covers points at a distance ρ < R of its axis up to z + √(R² − ρ²).

    Where two overlap seen from above, the higher surface counts; elsewhere the floor is bare and the height 0.
    """
    frame = frame_of(np.array([[0.0, 0.0, 1.0], [1.5, 0.0, 2.0]]), np.array([1.0, 0.5]))
    found = height_map(frame, (-2.0, -2.0), (200, 200), 0.025, floor=-0.25)
    x, y = found.points
    first = 1.25 + np.sqrt(np.maximum(0.0, 1.0 - x**2 - y**2))
    second = 2.25 + np.sqrt(np.maximum(0.0, 0.25 - (x - 1.5) ** 2 - y**2))
    in_first, in_second = np.hypot(x, y) < 0.98, np.hypot(x - 1.5, y) < 0.48
    assert np.allclose(found.height[in_second], second[in_second], atol=1e-9)
    assert np.allclose(found.height[in_first], first[in_first], atol=1e-9)
    bare = (np.hypot(x, y) > 1.02) & (np.hypot(x - 1.5, y) > 0.52)
    assert not found.covered[bare].any() and not found.height[bare].any()
