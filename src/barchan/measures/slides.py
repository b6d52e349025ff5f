"""Slides in two dimensions: parts of a pile that shift against each other along a dislocation line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from barchan.drawn import Drawn
from barchan.frame import Frame

REACH = 1.25  # diameters: neighbours are centres nearer than this
SHIFT = 0.1  # diameters: by less, a grain has not moved, and a pair not slipped
SETTLED = 1.0  # s after its insertion, from which on a grain belongs to the pile
WIDTH = 0.6  # diameters, to either side of a line, within which slipped pairs lie on it
HOLE = 3.0  # diameters: a line ends where no slipped pair follows within this distance
ANGLES = 90  # directions that are tried


@dataclass(frozen=True)
class Line:
    """A straight line through slipped pairs in the x–z plane."""

    middle: np.ndarray  # (2,) m
    direction: np.ndarray  # (2,) unit vector, upwards
    length: float  # m
    pairs: int  # slipped pairs on it
    scatter: float  # m, root mean square distance of these from it

    @property
    def steepness(self) -> float:
        """Angle with the horizontal, degrees, 0 … 90."""
        return float(np.degrees(np.arctan2(self.direction[1], abs(self.direction[0]))))

    @property
    def ends(self) -> np.ndarray:
        """Both ends (2, 2) m."""
        return self.middle + 0.5 * self.length * np.array([[-1.0], [1.0]]) * self.direction


@dataclass(frozen=True)
class Slide(Drawn):
    """What shifted between two frames."""

    before: Frame
    after: Frame
    shift: np.ndarray  # (N, 2) m, of the grains of `before` in the x–z plane; nan for those that do not belong to it
    slipped: np.ndarray  # (K, 2) m, middles of neighbours that shifted against each other
    line: Line | None

    @property
    def settled(self) -> int:
        """Grains of the pile."""
        return int(np.isfinite(self.shift[:, 0]).sum())

    @property
    def moved(self) -> np.ndarray:
        """(N,) bool: the grains that shifted."""
        far = SHIFT * 2 * float(self.before.radius.max())
        return np.asarray(np.nan_to_num(np.hypot(*self.shift.T)) > far)


def slide_between(before: Frame, after: Frame) -> Slide:
    """What shifted from one frame to a later one; grains that were just inserted, or have gone, do not count."""
    from scipy.spatial import cKDTree

    place = np.searchsorted(after.id, before.id)
    there = after.id[np.minimum(place, len(after) - 1)] == before.id
    belongs = there & (before.born <= before.time - SETTLED)
    flat = before.position[:, [0, 2]]
    shift = np.full((len(before), 2), np.nan)
    shift[belongs] = after.position[place[belongs]][:, [0, 2]] - flat[belongs]
    diameter = 2 * float(before.radius.max())
    pairs = cKDTree(flat).query_pairs(REACH * diameter, output_type="ndarray")
    apart = np.hypot(*(shift[pairs[:, 0]] - shift[pairs[:, 1]]).T)
    slipped = pairs[np.nan_to_num(apart) > SHIFT * diameter]
    middles = 0.5 * (flat[slipped[:, 0]] + flat[slipped[:, 1]])
    return Slide(before, after, shift, middles, dislocation_line(middles, diameter))


def dislocation_line(points: np.ndarray, diameter: float) -> Line | None:
    """The line with the most of the points (K, 2) m near it, without a hole; None where there are fewer than three.

    Of all directions, and all points for the line to go through, the best is taken and fitted to the points on it.
    """
    if len(points) < 3:
        return None
    best: np.ndarray = np.zeros(0, int)
    for angle in np.pi * np.arange(ANGLES) / ANGLES:
        along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        offset = points @ across
        order = np.argsort(offset, kind="stable")
        first = np.searchsorted(offset[order], offset[order] - 2 * WIDTH * diameter)
        crowded = int(np.argmax(np.arange(len(points)) - first))
        if crowded + 1 - first[crowded] <= len(best):
            continue
        found = _unbroken(points, order[first[crowded] : crowded + 1], along, diameter)
        if len(found) > len(best):
            best = found
    if len(best) < 3:
        return None
    middle = points[best].mean(axis=0)
    _, _, axes = np.linalg.svd(points[best] - middle)
    direction = axes[0] * (1.0 if axes[0, 1] >= 0 else -1.0)
    reach = (points[best] - middle) @ direction
    scatter = float(np.sqrt(np.mean(((points[best] - middle) @ axes[1]) ** 2)))
    centre = middle + 0.5 * (reach.max() + reach.min()) * direction
    return Line(centre, direction, float(np.ptp(reach)), len(best), scatter)


def _unbroken(points: np.ndarray, chosen: np.ndarray, along: np.ndarray, diameter: float) -> np.ndarray:
    """The longest run of the chosen points along a direction in which none is far from the next."""
    reach = points[chosen] @ along
    order = np.argsort(reach, kind="stable")
    cuts = np.flatnonzero(np.diff(reach[order]) > HOLE * diameter) + 1
    return chosen[max(np.split(order, cuts), key=len)]


def clearest_slide(frames: Iterable[Frame]) -> Slide | None:
    """Of the slides between neighbouring frames the one with most slipped pairs on its line and fewest beside it.

    Of an avalanche, in which all slips against all, little lies on any line. None where nothing slides.
    """
    found = [slide_between(before, after) for before, after in pairwise(frames) if len(before)]
    return max((slide for slide in found if slide.line is not None), key=_clearness, default=None)


def _clearness(slide: Slide) -> float:
    """Slipped pairs on the line, times their part of all that slipped."""
    return 0.0 if slide.line is None else slide.line.pairs**2 / len(slide.slipped)
