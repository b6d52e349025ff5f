"""Distributions that come from the normal one and are cut at two bounds, as if what is outside were drawn again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from pydantic import model_validator

from barchan.errors import Finding, SceneError
from barchan.parts.sizes import EVEN, Size, check_order
from barchan.schema.quantities import PositiveLength

Values = TypeVar("Values", float, np.ndarray)

_RAREST = 1e-12  # share of a distribution below which a cut leaves nothing to draw from


class CutSize(Size):
    """Base of these distributions: what lies outside low … high is drawn again."""

    low: PositiveLength | None = None
    """The smallest size; left out, it lies three deviations below the middle."""
    high: PositiveLength | None = None
    """The largest size; left out, it lies three deviations above the middle."""

    @model_validator(mode="after")
    def _ordered(self) -> CutSize:
        check_order(*self.bounds())
        return self

    def size_at(self, deviates: Values) -> Values:
        """Sizes, m, so many standard deviations from the middle."""
        raise TypeError(f"{type(self).__name__} has no sizes")

    def deviates_of(self, sizes: np.ndarray) -> np.ndarray:
        """How many standard deviations from the middle sizes, m, lie."""
        raise TypeError(f"{type(self).__name__} has no sizes")

    def bounds(self) -> tuple[float, float]:
        low = self.size_at(-3.0) if self.low is None else self.low
        high = self.size_at(3.0) if self.high is None else self.high
        return low, high

    def draw(self, count: int, rng: np.random.Generator, where: str = "size") -> np.ndarray:
        return self._between(count, lambda low, high: rng.uniform(low, high, count), where)

    def mean_power(self, power: int) -> float:
        return float(np.mean(self._between(len(EVEN), lambda low, high: low + (high - low) * EVEN, "size") ** power))

    def _between(self, count: int, draw: Callable[[float, float], np.ndarray], where: str) -> np.ndarray:
        """Sizes by inverting the integral of the distribution; `draw` answers numbers (count,) between two."""
        low, high = self.bounds()
        if low == high:
            return np.full(count, low)
        ends = self.deviates_of(np.array([low, high]))
        # In the upper tail the integral is 1 to round-off: there the mirrored, lower tail is drawn from.
        mirror = -1.0 if ends[0] > 0.0 else 1.0
        from scipy.special import ndtr, ndtri  # slow to import

        share = ndtr(mirror * ends)
        if abs(share[1] - share[0]) < _RAREST:
            raise SceneError(Finding(
                where,
                f"only a share of {abs(share[1] - share[0]):.1g} of the {self.key} distribution lies between "
                f"{low:g} m and {high:g} m",
                "the bounds must leave some of it",
                "move `low` and `high` to where the sizes are, or use a uniform distribution",
            ))  # fmt: skip
        return np.clip(self.size_at(mirror * ndtri(draw(share.min(), share.max()))), low, high)
