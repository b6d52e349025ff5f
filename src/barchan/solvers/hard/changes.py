"""What changes in a hard-sphere run between two events: grains come and go, walls too, gravity turns. All is booked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from barchan.geometry import conjugate, multiply, overlapping, rotate
from barchan.model.grains import Grains
from barchan.model.room import spheres_of
from barchan.solvers.hard import arrays, layout, ledger
from barchan.solvers.hard.arrays import GRAIN_ARRAYS

if TYPE_CHECKING:
    from barchan.solvers.hard.solver import HardSolver

TOUCHING = 1e-9  # of a radius: a gap that is none
INFLOW, OUTFLOW, EVENTS = range(3)  # entries of the array `booked`, J


def room(solver: HardSolver, grains: Grains) -> np.ndarray:
    """Which of these grains, (N,) bool, would touch neither a grain that is there nor a wall."""
    place, _ = spheres_of(grains)
    free = np.ones(len(grains), bool)
    there = np.column_stack([ledger.positions_at(solver, solver.time), solver.arrays["grain"][:, layout.RADIUS]])
    free[overlapping(place, there, solver.model.box)[0]] = False
    pieces = np.flatnonzero(solver.present)
    rows = np.repeat(np.arange(len(place)), len(pieces))
    apart = solver.wall_distances(place[rows, :3], np.tile(pieces, len(place))) - place[rows, 3]
    free[rows[apart <= 0]] = False
    return free


def insert(solver: HardSolver, grains: Grains, gate: int) -> None:
    """Add grains, which get the next ids, through a gate."""
    a = solver.arrays
    grains.id = solver.new_ids(len(grains))
    new = arrays.grain_arrays(grains, solver.model)
    new["grain"][:, layout.CLOCK] = solver.time
    first = len(solver)
    for name in GRAIN_ARRAYS:
        a[name] = np.concatenate([a[name], new[name]])
    rows = np.arange(first, len(solver))
    a["booked"][INFLOW] += _pass(solver, rows, np.full(len(rows), gate))
    solver.rebuild(solver.time)


def remove(solver: HardSolver, rows: np.ndarray, gates: np.ndarray) -> None:
    """Take away the grains of these rows, each through the gate of the same place in `gates`."""
    solver.arrays["booked"][OUTFLOW] += _pass(solver, rows, gates)
    _drop(solver, rows)
    solver.rebuild(solver.time)


def swallow(solver: HardSolver) -> None:
    """Take away the grains that have touched an absorbing wall."""
    drop_gone(solver)
    solver.rebuild(solver.time)


def drop_gone(solver: HardSolver) -> None:
    """Book the grains that have touched an absorbing wall at the moment they did, and drop them."""
    a, model = solver.arrays, solver.model
    found = a["gone"][: a["tally"][layout.GONE]].astype(np.int64)
    a["tally"][layout.GONE] = 0
    names = [model.walls.names[wall] for wall in model.walls.wall[found[:, 1]]]
    gates = np.array([model.gates.index(name) for name in names], np.int64)
    a["booked"][OUTFLOW] += _pass(solver, found[:, 0], gates, own_clocks=True)
    _drop(solver, found[:, 0])


def _drop(solver: HardSolver, rows: np.ndarray) -> None:
    keep = np.ones(len(solver), bool)
    keep[rows] = False
    for name in GRAIN_ARRAYS:
        solver.arrays[name] = solver.arrays[name][keep]


def meet_walls(solver: HardSolver) -> None:
    """Let walls appear and vanish as the present time and the events say."""
    present = solver.model.walls.present(solver.time * (1 + 1e-12), solver.arrays["rule"])
    if np.any(present != solver.present):
        _release(solver, present)
        solver.present = present
        solver.rebuild(solver.time)


def _release(solver: HardSolver, present: np.ndarray) -> None:
    """Let go the grains that are held by walls which are there no longer; what they bring is work of the event."""
    a, walls = solver.arrays, solver.model.walls
    there = np.zeros(len(walls.rest), bool)
    there[walls.frame[present]] = True
    rows = np.flatnonzero(ledger.held_rows(solver))
    rows = rows[~there[a["grain"][rows, layout.LAST].astype(np.int64)]]
    if not len(rows):
        return
    before = ledger.energies(solver)
    frame, order = solver.frame(), np.argsort(np.argsort(a["id"]))
    now = order[rows]
    place = ledger.paths_at(solver, solver.time)[rows]
    grain = a["grain"]
    a["attitude"][rows], grain[rows, layout.SPIN] = frame.orientation[now], frame.spin[now] * solver.model.freedom[3:]
    grain[rows, layout.VELOCITY], grain[rows, layout.PLACE] = frame.velocity[now], place
    grain[rows, layout.CLOCK], grain[rows, layout.LAST] = solver.time, -np.inf
    after = ledger.energies(solver)
    a["booked"][EVENTS] += sum(after[name] - before[name] for name in ("kinetic_energy", "potential_energy"))


def hold_touching(solver: HardSolver) -> None:
    """Let sticky walls hold the grains that touch them at the start, as those of a run that began elsewhere may."""
    a, walls = solver.arrays, solver.model.walls
    sticky = np.array([solver.model.scene.walls[owner].sticky for owner in walls.wall], bool)
    for p in np.flatnonzero(sticky & solver.present):
        place, radius = a["grain"][:, layout.PLACE], a["grain"][:, layout.RADIUS]
        near = solver.wall_distances(place, np.full(len(place), p)) <= (1.0 + TOUCHING) * radius
        rows = np.flatnonzero(near & ~ledger.held_rows(solver))
        origin, turn, _, _ = solver.frame_pose(int(walls.frame[p]), solver.time)
        back = conjugate(turn)
        a["grain"][rows, layout.PLACE] = rotate(back, place[rows] - origin)
        a["attitude"][rows] = multiply(back, a["attitude"][rows])
        a["grain"][rows, layout.VELOCITY] = a["grain"][rows, layout.SPIN] = 0.0
        a["grain"][rows, layout.CLOCK], a["grain"][rows, layout.LAST] = layout.HELD, walls.frame[p]


def start_motion(solver: HardSolver, name: str) -> None:
    """Let the motions of a wall count time from now on."""
    solver.arrays["begun"][solver.model.walls.frame[solver.pieces(name)]] = solver.time
    solver.note_walls()
    solver.rebuild(solver.time)


def change_gravity(solver: HardSolver, gravity: Sequence[float] | np.ndarray) -> None:
    """Let gravity be another one, (3,) m/s², from now on; the jump of potential energy is work of the event."""
    a, k = solver.arrays, solver.kernels
    k.bring_all(solver.time, len(solver), a["grain"], a["space"], a["attitude"])
    before = ledger.energies(solver)["potential_energy"]
    a["gravity"][:] = gravity
    if not solver.dt:
        a["space"][layout.GRAVITY : layout.CORNER] = gravity
    solver.choose_rest()
    a["booked"][EVENTS] += ledger.energies(solver)["potential_energy"] - before
    solver.rebuild(solver.time)


def _pass(solver: HardSolver, rows: np.ndarray, gates: np.ndarray, *, own_clocks: bool = False) -> float:
    """Count grains at the gates they pass, now or by their own clocks; answers with their energy, J."""
    a = solver.arrays
    order = np.argsort(a["id"][rows])
    rows, gates = rows[order], gates[order]
    grain = a["grain"][rows]
    if own_clocks:
        velocity, place = grain[:, layout.VELOCITY], grain[:, layout.PLACE]
    else:
        velocity = ledger.velocities_at(solver, solver.time)[rows]
        place = ledger.paths_at(solver, solver.time)[rows]
    turning = 0.4 * grain[:, layout.RADIUS] ** 2 * np.sum(grain[:, layout.SPIN] ** 2, axis=1)
    kinetic = 0.5 * grain[:, layout.MASS] * (np.sum(velocity**2, axis=1) + turning)
    energy = kinetic - grain[:, layout.MASS] * (place @ solver.gravity())
    energy[ledger.held_rows(solver)[rows]] = 0.0  # what a wall holds has none of its own
    solver.count_passing(gates, grain[:, layout.MASS], velocity, energy)
    return float(energy.sum())
