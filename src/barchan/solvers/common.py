"""What solvers have in common: the books of gates and of walls moved by forces, and where walls are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from barchan.geometry import multiply, rotate
from barchan.kernels.servos import DRIVE_WORK, GRAIN_WORK, LOSS, PRESSED, RATE, VELOCITY
from barchan.model.build import Model
from barchan.motions import FOREVER
from barchan.observables import Gate

GONE = -2  # instead of the row of what is no longer there; −1 may be a wall
NUMBER, MASS, MOMENTUM, ENERGY, WAITING = 0, 1, slice(2, 5), 5, 6  # columns of the array `gates`
BY_TIME, ADDED, REMOVED = 0, 1, -1  # values of the array `rule`: whether a piece of a wall is there


def gates(solver: Any) -> dict[str, Gate]:
    """What has passed every source, sink and absorbing wall."""
    a = solver.arrays
    sources = {source.name for source in solver.model.scene.sources}
    elapsed = solver.time - a["marked"][-1]
    found = {}
    for name, book, before in zip(solver.model.gates, a["gates"], a["marked"][:-1], strict=True):
        rate = (book[1] - before) / elapsed if elapsed > 0 else 0.0
        found[name] = Gate(
            number=int(book[0]),
            mass=float(book[1]),
            momentum=tuple(book[2:5].tolist()),
            energy=float(book[5]),
            rate=float(rate),
            waiting=int(book[6]),
            inward=name in sources,
        )
    return found


def count_passing(
    books: np.ndarray, gates: np.ndarray, mass: np.ndarray, velocity: np.ndarray, energy: np.ndarray
) -> None:
    """Enter grains into the books (G, 7) of the gates (N,) that they pass: kg, m/s and J of each."""
    for gate, row, carried in zip(gates, range(len(mass)), energy, strict=True):
        book = books[gate]
        book[NUMBER] += 1
        book[MASS] += mass[row]
        book[MOMENTUM] += mass[row] * velocity[row]
        book[ENERGY] += carried


def too_deep(solver: Any, walls: Iterable[int], else_: str = "the grains are too soft or too fast") -> str:
    """Why grains may be deep in each other or in one of these walls, which may have come during the run; `else_` says
    why where none has.
    """
    there = solver.model.walls
    added = {int(wall) for wall in there.wall[solver.arrays["rule"] == ADDED]}
    came = [there.names[w] for w in walls if w in added or solver.model.scene.walls[w].appears > 0.0]
    if not came:
        return else_
    names = ", ".join(repr(name) for name in came)
    return f"{names} appeared where grains were, which it must not, or {else_}"


def turned_over(solver: Any, book: dict[str, float], left: float | None = None) -> float:
    """The energy, J, that a run has turned over so far, against which an error in its ledger is to be seen.

    What was there at first, was released or was given must be found again as what moves, is stored, was raised or has
    been lost: both sides are the same energy, and it counts once, by the larger one. Grains that go take theirs along,
    so the most that has been seen counts, which is kept as `turned`; and at least the energy of motion that goes with
    the momentum of what has left, or so much as `left` (J) says.
    """
    inside = ("kinetic_energy", "stored_energy", "beam_energy", "tether_energy")
    found = sum(book.get(name, 0.0) for name in inside)
    found += sum(abs(book[name]) for name in book if name.startswith("dissipated_"))
    first = solver.energy_at_start - solver.potential_at_start
    left = _left(solver) if left is None else left
    brought = book.get("inflow_energy", 0.0) - book.get("outflow_energy", 0.0) + book.get("event_work", 0.0)
    released = solver.potential_at_start + brought + left - book["potential_energy"]
    given = [released, *(book.get(name, 0.0) for name in ("wall_work", "box_work", "rest_work"))]
    had = first + sum(max(one, 0.0) for one in given)
    found += left + sum(max(-one, 0.0) for one in given)
    solver.turned = max(solver.turned, had, found, 1e-300)
    return float(solver.turned)


def _left(solver: Any) -> float:
    """The least energy of motion, J, with which grains can have left."""
    sources = {source.name for source in solver.model.scene.sources}
    out = np.array([name not in sources for name in solver.model.gates], bool)
    gates = solver.arrays["gates"][out]
    return float(np.sum(gates[:, MOMENTUM] ** 2 / np.maximum(2 * gates[:, [MASS]], 1e-300)))


def servo_books(model: Model, servo: np.ndarray, motion_table: np.ndarray, ahead: float) -> np.ndarray:
    """Per wall moved by forces, (S, 3) J: work of its drive, its losses, work done on grains.

    ahead: s, for which the present powers have been entered too long.
    """
    if not len(servo):
        return np.zeros((0, 3))
    _, drive, damping = model.walls.servo_table[:, :3].T
    rate = motion_table[model.walls.servo_row, RATE]
    driven = servo[:, DRIVE_WORK] - ahead * drive * rate
    lost = servo[:, LOSS] - ahead * damping * rate**2
    given = servo[:, GRAIN_WORK] + ahead * servo[:, PRESSED] * rate
    return np.column_stack([driven, lost, given])


def servo_work(
    model: Model, servo: np.ndarray, motion_table: np.ndarray, ahead: float
) -> tuple[float, float, float, float]:
    """Of all walls moved by forces, J: kinetic energy, work of their drives, their losses, work done on grains."""
    kinetic = 0.5 * model.walls.servo_table[:, 0] * servo[:, VELOCITY] ** 2
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
    begun, rule = np.where(walls.waiting, FOREVER, 0.0), np.where(walls.hidden, REMOVED, BY_TIME)
    return wall_poses(model, 0.0, begun, walls.motion_table), walls.present(0.0, rule)


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


def turns(model: Model, position: np.ndarray) -> np.ndarray:
    """How far (N, 3) m positions lie from where they would be inside a periodic box that stays as it is."""
    return crossings(model, model.box, position) * model.box
