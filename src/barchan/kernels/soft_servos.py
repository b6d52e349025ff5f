"""Walls that are moved by forces: velocity Verlet in their one coordinate. A template: see `bound.py`.

The coordinate (m or rad) and the velocity that contacts see lie in the row of `motion_table` that the wall's path is
computed from. table: mass, drive, damping, lower and upper limit, start, end. servo: the columns below.
"""

from __future__ import annotations

from typing import Any

from barchan.kernels.jit import njit
from barchan.kernels.soft_slots import WALL_SLOTS

VELOCITY, FORCE, PUSH, DRIVE_WORK, LOSS, GRAIN_WORK = 0, 1, 2, 3, 4, 5  # m/s, N, N (of grains), J, J, J; or turning
SERVO_COLUMNS = 6
AXIS, TURNS, WAY, RATE = 3, 6, 7, 8  # columns of `motion_table`


@njit(cache=True)
def drift_servos(t: float, dt: float, servo: Any, table: Any, row: Any, motion_table: Any) -> None:
    """Half a kick and a whole drift from time t, s; contacts will see the velocity predicted for the new time."""
    for s in range(len(row)):
        m = row[s]
        mass, low, high = table[s, 0], table[s, 3], table[s, 4]
        free = table[s, 5] <= t < table[s, 6]
        change = 0.5 * dt / mass * servo[s, FORCE]
        velocity = servo[s, VELOCITY] + change
        way = motion_table[m, WAY] + dt * velocity
        if not free or way < low or way > high:
            way = min(max(way, low), high) if free else motion_table[m, WAY]
            servo[s, LOSS] += 0.5 * mass * servo[s, VELOCITY] * servo[s, VELOCITY]
            velocity, change = 0.0, 0.0
        servo[s, VELOCITY] = velocity
        motion_table[m, WAY] = way
        motion_table[m, RATE] = velocity + change


@njit(cache=True)
def push_servos(
    t: float, kick: float, weight: float, contacts: int, sphere: Any, piece: Any, frame: Any, frame_servo: Any,
    grain: Any, position: Any, slots: Any, servo: Any, table: Any, row: Any, motion_table: Any,
) -> None:  # fmt: skip
    """Add up what contacts do to the walls, in the order of the list, and kick the walls for the time `kick` (s).

    A contact's force on its grain, turned round, acts on the wall; so does its torque about the grain's centre.
    """
    servo[:, PUSH] = 0.0
    for k in range(contacts):
        s = frame_servo[frame[piece[k]]]
        if s < 0:
            continue
        m = row[s]
        at = (k // 16) * 16 * WALL_SLOTS + k % 16
        fx, fy, fz = slots[at], slots[at + 16], slots[at + 32]
        ax, ay, az = motion_table[m, AXIS], motion_table[m, AXIS + 1], motion_table[m, AXIS + 2]
        if motion_table[m, TURNS] > 0.0:
            g = grain[sphere[k]]
            x = position[g, 0] - motion_table[m, 0]
            y = position[g, 1] - motion_table[m, 1]
            z = position[g, 2] - motion_table[m, 2]
            fx, fy, fz = (
                y * fz - z * fy + slots[at + 48],
                z * fx - x * fz + slots[at + 64],
                x * fy - y * fx + slots[at + 80],
            )
        servo[s, PUSH] -= ax * fx + ay * fy + az * fz
    for s in range(len(row)):
        m = row[s]
        rate, way = motion_table[m, RATE], motion_table[m, WAY]
        force = table[s, 1] + servo[s, PUSH] - table[s, 2] * rate
        blocked = (way <= table[s, 3] and force < 0.0) or (way >= table[s, 4] and force > 0.0)
        if blocked or not (table[s, 5] <= t < table[s, 6]):
            force = 0.0
        servo[s, FORCE] = force
        servo[s, VELOCITY] += kick * force / table[s, 0]
        servo[s, DRIVE_WORK] += weight * table[s, 1] * rate
        servo[s, LOSS] += weight * table[s, 2] * rate * rate
        servo[s, GRAIN_WORK] -= weight * servo[s, PUSH] * rate
