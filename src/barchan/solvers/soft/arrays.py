"""The arrays of the soft-sphere solver, in the form the kernels want them."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np

from barchan.geometry import conjugate, rotate
from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.solvers.soft.layout import HELD_COLUMNS, LANES

LINE = 64  # bytes
BY_ROW = ("place", "motion", "slots", "desk")  # arrays of which kernels read and write whole rows
GRAIN_ARRAYS = (
    "id", "group", "born", "start_count", "position", "velocity", "orientation", "angular", "turn", "motion", "inertia",
    "force", "torque", "held", "bound", "image",
)  # fmt: skip
SPHERE_ARRAYS = ("place", "offset", "material", "origin")
# What an evaluation of all contacts changes, beside what grains are told.
TOUCHED = (
    "pose", "wall_gap", "wall_seam", "wall_memory", "wall_slots", "servo", "motion_table", "tether", "pull", "drag",
    "swallowed", "hop",
)  # fmt: skip
FIRST_SKIN = 0.05  # of the smallest sphere's radius: skin of the first search
GHOSTS = 2  # two spheres of no consequence, far from each other, fill the last block of pairs


Row = Annotated[np.ndarray, "float64", 1]
Table = Annotated[np.ndarray, "float64", 2]
Integers = Annotated[np.ndarray, "int64", 1]
Ranges = Annotated[np.ndarray, "int64", 2]
Indices = Annotated[np.ndarray, "uint32", 1]
Spans = Annotated[np.ndarray, "uint32", 2]
Marks = Annotated[np.ndarray, "uint8", 1]


class Arrays(NamedTuple):
    """What the kernels read and write; names as in `solvers/soft/kernels/motion.py`."""

    grains: int
    spheres: int
    frames: int
    blocks: int
    wall_contacts: int
    kinds: int
    mask: int
    behind: int
    start: Integers
    offset: Table
    grain: Integers
    material: Integers
    place: Table
    origin: Table
    wear: Row
    position: Table
    velocity: Table
    orientation: Table
    angular: Table
    turn: Table
    motion: Table
    inertia: Table
    force: Table
    torque: Table
    held: Table
    tether_row: Integers
    tether: Table
    pull: Table
    first: Indices
    second: Indices
    first_grain: Indices
    second_grain: Indices
    reduced: Row
    memory: Row
    slots: Row
    pair_force: Table
    work: Row
    deepest: Row
    slid: Marks
    desk: Row
    spans: Spans
    links: Indices
    parts: Ranges
    late: Marks
    late_grain: Integers
    late_row: Integers
    far_pair: Indices
    far_start: Integers
    wall_sphere: Integers
    wall_piece: Integers
    wall_start: Integers
    wall_gap: Table
    wall_seam: Integers
    wall_memory: Row
    wall_slots: Row
    wall_work: Row
    wall_deepest: Row
    rest: Table
    pose: Table
    frame: Integers
    mesh: Integers
    facet_table: Table
    kind: Integers
    shape_table: Table
    piece_material: Integers
    motion_range: Ranges
    motion_kind: Integers
    motion_table: Table
    servo: Table
    servo_table: Table
    servo_row: Integers
    frame_servo: Integers
    table: Table
    wall_table: Table
    box: Row
    inverse: Row
    course: Row
    drag: Row
    gravity: Row
    freedom: Row
    stiction: Row
    strayed: Row
    axial: Row
    reach: Row
    absorbing: Row
    begun: Row
    swallowed: Row
    hop: Row

    @classmethod
    def empty(cls) -> Arrays:
        """Nothing, of the types that kernels are compiled for."""
        kinds = get_type_hints(cls, include_extras=True)
        made: dict[str, Any] = {}
        for name, kind in kinds.items():
            about = getattr(kind, "__metadata__", None)
            made[name] = np.zeros((0,) * about[1], about[0]) if about else 0
        return cls(**made)


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
        "held": np.zeros((n, HELD_COLUMNS)),
        "image": np.zeros((n, 3), np.int32),
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


def aligned(array: np.ndarray) -> np.ndarray:
    """The array, or a copy of it that begins where a line of the processor's cache does: whole rows are read."""
    if array.__array_interface__["data"][0] % LINE == 0:
        return array
    copy = aligned_zeros(array.size).reshape(array.shape)
    copy[:] = array
    return copy


def aligned_zeros(count: int) -> np.ndarray:
    """So many zeros, the first of them where a line of the processor's cache begins."""
    room = np.zeros(count + LINE // 8)
    begin = -room.__array_interface__["data"][0] % LINE // 8
    return room[begin : begin + count]


def blocks(entries: int) -> int:
    """How many blocks of lanes hold that many entries."""
    return -(-entries // LANES)


def lane(array: np.ndarray, entries: int, quantities: int) -> np.ndarray:
    """The blocked array as (entries, quantities)."""
    return array.reshape(-1, quantities, LANES).transpose(0, 2, 1).reshape(-1, quantities)[:entries]
