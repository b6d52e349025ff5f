"""What every format asks of a recording: its spheres as rows, the box round them, numbers as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from barchan.frame import Frame
from barchan.record.recording import Recording
from barchan.scene.beams_frame import Corners

NUMBER = "%.10g"
BLOCK = 20_000  # rows that are turned into text at a time


@dataclass(frozen=True)
class Spheres:
    """The spheres of a frame, one row each; those of a clump move with their grain."""

    grain: np.ndarray  # (M,) int64, id of the grain
    group: np.ndarray  # (M,)
    position: np.ndarray  # (M, 3) m
    velocity: np.ndarray  # (M, 3) m/s, of the sphere's centre
    spin: np.ndarray  # (M, 3) rad/s
    orientation: np.ndarray  # (M, 4) quaternion (w, x, y, z)
    radius: np.ndarray  # (M,) m
    mass: np.ndarray  # (M,) kg: a clump's mass is shared out by its spheres' volumes, a polygon's by areas of triangles
    born: np.ndarray  # (M,) s

    @classmethod
    def of(cls, frame: Frame) -> Spheres:
        """The spheres of this frame."""
        row = frame.sphere_grain
        own = frame.table(Corners)
        weight = _areas(own.triangle_corners) if own else frame.sphere_radius**3
        whole = np.bincount(row, weights=weight, minlength=len(frame))
        return cls(
            grain=frame.id[row], group=frame.group[row], position=frame.sphere_position,
            velocity=frame.sphere_velocity, spin=frame.spin[row], orientation=frame.orientation[row],
            radius=frame.sphere_radius, mass=frame.mass[row] * weight / whole[row], born=frame.born[row],
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.radius)


def _areas(corners: np.ndarray) -> np.ndarray:
    """Areas (T,) m² of triangles (T, 6) m."""
    a, b, c = corners[:, :2], corners[:, 2:4], corners[:, 4:]
    one, other = b - a, c - a
    return np.abs(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]) / 2


@dataclass(frozen=True)
class Domain:
    """The box of a frame: the periodic one along axes that repeat, and along others what holds the whole run."""

    low: np.ndarray  # (3,) m
    lengths: np.ndarray  # (3,) m
    repeats: np.ndarray  # (3,) bool
    tilt: float  # m, by which the image above is shifted along x

    @property
    def vectors(self) -> np.ndarray:
        """Edges of the box as rows, (3, 3) m."""
        edges = np.diag(self.lengths)
        edges[2, 0] = self.tilt
        return edges

    def wrapped(self, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions (M, 3) m inside the box along axes that repeat, and how many edges of it they were away, (M, 3)."""
        image = np.zeros((len(position), 3), int)
        place = position - self.low
        for axis in (2, 1, 0):  # the edge that leans goes first
            if not self.repeats[axis]:
                continue
            along = place[:, axis] - (self.tilt * place[:, 2] / self.lengths[2] if axis == 0 else 0.0)
            image[:, axis] = np.floor(along / self.lengths[axis])
            place -= image[:, axis, None] * self.vectors[axis]
        return place + self.low, image


def extent(recording: Recording) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner (3,) m of what all spheres of a recording ever touch."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for frame in recording:
        sound = np.isfinite(frame.sphere_position).all(axis=1)
        if sound.any():
            place, reach = frame.sphere_position[sound], frame.sphere_radius[sound, None]
            low, high = np.minimum(low, (place - reach).min(axis=0)), np.maximum(high, (place + reach).max(axis=0))
    return (low, high) if np.all(low < high) else (np.zeros(3), np.ones(3))


def domain(frame: Frame, low: np.ndarray, high: np.ndarray) -> Domain:
    """The box of this frame in a recording that extends from low to high."""
    low, lengths, repeats, tilt = low.copy(), high - low, np.zeros(3, bool), 0.0
    if len(frame.cell):
        repeats = frame.cell[0, 3:6] > 0
        low[repeats], lengths[repeats] = frame.cell[0, :3][repeats], frame.cell[0, 3:6][repeats]
        tilt = float(frame.cell[0, 6])
    return Domain(low, lengths, repeats, tilt)


def lines(columns: Sequence[np.ndarray], pattern: str) -> Iterator[str]:
    """Rows of numbers as text, by a %-pattern for one row that ends with a newline; whole columns go in at once."""
    table = np.column_stack([np.asarray(column, float) for column in columns])
    for first in range(0, len(table), BLOCK):
        rows = table[first : first + BLOCK]
        yield pattern * len(rows) % tuple(rows.ravel().tolist())
