"""Sizes between two, none more likely than another."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import model_validator

from barchan.parts.sizes import EVEN, Size, check_order
from barchan.schema.quantities import PositiveLength


class UniformSize(Size):
    """Every size between `low` and `high` is equally likely."""

    key: ClassVar[str] = "uniform"
    low: PositiveLength
    """The smallest size."""
    high: PositiveLength
    """The largest size."""

    @model_validator(mode="after")
    def _ordered(self) -> UniformSize:
        check_order(self.low, self.high)
        return self

    def bounds(self) -> tuple[float, float]:
        return self.low, self.high

    def draw(self, count: int, rng: np.random.Generator, where: str = "size") -> np.ndarray:
        return rng.uniform(self.low, self.high, count)

    def mean_power(self, power: int) -> float:
        return float(np.mean((self.low + (self.high - self.low) * EVEN) ** power))
