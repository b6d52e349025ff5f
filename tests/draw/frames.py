"""Frames made up for the tests of pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.frame import Frame, single_spheres


def frame_of(position: Any, radius: Any, *, time: float = 0.0, walls: int = 0, **fields: Any) -> Frame:
    """Single spheres at rest; any field of the frame can be given."""
    position = np.atleast_2d(np.asarray(position, float))
    count = len(position)
    radius = np.broadcast_to(np.asarray(radius, float), count).copy()
    values: dict[str, Any] = {
        "time": time,
        "step": 0,
        "id": np.arange(count),
        "group": np.zeros(count, np.int32),
        "position": position,
        "image": np.zeros((count, 3), np.int32),
        "velocity": np.zeros((count, 3)),
        "orientation": np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        "spin": np.zeros((count, 3)),
        "mass": radius**3,
        "radius": radius,
        "born": np.zeros(count),
        **single_spheres(position, radius, radius**3),
        "wall_pose": np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (walls, 1)),
        "wall_present": np.ones(walls, bool),
    }
    if "contacts" in fields:
        fields["known"] = {"contacts": fields.pop("contacts")}
    return Frame(**(values | fields))


def empty_frame(**fields: Any) -> Frame:
    """A frame without grains."""
    return frame_of(np.zeros((0, 3)), np.zeros(0), **fields)


def cone_frame(angle: float, *, grains: int = 20_000, foot: float = 1.0, seed: int = 1) -> Frame:
    """Spheres whose centres fill a cone of that angle (degrees) at random; they touch and overlap freely."""
    rng = np.random.default_rng(seed)
    height = foot * np.tan(np.radians(angle))
    depth = rng.random(grains) ** (1.0 / 3.0)  # distance from the apex, as a part of the height
    radius = foot * depth * np.sqrt(rng.random(grains))
    turn = 2.0 * np.pi * rng.random(grains)
    position = np.column_stack([radius * np.cos(turn), radius * np.sin(turn), height * (1.0 - depth)])
    volume = np.pi / 3.0 * foot**2 * height
    return frame_of(position, 0.9 * (volume / grains) ** (1.0 / 3.0))
