"""Tethers of the soft-sphere solver: which grain each one holds, and its energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.solvers.soft.layout import TETHER_COLUMNS, TETHER_LENGTH, TETHER_LOSS, TETHER_POWER, TETHER_STIFFNESS

if TYPE_CHECKING:
    from barchan.solvers.soft.solver import SoftSolver


def tether_arrays(model: Model, grains: Grains) -> dict[str, np.ndarray]:
    """The id of every tethered grain, (T,), and the table of `solvers/soft/kernels/tethers.py`, (T, TETHER_COLUMNS)."""
    names = [group.name for group in model.scene.grains]
    ids, tables = [np.zeros(0, np.int64)], [np.zeros((0, TETHER_COLUMNS))]
    for tether in model.scene.tethers:
        held = np.flatnonzero(grains.group == names.index(tether.group))
        table = np.zeros((len(held), TETHER_COLUMNS))
        table[:, :3] = grains.position[held] if tether.point is None else tether.point
        table[:, 3:6] = tether.stiffness, tether.damping, tether.length
        ids.append(grains.id[held])
        tables.append(table)
    return {"tether_id": np.concatenate(ids), "tether": np.concatenate(tables)}


def meet_grains(arrays: dict[str, np.ndarray]) -> None:
    """Find the rows of the tethered grains, −1 for those that have gone, and room for the forces on all grains."""
    known, wanted = arrays["id"], arrays["tether_id"]
    order = np.argsort(known)
    place = np.searchsorted(known, wanted, sorter=order)
    row = order[np.minimum(place, len(known) - 1)] if len(known) else np.zeros(len(wanted), np.int64)
    there = known[row] == wanted if len(known) else np.zeros(len(wanted), bool)
    arrays["tether_row"] = np.where(there, row, -1)
    dragged = len(wanted) > 0 or arrays["drag"][0] > 0
    arrays["pull"] = np.zeros((len(known) if dragged else 0, 3))


def stretched(solver: SoftSolver) -> float:
    """Energy, J, in the springs of all tethers."""
    a = solver.arrays
    there = a["tether_row"] >= 0
    tether = a["tether"][there]
    length = np.linalg.norm(a["position"][a["tether_row"][there]] - tether[:, :3], axis=1)
    return float(np.sum(0.5 * tether[:, TETHER_STIFFNESS] * (length - tether[:, TETHER_LENGTH]) ** 2))


def lost(solver: SoftSolver) -> np.ndarray:
    """Energy, J, that the dashpot of each tether has taken, (T,); as with contacts, half a step's is taken back."""
    tether = solver.arrays["tether"]
    return np.asarray(tether[:, TETHER_LOSS] - solver.stepper.half * solver.dt * tether[:, TETHER_POWER])
