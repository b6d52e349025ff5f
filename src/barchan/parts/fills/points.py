"""Places one by one."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from annotated_types import Len

from barchan.parts.fills import Fill, Given, Order
from barchan.schema.problems import fault
from barchan.schema.quantities import Position


class PointsFill(Fill):
    """One grain, by its centre of mass, at each of the given points; `count` follows from them."""

    key: ClassVar[str] = "points"
    positions: Annotated[tuple[Position, ...], Len(1)]
    """The points."""

    def check_count(self, count: int | None) -> None:
        if count is not None:
            raise fault(f"a count of {count}", "a fill of kind 'points' states its own number: leave `count` out")

    def grains(self, order: Order, rng: np.random.Generator) -> Given:
        return Given(np.array(self.positions, dtype=float))
