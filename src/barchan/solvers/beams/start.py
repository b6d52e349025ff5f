"""Triangles and walls at the start of a scene, and what overlaps there: found without compiled code."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from barchan.model.build import Model
from barchan.model.build_triangles import Triangles, turned
from barchan.model.grains import Grains
from barchan.solvers import common
from barchan.solvers.beams import arrays as beams_arrays
from barchan.solvers.beams.layout import FLAT

Arrays = dict[str, np.ndarray]


class Overlaps(NamedTuple):
    """Triangles that lie in other ones, in sides of walls, or behind smooth walls."""

    first: np.ndarray  # (C,) row of the grain
    second: np.ndarray  # (C,) row of the other grain, or −1 − wall
    depth: np.ndarray  # (C,) share of the smaller triangle, or at strips of what fits into them


def arrays(model: Model, grains: Grains, triangles: Triangles) -> Arrays:
    """The arrays of the solver, with walls where they are at the start."""
    a, n = beams_arrays.first_arrays(model, grains, triangles), len(triangles)
    poses, present = common.walls_at_start(model)
    there = common.wall_presence(model, present)
    place, angle = poses[:, [0, 2]], -2.0 * np.arctan2(poses[:, 5], poses[:, 3])
    owner, smooth = np.repeat(np.arange(len(there)), np.diff(a["wall_rows"])[:, 0]), a["smooth_wall"]
    a["state"][n:, :2, 0] = place[owner] + turned(a["wall_rest"], angle[owner])
    a["state"][n:, 2, 0] = angle[owner]
    a["row_present"][n:], a["smooth_present"] = there[owner], there[smooth]
    point, other = a["smooth_rest"][:, :2], a["smooth_rest"][:, 2:]
    flat = (a["smooth_kind"] == FLAT)[:, None]
    a["smooth_now"] = np.hstack([
        place[smooth] + turned(point, angle[smooth]), np.where(flat, turned(other, angle[smooth]), other)
    ])  # fmt: skip
    return a


def least_period(model: Model, grains: Grains, triangles: Triangles, a: Arrays) -> float:
    """The shortest, m, that a periodic axis may be: no triangle may touch one, nor a grain itself, on both sides."""
    own = a["bound"][: len(triangles)]
    bound = max(a["bound"].max(initial=0.0), beams_arrays.poured_bounds(model).max(initial=0.0))
    arm = np.linalg.norm(triangles.position - grains.position[triangles.grain][:, [0, 2]], axis=1)
    radius = max((arm + own).max(initial=0.0), model.poured.radius.max(initial=0.0))
    skin = beams_arrays.first_skin(model, own)
    return float(max(2 * (2 * bound + skin), 2 * radius + skin))


def overlaps(model: Model, a: Arrays, behind: np.ndarray) -> Overlaps:
    """All overlaps; behind: as in `behind_walls`."""
    import shapely

    n, grain, area = len(behind), a["grain"], a["area"]
    corner = corners(a)
    polygon = shapely.polygons(corner)
    tree = shapely.STRtree(polygon)
    found: list[Any] = [np.zeros((3, 0))]
    steps = [(-length, 0.0, length) if length else (0.0,) for length in model.box[[0, 2]]]
    for step in itertools.product(*steps):  # round a periodic box
        moved = shapely.polygons(corner[:n] + step)
        i, k = tree.query(moved, predicate="intersects")
        real = np.where(k < n, (i < k) & (grain[i] != grain[k]), a["row_present"][k])
        i, k = i[real], k[real]
        found.append([i, k, shapely.area(shapely.intersection(moved[i], polygon[k]))])
    i, k, shared = np.hstack(found)
    i, k = i[shared > 0].astype(np.int64), k[shared > 0].astype(np.int64)
    shared, strip = shared[shared > 0], k >= n
    pairs = Overlaps(
        grain[i[~strip]], grain[k[~strip]], shared[~strip] / np.minimum(area[i[~strip]], area[k[~strip]])
    )  # fmt: skip
    # What lies in the triangles of one side of a wall counts as one.
    key = np.stack([i[strip], a["side"][k[strip] - n]])
    _, which, of = np.unique(key, axis=1, return_index=True, return_inverse=True)
    i, k = i[strip][which], k[strip][which]
    whole = np.minimum(np.minimum(area[i], area[k]), a["thick"] * np.sqrt(area[i]))
    wall = np.searchsorted(a["wall_rows"][:, 1], k, side="right")
    sides = Overlaps(grain[i], -1 - wall, np.bincount(of.ravel(), shared[strip], len(i)) / whole)
    row, smooth = np.nonzero(behind)
    smooths = Overlaps(grain[row], -1 - a["smooth_wall"][smooth], behind[row, smooth])
    return Overlaps(*(np.concatenate(parts) for parts in zip(pairs, sides, smooths, strict=True)))


def behind_walls(model: Model, a: Arrays) -> np.ndarray:
    """The share of every triangle behind every smooth wall, (T, S): as the kernel `wall_push` has it."""
    corner = corners(a)[a["grain"] >= 0]
    share = np.zeros((len(corner), len(a["smooth_kind"])))
    solid = a["smooth_material"] != beams_arrays.hole(model)
    for s in np.flatnonzero(a["smooth_present"] & solid):
        x, z, p, q = a["smooth_now"][s]
        away = corner - (x, z)
        far = away @ (p, q) if a["smooth_kind"][s] == FLAT else p - np.linalg.norm(away, axis=2)
        count = np.count_nonzero(far < 0.0, axis=1)
        share[count == 3, s] = 1.0
        # The corner that is alone on its side of the wall, and the shares of its edges that are there too.
        cut = np.flatnonzero((count == 1) | (count == 2))
        lone = np.argmax((far[cut] < 0.0) == (count[cut] == 1)[:, None], axis=1)
        one, *others = (far[cut, (lone + turn) % 3] for turn in range(3))
        tip = one / (one - others[0]) * one / (one - others[1])
        part = np.where(count[cut] == 1, tip, 1.0 - tip)
        share[cut, s] = part if model.scene.beams.contact == "exact" else np.minimum(tip, 1.0 - tip)
    return share


def corners(a: Arrays) -> np.ndarray:
    """Corners (rows, 3, 2) m of all triangles, those of walls too."""
    state = a["state"]
    return turned(a["body"].reshape(-1, 3, 2), state[:, 2, 0, None]) + state[:, None, :2, 0]
