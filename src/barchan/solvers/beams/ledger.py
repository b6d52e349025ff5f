"""Reading the state of triangles and beams: energies, grains as bodies, frames, and what observables see."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from barchan.frame import Contacts, Frame, fields_of
from barchan.scene.beams_frame import BeamLines, Corners, Strips
from barchan.solvers import common

from barchan.solvers.beams.layout import (  # isort: skip
    AREA, BEAM_STORED, DRAG_X, DRAG_Z, HELD, LOADS, MODE, POINT_X, POINT_Z, PUSH_X, PUSH_Z, STORED, WALL_COLUMNS,
    WALL_HELD, WALL_MODE, WALL_PART, WALL_POINT_X, WALL_POINT_Z, WALL_STORED, WALL_X, WALL_Z,
)  # fmt: skip

if TYPE_CHECKING:
    from barchan.solvers.beams.solver import BeamSolver


# Places in `booked`, J: energy that grains bring and take, work of events; and what stays of grains that have gone:
# losses at contacts, in beams and by friction, and the work of walls; and potential energy that going round a periodic
# box has taken out.
BOOKS = 8
INFLOW, OUTFLOW, EVENTS, NORMAL, BEAM, FRICTION, BY_WALLS, WRAPPED = range(BOOKS)


class Present(NamedTuple):
    """Contacts and beams for the present places, without a trace left in the run."""

    pair: np.ndarray  # (C,) int64, rows of the list of near pairs that overlap
    out: np.ndarray  # (pairs, …) what they do
    load: np.ndarray  # (rows, …)
    stored: float  # J, in contacts that push
    held: float  # J, in the springs of friction
    beam_energy: float  # J
    world: np.ndarray  # (rows, 6) m
    beam_now: np.ndarray  # (B, …) what beams do


class Bodies(NamedTuple):
    """The grains as rigid bodies, in the order of the solver's rows."""

    mass: np.ndarray  # (N,) kg
    position: np.ndarray  # (N, 3) m
    velocity: np.ndarray  # (N, 3) m/s
    spin: np.ndarray  # (N,) rad/s, counter-clockwise: angular momentum over moment of inertia
    angle: np.ndarray  # (N,) rad
    inertia: np.ndarray  # (N,) kg m², about y
    radius: np.ndarray  # (N,) m


def present(solver: BeamSolver) -> Present:
    """Contacts and beams as they are now."""
    c = solver.packed()
    a = solver.arrays
    c = c._replace(work=a["work"].copy(), beam_loss=a["beam_loss"].copy(), lost=a["lost"].copy())
    count = solver.find_forces(c)
    pair = c.overlaps[:count].copy()
    stored = float(c.out[pair, STORED].sum() + c.load[: c.free, WALL_STORED].sum())
    held = float(c.out[pair, HELD].sum() + c.load[: c.free, WALL_HELD].sum())
    return Present(pair, c.out, c.load, stored, held, float(c.beam_now[:, BEAM_STORED].sum()), c.world, c.beam_now)


def kinetic(solver: BeamSolver) -> float:
    """Kinetic energy, J."""
    a, n = solver.arrays, solver.triangle_count
    rate = a["state"][:n, :, 1]
    moving = np.sum(a["mass"][:n] * (rate[:, 0] ** 2 + rate[:, 1] ** 2))
    return float(0.5 * moving + 0.5 * np.sum(a["inertia"][:n] * rate[:, 2] ** 2))


def potential(solver: BeamSolver) -> float:
    """Potential energy, J."""
    a, n = solver.arrays, solver.triangle_count
    height = np.sum(a["mass"][:n, None] * a["state"][:n, :2, 0] * a["gravity"][[0, 2]])
    return float(a["booked"][WRAPPED] - height)


def energies(solver: BeamSolver, state: Present) -> dict[str, float]:
    """The ledger, J: see `parts/observables/energy.py`."""
    a, n = solver.arrays, solver.triangle_count
    work = a["work"][:n].sum(axis=0)
    pushed_by, dragged_by = a["work"][n:, 0].sum() + work[2], a["work"][n:, 1].sum() + work[3]
    gone = a["booked"]
    servo_kinetic, driven, lost, given = common.servo_work(
        solver.model, a["servo"], a["motion_table"], 0.5 * solver.dt
    )  # fmt: skip
    book = {
        "kinetic_energy": kinetic(solver) + servo_kinetic,
        "potential_energy": potential(solver),
        "stored_energy": state.stored + state.held,
        "dissipated_normal": float(work[0] + pushed_by + solver.stored_at_start - state.stored + gone[NORMAL]),
        "dissipated_friction": float(work[1] + dragged_by - state.held + gone[FRICTION]),
        "dissipated_rolling": 0.0,
        "dissipated_stiction": 0.0,
        "beam_energy": state.beam_energy,
        "dissipated_beams": float(a["lost"].sum() + gone[BEAM]),
    }
    inside = sum(book.values())
    book["wall_work"] = float(pushed_by + dragged_by + gone[BY_WALLS]) - given + driven - lost
    for line, name in enumerate(("inflow_energy", "outflow_energy", "event_work")):
        book[name] = float(gone[line])
    total = inside - book["wall_work"] - book["inflow_energy"] + book["outflow_energy"] - book["event_work"]
    return {**book, "energy_error": total - solver.energy_at_start, "energy_total": total}


def bodies(solver: BeamSolver) -> Bodies:
    """Mass, place, velocity and spin of every grain from its triangles."""
    a, n, count = solver.arrays, solver.triangle_count, len(solver)
    grain, mass, state = a["grain"][:n], a["mass"][:n], a["state"][:n]
    total = np.bincount(grain, mass, count)
    position, velocity = np.zeros((count, 3)), np.zeros((count, 3))
    for axis, column in ((0, 0), (2, 1)):
        position[:, axis] = np.bincount(grain, mass * state[:, column, 0], count) / total
        velocity[:, axis] = np.bincount(grain, mass * state[:, column, 1], count) / total
    x, z = state[:, 0, 0] - position[grain, 0], state[:, 1, 0] - position[grain, 2]
    u, w = state[:, 0, 1] - velocity[grain, 0], state[:, 1, 1] - velocity[grain, 2]
    turning = np.bincount(grain, mass * (x * w - z * u) + a["inertia"][:n] * state[:, 2, 1], count)
    inertia = np.bincount(grain, mass * (x * x + z * z) + a["inertia"][:n], count)
    radius = np.zeros(count)
    np.maximum.at(radius, grain, np.hypot(x, z) + a["bound"][:n])
    angle = np.bincount(grain, mass * state[:, 2, 0], count) / total
    return Bodies(total, position, velocity, turning / inertia, angle, inertia, radius)


def touching(solver: BeamSolver, state: Present, shift: np.ndarray) -> Contacts:
    """Overlaps of triangles, then those at smooth walls; shift: (N, 3) m, how far grains are ahead of their images."""
    both, names = (_overlapping(solver, state), _at_smooth_walls(solver, state)), solver.arrays["id"]
    seen = Contacts(*(np.concatenate([getattr(one, field.name) for one in both]) for field in fields_of(Contacts)))
    seen.point -= shift[seen.first]
    seen.first = names[seen.first]
    seen.second = np.where(seen.second >= 0, names[np.maximum(seen.second, 0)], seen.second)
    return seen


def _at_smooth_walls(solver: BeamSolver, state: Present) -> Contacts:
    """Triangles with a part behind half-planes and circles, which is their overlap; grains by row."""
    a, n = solver.arrays, solver.triangle_count
    kept = state.load[:n, LOADS:].reshape(n, len(a["smooth_kind"]), WALL_COLUMNS)
    t, w = np.nonzero(kept[:, :, WALL_PART] > 0)
    row, point, force = kept[t, w], np.zeros((len(t), 3)), np.zeros((len(t), 3))
    force[:, [0, 2]], point[:, [0, 2]] = row[:, [WALL_X, WALL_Z]], row[:, [WALL_POINT_X, WALL_POINT_Z]]
    area, nothing = a["area"][t], np.zeros(len(t), np.int64)
    return Contacts(
        a["grain"][t], -1 - a["smooth_wall"][w], point, force, row[:, WALL_PART] / np.sqrt(area),
        row[:, WALL_MODE].astype(np.int8), nothing, row[:, WALL_PART] / area,
    )  # fmt: skip


def _overlapping(solver: BeamSolver, state: Present) -> Contacts:
    """Overlaps of triangles, grains by row; `overlap` is the area over the square root of the smaller triangle's, m,
    `depth` over that area, or at strips over what fits into them.

    Rows of walls come last, so that a wall's triangle is always the second of a pair.
    """
    a, pair, n = solver.arrays, state.pair, solver.triangle_count
    i, k = a["first"][pair], a["second"][pair]
    row = state.out[pair]
    real = row[:, AREA] > 0
    i, k, row = i[real], k[real], row[real]
    force = np.zeros((len(row), 3))
    force[:, [0, 2]] = row[:, [PUSH_X, PUSH_Z]] + row[:, [DRAG_X, DRAG_Z]]
    point = np.zeros((len(row), 3))
    point[:, [0, 2]] = row[:, [POINT_X, POINT_Z]]
    wall = np.searchsorted(a["wall_rows"][:, 1], k, side="right") if len(a["wall_rows"]) else np.zeros(len(k), int)
    second = np.where(k < n, a["grain"][k], -1 - wall)
    smaller = np.minimum(a["area"][i], a["area"][k])
    whole = np.where(k < n, smaller, np.minimum(smaller, a["thick"] * np.sqrt(a["area"][i])))  # as `whole_area`
    overlap, depth, mode = row[:, AREA] / np.sqrt(smaller), row[:, AREA] / whole, row[:, MODE].astype(np.int8)
    face = np.zeros(len(k), np.int64)
    face[k >= n] = a["side"][k[k >= n] - n]
    return Contacts(a["grain"][i], second, point, force, overlap, mode, face, depth)


def frame(solver: BeamSolver) -> Frame:
    """The present moment, grains in the order of their ids; circles about the triangles are its spheres."""
    a, n, body = solver.arrays, solver.triangle_count, bodies(solver)
    order = np.argsort(a["id"])
    state, count = present(solver), common.crossings(solver.model, solver.model.box, body.position)
    shift = count * solver.model.box
    rank = np.empty(len(solver), np.int64)
    rank[order] = np.arange(len(solver))
    triangles = np.argsort(rank[a["grain"][:n]], kind="stable")
    place = np.zeros((n, 3))
    place[:, [0, 2]] = a["state"][triangles, :2, 0]
    away = shift[a["grain"][triangles]]
    half, spin = -0.5 * body.angle[order], np.zeros((len(solver), 3))
    spin[:, 1] = -body.spin[order]
    inertia = np.full((len(solver), 3), np.nan)
    inertia[:, 1] = body.inertia
    zero = np.zeros(len(solver))
    where = np.empty(n, np.int64)
    where[triangles] = np.arange(n)
    made = Frame(
        time=solver.time, step=solver.step, id=a["id"][order], group=a["group"][order],
        position=(body.position - shift)[order], image=common.images(a["image"], count)[order],
        orientation=np.stack([np.cos(half), zero, np.sin(half), zero], axis=1),
        velocity=body.velocity[order], spin=spin, mass=body.mass[order], inertia=inertia[order],
        radius=body.radius[order], born=a["born"][order],
        sphere_grain=rank[a["grain"][:n]][triangles], sphere_position=place - away, sphere_radius=a["bound"][triangles],
        sphere_offset=np.full((n, 3), np.nan), wall_pose=wall_poses(solver), wall_present=a["wall_present"].copy(),
        tables=(
            Corners(state.world[triangles] - np.tile(away[:, [0, 2]], 3)),
            BeamLines(
                where[a["ends"]], a["broken"].astype(np.int8), a["broken_at"].copy(), a["yielded_at"].copy(),
                a["sides"].copy(),
            ),
            Strips(
                np.repeat(np.arange(len(a["wall_rows"])), np.diff(a["wall_rows"])[:, 0]),
                a["body"][n:] + np.tile(a["wall_rest"], 3),
            ),
        ),
        cell=common.cell_rows(solver.model.low, solver.model.box),
    )  # fmt: skip
    steps = {"steps_accepted": solver.step, "steps_rejected": 0, "shortest_step": solver.dt, "longest_step": solver.dt}
    return solver.live(
        made, steps, contacts=lambda: touching(solver, state, shift),
        ledger=lambda: energies(solver, state),
    )  # fmt: skip


def wall_poses(solver: BeamSolver) -> np.ndarray:
    """(W, 7): a wall's point X0 at rest is found now at p + q·X0."""
    model = solver.model
    since = np.zeros(len(model.walls.rest))
    since[model.walls.frame] = solver.arrays["begun"][model.walls.wall]
    return common.wall_poses(model, solver.time, since, solver.arrays["motion_table"])
