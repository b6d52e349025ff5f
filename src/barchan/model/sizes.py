"""Sizes of grains drawn from a distribution: diameters of spheres, overall extents of clumps, in m."""

from __future__ import annotations

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.scene.grains import FixedSize, LognormalSize, NormalSize, Size, TableSize, UniformSize

_RAREST = 1e-12  # share of a distribution below which a cut leaves nothing to draw from


def draw_sizes(size: Size, count: int, rng: np.random.Generator, *, where: str = "size") -> np.ndarray:
    """`count` sizes (count,) m; SceneError at `where` if the bounds cut off all of the distribution."""
    if isinstance(size, FixedSize):
        return np.full(count, size.value)
    if isinstance(size, UniformSize):
        return rng.uniform(size.low, size.high, count)
    if isinstance(size, TableSize):
        weights = np.array(size.weights)
        return rng.choice(np.array(size.sizes), count, p=weights / weights.sum())
    return _drawn_again(size, count, rng, where)


def _drawn_again(size: NormalSize | LognormalSize, count: int, rng: np.random.Generator, where: str) -> np.ndarray:
    """Sizes of a distribution cut at its bounds, as if those outside were drawn again, by inverting its integral."""
    low, high = size.bounds()
    if low == high:
        return np.full(count, low)
    if isinstance(size, NormalSize):
        ends = (np.array([low, high]) - size.mean) / size.deviation
    else:
        ends = np.log(np.array([low, high]) / size.median) / size.sigma
    # In the upper tail the integral is 1 to round-off: there the mirrored, lower tail is drawn from.
    mirror = -1.0 if ends[0] > 0.0 else 1.0
    from scipy.special import ndtr, ndtri  # slow to import

    share = ndtr(mirror * ends)
    if abs(share[1] - share[0]) < _RAREST:
        raise SceneError(
            Finding(
                where,
                f"only a share of {abs(share[1] - share[0]):.1g} of the {size.key} distribution lies between "
                f"{low:g} m and {high:g} m",
                "the bounds must leave some of it",
                "move `low` and `high` to where the sizes are, or use a uniform distribution",
            )
        )
    deviates = mirror * ndtri(rng.uniform(share.min(), share.max(), count))
    sizes = (
        size.mean + size.deviation * deviates
        if isinstance(size, NormalSize)
        else size.median * np.exp(size.sigma * deviates)
    )
    return np.clip(sizes, low, high)
