"""Whether there is room: spheres that would overlap others, with the images of a periodic box."""

from __future__ import annotations

import numpy as np

from barchan.geometry import overlapping, rotate
from barchan.model.grains import Grains


def spheres_of(grains: Grains) -> tuple[np.ndarray, np.ndarray]:
    """Centres and radii of all spheres, (M, 4) m, and the row of the grain that each belongs to, (M,)."""
    owner = np.repeat(np.arange(len(grains)), np.diff(grains.start))
    centre = grains.position[owner] + rotate(grains.orientation[owner], grains.sphere_offset)
    return np.column_stack([centre, grains.sphere_radius]), owner


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
