"""Sizes about a median, as many times larger as smaller."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar

import numpy as np
from annotated_types import Gt, Le

from barchan.parts.sizes._cut import CutSize, Values
from barchan.schema.quantities import PositiveLength, Unit


class LognormalSize(CutSize):
    """Sizes whose logarithm is normally distributed; those outside low … high are drawn again."""

    key: ClassVar[str] = "lognormal"
    median: PositiveLength
    """The median, but for what the bounds cut off."""
    sigma: Annotated[float, Gt(0), Le(3), Unit("")]
    """The standard deviation of ln(size), but for what the bounds cut off."""

    def size_at(self, deviates: Values) -> Values:
        return self.median * (np.exp if isinstance(deviates, np.ndarray) else math.exp)(self.sigma * deviates)

    def deviates_of(self, sizes: np.ndarray) -> np.ndarray:
        return np.log(sizes / self.median) / self.sigma
