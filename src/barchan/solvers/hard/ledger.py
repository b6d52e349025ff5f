"""Reading the hard-sphere solver: where grains are, energies, frames. Nothing here moves a grain or its clock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from barchan.frame import Contacts, Frame, single_spheres
from barchan.geometry import multiply, overlapping, rotate, rotation_about
from barchan.solvers import common
from barchan.solvers.hard import layout

if TYPE_CHECKING:
    from barchan.solvers.hard.solver import HardSolver

TOUCHING = 1e-9  # of the smaller radius: overlaps less deep are round-off and no contacts


def paths_at(solver: HardSolver, t: float) -> np.ndarray:
    """Where the paths of all grains lead at time t, (N, 3) m, in the order of their rows.

    At a periodic face that may be outside the box by round-off, as long as the grain has not passed into its next cell.
    """
    grain, held = solver.arrays["grain"], held_rows(solver)
    since = np.where(held, 0.0, t - grain[:, layout.CLOCK])[:, None]
    place = grain[:, layout.PLACE] + since * (grain[:, layout.VELOCITY] + 0.5 * _drift(solver) * since)
    for rows, (origin, turn, _, _) in _held_by_frame(solver, t):
        place[rows] = origin + rotate(turn, grain[rows, layout.PLACE])
    return place


def _drift(solver: HardSolver) -> np.ndarray:
    """The acceleration between events (3,) m/s²: gravity, or none where gravity comes in kicks."""
    return np.asarray(solver.arrays["space"][layout.GRAVITY : layout.CORNER])


def held_rows(solver: HardSolver) -> np.ndarray:
    """(N,) bool: which grains sticky walls hold."""
    return np.asarray(solver.arrays["grain"][:, layout.CLOCK] == layout.HELD)


def _held_by_frame(solver: HardSolver, t: float) -> Iterator[tuple[np.ndarray, tuple[np.ndarray, ...]]]:
    """The rows of the grains that each frame holds, and the frame's pose at time t."""
    held, frames = held_rows(solver), solver.arrays["grain"][:, layout.LAST]
    for f in np.unique(frames[held]):
        yield np.flatnonzero(held & (frames == f)), solver.frame_pose(int(f), t)


def positions_at(solver: HardSolver, t: float) -> np.ndarray:
    """Where all grains are at time t, (N, 3) m, in the order of their rows, inside a periodic box."""
    place = paths_at(solver, t)
    return place - common.turns(solver.model, place)


def velocities_at(solver: HardSolver, t: float) -> np.ndarray:
    """How fast all grains are at time t, (N, 3) m/s."""
    grain, held = solver.arrays["grain"], held_rows(solver)
    velocity = grain[:, layout.VELOCITY] + np.where(held, 0.0, t - grain[:, layout.CLOCK])[:, None] * _drift(solver)
    for rows, (origin, turn, wall, spin) in _held_by_frame(solver, t):
        velocity[rows] = wall + np.cross(spin, origin + rotate(turn, grain[rows, layout.PLACE]))
    return velocity


def spins(solver: HardSolver) -> np.ndarray:
    """Angular velocities (N, 3), rad/s; of what walls hold, theirs."""
    spin = solver.arrays["grain"][:, layout.SPIN].copy()
    for rows, (_, _, _, wall_spin) in _held_by_frame(solver, solver.time):
        spin[rows] = wall_spin
    return spin


def kinetic(solver: HardSolver) -> float:
    """Kinetic energy of all grains, J, added up in the order of their ids."""
    order = np.argsort(solver.arrays["id"])
    order = order[~held_rows(solver)[order]]  # what walls hold is a part of them
    grain = solver.arrays["grain"][order]
    moving = np.sum(velocities_at(solver, solver.time)[order] ** 2, axis=1)
    turning = 0.4 * grain[:, layout.RADIUS] ** 2 * np.sum(grain[:, layout.SPIN] ** 2, axis=1)
    return float(0.5 * np.sum(grain[:, layout.MASS] * (moving + turning)))


def energies(solver: HardSolver) -> dict[str, float]:
    """The ledger, J: see `parts/observables/energy.py`."""
    a = solver.arrays
    order = np.argsort(a["id"])
    order = order[~held_rows(solver)[order]]
    place, mass, books = paths_at(solver, solver.time)[order], a["grain"][order, layout.MASS], a["book"]
    book = {
        "kinetic_energy": kinetic(solver),
        "potential_energy": float(books[layout.SHIFTED] - np.sum(mass * (place @ solver.gravity()))),
        "stored_energy": 0.0,
        "dissipated_normal": float(books[layout.NORMAL]),
        "dissipated_friction": float(books[layout.TANGENTIAL]),
        "dissipated_rolling": 0.0,
        "dissipated_stiction": 0.0,
    }
    inside = sum(book.values())
    book |= {"wall_work": float(books[layout.WALL_WORK]), "rest_work": float(books[layout.REST_WORK])}
    for line, name in enumerate(("inflow_energy", "outflow_energy", "event_work")):
        book[name] = float(a["booked"][line])
    given = book["wall_work"] + book["rest_work"] + book["inflow_energy"] + book["event_work"]
    total = inside - given + book["outflow_energy"]
    return {**book, "spared_energy": float(books[layout.SPARED]), "energy_error": total - solver.energy_at_start,
            "energy_total": total}  # fmt: skip


def account(solver: HardSolver) -> dict[str, float | int]:
    """Collisions so far, and how often the rules for collapse and rest have acted."""
    tally, book = solver.arrays["tally"], solver.arrays["book"]
    return {
        "collisions": solver.step,
        "wall_collisions": int(tally[layout.WALLS]),
        "timed_collisions": int(tally[layout.TIMED]),
        "spared_energy": float(book[layout.SPARED]),
        "rested_collisions": int(tally[layout.RESTED]),
        "rest_work": float(book[layout.REST_WORK]),
        "contact_time": float(solver.arrays["space"][layout.CONTACT_TIME]),
        "overlaps": int(tally[layout.OVERLAPS]),
        "deepest_overlap": solver.worst_overlap,
    }


def touching(solver: HardSolver) -> Contacts:
    """Grains that overlap others or walls by more than round-off: hard spheres meet for an instant, without force."""
    a, model = solver.arrays, solver.model
    place = np.column_stack([positions_at(solver, solver.time), a["grain"][:, layout.RADIUS]])
    i, j = overlapping(place, place, model.box)
    i, j = i[i < j], j[i < j]
    apart = place[i, :3] - place[j, :3]
    apart -= np.where(model.periodic, model.box * np.round(apart / np.where(model.box > 0, model.box, 1.0)), 0.0)
    far = np.linalg.norm(apart, axis=1)
    depth, smaller = place[i, 3] + place[j, 3] - far, np.minimum(place[i, 3], place[j, 3])
    deep = depth > TOUCHING * smaller
    i, j, depth, smaller = i[deep], j[deep], depth[deep], smaller[deep]
    normal = apart[deep] / np.maximum(far[deep], 1e-300)[:, None]
    row, piece = _near_walls(solver)
    into = place[row, 3] - solver.wall_distances(place[row, :3], piece)
    row, piece, into = (one[into > TOUCHING * place[row, 3]] for one in (row, piece, into))
    first, overlap = np.concatenate([i, row]), np.concatenate([depth, into])
    normal = np.concatenate([normal, _wall_normals(solver, place[row], piece)])
    return Contacts(
        first=a["id"][first],
        second=np.concatenate([a["id"][j], -1 - model.walls.wall[piece]]),
        point=place[first, :3] - (place[first, 3] - 0.5 * overlap)[:, None] * normal,
        force=np.zeros((len(first), 3)),
        overlap=overlap,
        mode=np.zeros(len(first), np.int8),
        face=np.concatenate([np.zeros(len(i), np.int64), model.walls.face[piece]]),
        depth=overlap / np.maximum(np.concatenate([smaller, place[row, 3]]), 1e-300),
    )


def _wall_normals(solver: HardSolver, place: np.ndarray, piece: np.ndarray) -> np.ndarray:
    """Which way, (K, 3), these pieces of walls push spheres at these places (K, 4) m: along which they grow farther."""
    slope, step = np.zeros((len(place), 3)), 1e-4 * place[:, 3]
    for axis in range(3):
        ways = np.zeros((len(place), 3))
        ways[:, axis] = step
        slope[:, axis] = solver.wall_distances(place[:, :3] + ways, piece)
        slope[:, axis] -= solver.wall_distances(place[:, :3] - ways, piece)
    return np.asarray(slope / np.maximum(np.linalg.norm(slope, axis=1), 1e-300)[:, None])


def _near_walls(solver: HardSolver) -> tuple[np.ndarray, np.ndarray]:
    """Rows of grains (K,) that no wall holds, and the pieces (K,) of walls near the cell of each."""
    a, free = solver.arrays, np.flatnonzero(~held_rows(solver))
    cell = a["link"][free, layout.CELL]
    first, count = a["wall_start"][cell], a["wall_start"][cell + 1] - a["wall_start"][cell]
    begin = np.concatenate([[0], np.cumsum(count)])
    place = np.repeat(first - begin[:-1], count) + np.arange(begin[-1])
    return np.repeat(free, count), a["wall_list"][place].astype(np.int64)


def virial(solver: HardSolver) -> np.ndarray:
    """Σ impulse ⊗ branch over all collisions so far, (3, 3) J s."""
    begin = layout.VIRIAL
    return np.asarray(solver.arrays["book"][begin : begin + 9]).reshape(3, 3).copy()


def _collided(solver: HardSolver) -> np.ndarray:
    """The same a second, J, since the sample before."""
    elapsed = solver.time - solver.arrays["marked"][-1]
    return (virial(solver) - solver.arrays["pushed"]) / elapsed if elapsed > 0 else np.zeros((3, 3))


def frame(solver: HardSolver) -> Frame:
    """The present moment, grains in the order of their ids."""
    a, t, model = solver.arrays, solver.time, solver.model
    order = np.argsort(a["id"])
    grain = a["grain"][order]
    place = paths_at(solver, t)
    count = common.crossings(model, model.box, place)
    place = (place - count * model.box)[order]
    made = Frame(
        time=t,
        step=solver.step,
        id=a["id"][order],
        group=a["group"][order],
        position=place,
        image=common.images(a["image"], count)[order],
        velocity=velocities_at(solver, t)[order],
        orientation=_orientations(solver)[order],
        spin=spins(solver)[order],
        mass=grain[:, layout.MASS].copy(),
        radius=grain[:, layout.RADIUS].copy(),
        born=a["born"][order],
        **single_spheres(place, grain[:, layout.RADIUS].copy(), grain[:, layout.MASS]),
        wall_pose=common.wall_poses(model, t, a["begun"], model.walls.motion_table),
        wall_present=common.wall_presence(model, solver.present),
        cell=common.cell_rows(model.low, model.box),
        known={"collided": _collided(solver)},
    )
    return solver.live(made, account(solver), contacts=lambda: touching(solver), ledger=lambda: energies(solver))


def _orientations(solver: HardSolver) -> np.ndarray:
    """Unit quaternions (N, 4) at the present time."""
    a = solver.arrays
    since = np.where(held_rows(solver), 0.0, solver.time - a["grain"][:, layout.CLOCK])[:, None]
    q, turn = a["attitude"].copy(), a["grain"][:, layout.SPIN] * since
    for rows, (_, frame_turn, _, _) in _held_by_frame(solver, solver.time):
        q[rows] = multiply(frame_turn, q[rows])
    angle = np.linalg.norm(turn, axis=1)
    moved = angle > 0
    q[moved] = multiply(rotation_about(turn[moved], angle[moved]), q[moved])
    return q / np.linalg.norm(q, axis=1, keepdims=True)
