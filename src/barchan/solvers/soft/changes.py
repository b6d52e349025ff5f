"""What changes in a soft-sphere run between two steps: grains come and go, walls too, gravity turns.

Every change is booked: kinetic and potential energy of grains that come and go, the work of a gravity that changes, and
the energy stored in contacts that begin or end with the change. So the ledger closes across it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from barchan.geometry import conjugate, overlapping, rotate
from barchan.model.grains import Grains
from barchan.model.layout import DRIVE_WORK, GRAIN_WORK, LOSS, RATE
from barchan.model.room import spheres_of
from barchan.solvers.soft import ledger, tethers
from barchan.solvers.soft.arrays import GHOSTS, GRAIN_ARRAYS, SPHERE_ARRAYS, grain_arrays, sphere_arrays

from barchan.solvers.soft.layout import (  # isort: skip
    DRAG_LOSS, DRAG_POWER, FLOW_POWER, FLOW_WORK, HELD_LOSS, HELD_LOSS_POWER, HELD_WORK, HELD_WORK_POWER, TETHER_LOSS,
)  # fmt: skip

if TYPE_CHECKING:
    from barchan.solvers.soft.solver import SoftSolver

INFLOW, OUTFLOW, EVENTS, HELD, HELD_BY_WALLS = range(5)  # entries of the array `booked`, J


def room(solver: SoftSolver, grains: Grains) -> np.ndarray:
    """Which of these grains, (N,) bool, would touch neither a grain that is there nor a wall."""
    a, walls = solver.arrays, solver.model.walls
    place, owner = spheres_of(grains)
    found, counts = np.zeros((len(place), 1), np.int32), np.zeros(len(place), np.int64)  # how many is all that matters
    solver.kernels.near_walls(
        place, len(place), solver.lists.grids, solver.lists.present, walls.frame, a["pose"], walls.kind,
        walls.shape_table, found, counts,
    )  # fmt: skip
    free = np.ones(len(grains), bool)
    free[owner[overlapping(place, a["place"][: len(a["place"]) - GHOSTS], solver.lengths)[0]]] = False
    free[owner[counts > 0]] = False
    return free


def insert(solver: SoftSolver, grains: Grains, gate: int) -> None:
    """Add grains, which get the next ids, through a gate."""
    grains.id = solver.new_ids(len(grains))
    a, n, m = solver.arrays, len(solver), len(solver.arrays["place"]) - GHOSTS

    def grow() -> np.ndarray:
        new = grain_arrays(grains, solver.model)
        new["place"][: len(grains.sphere_radius)] = spheres_of(grains)[0]
        for name in GRAIN_ARRAYS:
            a[name] = np.concatenate([a[name][:n], new[name]])
        for name in SPHERE_ARRAYS:
            a[name] = np.concatenate([a[name][:m], new[name]])
        solver.lists.meet(grains.sphere_radius)
        return np.concatenate([np.arange(m), np.full(len(grains.sphere_radius), -1)])

    gained = _apply(solver, grow)
    rows = np.flatnonzero(np.isin(a["id"], grains.id))
    brought = _pass(solver, rows, np.full(len(rows), gate))
    a["booked"][INFLOW] += brought + gained


def remove(solver: SoftSolver, rows: np.ndarray, gates: np.ndarray) -> None:
    """Take away the grains of these rows, each through the gate of the same place in `gates`."""
    if not len(rows):
        return
    a, n, m = solver.arrays, len(solver), len(solver.arrays["place"]) - GHOSTS
    taken = _pass(solver, rows, gates) + tethers.stretched(solver)
    gone = a["held"][rows[np.argsort(a["id"][rows])]].sum(axis=0)
    a["booked"][[HELD, HELD_BY_WALLS]] += gone[:2] - solver.stepper.half * solver.dt * gone[2:4]
    keep = np.ones(n + GHOSTS, bool)
    keep[rows] = False

    def shrink() -> np.ndarray:
        spheres = np.concatenate([keep[a["grain"][:m]], np.ones(GHOSTS, bool)])
        for name in GRAIN_ARRAYS:
            a[name] = a[name][keep[: len(a[name])]]
        for name in SPHERE_ARRAYS:
            a[name] = a[name][spheres]
        return np.flatnonzero(spheres[:m])

    a["booked"][OUTFLOW] += taken - _apply(solver, shrink) - tethers.stretched(solver)


def swallow(solver: SoftSolver) -> None:
    """Take away the grains that touch an absorbing wall."""
    a, model = solver.arrays, solver.model
    a["swallowed"][0] = 0.0
    depth = ledger.states(solver).walls[:, 0]
    piece = a["wall_piece"][: len(depth)]
    contact = np.flatnonzero((depth > 0) & (model.walls.absorbing[piece] > 0))
    rows, first = np.unique(a["grain"][a["wall_sphere"][contact]], return_index=True)
    owner = model.walls.wall[piece[contact[first]]]
    names = [model.walls.names[wall] for wall in owner]
    remove(solver, rows, np.array([model.gates.index(name) for name in names], np.int64))


def meet_walls(solver: SoftSolver) -> None:
    """Let walls appear and vanish as the present time and the events say."""
    walls = solver.model.walls
    present = walls.present(solver.time + 1e-9 * solver.dt, solver.arrays["rule"])
    if np.any(present != solver.lists.present):

        def exchange() -> None:
            solver.lists.present = present
            gone = walls.servo_row[~present[walls.servo_piece]]
            if len(gone):  # forces move no wall that is not there
                solver.arrays["motion_table"][gone, RATE] = 0.0

        solver.arrays["booked"][EVENTS] += _apply(solver, exchange)


def start_motion(solver: SoftSolver, name: str) -> None:
    """Let the motions of a wall count time from now on."""
    solver.arrays["begun"][solver.model.walls.frame[solver.pieces(name)]] = solver.time
    solver.note_walls()
    _apply(solver, lambda: None)


def change_gravity(solver: SoftSolver, gravity: Sequence[float] | np.ndarray) -> None:
    """Let gravity be another one, (3,) m/s², from now on; the jump of potential energy is work of the event."""
    rows = np.arange(len(solver))
    before = _potential(solver, rows)
    solver.arrays["gravity"][:] = gravity
    solver.arrays["booked"][EVENTS] += _potential(solver, rows) - before + _apply(solver, lambda: None)


def _apply(solver: SoftSolver, change: Callable[[], np.ndarray | None]) -> float:
    """Let `change` alter grains or walls; answers with the energy, J, that contacts store more than before.

    `change` answers with where each sphere stood before (−1: nowhere), or None where they stand as before. The power of
    a contact has entered the work for half a step too much: that is settled before, and entered anew after the change.
    """
    lists, ahead = solver.lists, solver.stepper.half * solver.dt
    before = _stored(solver)
    if ahead:
        lists.totals, lists.wall_totals = solver.work_done()
        solver.arrays["work"][:] = 0.0
        solver.arrays["wall_work"][:] = 0.0
        held = solver.arrays["held"]
        held[:, [HELD_LOSS, HELD_WORK]] -= ahead * held[:, [HELD_LOSS_POWER, HELD_WORK_POWER]]
        solver.arrays["tether"][:, TETHER_LOSS] = tethers.lost(solver)
        solver.arrays["servo"][:, [DRIVE_WORK, LOSS, GRAIN_WORK]] = solver.servo_books()
        drag = solver.arrays["drag"]
        drag[[DRAG_LOSS, FLOW_WORK]] -= ahead * drag[[DRAG_POWER, FLOW_POWER]]
    lists.flush()  # while rows still mean what they did
    old_index = change()
    a = solver.arrays
    a["start"], a["grain"] = sphere_arrays(a)
    solver.rebuild(tidy=True, worn=False, old_index=old_index)
    solver.kernels.evaluate(solver.packed(), solver.time, -ahead, solver.dt, 0.0, ahead, ahead, 0.0, 0)
    gained = _stored(solver) - before
    lists.totals[:2] += gained[0]
    lists.wall_totals[:2] += gained[1]
    return float(gained.sum())


def _stored(solver: SoftSolver) -> np.ndarray:
    """Energy stored in all contacts, J, (2, 2): see `ledger.totals`."""
    return ledger.totals(ledger.stored(solver))


def _pass(solver: SoftSolver, rows: np.ndarray, gates: np.ndarray) -> float:
    """Count grains at the gates they pass; answers with their kinetic and potential energy, J."""
    a = solver.arrays
    order = np.argsort(a["id"][rows])
    rows, gates = rows[order], gates[order]
    mass, velocity = a["motion"][rows, 3], a["velocity"][rows]
    body = rotate(conjugate(a["orientation"][rows]), a["angular"][rows])
    kinetic = 0.5 * mass * np.sum(velocity**2, axis=1) + 0.5 * np.sum(body**2 / a["inertia"][rows], axis=1)
    energy = kinetic - mass * (a["position"][rows] @ a["gravity"])
    solver.count_passing(gates, mass, velocity, energy)
    return float(energy.sum())


def _potential(solver: SoftSolver, rows: np.ndarray) -> float:
    a = solver.arrays
    rows = rows[np.argsort(a["id"][rows])]
    return -float(np.sum(a["motion"][rows, 3] * (a["position"][rows] @ a["gravity"])))
