"""Sizes of grains drawn from a distribution: diameters of spheres, overall extents of clumps, in m."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.scene.grains import FixedSize, LognormalSize, NormalSize, Size, TableSize, UniformSize

_EVEN = 20_000  # places at which a mean is taken
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
    return _drawn_again(size, count, lambda low, high: rng.uniform(low, high, count), where)


def mean_power(size: Size, power: int) -> float:
    """The mean of size^power over the distribution."""
    even = (np.arange(_EVEN) + 0.5) / _EVEN
    if isinstance(size, TableSize):
        return float(np.average(np.array(size.sizes) ** power, weights=size.weights))
    if isinstance(size, FixedSize):
        return float(size.value**power)
    if isinstance(size, UniformSize):
        return float(np.mean((size.low + (size.high - size.low) * even) ** power))
    return float(np.mean(_drawn_again(size, _EVEN, lambda low, high: low + (high - low) * even, "size") ** power))


def _drawn_again(
    size: NormalSize | LognormalSize, count: int, draw: Callable[[float, float], np.ndarray], where: str
) -> np.ndarray:
    """Sizes of a distribution cut at its bounds, as if those outside were drawn again, by inverting its integral.

    `draw` answers numbers (count,) between two.
    """
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
    deviates = mirror * ndtri(draw(share.min(), share.max()))
    sizes = (
        size.mean + size.deviation * deviates
        if isinstance(size, NormalSize)
        else size.median * np.exp(size.sigma * deviates)
    )
    return np.clip(sizes, low, high)
