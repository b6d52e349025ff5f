"""The arrays of the solver `beams`, in the form the kernels want them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from barchan.model.build import Model
from barchan.model.build_triangles import Triangles, build_triangles, turned
from barchan.model.grains import Grains
from barchan.model.layout import SERVO_COLUMNS
from barchan.scene.materials import flat_young, surface
from barchan.solvers.base import BY_TIME, REMOVED
from barchan.solvers.beams import walls as beams_walls
from barchan.solvers.beams.layout import BEAM_COLUMNS, LOADS, OVERLAP_COLUMNS, WALL_COLUMNS, WHIRL, WORKS
from barchan.solvers.beams.ledger import BOOKS, WRAPPED

SKIN = 0.3  # of the mean circle about a triangle


class Arrays(NamedTuple):
    """What the kernels read and write; names as in `solvers/beams/kernels/advance.py`."""

    rows: int
    free: int
    beams: int
    pairs: int
    kinds: int
    smooth: int
    moved_walls: int
    hole: int
    graded: bool
    slow: float
    grip: float
    state: Any
    body: Any
    facing: Any
    world: Any
    mass: Any
    inertia: Any
    area: Any
    bound: Any
    material: Any
    origin: Any
    first: Any
    second: Any
    round_way: Any
    allowed: Any
    slip: Any
    slip_before: Any
    parting: Any
    touching: Any
    overlaps: Any
    out: Any
    load: Any
    work: Any
    acceleration: Any
    wall_power: Any
    table: Any
    ends: Any
    foot: Any
    beam_rest: Any
    length: Any
    made: Any
    broken: Any
    yielded: Any
    lost: Any
    beam_loss: Any
    beam_now: Any
    tied: Any
    constants: Any
    limit: Any
    gravity: Any
    wall_rows: Any
    wall_rest: Any
    side: Any
    thick: Any
    smooth_wall: Any
    smooth_kind: Any
    smooth_rest: Any
    smooth_now: Any
    smooth_motion: Any
    smooth_material: Any
    smooth_present: Any
    smooth_servo: Any
    wall_slip: Any
    servo: Any
    servo_table: Any
    servo_row: Any
    servo_wall: Any
    motion_table: Any
    reaction: Any
    seen: Any
    worst: Any


SCRATCH = (
    "facing", "world", "slip_before", "parting", "touching", "overlaps", "out", "load", "acceleration", "wall_power",
    "beam_now", "reaction",
)  # fmt: skip
COUNTS = ("rows", "free", "beams", "pairs", "kinds", "smooth", "moved_walls", "hole", "graded", "slow", "grip")


def first_arrays(model: Model, grains: Grains, triangles: Triangles) -> dict[str, np.ndarray]:
    """All arrays of a scene at its start, but for the lists."""
    scene, free = model.scene, len(triangles)
    own, beams = triangle_rows(model, triangles), beam_rows(triangles)
    reach = float(max(own["bound"].max(initial=0.0), poured_bounds(model).max(initial=0.0))) or 1e-3
    materials = list(scene.materials)
    owner = [hole(model) if wall.absorbing else materials.index(wall.material) for wall in scene.walls]
    thick = scene.beams.wall_thickness or reach
    walls = beams_walls.beam_walls(model, owner, thick, 2 * reach)
    middle = walls.corners.mean(axis=1)
    count = len(middle)
    state = np.zeros((count, WHIRL + 1, 5))
    state[:, :2, 0] = middle
    body = (walls.corners - middle[:, None]).reshape(-1, 6)
    wall_rows = free + np.searchsorted(walls.wall, np.arange(len(scene.walls) + 1))
    of_walls = {
        "grain": np.full(count, -1, np.int64), "state": state, "body": body, "mass": np.full(count, 1e30),
        "inertia": np.full(count, 1e30), "area": np.bincount(walls.side, beams_area(walls.corners))[walls.side],
        "bound": bounds(body),
        "material": np.array(owner, np.int64)[walls.wall], "work": np.zeros((count, WORKS)),
        "row_present": np.ones(count, bool), "wall_slip": wall_slip(model, count),
    }  # fmt: skip
    return {
        "id": grains.id.copy(), "group": grains.group.copy(), "born": grains.born.copy(),
        "piece": np.zeros(len(grains), bool),
        "image": np.zeros((len(grains), 3), np.int32),
        **{name: np.concatenate([array, of_walls[name]]) for name, array in own.items()},
        **beams, "tied": tied(triangles.ends, free + count),
        "gravity": model.gravity.copy(),
        "rule": np.where(model.walls.hidden, REMOVED, BY_TIME),
        **beams_walls.frames(model),
        "wall_rows": np.stack([wall_rows[:-1], wall_rows[1:]], axis=1).astype(np.int64).reshape(-1, 2),
        "wall_rest": middle.copy(), "side": walls.side, "thick": np.array([thick]),
        "smooth_wall": walls.smooth_wall,
        "smooth_kind": walls.smooth_kind, "smooth_rest": walls.smooth_rest,
        "smooth_now": np.zeros((len(walls.smooth_rest), 4)),
        "smooth_motion": np.zeros((len(walls.smooth_rest), 3)), "smooth_material": walls.smooth_material,
        "smooth_present": np.ones(len(walls.smooth_rest), bool), "wall_present": np.ones(len(scene.walls), bool),
        "seen": np.zeros(7, np.int64), "worst": np.array([0.0, -1.0, -1.0]),
        "gates": np.zeros((len(model.gates), 7)), "marked": np.zeros(len(model.gates) + 1),
        "booked": np.zeros(BOOKS), "happened": np.zeros(4, np.int64),
        **servos(model),
    }  # fmt: skip


def hole(model: Model) -> int:
    """What absorbing walls are made of: a material that pushes nothing, after all others; −1 where there are none."""
    return model.kinds if any(wall.absorbing for wall in model.scene.walls) else -1


def grips(model: Model) -> bool:
    """Whether friction has a memory, and there is some."""
    return model.scene.beams.grip > 0 and bool((constants(model)["table"][:, 1] > 0).any())


def wall_slip(model: Model, rows: int) -> np.ndarray:
    """(rows, smooth walls) m, how far friction at each of them is drawn out; (rows, 0) where it has no memory."""
    smooth = sum(beams_walls.is_smooth(wall) for wall in model.scene.walls)
    return np.zeros((rows, smooth if grips(model) else 0))


def triangle_rows(model: Model, triangles: Triangles) -> dict[str, np.ndarray]:
    """What the solver has of every triangle of a grain."""
    free = len(triangles)
    state = np.zeros((free, WHIRL + 1, 5))
    state[:, :2, 0], state[:, 2, 0] = triangles.position, triangles.angle
    state[:, :2, 1], state[:, 2, 1] = triangles.velocity, triangles.spin
    return {
        "grain": triangles.grain.astype(np.int64), "state": state, "body": triangles.body, "mass": triangles.mass,
        "inertia": triangles.inertia, "area": triangles.area, "bound": bounds(triangles.body),
        "material": triangles.material.astype(np.int64), "work": np.zeros((free, WORKS)),
        "row_present": np.ones(free, bool), "wall_slip": wall_slip(model, free),
    }  # fmt: skip


def beam_rows(triangles: Triangles) -> dict[str, np.ndarray]:
    """What the solver has of every beam."""
    beams = len(triangles.length)
    return {
        "ends": triangles.ends.copy(), "foot": triangles.foot.copy(), "beam_rest": triangles.rest.copy(),
        "length": triangles.length.copy(), "made": triangles.length.copy(), "sides": joined_sides(triangles),
        "broken": np.zeros(beams, np.int64), "yielded": np.zeros(beams, np.int64),
        "broken_at": np.full(beams, np.nan), "yielded_at": np.full(beams, np.nan), "lost": np.zeros(beams),
        "beam_loss": np.zeros(beams),
    }  # fmt: skip


def joined_sides(triangles: Triangles) -> np.ndarray:
    """(beams, 2) int8, which sides of their two triangles beams join, counted from 1: those whose middles coincide."""
    body = triangles.body.reshape(-1, 3, 2)
    corners = triangles.position[:, None] + turned(body, triangles.angle[:, None])
    middle = 0.5 * (corners + np.roll(corners, -1, axis=1))
    one, other = middle[triangles.ends[:, 0]], middle[triangles.ends[:, 1]]
    apart = np.linalg.norm(one[:, :, None] - other[:, None], axis=3).reshape(-1, 9).argmin(axis=1)
    return np.stack(np.divmod(apart, 3), axis=1).astype(np.int8) + np.int8(1)


def bounds(body: np.ndarray) -> np.ndarray:
    """Radii (n,) m of the circles about triangles with corners (n, 6) m, and about their centres of mass."""
    return np.asarray(np.linalg.norm(body.reshape(-1, 3, 2), axis=2).max(axis=1, initial=0.0))


def first_skin(model: Model, bound: np.ndarray) -> float:
    """The skin, m, of the first lists, from the circles (T,) m about those at the start."""
    return SKIN * next((float(one.mean()) for one in (bound, poured_bounds(model)) if len(one)), 1e-3)


def poured_bounds(model: Model) -> np.ndarray:
    """The same of the smallest and the largest grains that sources will pour."""
    return bounds(build_triangles(model.scene, model.poured).body)


def beams_area(corners: np.ndarray) -> np.ndarray:
    """Areas (n,) m² of counter-clockwise triangles (n, 3, 2) m."""
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    return np.asarray(0.5 * (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]))


def tied(ends: np.ndarray, rows: int) -> np.ndarray:
    """(rows, 3) beams of every triangle, as in `accelerate`."""
    found = np.zeros((rows, 3), np.int64)
    names = np.arange(1, len(ends) + 1)
    triangle = np.concatenate([ends[:, 0], ends[:, 1]]).astype(np.int64)
    signed = np.concatenate([names, -names])
    order = np.lexsort((np.abs(signed), triangle))
    triangle, signed = triangle[order], signed[order]
    place = np.arange(len(triangle)) - np.searchsorted(triangle, triangle)
    found[triangle, place] = signed
    return found


def servos(model: Model) -> dict[str, np.ndarray]:
    """State of the walls that are moved by forces, at rest where the scene has them."""
    return {
        "servo": np.zeros((len(model.walls.servo_row), SERVO_COLUMNS)), "servo_table": model.walls.servo_table.copy(),
    }  # fmt: skip


def scratch(rows: int, free: int, pairs: int, beams: int, servos: int, smooth: int) -> dict[str, np.ndarray]:
    """Arrays that every step fills anew."""
    return {
        "facing": np.zeros((rows, 2)), "world": np.zeros((rows, 6)), "slip_before": np.zeros(pairs),
        "parting": np.zeros(pairs, np.int8), "touching": np.zeros(pairs, np.int8),
        "overlaps": np.zeros(pairs, np.int64), "out": np.zeros((pairs, OVERLAP_COLUMNS)),
        "load": np.zeros((rows, LOADS + WALL_COLUMNS * smooth)),
        "acceleration": np.zeros((free, WHIRL + 1)),
        "wall_power": np.zeros((free, 2)), "beam_now": np.zeros((beams, BEAM_COLUMNS)),
        "reaction": np.zeros((free, servos, 3)),
    }  # fmt: skip


def constants(model: Model) -> dict[str, np.ndarray]:
    """Numbers of a scene that do not change: stiffness of contacts, beams and their limits."""
    scene, beams = model.scene, model.scene.beams
    kinds = model.kinds + (hole(model) >= 0)
    table = np.zeros((kinds, kinds, 2))
    for i, a in enumerate(scene.materials):
        for k, b in enumerate(scene.materials):
            table[i, k] = flat_young(scene, a, b), surface(scene, a, b, False).friction
    breaks, yields = beams.breakage, beams.yielding
    limits = [
        breaks and breaks.stretch, breaks and breaks.force, breaks and breaks.moment, yields and yields.force,
        yields and yields.moment,
    ]  # fmt: skip
    bending, turning = beams.stiffness * beams.inertia, beams.damping * beams.inertia
    moved = model.walls.wall[model.walls.servo_piece]
    owner = {int(wall): s for s, wall in enumerate(moved)}
    smooth = [owner.get(k, -1) for k, wall in enumerate(scene.walls) if beams_walls.is_smooth(wall)]
    return {
        "servo_row": model.walls.servo_row,
        "servo_wall": moved.astype(np.int64),
        "smooth_servo": np.array(smooth, np.int64),
        "table": table.reshape(-1, 2),
        "constants": np.array([beams.stiffness, bending, beams.damping, turning]),
        "limit": np.array([np.inf if one is None else one for one in limits]),
    }


def wrap(a: dict[str, np.ndarray], shift: np.ndarray) -> None:
    """Move grains by minus `shift` (N, 3) m, round a periodic box; the ledger keeps their potential energy."""
    free = int(np.count_nonzero(a["grain"] >= 0))
    x, z = shift[a["grain"][:free]][:, [0, 2]].T
    state, mass = a["state"][:free], a["mass"][:free]
    a["booked"][WRAPPED] -= float(np.sum(mass * (x * a["gravity"][0] + z * a["gravity"][2])))
    state[:, 0, 0] -= x
    state[:, 1, 0] -= z
    for k in range(2, 5):  # torques about the origin, and their derivatives
        state[:, WHIRL, k] -= mass * (x * state[:, 1, k] - z * state[:, 0, k])
