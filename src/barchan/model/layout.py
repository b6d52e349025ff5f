"""Columns of walls' tables, which every method's solver and kernels share."""

from __future__ import annotations

# Of `servo`: m/s, N, N (by grains), J, J, J; or turning.
SERVO_COLUMNS = 6
VELOCITY, FORCE, PRESSED, DRIVE_WORK, LOSS, GRAIN_WORK = range(SERVO_COLUMNS)
AXIS, TURNS, WAY, RATE = 3, 6, 7, 8  # of `motion_table`, in rows of walls that are moved by forces
