"""Random places."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from barchan.geometry import images
from barchan.parts.fills import Fill, Order
from barchan.parts.fills._scatter import scatter
from barchan.parts.regions import RegionField, Space
from barchan.schema.problems import fault


class RandomFill(Fill):
    """`count` grains at random places in the region, whole grains inside and never overlapping."""

    key: ClassVar[str] = "random"
    by_size: ClassVar[bool] = True
    region: RegionField
    """Where they may be."""
    overlap: bool = False
    """Whether they lie anywhere, inside each other too, as the solver `relax` may begin."""

    @property
    def keeps_clear(self) -> bool:
        return not self.overlap

    def check_count(self, count: int | None) -> None:
        if count is None:
            raise fault("no count", "a random fill needs the number of grains, `count`")

    def places(self, order: Order, radii: np.ndarray, rng: np.random.Generator, there: np.ndarray) -> np.ndarray:
        space = order.space(self.region)
        if self.overlap:
            return space.sample(radii, rng)
        return scatter(space, radii, rng, where=order.where, group=order.group, there=_near(order, space, there))


def _near(order: Order, space: Space, there: np.ndarray) -> np.ndarray:
    """Those of the spheres (M, 4) m, and of their periodic images, that reach into a space."""
    reach = float(there[:, 3].max(initial=0.0))
    period = np.zeros(3)
    if order.period is not None:
        low, high, periodic = order.period
        period = np.where(periodic & ~space.periodic, high - low, 0.0)
    around = np.where(space.periodic, np.inf, reach)
    near, _ = images(there, space.low - around, space.high + around, period)
    inside = np.ones(len(near), bool)
    for axis in space.axes:
        if not space.periodic[axis]:
            place, own = near[:, axis], near[:, 3]
            inside &= (place + own > space.low[axis]) & (place - own < space.high[axis])
    return near[inside]
