"""Whether there is room: spheres that would overlap others, with the images of a periodic box."""

from __future__ import annotations

import numpy as np

from barchan.geometry import rotate
from barchan.model.grains import Grains

GAP = 1e-9  # of the sum of two radii, that must be left between two spheres


def spheres_of(grains: Grains) -> tuple[np.ndarray, np.ndarray]:
    """Centres and radii of all spheres, (M, 4) m, and the row of the grain that each belongs to, (M,)."""
    owner = np.repeat(np.arange(len(grains)), np.diff(grains.start))
    centre = grains.position[owner] + rotate(grains.orientation[owner], grains.sphere_offset)
    return np.column_stack([centre, grains.sphere_radius]), owner


def overlapping(mine: np.ndarray, others: np.ndarray, box: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the overlapping pairs of spheres, one of `mine` (A, 4) m and one of `others` (B, 4) m.

    box: (3,) m, the length of periodic axes, 0 for open ones.
    """
    none = np.zeros(0, np.int64)
    if not len(mine) or not len(others):
        return none, none
    from scipy.spatial import cKDTree  # slow to import

    reach = float(mine[:, 3].max() + others[:, 3].max()) * (1 + 2 * GAP)
    near, index = images(others, mine[:, :3].min(axis=0) - reach, mine[:, :3].max(axis=0) + reach, box)
    if not len(near):
        return none, none
    found = cKDTree(mine[:, :3]).sparse_distance_matrix(cKDTree(near[:, :3]), reach, output_type="ndarray")
    i, j = found["i"], found["j"]
    close = found["v"] < (mine[i, 3] + near[j, 3]) * (1 + GAP)
    return i[close], index[j[close]]


def first_come(place: np.ndarray, owner: np.ndarray, count: int, box: np.ndarray) -> np.ndarray:
    """(count,) bool: the grains that overlap none of those kept before them. place (M, 4) m, owner (M,) row."""
    i, j = overlapping(place, place, box)
    pairs = np.stack([owner[i], owner[j]], axis=1)
    pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    kept = np.ones(count, bool)
    for first, second in pairs.tolist():  # sorted by the first, so that its own fate is settled
        if kept[first]:
            kept[second] = False
    return kept


def images(place: np.ndarray, low: np.ndarray, high: np.ndarray, box: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The spheres and their periodic images whose centres lie between low and high (3,) m, and whose they are."""
    index = np.arange(len(place))
    for axis in range(3):
        if box[axis] > 0:
            place = place.copy()
            place[:, axis] -= box[axis] * np.floor((place[:, axis] - low[axis]) / box[axis])
            turns = range(int(np.floor((high[axis] - low[axis]) / box[axis])) + 1)
            shifted = [place + np.eye(4)[axis] * (turn * box[axis]) for turn in turns]
            place, index = np.concatenate(shifted), np.tile(index, len(turns))
        inside = (place[:, axis] >= low[axis]) & (place[:, axis] <= high[axis])
        place, index = place[inside], index[inside]
    return place, index
