"""One size."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from barchan.parts.sizes import Size
from barchan.schema.quantities import PositiveLength


class FixedSize(Size):
    """All grains have the same size. A scene may write the number alone."""

    key: ClassVar[str] = "fixed"
    value: PositiveLength
    """The size."""

    def bounds(self) -> tuple[float, float]:
        return self.value, self.value

    def draw(self, count: int, rng: np.random.Generator, where: str = "size") -> np.ndarray:
        return np.full(count, self.value)

    def mean_power(self, power: int) -> float:
        return float(self.value**power)

    def to_dict(self, *, full: bool = True) -> float:
        """A fixed size is written as the number alone."""
        return self.value
