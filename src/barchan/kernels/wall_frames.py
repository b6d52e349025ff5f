"""Where the frames of walls' pieces are at a time. A template: see `bound.py`."""

from __future__ import annotations

from typing import Any

from barchan.kernels.bound import motion_path
from barchan.kernels.jit import njit
from barchan.kernels.turning import rotated


@njit(cache=True)
def frame_pose(
    p: int, t: float, rest: Any, motions: Any, motion_kind: Any, motion_table: Any, begun: float
) -> tuple[float, float, float, float, float, float, float, float, float, float, float, float, float]:
    """Origin, quaternion, velocity and spin of frame p at time t; its point X moves with velocity + spin × X.

    X is in the scene's coordinates. rest: (frames, 7) origin and quaternion at rest. motions: (frames, 2) first and
    last + 1 of the frame's motions, which are applied one after another. begun: s, the moment from which they count
    time.
    """
    ox, oy, oz = rest[p, 0], rest[p, 1], rest[p, 2]
    aw, ax, ay, az = rest[p, 3], rest[p, 4], rest[p, 5], rest[p, 6]
    vx, vy, vz, wx, wy, wz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for m in range(motions[p, 0], motions[p, 1]):
        dx, dy, dz, qw, qx, qy, qz, ux, uy, uz, sx, sy, sz = motion_path(motion_kind[m], t - begun, motion_table, m)
        cx, cy, cz = motion_table[m, 0], motion_table[m, 1], motion_table[m, 2]
        # The field v + w × X of the motions so far, carried along: X' = c + d + q (X − c).
        rx, ry, rz = rotated(qw, qx, qy, qz, vx + wy * cz - wz * cy, vy + wz * cx - wx * cz, vz + wx * cy - wy * cx)
        wx, wy, wz = rotated(qw, qx, qy, qz, wx, wy, wz)
        ex, ey, ez = cx + dx, cy + dy, cz + dz
        vx = rx - (wy * ez - wz * ey) + ux - (sy * ez - sz * ey)
        vy = ry - (wz * ex - wx * ez) + uy - (sz * ex - sx * ez)
        vz = rz - (wx * ey - wy * ex) + uz - (sx * ey - sy * ex)
        wx, wy, wz = wx + sx, wy + sy, wz + sz
        ox, oy, oz = rotated(qw, qx, qy, qz, ox - cx, oy - cy, oz - cz)
        ox, oy, oz = ox + ex, oy + ey, oz + ez
        aw, ax, ay, az = (
            qw * aw - qx * ax - qy * ay - qz * az,
            qw * ax + qx * aw + qy * az - qz * ay,
            qw * ay - qx * az + qy * aw + qz * ax,
            qw * az + qx * ay - qy * ax + qz * aw,
        )
    return ox, oy, oz, aw, ax, ay, az, vx, vy, vz, wx, wy, wz
