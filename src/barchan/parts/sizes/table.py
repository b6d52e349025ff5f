"""A few sizes."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from annotated_types import Gt, Len
from pydantic import model_validator

from barchan.parts.sizes import Size
from barchan.schema.problems import fault
from barchan.schema.quantities import PositiveLength, Unit


class TableSize(Size):
    """A few sizes with weights."""

    key: ClassVar[str] = "table"
    sizes: Annotated[tuple[PositiveLength, ...], Len(1)]
    """The sizes."""
    weights: Annotated[tuple[Annotated[float, Gt(0), Unit("")], ...], Len(1)]
    """The share of each size by number of grains, up to a common factor."""

    @model_validator(mode="after")
    def _paired(self) -> TableSize:
        if len(self.sizes) != len(self.weights):
            raise fault(f"{len(self.sizes)} sizes and {len(self.weights)} weights", "there must be one weight a size")
        return self

    def bounds(self) -> tuple[float, float]:
        return min(self.sizes), max(self.sizes)

    def draw(self, count: int, rng: np.random.Generator, where: str = "size") -> np.ndarray:
        weights = np.array(self.weights)
        return rng.choice(np.array(self.sizes), count, p=weights / weights.sum())

    def mean_power(self, power: int) -> float:
        return float(np.average(np.array(self.sizes) ** power, weights=self.weights))
