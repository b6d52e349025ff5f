"""How high the grains stand."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from barchan.observables import Moment, Observable


class Pile(Observable):
    """Height above z = 0 that only the topmost percent of the grains exceed, and the height of the centre of mass.

    Where there are no grains neither is a number.
    """

    key: ClassVar[str] = "pile"
    series = (("pile_height", "m"), ("mean_height", "m"))

    def measure(self, moment: Moment) -> dict[str, float]:
        if not len(moment.mass):
            return {"pile_height": math.nan, "mean_height": math.nan}
        return {
            "pile_height": float(np.quantile(moment.tops, 0.99)),
            "mean_height": float(np.average(moment.position[:, 2], weights=moment.mass)),
        }
