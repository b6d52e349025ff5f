"""The box of a packing, and what is known of it before there is a packing: how short it may be, how full it gets."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from barchan.model import course
from barchan.model.build import Model

SKIN = 0.6  # of the mean radius


def least_period(radius: np.ndarray) -> float:
    """The shortest, m, that a periodic axis may be for grains of `radius` (N,) m, each near one image of another."""
    return 2 * (2 * float(radius.max()) + SKIN * float(radius.mean()))


@dataclass(frozen=True)
class Cell:
    """The box that repeats: its lengths (3,) m, 0 along open axes, and by how much the image above is shifted, m."""

    lengths: tuple[float, float, float]
    tilt: float = 0.0  # along x, of the image one height up z

    def __post_init__(self) -> None:
        if self.tilt and not (self.lengths[0] and self.lengths[2]):
            raise ValueError("only a box that repeats along x and z can be sheared")

    @property
    def inverse(self) -> np.ndarray:
        """1/lengths, 0 along open axes, (3,) 1/m."""
        lengths = np.array(self.lengths)
        return np.divide(1.0, lengths, out=np.zeros(3), where=lengths > 0)

    def volume(self, *, flat: bool) -> float:
        """m³, or m² in two dimensions; 0 where an axis is open."""
        return float(np.prod([self.lengths[k] for k in ((0, 2) if flat else (0, 1, 2))]))

    def reduced(self) -> Cell:
        """The same lattice with the smallest tilt."""
        width = self.lengths[0]
        return replace(self, tilt=self.tilt - width * np.floor(self.tilt / width + 0.5)) if self.tilt else self

    def wrapped(self, place: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions (N, 3) m moved by periods into the box with the lower corner `low` (3,) m; and by how many."""
        place, count = place - low, np.zeros_like(place)
        for axis in (2, 0, 1):  # the edge that leans goes first
            count[:, axis] = np.floor(place[:, axis] * self.inverse[axis])
            place[:, axis] -= self.lengths[axis] * count[:, axis]
            if axis == 2:
                place[:, 0] -= count[:, 2] * self.tilt
        return place + low, count


def factor(model: Model, radius: np.ndarray, fraction: float) -> float:
    """By how much all radii (N,) m grow to fill this fraction of the box."""
    flat = model.scene.dimensions == 2
    box = model.scene.box
    assert box is not None, "checked before"
    volume = Cell(tuple(np.subtract(box.high, box.low).tolist())).volume(flat=flat)
    return float((fraction * volume / course.filled(radius, flat=flat)) ** (1 / (2 if flat else 3)))
