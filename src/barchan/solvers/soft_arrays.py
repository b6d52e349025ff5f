"""The arrays of the soft-sphere solver, in the form the kernels want them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from barchan.geometry import conjugate, rotate
from barchan.model.build import Model
from barchan.model.grains import Grains

LANES = 16
GRAIN_ARRAYS = (
    "id", "group", "born", "start_count", "position", "velocity", "orientation", "angular", "turn", "motion", "inertia",
    "force", "torque", "held", "bound",
)  # fmt: skip
SPHERE_ARRAYS = ("place", "offset", "material", "origin")
GHOSTS = 2  # two spheres of no consequence, far from each other, fill the last block of pairs


class Arrays(NamedTuple):
    """What the kernels read and write; names as in `kernels/soft_motion.py`."""

    grains: int
    spheres: int
    frames: int
    blocks: int
    wall_contacts: int
    kinds: int
    start: Any
    offset: Any
    grain: Any
    material: Any
    place: Any
    origin: Any
    wear: Any
    position: Any
    velocity: Any
    orientation: Any
    angular: Any
    turn: Any
    motion: Any
    inertia: Any
    force: Any
    torque: Any
    held: Any
    tether_row: Any
    tether: Any
    pull: Any
    first: Any
    second: Any
    reduced: Any
    memory: Any
    slots: Any
    work: Any
    deepest: Any
    pair_range: Any
    link_start: Any
    links: Any
    wall_sphere: Any
    wall_piece: Any
    wall_start: Any
    wall_gap: Any
    wall_seam: Any
    wall_memory: Any
    wall_slots: Any
    wall_work: Any
    wall_deepest: Any
    wall_range: Any
    rest: Any
    pose: Any
    frame: Any
    mesh: Any
    facet_table: Any
    kind: Any
    shape_table: Any
    piece_material: Any
    motion_range: Any
    motion_kind: Any
    motion_table: Any
    servo: Any
    servo_table: Any
    servo_row: Any
    frame_servo: Any
    table: Any
    wall_table: Any
    box: Any
    inverse: Any
    course: Any
    drag: Any
    gravity: Any
    freedom: Any
    stiction: Any
    strayed: Any
    axial: Any
    reach: Any
    absorbing: Any
    begun: Any
    swallowed: Any


def grain_arrays(grains: Grains, model: Model) -> dict[str, np.ndarray]:
    """The arrays by grain and by sphere, with the ghosts' rows at the end of those that pairs refer to."""
    n, m = len(grains), len(grains.sphere_radius)
    motion = np.zeros((n + GHOSTS, 8))  # velocity, mass, spin, mean moment of inertia
    motion[:, 3] = motion[:, 7] = 1.0
    motion[:n, 0:3] = grains.velocity * model.freedom[:3]
    motion[:n, 3] = grains.mass
    motion[:n, 4:7] = grains.spin * model.freedom[3:]
    motion[:n, 7] = grains.inertia.mean(axis=1)
    position = np.zeros((n + GHOSTS, 3))
    position[:n] = grains.position
    place = np.zeros((m + GHOSTS, 4))
    place[:m, 3] = grains.sphere_radius
    place[m:, 3] = 1e-3 * grains.sphere_radius.min(initial=1.0)
    place[m + 1, :3] = np.where(model.box > 0, 0.25 * model.box, 1e3)
    offset = np.zeros((m + GHOSTS, 3))
    offset[:m] = grains.sphere_offset
    counts = np.diff(grains.start)
    material = np.zeros(m + GHOSTS, np.int64)
    material[:m] = np.repeat(grains.material, counts)
    body = rotate(conjugate(grains.orientation), motion[:n, 4:7])
    return {
        "id": grains.id.copy(),
        "group": grains.group.copy(),
        "born": grains.born.copy(),
        "start_count": counts,
        "bound": grains.radius.copy(),
        "position": position,
        "velocity": motion[:n, 0:3].copy(),
        "orientation": grains.orientation.copy(),
        "angular": rotate(grains.orientation, grains.inertia * body),
        "turn": np.zeros((n, 3)),
        "motion": motion,
        "inertia": grains.inertia.copy(),
        "force": np.zeros((n, 3)),
        "torque": np.zeros((n, 3)),
        "held": np.zeros((n, 4)),  # J taken by stiction, J of walls through it, and the present power of both
        "place": place,
        "offset": offset,
        "material": material,
        "origin": np.zeros((m + GHOSTS, 3)),
    }


def reorder(arrays: dict[str, np.ndarray], order: np.ndarray) -> np.ndarray:
    """Put the grains into this order, in place; answers with where each sphere stood before, (M,)."""
    n = len(order)
    counts = arrays["start_count"]
    start = np.concatenate([[0], np.cumsum(counts)])
    moved = counts[order]
    begin = np.concatenate([[0], np.cumsum(moved)])
    spheres = np.repeat(start[:-1][order] - begin[:-1], moved) + np.arange(begin[-1])
    for name in GRAIN_ARRAYS:
        arrays[name][:n] = arrays[name][:n][order]
    for name in SPHERE_ARRAYS:
        arrays[name][: len(spheres)] = arrays[name][: len(spheres)][spheres]
    return spheres


def sphere_arrays(arrays: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The first sphere of every grain, (N + 1,), and the grain of every sphere and ghost, (M + 2,)."""
    counts = arrays["start_count"]
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    n = len(counts)
    grain = np.concatenate([np.repeat(np.arange(n), counts), [n, n + 1]]).astype(np.int64)
    return start, grain


def blocks(entries: int) -> int:
    """How many blocks of lanes hold that many entries."""
    return -(-entries // LANES)


def lane(array: np.ndarray, entries: int, quantities: int) -> np.ndarray:
    """The blocked array as (entries, quantities)."""
    return array.reshape(-1, quantities, LANES).transpose(0, 2, 1).reshape(-1, quantities)[:entries]
