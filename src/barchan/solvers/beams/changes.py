"""What changes between two steps: beams that broke, grains that part, come or go, walls that do, gravity."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from barchan.geometry import overlapping
from barchan.model.build import Model
from barchan.model.build_triangles import build_triangles, turned
from barchan.model.grains import Grains
from barchan.model.layout import RATE
from barchan.solvers import common
from barchan.solvers.base import GONE
from barchan.solvers.beams import arrays, ledger
from barchan.solvers.beams import walls as beams_walls
from barchan.solvers.beams.layout import AREA, BEAM_STORED, FLAT, TAKEN, WHIRL
from barchan.solvers.beams.ledger import BEAM, BY_WALLS, EVENTS, FRICTION, INFLOW, NORMAL, OUTFLOW

if TYPE_CHECKING:
    from barchan.solvers.beams.solver import BeamSolver

_ROWS = (
    "grain", "state", "body", "mass", "inertia", "area", "bound", "material", "work", "row_present",
    "wall_slip",
)  # fmt: skip
_GRAINS = ("id", "group", "born", "piece", "image")
_BEAMS = (
    "ends", "foot", "beam_rest", "length", "made", "sides", "broken", "yielded", "broken_at",
    "yielded_at", "lost", "beam_loss",
)  # fmt: skip


def note_breaks(solver: BeamSolver) -> None:
    """Let marked beams break, with their energy, and enter the moment at which they did or first yielded."""
    a = solver.arrays
    yields = (a["yielded"] > 0) & np.isnan(a["yielded_at"])
    a["yielded_at"][yields] = solver.time
    a["happened"][0] += np.count_nonzero(yields)
    fresh = np.flatnonzero(a["broken"] < 0)
    if not len(fresh):
        return
    held = ledger.present(solver)
    a["lost"][fresh] += held.beam_now[fresh, BEAM_STORED]
    a["broken"][fresh] *= -1
    a["happened"] += np.bincount(a["broken"][fresh], minlength=len(a["happened"]))
    a["broken_at"][fresh], a["beam_loss"][fresh] = solver.time, 0.0
    together = a["grain"].copy()
    part_grains(solver)
    solver.rebuild()
    _allow(solver, together)
    ledger.present(solver)
    # Forces have jumped: higher derivatives of what they were would mislead the predictor.
    a["state"][: solver.triangle_count, :, 2] = solver.packed().acceleration
    a["state"][: solver.triangle_count, :, 3:] = 0.0


def _allow(solver: BeamSolver, together: np.ndarray) -> None:
    """Let pieces that lay in each other as parts of one grain do so still; together: (rows,) grains before they parted.

    They push each other only where they go deeper: see `relieve`.
    """
    a, n, state = solver.arrays, solver.triangle_count, ledger.present(solver)
    i, k = a["first"][state.pair], a["second"][state.pair]
    parted = state.pair[(k < n) & (together[i] == together[k])]
    if len(parted):
        a["allowed"] = a["allowed"] if len(a["allowed"]) else np.zeros(len(a["first"]))
        a["allowed"][parted] = state.out[parted, AREA]


def part_grains(solver: BeamSolver) -> None:
    """Pieces that no whole beam joins any more become grains of their own; the heaviest piece keeps the name."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    a, n = solver.arrays, solver.triangle_count
    ends = a["ends"][a["broken"] == 0]
    joined = coo_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))
    count, piece = connected_components(joined, directed=False)
    if count == len(solver):
        return
    weight = np.bincount(piece, a["mass"][:n], count)
    first = np.full(count, n)
    np.minimum.at(first, piece, np.arange(n))
    old = a["grain"][first]
    order = np.lexsort((first, -weight, old))
    heaviest = np.zeros(count, bool)
    heaviest[order[np.concatenate([[True], np.diff(old[order]) != 0])]] = True
    name = a["id"][old]
    fresh = order[~heaviest[order]]
    name[fresh] = solver.next_id + np.arange(len(fresh))
    solver.next_id += len(fresh)
    born = np.where(heaviest, a["born"][old], solver.time)
    a.update(id=name, group=a["group"][old], born=born, piece=a["piece"][old] | ~heaviest, image=a["image"][old])
    a["grain"][:n] = piece


def clear_of_grains(solver: BeamSolver, grains: Grains) -> np.ndarray:
    """Which of these grains, (N,) bool, would touch none of those that are there: the circle about a grain, and those
    about the triangles.
    """
    a, n = solver.arrays, solver.triangle_count
    there = np.zeros((n, 4))
    there[:, [0, 2]], there[:, 3] = a["state"][:n, :2, 0], a["bound"][:n]
    free = np.ones(len(grains), bool)
    free[overlapping(np.column_stack([grains.position, grains.radius]), there, solver.model.box)[0]] = False
    return free


def clear_of_walls(
    model: Model, a: Mapping[str, np.ndarray], grains: Grains, names: Sequence[str]
) -> np.ndarray:  # fmt: skip
    """Which of these grains, (N,) bool, would touch none of the walls of these names that are there."""
    import shapely

    n = int(np.count_nonzero(a["grain"] >= 0))
    asked = np.array([wall.name in names for wall in model.scene.walls], bool)
    place, free = grains.position[:, [0, 2]], np.ones(len(grains), bool)
    for s in np.flatnonzero(a["smooth_present"] & asked[a["smooth_wall"]]):
        x, z, p, q = a["smooth_now"][s]
        far = (place - (x, z)) @ (p, q) if a["smooth_kind"][s] == FLAT else p - np.hypot(*(place - (x, z)).T)
        free &= far > grains.radius
    owner = np.searchsorted(a["wall_rows"][:, 1], np.arange(n, len(a["bound"])), side="right")
    rows = n + np.flatnonzero(a["row_present"][n:] & asked[owner])
    state, body = a["state"][rows], a["body"][rows].reshape(-1, 3, 2)
    strips = shapely.polygons(turned(body, state[:, 2, 0, None]) + state[:, None, :2, 0])
    solids = [shapely.polygons(np.zeros((0, 3, 2)))]
    for w in np.unique(owner[rows - n]):
        row = a["wall_rows"][w, 0]
        angle, rest = a["state"][row, 2, 0], a["wall_rest"][row - n]
        shift = a["state"][row, :2, 0] - turned(rest, angle)
        found = beams_walls.inside(model.scene.walls[w])
        solids.append(shapely.transform(found, lambda at, angle=angle, shift=shift: turned(at, angle) + shift))
    tree = shapely.STRtree(np.concatenate([strips, *solids]))
    steps = [(-length, 0.0, length) if length else (0.0,) for length in model.box[[0, 2]]]
    for step in itertools.product(*steps):  # round a periodic box
        near = tree.query(shapely.points(place + step), predicate="dwithin", distance=grains.radius)[0]
        free[near] = False
    return free


def insert(solver: BeamSolver, grains: Grains, gate: int) -> None:
    """Add grains, which get the next ids, through a gate; what they bring is booked."""
    a, n, count = solver.arrays, solver.triangle_count, len(solver)
    grains.id = solver.next_id + np.arange(len(grains), dtype=np.int64)
    solver.next_id, solver.inserted = solver.next_id + len(grains), solver.inserted + len(grains)
    before = ledger.energies(solver, ledger.present(solver))["energy_total"]
    triangles = build_triangles(solver.model.scene, grains)
    added, joined = arrays.triangle_rows(solver.model, triangles), arrays.beam_rows(triangles)
    added["grain"] = added["grain"] + count
    joined["ends"] = joined["ends"] + n
    for name in _ROWS:  # those of walls stay last
        a[name] = np.concatenate([a[name][:n], added[name], a[name][n:]])
    for name in _BEAMS:
        a[name] = np.concatenate([a[name], joined[name]])
    new = {
        "id": grains.id, "group": grains.group, "born": grains.born, "piece": np.zeros(len(grains), bool),
        "image": np.zeros((len(grains), 3), np.int32),
    }  # fmt: skip
    for name in _GRAINS:
        a[name] = np.concatenate([a[name], new[name]])
    a["wall_rows"] = a["wall_rows"] + len(triangles)
    a["second"] = a["second"] + len(triangles) * (a["second"] >= n)
    a["worst"][2] += len(triangles) * (a["worst"][2] >= n)
    a["tied"] = arrays.tied(a["ends"], len(a["bound"]))
    solver.rebuild()
    after = ledger.present(solver)
    fresh = slice(n, n + len(triangles))
    a["state"][fresh, :, 2] = solver.packed().acceleration[fresh]
    a["booked"][INFLOW] += ledger.energies(solver, after)["energy_total"] - before
    _pass(solver, np.arange(count, len(solver)), gate)


def _pass(solver: BeamSolver, rows: np.ndarray, gate: int) -> None:
    """Count the grains of these rows at a gate, with the energy of motion, spin and height that they carry."""
    a, n, body = solver.arrays, solver.triangle_count, ledger.bodies(solver)
    mass, state = a["mass"][:n], a["state"][:n]
    own = 0.5 * mass * np.sum(state[:, :2, 1] ** 2, axis=1) + 0.5 * a["inertia"][:n] * state[:, 2, 1] ** 2
    own -= mass * (state[:, :2, 0] @ a["gravity"][[0, 2]])
    carried = np.bincount(a["grain"][:n], own, len(solver))
    solver.count_passing(np.full(len(rows), gate), body.mass[rows], body.velocity[rows], carried[rows])


def remove(solver: BeamSolver, grains: np.ndarray, gate: int) -> None:
    """Take away grains (rows) through a gate; what their contacts and beams held is booked."""
    a, book, held = solver.arrays, ledger.energies, ledger.present(solver)
    before = book(solver, held)["energy_total"]
    gone = np.isin(a["grain"], grains)
    _pass(solver, np.sort(grains), gate)
    left = ~gone[a["ends"]].any(axis=1)  # a broken beam may have joined a piece that goes to one that stays
    a["booked"][BEAM] += float(a["lost"][~left].sum())
    index = np.cumsum(~gone) - 1
    names = np.cumsum(~np.isin(np.arange(len(solver)), grains)) - 1
    works = a["work"][gone].sum(axis=0)
    free_gone = int(np.count_nonzero(gone))
    for name in _ROWS:
        a[name] = np.ascontiguousarray(a[name][~gone])
    for name in _BEAMS:
        a[name] = np.ascontiguousarray(a[name][left])
    a["ends"] = index[a["ends"]].reshape(-1, 2)
    worst = a["worst"][1:].astype(np.int64)
    a["worst"][1:] = np.where(worst >= 0, np.where(gone[worst], GONE, index[worst]), worst)
    inside = a["grain"] >= 0
    a["grain"][inside] = names[a["grain"][inside]]
    keep = ~np.isin(np.arange(len(solver)), grains)
    for name in _GRAINS:
        a[name] = a[name][keep]
    a["wall_rows"] = a["wall_rows"] - free_gone
    stay = ~(gone[a["first"]] | gone[a["second"]])
    for name in ("allowed", "slip"):
        a[name] = a[name][stay] if len(a[name]) else a[name]
    a.update(first=index[a["first"]][stay], second=index[a["second"]][stay])
    a["tied"] = arrays.tied(a["ends"], len(a["bound"]))
    solver.rebuild()
    after = ledger.present(solver)
    # Work entered with the rows that went stays in the books; the energy of contacts and beams that ended goes out.
    a["booked"][NORMAL] += float(works[0] + works[2]) + after.stored - held.stored
    a["booked"][FRICTION] += float(works[1] + works[3]) + after.held - held.held
    a["booked"][BY_WALLS] += float(works[2] + works[3])
    a["booked"][OUTFLOW] += before - book(solver, after)["energy_total"]


def swallow(solver: BeamSolver) -> None:
    """Take away the grains that touch an absorbing wall."""
    a, state = solver.arrays, ledger.present(solver)
    pair = state.pair[a["material"][a["second"][state.pair]] == solver.hole]
    taken = state.load[: solver.triangle_count, TAKEN].astype(np.int64)
    inside = np.flatnonzero(taken)
    owner = np.searchsorted(a["wall_rows"][:, 1], a["second"][pair], side="right")
    grain = np.concatenate([a["grain"][a["first"][pair]], a["grain"][inside]])
    wall = np.concatenate([owner, a["smooth_wall"][taken[inside] - 1]])
    rows, first = np.unique(grain, return_index=True)
    gates = np.array([solver.model.gates.index(solver.model.walls.names[w]) for w in wall[first]], np.int64)
    names = a["id"][rows]
    for gate in np.unique(gates):
        remove(solver, np.flatnonzero(np.isin(a["id"], names[gates == gate])), int(gate))


def meet_walls(solver: BeamSolver) -> bool:
    """Enter which walls are there now; answers with whether that changed."""
    a, model = solver.arrays, solver.model
    there = common.wall_presence(model, model.walls.present(solver.time + 1e-9 * solver.dt, a["rule"]))
    changed = bool(np.any(there != a["wall_present"]))
    a["wall_present"] = there
    a["smooth_present"] = there[a["smooth_wall"]]
    n = solver.triangle_count
    owner = np.searchsorted(a["wall_rows"][:, 1], np.arange(n, len(a["bound"])), side="right")
    a["row_present"][n:] = there[owner] if len(owner) else True
    walls = model.walls
    gone = walls.servo_row[~there[walls.wall[walls.servo_piece]]]
    if len(gone):  # forces move no wall that is not there
        a["motion_table"][gone, RATE] = 0.0
    return changed


def exchange_walls(solver: BeamSolver) -> None:
    """Let walls appear and vanish as the present time and the events say; energy that ends so is work of the event."""
    before = ledger.present(solver)
    if meet_walls(solver):
        solver.rebuild()
        after, booked = ledger.present(solver), solver.arrays["booked"]
        pushes, friction = after.stored - before.stored, after.held - before.held
        booked[EVENTS] += pushes + friction
        booked[NORMAL] += pushes
        booked[FRICTION] += friction


def change_gravity(solver: BeamSolver, gravity: Sequence[float] | np.ndarray) -> None:
    """Let gravity be another one, (3,) m/s²; the jump of potential energy is work of the event."""
    a, n, before = solver.arrays, solver.triangle_count, ledger.potential(solver)
    x, z = np.subtract(gravity, a["gravity"])[[0, 2]]
    a["gravity"][:] = gravity
    a["booked"][EVENTS] += ledger.potential(solver) - before
    state = a["state"][:n]  # accelerations, and the torques about the origin, are those of the new gravity at once
    state[:, 0, 2] += x
    state[:, 1, 2] += z
    state[:, WHIRL, 2] += a["mass"][:n] * (state[:, 0, 0] * z - state[:, 1, 0] * x)
