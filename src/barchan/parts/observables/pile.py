"""How high the grains stand."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from barchan.frame import Frame
from barchan.parts.observables import Observable


class Pile(Observable):
    """Height above z = 0 that only the topmost percent of the grains exceed, and the height of the centre of mass.

    Where there are no grains neither is a number.
    """

    key: ClassVar[str] = "pile"
    series = (("pile_height", "m"), ("mean_height", "m"))

    def measure(self, frame: Frame) -> dict[str, float]:
        if not len(frame.mass):
            return {"pile_height": math.nan, "mean_height": math.nan}
        return {
            "pile_height": float(np.quantile(frame.tops, 0.99)),
            "mean_height": float(np.average(frame.position[:, 2], weights=frame.mass)),
        }
