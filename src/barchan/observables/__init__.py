"""What can be measured while a run goes on: one file each, numbers with a name and a unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from barchan.registry import Part


def pairs_of(first: np.ndarray, second: np.ndarray, face: np.ndarray) -> np.ndarray:
    """(K, 3) each pair of bodies that touches at some of these points, once; walls, below 0, by their faces."""
    among = second >= 0
    one, other = np.where(among, np.minimum(first, second), first), np.where(among, np.maximum(first, second), second)
    return np.unique(np.stack([one, other, np.where(among, 0, face)], axis=1), axis=0)


def unit_in(unit: str, *, flat: bool) -> str:
    """The unit that a number has in this scene: stresses and moduli in two dimensions are forces over lengths."""
    return "N/m" if flat and unit == "Pa" else unit


@dataclass(frozen=True)
class Gate:
    """What has passed a source, a sink or an absorbing wall so far."""

    number: int
    mass: float  # kg
    momentum: tuple[float, ...]  # kg m/s
    energy: float  # J, kinetic and potential
    rate: float  # kg/s, since the sample before
    waiting: int  # grains that should have been poured and have found no room yet
    inward: bool  # a source


@dataclass(frozen=True)
class Moment:
    """The state of a run as observables see it; grains in no particular order."""

    time: float  # s
    gravity: np.ndarray  # (3,) m/s²
    flat: bool  # two-dimensional
    position: np.ndarray  # (N, 3) m
    velocity: np.ndarray  # (N, 3) m/s
    spin: np.ndarray  # (N, 3) rad/s
    mass: np.ndarray  # (N,) kg
    radius: np.ndarray  # (N,) m, bounding
    solid: np.ndarray  # (N,) m³ of material, mass over density; in two dimensions the area, m²
    group: np.ndarray  # (N,) index into scene.grains, beyond them into scene.sources
    inserted: int  # grains that have entered so far, or have broken off others
    ledger: dict[str, float]  # J, by name; see `solvers/soft_ledger.py`
    contact_first: np.ndarray  # (C,) grain index
    contact_second: np.ndarray  # (C,) grain index, or −1 − wall index
    contact_face: np.ndarray  # (C,) face of that wall, 0 between grains
    contact_overlap: np.ndarray  # (C,) m, > 0
    contact_depth: np.ndarray  # (C,) overlap over the smaller radius
    contact_force: np.ndarray  # (C, 3) N, on the first grain
    contact_branch: np.ndarray  # (C, 3) m, to the first centre from the second, or from the contact at a wall
    contact_mode: np.ndarray  # (C,) 1, 2, … for the modes of the contact's law, 0 where it has none
    gates: Mapping[str, Gate] = field(default_factory=dict)  # by name
    steps: dict[str, float | int] = field(default_factory=dict)  # the solver's account of its time steps
    cell: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # m: periodic lengths (0: open), tilt along x
    # (3, 3) J, of hard spheres: Σ impulse ⊗ branch of their collisions a second since the sample before; see
    # `contact_branch`, and `contact_force` for the sign.
    collided: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    reach: np.ndarray | None = None  # (N, 2, 3) m, corners of the upright box about each grain's surface; nothing
    # where all grains are spheres

    @property
    def pairs(self) -> np.ndarray:
        """(K, 3) first and second body, as contacts have them, and the face of a wall: each pair that touches, once.

        Pieces of clumps and polygons may touch at several points, and triangles of a wall's face side by side.
        """
        return pairs_of(self.contact_first, self.contact_second, self.contact_face)

    @property
    def tops(self) -> np.ndarray:
        """(N,) m, z of each grain's highest point."""
        return self.position[:, 2] + self.radius if self.reach is None else self.reach[:, 1, 2]

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Corners (3,) m of the upright box about the surfaces of all grains; without grains both are 0."""
        if not len(self.mass):
            return np.zeros(3), np.zeros(3)
        if self.reach is not None:
            return self.reach[:, 0].min(axis=0), self.reach[:, 1].max(axis=0)
        around = self.radius[:, None]
        return (self.position - around).min(axis=0), (self.position + around).max(axis=0)


class Observable(Part):
    """Base of observables."""

    family: ClassVar[str] = "observables"
    series: ClassVar[tuple[tuple[str, str], ...]] = ()  # name and unit of each number

    def measure(self, moment: Moment) -> dict[str, float]:
        """A value for every name in `series`."""
        raise TypeError(f"{type(self).__name__} measures nothing")
