"""Walls that are moved by forces: velocity Verlet in their one coordinate. A template: see `bound.py`.

The coordinate (m or rad) and the velocity that contacts see lie in the row of `motion_table` that the wall's path is
computed from. Columns of table and servo: see `model/layout.py`.
"""

from __future__ import annotations

from typing import Any

from barchan.kernels.jit import njit

from barchan.model.layout import (  # isort: skip
    DAMPING, DRIVE, DRIVE_WORK, END, FORCE, GRAIN_WORK, HIGHEST, LOSS, LOWEST, PRESSED, RATE, SERVO_MASS, START,
    VELOCITY, WAY,
)  # fmt: skip


@njit(cache=True)
def drift_servos(t: float, dt: float, servo: Any, table: Any, row: Any, motion_table: Any) -> None:
    """Half a kick and a whole drift from time t, s; contacts will see the velocity predicted for the new time."""
    for s in range(len(row)):
        m = row[s]
        mass, low, high = table[s, SERVO_MASS], table[s, LOWEST], table[s, HIGHEST]
        free = table[s, START] <= t < table[s, END]
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
def kick_servos(t: float, kick: float, weight: float, servo: Any, table: Any, row: Any, motion_table: Any) -> None:
    """Kick the walls for the time `kick` (s) with what grains (in the column PRESSED), drives and dampers do.

    weight: s, with which their powers enter the books.
    """
    for s in range(len(row)):
        m = row[s]
        rate, way = motion_table[m, RATE], motion_table[m, WAY]
        force = table[s, DRIVE] + servo[s, PRESSED] - table[s, DAMPING] * rate
        blocked = (way <= table[s, LOWEST] and force < 0.0) or (way >= table[s, HIGHEST] and force > 0.0)
        if blocked or not (table[s, START] <= t < table[s, END]):
            force = 0.0
        servo[s, FORCE] = force
        servo[s, VELOCITY] += kick * force / table[s, SERVO_MASS]
        servo[s, DRIVE_WORK] += weight * table[s, DRIVE] * rate
        servo[s, LOSS] += weight * table[s, DAMPING] * rate * rate
        servo[s, GRAIN_WORK] -= weight * servo[s, PRESSED] * rate
