"""The arrays of the hard-sphere solver: grains, cells, walls, calendar, in the form the kernels want them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from barchan.geometry import matrix, rotate, unit
from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.parts.motions import FOREVER, Motion
from barchan.parts.motions.oscillate import Oscillate
from barchan.parts.motions.rotate import Rotate
from barchan.parts.motions.translate import Translate
from barchan.registry import built_in
from barchan.scene.materials import surface
from barchan.solvers.hard import layout

GRAIN_ARRAYS = ("grain", "link", "after", "before", "attitude", "image", "id", "group", "born")
CELLS_A_GRAIN = 4  # at the most
FEWEST_CELLS = 512
EMPTY = 1.0 + 1e-9  # cells are this much wider than the largest grain, so that round-off hides no neighbour
SLACK = 0.2  # of a grain's size, by which cells are wider where moving walls hold grains
# A resting grain bounces: no flight is shorter than this share of the time √(d/g) in which gravity moves it by its
# size.
CONTACT_SHARE = 0.1
SLOW_SHARE = 2.0  # of g times the contact time: collisions at a higher speed are no part of rest or collapse
FREE_SHARE = 1e-5  # without gravity: of the time it takes to go its own size
ELASTIC_SHARE = 1e-5  # of √(g d): the slowest bounce of an elastic grain that was put down at rest


def grain_arrays(grains: Grains, model: Model) -> dict[str, np.ndarray]:
    """The arrays by grain; columns as in layout.py."""
    n = len(grains)
    grain = np.zeros((n, layout.GRAIN_COLUMNS))
    grain[:, layout.PLACE] = grains.position
    grain[:, layout.VELOCITY] = grains.velocity * model.freedom[:3]
    grain[:, layout.RADIUS] = grains.sphere_radius
    grain[:, layout.SPIN] = grains.spin * model.freedom[3:]
    grain[:, layout.MASS] = grains.mass
    grain[:, layout.LAST] = -np.inf
    grain[:, layout.MATERIAL] = grains.material
    return {
        "grain": grain,
        "link": np.full((n, layout.LINK_COLUMNS), -1, np.int32),
        "after": np.full(n, -1, np.int32),
        "before": np.full(n, -1, np.int32),
        "attitude": grains.orientation.copy(),
        "image": np.zeros((n, 3), np.int32),
        "id": grains.id.copy(),
        "group": grains.group.copy(),
        "born": grains.born.copy(),
    }


def grid(position: np.ndarray, largest: float, model: Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Corner (3,) m, size (3,) m and numbers of cells, periodicity, and 0 held (7,) int64 for grains at these places.

    Along an open axis there is a cell to spare at either end.
    """
    low, high = model.low.copy(), model.low + model.box
    if len(position):
        low = np.where(model.periodic, low, position.min(axis=0))
        high = np.where(model.periodic, high, position.max(axis=0))
    extent = np.maximum(high - low, 0.0)
    most = max(CELLS_A_GRAIN * len(position), FEWEST_CELLS)
    moving = any(wall.sticky and wall.motion for wall in model.scene.walls)
    size = 2.0 * largest * (1.0 + SLACK if moving else EMPTY)
    while True:
        inner = np.maximum(np.floor(extent / size), 1.0)
        counts = inner + np.where(model.periodic, 0.0, 2.0)
        if counts.prod() <= most:
            break
        size *= 1.1
    sizes = np.where(model.periodic, extent / inner, np.maximum(size, extent / inner))
    corner = np.where(model.periodic, low, low - sizes)
    return corner, sizes, np.array([*counts, *model.periodic, 0], np.int64)


def surfaces(model: Model, rebounds: list[Callable[..., Any]], *, wall: bool) -> np.ndarray:
    """(kinds², 5) by pair of materials: a, tangential restitution, b, c, which restitution; a, b, c are constants."""
    scene, rows = model.scene, []
    kind = rebounds.index(type(scene.restitution).rebound)
    for one in scene.materials:
        for other in scene.materials:
            pair = surface(scene, one, other, wall)
            a, b, c = scene.restitution.constants(pair)
            rows.append([a, pair.tangential_restitution if scene.rotation else 1.0, b, c, kind])
    return np.array(rows, float)


def rebounds(model: Model) -> list[Callable[..., Any]]:
    """The restitutions that the loop over events is compiled with: the built-in ones, then the scene's own."""
    return list(dict.fromkeys([*built_in("restitutions", "rebound"), type(model.scene.restitution).rebound]))


def wall_arrays(model: Model, begun: np.ndarray) -> dict[str, np.ndarray]:
    """The walls' pieces, frames and motions; columns as in layout.py. begun: (F,) s."""
    walls, scene = model.walls, model.scene
    frames = len(walls.rest)
    rest, moved = np.zeros((frames, layout.BREAKS)), np.zeros((frames, 3), np.int64)
    rest[:, : layout.BEGUN] = walls.rest
    rest[:, layout.BEGUN] = begun
    axes = np.swapaxes(matrix(walls.rest[:, 3:7]), 1, 2).reshape(-1, 9)
    # Without the round-off of frames along the axes, what is balanced stays so.
    near = np.round(axes)
    rest[:, layout.MATRIX : layout.ROUND] = np.where(np.abs(axes - near) < 1e-15, near, axes)
    rest[:, layout.ROUND] = walls.axial
    moved[:, : layout.CLASS] = walls.motion_range
    breaks: list[list[float]] = [[] for _ in range(frames)]
    for f in range(frames):
        motions = scene.walls[walls.wall[int(np.flatnonzero(walls.frame == f)[0])]].motion
        moved[f, layout.CLASS] = _motion_class(motions, walls.rest[f], bool(walls.axial[f]))
        rest[f, layout.PIVOT : layout.BREAKS] = _wandering(motions)
        for motion in motions:
            rest[f, [layout.SHIFT, layout.TURN]] += motion.paces()
            if isinstance(motion, Oscillate):
                rest[f, layout.JOLT] += motion.amplitude * motion.omega**2
            breaks[f] += [t for t in getattr(motion, "interval", tuple)() if 0 < t < FOREVER]
    table = np.full((frames, max([len(times) for times in breaks], default=0)), np.inf)
    for f, times in enumerate(breaks):
        table[f, : len(times)] = sorted(times)
    sticky = np.array([scene.walls[owner].sticky for owner in walls.wall], bool)
    grip = np.where(sticky, layout.STICKY, walls.absorbing.astype(np.int64))
    return {
        "piece": np.column_stack([walls.frame, walls.kind, walls.material, grip]),
        "shape_table": walls.shape_table,
        "frame": moved,
        "rest": np.ascontiguousarray(np.column_stack([rest, table])),
        "motion_kind": walls.motion_kind,
        "motion_table": walls.motion_table,
    }


def _wandering(motions: Sequence[Motion]) -> tuple[float, float, float, float, float]:
    """A point, m, about which the motions turn; and how far from it other such points are at most, or are carried: so
    many m, and so many m for every second.
    """
    turning = [k for k, motion in enumerate(motions) if motion.paces()[1] > 0.0]
    if not turning:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    pivot, far, pace = np.array(motions[turning[-1]].pivot()), 0.0, 0.0
    for k in turning:
        own = np.array(motions[k].pivot())
        way, rate = motions[k].strays()
        for later in motions[k + 1 :]:
            if later.paces()[1] > 0.0:
                way += 2 * float(np.linalg.norm(own - later.pivot()))
            way, rate = way + later.strays()[0], rate + later.strays()[1]
        far, pace = max(far, way + float(np.linalg.norm(own - pivot))), max(pace, rate)
    return (*pivot.tolist(), far, pace)


def _motion_class(motions: tuple[Any, ...], rest: np.ndarray, axial: bool) -> int:
    """How much is known of the way a frame's surface moves."""
    if not motions:
        return layout.STILL
    if all(isinstance(motion, (Translate, Oscillate)) for motion in motions):
        return layout.SHIFTING
    if len(motions) == 1 and isinstance(motions[0], Rotate):
        axis, own = unit(motions[0].axis), rotate(rest[3:7], np.array([0.0, 0.0, 1.0]))
        off = rest[:3] - np.array(motions[0].center)
        lies_on = np.linalg.norm(off - axis * (off @ axis)) <= 1e-12 * (1.0 + np.linalg.norm(off))
        if axial and abs(axis @ own) > 1 - 1e-14 and lies_on:
            return layout.SPINNING
        return layout.TURNING
    return layout.WILD


def cell_ranges(model: Model, space: np.ndarray, cells: np.ndarray, reach: float) -> np.ndarray:
    """(P, 6) first and last + 1 cell along each axis that a piece at rest lies near; all cells for endless ones."""
    walls, (corner, size) = model.walls, space[layout.CORNER : layout.CONTACT_TIME].reshape(2, 3)
    ranges = np.tile(np.array([0, cells[0], 0, cells[1], 0, cells[2]], np.int64), (len(walls), 1))
    for p in np.flatnonzero(walls.mesh >= 0):
        rest = walls.rest[walls.frame[p]]
        points = rest[:3] + rotate(rest[3:7], walls.shape_table[p, :9].reshape(3, 3))
        first = np.floor((points.min(axis=0) - reach - corner) / size)
        last = np.floor((points.max(axis=0) + reach - corner) / size) + 1
        ranges[p, 0::2] = np.clip(first, 0, cells[:3])
        ranges[p, 1::2] = np.clip(last, 0, cells[:3])
    return ranges


def rest_rules(model: Model, gravity: np.ndarray, size: float, speed: float) -> tuple[float, float, float]:
    """Contact time, s, and the slowest speeds, m/s, at which grains leave walls: damped ones, and elastic ones.

    `size` is a grain's, m, `speed` a mean one, m/s. The contact time is the scene's, or short against the time in which
    gravity, or without it the grain's own speed, moves a grain by its size. A bounce at the slowest speed lasts half
    the contact time.
    """
    weight = float(np.linalg.norm(gravity))
    time = model.scene.hard.contact_time
    if time is None:
        time = CONTACT_SHARE * math.sqrt(size / weight) if weight > 0 else FREE_SHARE * size / max(speed, 1e-300)
    least = ELASTIC_SHARE * math.sqrt(weight * size)
    return float(time), max(0.25 * weight * time, least), least


def blocked(index: np.ndarray) -> np.ndarray:
    """A number for every cell (N, 3) that is alike for cells near each other: the bits of the three, interleaved."""
    number = np.zeros(len(index), np.int64)
    for bit in range(20):
        for axis in range(3):
            number |= ((index[:, axis] >> bit) & 1) << (3 * bit + axis)
    return number
