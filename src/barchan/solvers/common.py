"""What kernels of several solvers share: the books of walls moved by forces, where walls are, and the periodic box."""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.geometry import multiply, rotate
from barchan.model.build import Model
from barchan.model.layout import DAMPING, DRIVE, DRIVE_WORK, GRAIN_WORK, LOSS, PRESSED, RATE, SERVO_MASS, VELOCITY
from barchan.solvers.base import TimedSolver


def servo_books(model: Model, servo: np.ndarray, motion_table: np.ndarray, ahead: float) -> np.ndarray:
    """Per wall moved by forces, (S, 3) J: work of its drive, its losses, work done on grains.

    ahead: s, for which the present powers have been entered too long.
    """
    if not len(servo):
        return np.zeros((0, 3))
    drive, damping = model.walls.servo_table[:, [DRIVE, DAMPING]].T
    rate = motion_table[model.walls.servo_row, RATE]
    driven = servo[:, DRIVE_WORK] - ahead * drive * rate
    lost = servo[:, LOSS] - ahead * damping * rate**2
    given = servo[:, GRAIN_WORK] + ahead * servo[:, PRESSED] * rate
    return np.column_stack([driven, lost, given])


def servo_work(
    model: Model, servo: np.ndarray, motion_table: np.ndarray, ahead: float
) -> tuple[float, float, float, float]:
    """Of all walls moved by forces, J: kinetic energy, work of their drives, their losses, work done on grains."""
    kinetic = 0.5 * model.walls.servo_table[:, SERVO_MASS] * servo[:, VELOCITY] ** 2
    driven, lost, given = servo_books(model, servo, motion_table, ahead).sum(axis=0)
    return float(kinetic.sum()), float(driven), float(lost), float(given)


def wall_poses(model: Model, time: float, begun: np.ndarray, motion_table: np.ndarray) -> np.ndarray:
    """(W, 7): a wall's point X0 at rest is found at this time, s, at p + q·X0; frames move since `begun` (F,) s."""
    walls, row = model.scene.walls, 0
    since = np.zeros(len(walls))
    since[model.walls.wall] = begun[model.walls.frame]
    poses = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (len(walls), 1))
    for pose, wall, first in zip(poses, walls, since, strict=True):
        for motion in wall.motion:
            numbers = tuple(motion_table[row, 3 : 3 + len(motion.parameters())].tolist())
            path, row = np.array(motion.at(time - first, numbers)), row + 1
            pivot = np.array(motion.pivot())
            pose[:3] = pivot + path[:3] + rotate(path[3:7], pose[:3] - pivot)
            pose[3:] = multiply(path[3:7], pose[3:])
    return poses


def walls_at_start(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Poses (W, 7) of the walls at the start, as in `wall_poses`, and which pieces (P,) bool are there."""
    walls = model.walls
    first = TimedSolver.changing(model)
    return wall_poses(model, 0.0, first["begun"], walls.motion_table), walls.present(0.0, first["rule"])


def wall_presence(model: Model, present: np.ndarray) -> np.ndarray:
    """(W,) bool: which walls are there, from which of their pieces (P,) are."""
    there = np.ones(len(model.walls.names), bool)
    there[model.walls.wall] = present
    return there


def cell_rows(low: Any, lengths: Any, tilt: float = 0.0) -> np.ndarray:
    """The periodic box as frames hold it, (1, 7) m, or (0, 7) where no axis repeats: all lengths are 0."""
    row = np.array([[*low, *lengths, tilt]], float)
    return row if np.any(row[0, 3:6] > 0) else row[:0]


def corner(model: Model, lengths: np.ndarray) -> np.ndarray:
    """The lower corner, (3,) m, of a periodic box of these lengths (3,) m: its middle stays where it is."""
    return np.asarray(model.low + 0.5 * (model.box - lengths))


def crossings(model: Model, lengths: np.ndarray, position: np.ndarray) -> np.ndarray:
    """How many times, (N, 3), positions (N, 3) m lie beyond a periodic box of these lengths (3,) m."""
    length = np.where(model.periodic, lengths, 1.0)
    return np.where(model.periodic, np.floor((position - corner(model, lengths)) / length), 0.0)


def images(before: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Images (N, 3) of grains that go round the box `count` (N, 3) more times; of those that are nowhere any number."""
    with np.errstate(invalid="ignore"):
        return np.asarray(before + count.astype(np.int32))


def turns(model: Model, position: np.ndarray) -> np.ndarray:
    """How far (N, 3) m positions lie from where they would be inside a periodic box that stays as it is."""
    return crossings(model, model.box, position) * model.box
