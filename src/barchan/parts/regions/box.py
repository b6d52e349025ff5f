"""An upright box."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from pydantic import model_validator

from barchan.parts.regions import Region
from barchan.schema.problems import fault
from barchan.schema.quantities import Position
from barchan.schema.tables import Table


class Box(Table):
    """An upright box. Only in two dimensions, where the extent along y does not matter, may that be zero."""

    low: Position
    """The corner with the smallest coordinates."""
    high: Position
    """The opposite corner."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        for axis, low, high in zip("xyz", self.low, self.high, strict=True):
            if low > high or (low == high and axis != "y"):
                raise fault(f"the box is empty along {axis} (low {low:g} m, high {high:g} m)", "low must be < high")
        return self


class BoxRegion(Box, Region):
    """An upright box as a region."""

    key: ClassVar[str] = "box"

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array(self.low), np.array(self.high)
