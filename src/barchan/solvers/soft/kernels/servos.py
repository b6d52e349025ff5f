"""What contacts of spheres do to walls that are moved by forces. A template: see `bound.py`."""

from __future__ import annotations

from typing import Any

from barchan.kernels.bound import REPEATED
from barchan.kernels.jit import njit
from barchan.kernels.servos import kick_servos
from barchan.model.layout import AXIS, PRESSED, TURNS
from barchan.solvers.soft.kernels.surfaces import image_shift
from barchan.solvers.soft.kernels.walls import BEYOND
from barchan.solvers.soft.layout import WALL_SLOTS


@njit(cache=True)
def push_servos(
    t: float, kick: float, weight: float, contacts: int, sphere: Any, piece: Any, frame: Any, frame_servo: Any,
    grain: Any, position: Any, place: Any, pose: Any, kind: Any, shape_table: Any, slots: Any, servo: Any, table: Any,
    row: Any, motion_table: Any,
) -> None:  # fmt: skip
    """Add up what contacts do to the walls, in the order of the list, and kick the walls for the time `kick` (s).

    A contact's force on its grain, turned round, acts on the wall; so does its torque about the grain's centre.
    """
    servo[:, PRESSED] = 0.0
    for k in range(contacts):
        s = frame_servo[frame[piece[k]]]
        if s < 0:
            continue
        m = row[s]
        at = (k // 16) * 16 * WALL_SLOTS + k % 16
        fx, fy, fz = slots[at], slots[at + 16], slots[at + 32]
        ax, ay, az = motion_table[m, AXIS], motion_table[m, AXIS + 1], motion_table[m, AXIS + 2]
        if motion_table[m, TURNS] > 0.0:
            i = sphere[k]
            g = grain[i]
            x = position[g, 0] - motion_table[m, 0]
            y = position[g, 1] - motion_table[m, 1]
            z = position[g, 2] - motion_table[m, 2]
            if REPEATED:
                ox, oy, oz = image_shift(
                    piece[k], place[i, 0], place[i, 1], place[i, 2], place[i, 3], BEYOND * place[i, 3], frame, pose,
                    kind, shape_table,
                )  # fmt: skip
                x, y, z = x - ox, y - oy, z - oz
            fx, fy, fz = (
                y * fz - z * fy + slots[at + 48],
                z * fx - x * fz + slots[at + 64],
                x * fy - y * fx + slots[at + 80],
            )
        servo[s, PRESSED] -= ax * fx + ay * fy + az * fz
    kick_servos(t, kick, weight, servo, table, row, motion_table)
