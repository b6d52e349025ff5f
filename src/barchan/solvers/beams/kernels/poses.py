"""Where walls are at coming steps. A template: see `bound.py`; all that depends on a scene's motions is here."""

from __future__ import annotations

import math
from typing import Any

from barchan.kernels.jit import njit
from barchan.kernels.wall_frames import frame_pose


@njit(cache=True)
def find_poses(
    first: int, step: float, rest: Any, motion_range: Any, motion_kind: Any, motion_table: Any, begun: Any, out: Any
) -> None:  # fmt: skip
    """Fill out (steps, walls, 6) for the steps first, first + 1, …: what brings a wall's points to their place.

    Shift x, z (m) and angle (rad, counter-clockwise) of a turn about the scene's origin, then velocity x, z (m/s) of
    the point that moves through the origin, and spin about y (rad/s).
    """
    for s in range(out.shape[0]):
        for w in range(out.shape[1]):
            ox, _, oz, qw, _, qy, _, vx, _, vz, _, wy, _ = frame_pose(
                w, (first + s) * step, rest, motion_range, motion_kind, motion_table, begun[w]
            )
            out[s, w, 0], out[s, w, 1], out[s, w, 2] = ox, oz, -2.0 * math.atan2(qy, qw)
            out[s, w, 3], out[s, w, 4], out[s, w, 5] = vx, vz, wy
