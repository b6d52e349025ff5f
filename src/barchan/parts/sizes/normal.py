"""Sizes about a mean."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import model_validator

from barchan.parts.sizes._cut import CutSize, Values
from barchan.schema.problems import fault
from barchan.schema.quantities import PositiveLength


class NormalSize(CutSize):
    """Normally distributed sizes; those outside low … high are drawn again."""

    key: ClassVar[str] = "normal"
    mean: PositiveLength
    """The mean, but for what the bounds cut off."""
    deviation: PositiveLength
    """The standard deviation, but for what the bounds cut off."""

    @model_validator(mode="after")
    def _positive(self) -> NormalSize:
        if self.bounds()[0] <= 0:
            raise fault(
                f"the mean {self.mean:g} m less three deviations of {self.deviation:g} m is not positive",
                "no grain may have a size ≤ 0",
                "state `low`, or choose a smaller deviation",
            )
        return self

    def size_at(self, deviates: Values) -> Values:
        return self.mean + self.deviation * deviates

    def deviates_of(self, sizes: np.ndarray) -> np.ndarray:
        return (sizes - self.mean) / self.deviation
