"""Reading the soft-sphere solver: contacts, energies, frames."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from barchan.frame import Contacts, Frame
from barchan.geometry import conjugate, multiply, rotate, rotation_about
from barchan.parts.laws import Law
from barchan.solvers import common
from barchan.solvers.soft import box, tethers
from barchan.solvers.soft.arrays import GHOSTS, lane
from barchan.solvers.soft.layout import HELD_FORCE, LANES, WALL_SLOTS

if TYPE_CHECKING:
    from barchan.solvers.soft.solver import SoftSolver


class Stored(NamedTuple):
    """State of all near contacts: overlap (m), stored energy normal and tangential (J)."""

    pairs: np.ndarray  # (P, 3)
    walls: np.ndarray  # (W, 3)


def stored(solver: SoftSolver) -> Stored:
    """Overlaps and stored energies of all near contacts."""
    return account(solver)[0]


def account(solver: SoftSolver) -> tuple[Stored, tuple[np.ndarray, np.ndarray]]:
    """Overlaps and stored energies of all near contacts, and the solver's `work_done`, from asking contacts once more.

    Contacts remember their slip half a step ahead. What they store now is the mean of what they would store half a step
    from now and half a step ago: so it grows by the work that the ledger has, to the last bit where springs are linear.
    """
    if not solver.stepper.half:
        return states(solver), solver.work_done()
    a, k = solver.arrays, solver.kernels
    behind = {name: a[name].copy() for name in ("memory", "wall_memory", "deepest", "wall_deepest")}
    done = solver.work_done(advance=1.0, **behind)
    middle = (
        _middle(a["memory"], behind["memory"], k.MEMORY) if k.VECTOR else a["memory"],
        _middle(a["wall_memory"], behind["wall_memory"], k.WALL_MEMORY) if k.WALL_VECTOR else a["wall_memory"],
    )
    return states(solver, middle), done


def _middle(ahead: np.ndarray, behind: np.ndarray, floats: int) -> np.ndarray:
    """What contacts remember, with vectors whose squares are the mean of those half a step ahead and behind."""
    middle = ahead.reshape(-1, floats, LANES).copy()
    one, other = (lanes.reshape(-1, floats, LANES)[:, :3] for lanes in (ahead, behind))
    size, second = np.sum(one**2, axis=1), np.sum(other**2, axis=1)
    known = size > 0
    factor = np.sqrt(np.divide(0.5 * (size + second), size, out=np.zeros_like(size), where=known))
    middle[:, :3] = np.where(known[:, None], factor[:, None] * one, math.sqrt(0.5) * other)
    return middle.ravel()


def states(solver: SoftSolver, remembered: tuple[np.ndarray, np.ndarray] | None = None) -> Stored:
    """Overlaps and stored energies of contacts, between grains and with walls, that remember this, or what they do."""
    c, k, lists = solver.packed(), solver.kernels, solver.lists
    memory, wall_memory = remembered or (c.memory, c.wall_memory)
    pairs, walls = np.zeros((lists.pairs, 3)), np.zeros((lists.wall_contacts, 3))
    k.pair_state(
        lists.pairs, c.first, c.second, c.place, c.grain, c.motion, c.material, c.kinds, c.table, c.box, c.inverse,
        memory, pairs,
    )  # fmt: skip
    k.wall_state(
        lists.wall_contacts, c.wall_sphere, c.wall_piece, c.wall_gap, c.wall_seam, c.place, c.grain, c.motion,
        c.material, c.frame, c.pose, c.kind, c.shape_table, c.piece_material, c.kinds, c.wall_table, wall_memory,
        walls,
    )  # fmt: skip
    walls[c.absorbing[c.wall_piece[: lists.wall_contacts]] > 0, 1:] = 0.0  # they do not push
    return Stored(pairs, walls)


def totals(state: Stored) -> np.ndarray:
    """Energy, J, stored in all contacts, (2, 2): of pairs and at walls, normal and tangential."""
    return np.array([state.pairs[:, 1:].sum(axis=0), state.walls[:, 1:].sum(axis=0)])


def dissipated(solver: SoftSolver, state: Stored, work: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Energy, J, that contacts have taken for good, (2, 2) as in `totals`: below zero, they gave more than they got."""
    return np.array([lines[:2] for lines in work]) + solver.stored_at_start - totals(state)


def touching(solver: SoftSolver, state: Stored) -> Contacts:
    """The touching contacts, pairs first, then walls, in the order of the lists, with forces of the last evaluation."""
    c, lists, model = solver.packed(), solver.lists, solver.model
    at = np.flatnonzero(state.pairs[:, 0] > 0)
    i, j = c.first[at].astype(np.int64), c.second[at].astype(np.int64)
    apart = c.place[i, :3] - c.place[j, :3]
    apart -= solver.lengths * np.floor(apart * c.inverse + 0.5)
    normal = apart / np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-300)
    overlap = state.pairs[at, 0]
    point = c.place[i, :3] - (c.place[i, 3] - 0.5 * overlap)[:, None] * normal
    w = np.flatnonzero(state.walls[:, 0] > 0)
    s, depth = c.wall_sphere[w], state.walls[w, 0]
    slots = lane(c.wall_slots, lists.wall_contacts, WALL_SLOTS)[w]
    spot = c.place[s, :3] - (c.place[s, 3] - 0.5 * depth)[:, None] * slots[:, 6:9]
    first, names = np.concatenate([c.grain[i], c.grain[s]]), solver.arrays["id"]
    return Contacts(
        first=names[first],
        second=np.concatenate([names[c.grain[j]], -1 - model.walls.wall[c.wall_piece[w]]]),
        face=np.concatenate([np.zeros(len(at), np.int64), model.walls.face[c.wall_piece[w]]]),
        overlap=np.concatenate([overlap, depth]),
        depth=np.concatenate([overlap / np.minimum(c.place[i, 3], c.place[j, 3]), depth / c.place[s, 3]]),
        force=np.concatenate([c.pair_force[at], slots[:, :3] + _held(solver, c.grain[s], slots[:, 12])]),
        point=np.concatenate([point, spot]) - turns(solver)[0][first],
        mode=np.concatenate([
            _modes(model.law, c.memory, lists.pairs, lists.memory)[at],
            _modes(model.wall_law, c.wall_memory, lists.wall_contacts, lists.wall_memory)[w],
        ]),
    )  # fmt: skip


def _held(solver: SoftSolver, grain: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """What stiction adds to contacts with walls, (W, 3) N: of those of a grain each holds by its Coulomb limit."""
    total = np.bincount(grain, limit, len(solver))[grain]
    share = np.divide(limit, total, out=np.zeros(len(limit)), where=total > 0)
    return np.asarray(share[:, None] * solver.arrays["held"][grain, HELD_FORCE:])


def _modes(law: Law, memory: np.ndarray, contacts: int, floats: int) -> np.ndarray:
    """The mode of every near contact, (contacts,) int8, as it remembers it."""
    if not type(law).modes:
        return np.zeros(contacts, np.int8)
    return lane(memory, contacts, floats)[:, type(law).mode_at].astype(np.int8)


def orientations(solver: SoftSolver) -> np.ndarray:
    """Unit quaternions (N, 4). Small rotations of single spheres are summed up before they turn the quaternion."""
    q, turn = solver.arrays["orientation"].copy(), solver.arrays["turn"]
    angle = np.linalg.norm(turn, axis=1)
    moved = angle > 0
    q[moved] = multiply(rotation_about(turn[moved], angle[moved]), q[moved])
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def motion_ahead(solver: SoftSolver) -> np.ndarray:
    """The array `motion` with the velocities and spins of half a step from now."""
    a, half, n = solver.arrays, 0.5 * solver.dt, len(solver)
    motion = a["motion"].copy()
    motion[:n, :3] = a["velocity"] + half * a["force"][:n] / motion[:n, 3:4]
    motion[:n, 4:7] = spins(solver, half)
    return motion


def spins(solver: SoftSolver, ahead: float = 0.0) -> np.ndarray:
    """Angular velocities (N, 3), rad/s, so long, s, from now."""
    a = solver.arrays
    angular = a["angular"] + ahead * a["torque"][: len(solver)] if ahead else a["angular"]
    if not solver.clumped:
        return angular / a["inertia"]
    body = rotate(conjugate(a["orientation"]), angular)
    return rotate(a["orientation"], body / a["inertia"])


def turns(solver: SoftSolver) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How far, m, and how fast, m/s, grains are ahead of their images inside a periodic box, and by how many lengths of
    it, (N, 3) each.

    In a box that deforms images move with it. Lists are rebuilt seldom, so that grains may have left the box meanwhile:
    what is reported is the image inside, of places and velocities alike.
    """
    a, n = solver.arrays, len(solver)
    count = common.crossings(solver.model, solver.lengths, a["position"][:n])
    return count * solver.lengths, count * a["box"][3:6], count


def kinetic(solver: SoftSolver) -> float:
    """Kinetic energy of all grains, as images inside a periodic box, J, added up in the order of their ids."""
    a = solver.arrays
    order = np.argsort(a["id"])
    body = rotate(conjugate(a["orientation"][order]), a["angular"][order])
    velocity = (a["velocity"] - turns(solver)[1])[order]
    moving = np.sum(a["motion"][order, 3] * np.sum(velocity**2, axis=1))
    return float(0.5 * moving + 0.5 * np.sum(body**2 / a["inertia"][order]))


def _gained(solver: SoftSolver) -> float:
    """Kinetic energy, J, that images inside a deforming box have and grains that have left it have not yet."""
    a, pace = solver.arrays, turns(solver)[1]
    order = np.argsort(a["id"])
    velocity, pace = a["velocity"][order], pace[order]
    return float(0.5 * np.sum(a["motion"][order, 3] * np.sum(pace * (pace - 2 * velocity), axis=1)))


def energies(solver: SoftSolver, state: Stored, done: tuple[np.ndarray, np.ndarray] | None = None) -> dict[str, float]:
    """The ledger, J: see `parts/observables/energy.py`; `done` is the solver's `work_done`, where it is known."""
    a, n = solver.arrays, len(solver)
    order = np.argsort(a["id"])
    mass = a["motion"][:n, 3][order]
    potential = solver.lists.offset - np.sum(mass * (a["position"][:n][order] @ a["gravity"]))
    work, wall_work = done or solver.work_done()
    taken = dissipated(solver, state, (work, wall_work)).sum(axis=0)
    servo_kinetic, driven, lost, given = common.servo_work(
        solver.model, a["servo"], a["motion_table"], solver.stepper.half * solver.dt
    )
    book = {
        "kinetic_energy": kinetic(solver) + servo_kinetic,
        "potential_energy": float(potential),
        "stored_energy": float(totals(state).sum()),
        "dissipated_normal": float(taken[0]),
        "dissipated_friction": float(taken[1]),
        "dissipated_rolling": float(work[2] + wall_work[2]),
        "dissipated_stiction": solver.stiction_work()[0],
        "tether_energy": tethers.stretched(solver),
        "dissipated_tethers": float(tethers.lost(solver).sum()),
    }
    resisted, box_work = box.books(solver, float(work[3:].sum()))
    book["dissipated_drag"] = resisted
    inside = sum(book.values())
    book["wall_work"] = float(wall_work[3]) - given + driven - lost + solver.stiction_work()[1]
    for line, name in enumerate(("inflow_energy", "outflow_energy", "event_work")):
        book[name] = float(a["booked"][line])
    box_work += _gained(solver)
    book["box_work"] = box_work
    total = inside - book["wall_work"] - box_work - book["inflow_energy"] + book["outflow_energy"] - book["event_work"]
    return {**book, "energy_error": total - solver.energy_at_start, "energy_total": total}


def frame(solver: SoftSolver) -> Frame:
    """The present moment, grains in the order of their ids."""
    a, n, model = solver.arrays, len(solver), solver.model
    order = np.argsort(a["id"])
    counts = a["start_count"][order]
    begin = np.concatenate([[0], np.cumsum(counts)])
    spheres = np.repeat(a["start"][:-1][order] - begin[:-1], counts) + np.arange(begin[-1])
    ahead, pace, count = turns(solver)
    shift = ahead[order]
    grain = np.repeat(np.arange(n), counts)
    state = functools.cache(lambda: account(solver))
    made = Frame(
        time=solver.time,
        step=solver.step,
        id=a["id"][order],
        group=a["group"][order],
        position=a["position"][:n][order] - shift,
        image=common.images(a["image"], count)[order],
        velocity=(a["velocity"] - pace)[order],
        orientation=orientations(solver)[order],
        spin=spins(solver)[order],
        mass=a["motion"][:n, 3][order],
        inertia=a["inertia"][order],
        radius=a["bound"][order],
        born=a["born"][order],
        sphere_grain=grain,
        sphere_position=a["place"][: len(a["place"]) - GHOSTS, :3][spheres] - shift[grain],
        sphere_radius=a["place"][: len(a["place"]) - GHOSTS, 3][spheres],
        sphere_offset=a["offset"][spheres],
        wall_pose=wall_poses(solver),
        wall_present=common.wall_presence(model, solver.lists.present),
        cell=common.cell_rows(common.corner(model, solver.lengths), solver.lengths),
    )
    return solver.live(
        made, solver.stepper.statistics(), contacts=lambda: touching(solver, state()[0]),
        ledger=lambda: energies(solver, *state()),
    )  # fmt: skip


def positions(solver: SoftSolver) -> np.ndarray:
    """Centres of mass (N, 3) m in the order of ids, inside a periodic box."""
    place = solver.arrays["position"][: len(solver)] - turns(solver)[0]
    return np.asarray(place[np.argsort(solver.arrays["id"])])


def wall_poses(solver: SoftSolver) -> np.ndarray:
    """(W, 7): a wall's point X0 at rest is found now at p + q·X0."""
    return common.wall_poses(solver.model, solver.time, solver.arrays["begun"], solver.arrays["motion_table"])
