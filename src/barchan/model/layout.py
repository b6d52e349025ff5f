"""Columns of walls' tables, which every method's solver and kernels share."""

from __future__ import annotations

# Of `servo`: m/s, N, N (by grains), J, J, J; or turning.
SERVO_COLUMNS = 6
VELOCITY, FORCE, PRESSED, DRIVE_WORK, LOSS, GRAIN_WORK = range(SERVO_COLUMNS)
AXIS, TURNS, WAY, RATE = 3, 6, 7, 8  # of `motion_table`, in rows of walls that are moved by forces
# Of `servo_table`: kg, N, N s/m, m, m, s, s; or turning.
DRIVE_COLUMNS = 7
SERVO_MASS, DRIVE, DAMPING, LOWEST, HIGHEST, START, END = range(DRIVE_COLUMNS)
# Of the tables of constants, those of the law; then rolling friction, rolling viscosity, friction, and one to spare.
LAW_COLUMNS = 12
