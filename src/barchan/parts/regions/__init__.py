"""Regions: where grains are placed, poured or taken away.

One file each. A region says what is stated; its `Space` is that in a scene, and what fills and sinks ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from barchan.registry import Part, choice

Period = tuple[np.ndarray, np.ndarray, np.ndarray]  # a scene's box: low (3,) m, high (3,) m, periodic (3,) bool


@dataclass(frozen=True)
class Space:
    """An upright box with what the scene adds to it. Centres lie a grain's reach away from its faces.

    Spaces of other forms lie in such a box, and say otherwise what they contain.
    """

    low: np.ndarray  # (3,) m
    high: np.ndarray  # (3,) m
    periodic: np.ndarray  # (3,) bool, axes along which the region is the whole period of the scene
    dimensions: int = 3  # 2: the x–z plane at y = 0
    cornered: ClassVar[bool] = True  # whether a pattern begins in its lower corner

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes along which grains may be placed."""
        return (0, 2) if self.dimensions == 2 else (0, 1, 2)

    @property
    def length(self) -> np.ndarray:
        """Extent along each axis (3,) m."""
        return self.high - self.low

    @property
    def middle(self) -> np.ndarray:
        """The centre of the region (3,) m."""
        return 0.5 * (self.low + self.high)

    @property
    def content(self) -> float:
        """Volume in m³, or in two dimensions area in m²."""
        return float(np.prod(self.length[list(self.axes)]))

    def share(self, radii: np.ndarray) -> float:
        """The fraction of the content that spheres (discs in two dimensions) of these radii (N,) m take up."""
        own = np.pi * radii**2 if self.dimensions == 2 else 4.0 / 3.0 * np.pi * radii**3
        return float(own.sum()) / self.content

    def narrowest(self) -> float:
        """The smallest extent in m along the axes in use."""
        return float(np.min(self.length[list(self.axes)]))

    def sample(self, reach: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A uniformly random centre (N, 3) m for each grain of reach (N,) m."""
        shrink = np.where(self.periodic, 0.0, reach[:, None])
        low, high = self.low + shrink, self.high - shrink
        centres = low + (high - low) * rng.uniform(size=(len(reach), 3))
        if self.dimensions == 2:
            centres[:, 1] = 0.0
        return centres

    def clamp(self, centres: np.ndarray, reach: np.ndarray) -> np.ndarray:
        """The centres (N, 3) m moved back inside, by their reach (N,) m from the faces, or round a period."""
        inside = self.wrap(centres)
        for axis in self.axes:
            if not self.periodic[axis]:
                inside[:, axis] = np.clip(inside[:, axis], self.low[axis] + reach, self.high[axis] - reach)
        return inside

    def holds(self, points: np.ndarray) -> np.ndarray:
        """Which of the points (N, 3) m lie inside, (N,) bool."""
        inside = np.ones(len(points), bool)
        for axis in self.axes:
            if not self.periodic[axis]:
                inside &= (points[:, axis] >= self.low[axis]) & (points[:, axis] <= self.high[axis])
        return inside

    def holds_column(self, sites: np.ndarray, margin: float, slack: float) -> np.ndarray:
        """At which sites (m, 2) m of a level layer all lies a margin (m) inside the sides, but for a slack (m)."""
        shrink = np.where(self.periodic[:2], -np.inf, margin - slack)
        inside = (sites >= self.low[:2] + shrink) & (sites <= self.high[:2] - shrink)
        return np.all(inside[:, :1] if self.dimensions == 2 else inside, axis=1)

    def wrap(self, centres: np.ndarray) -> np.ndarray:
        """The positions (N, k) m along the first k axes, moved into the period where an axis is periodic."""
        inside = centres.copy()
        for axis in np.flatnonzero(self.periodic[: centres.shape[1]]):
            along = np.mod(inside[:, axis] - self.low[axis], self.length[axis])
            along[along >= self.length[axis]] = 0.0  # the remainder of a tiny negative number rounds up
            inside[:, axis] = self.low[axis] + along
        return inside

    def nearest_image(self, difference: np.ndarray) -> np.ndarray:
        """Differences of positions (P, 3) m, the shortest way round the periodic axes."""
        for axis in np.flatnonzero(self.periodic):
            period = self.length[axis]
            difference[:, axis] -= period * np.round(difference[:, axis] / period)
        return difference


class Region(Part):
    """Base of regions."""

    family: ClassVar[str] = "regions"

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The corners (3,) m of the upright box about it."""
        raise TypeError(f"{type(self).__name__} has no bounds")

    def space(self, *, dimensions: int = 3, period: Period | None = None) -> Space:
        """The space of the region in a scene, whose box is the `period`: here that of the box about it.

        An axis counts as periodic where the region reaches from one end of the period to the other; elsewhere the
        faces of the region hold the grains.
        """
        low, high = self.bounds()
        around = np.zeros(3, dtype=bool)
        if period is not None:
            box_low, box_high, periodic = period
            slack = 1e-9 * (box_high - box_low)
            around = periodic & (low <= box_low + slack) & (high >= box_high - slack)
            low, high = np.where(around, box_low, low), np.where(around, box_high, high)
        if dimensions == 2:
            around[1] = False
        return Space(low, high, around, dimensions)


RegionField = Annotated[Region, choice("regions")]
