"""The space a fill may use: a box or an upright cylinder, in two or three dimensions, open or periodic on each axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from barchan.scene.grains import BoxRegion, CylinderRegion


@dataclass(frozen=True)
class Space:
    """A region with what the scene adds to it. Centres lie a grain's reach away from its faces."""

    low: np.ndarray  # (3,) m
    high: np.ndarray  # (3,) m
    radius: float | None  # m, of a cylinder about the vertical axis through the middle; None: a box
    periodic: np.ndarray  # (3,) bool, axes along which the region is the whole period of the scene
    dimensions: int = 3  # 2: the x–z plane at y = 0

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
        if self.radius is not None:
            return float(np.pi * self.radius**2 * self.length[2])
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
        if self.radius is not None:
            distance = (self.radius - reach) * np.sqrt(rng.uniform(size=len(reach)))
            angle = 2.0 * np.pi * rng.uniform(size=len(reach))
            centres[:, :2] = self.middle[:2] + distance[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        if self.dimensions == 2:
            centres[:, 1] = 0.0
        return centres

    def clamp(self, centres: np.ndarray, reach: np.ndarray) -> np.ndarray:
        """The centres (N, 3) m moved back inside, by their reach (N,) m from the faces, or round a period."""
        inside = self.wrap(centres)
        for axis in self.axes:
            if not self.periodic[axis]:
                inside[:, axis] = np.clip(inside[:, axis], self.low[axis] + reach, self.high[axis] - reach)
        if self.radius is not None:
            across = inside[:, :2] - self.middle[:2]
            distance = np.linalg.norm(across, axis=1)
            limit = self.radius - reach
            inwards = limit / np.maximum(np.maximum(distance, limit), 1e-300)
            inside[:, :2] = self.middle[:2] + across * inwards[:, None]
        return inside

    def holds(self, points: np.ndarray) -> np.ndarray:
        """Which of the points (N, 3) m lie inside, (N,) bool."""
        inside = np.ones(len(points), bool)
        for axis in self.axes:
            if not self.periodic[axis]:
                inside &= (points[:, axis] >= self.low[axis]) & (points[:, axis] <= self.high[axis])
        if self.radius is not None:
            across = points[:, :2] - self.middle[:2]
            inside &= (across * across).sum(axis=1) <= self.radius**2
        return inside

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


def space_of(
    region: BoxRegion | CylinderRegion,
    *,
    dimensions: int = 3,
    period: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
) -> Space:
    """The space of a scene's region. `period` is the scene's box: low (3,) m, high (3,) m, periodic (3,) bool.

    An axis counts as periodic where the region reaches from one end of the period to the other; elsewhere the
    faces of the region hold the grains. In two dimensions a cylinder's cut through its axis is a box.
    """
    radius: float | None = None
    if isinstance(region, CylinderRegion):
        base = np.array(region.base)
        side = np.array([region.radius, region.radius, 0.0])
        low, high = base - side, base + side + np.array([0.0, 0.0, region.height])
        radius = region.radius if dimensions == 3 else None
    else:
        low, high = np.array(region.low), np.array(region.high)
    around = np.zeros(3, dtype=bool)
    if period is not None and radius is None:
        box_low, box_high, periodic = period
        slack = 1e-9 * (box_high - box_low)
        around = periodic & (low <= box_low + slack) & (high >= box_high - slack)
        low, high = np.where(around, box_low, low), np.where(around, box_high, high)
    if dimensions == 2:
        around[1] = False
    return Space(low=low, high=high, radius=radius, periodic=around, dimensions=dimensions)
