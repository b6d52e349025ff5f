"""Where the grains are as a whole, and where they go."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from barchan.frame import Frame
from barchan.parts.observables import Observable


class Centre(Observable):
    """The centre of mass of all grains, and its velocity; not a number where there are none."""

    key: ClassVar[str] = "centre"
    series = (
        ("centre_x", "m"), ("centre_y", "m"), ("centre_z", "m"),
        ("drift_x", "m/s"), ("drift_y", "m/s"), ("drift_z", "m/s"),
    )  # fmt: skip

    def measure(self, frame: Frame) -> dict[str, float]:
        if not len(frame.mass):
            return {name: math.nan for name, _ in self.series}
        both = np.column_stack([frame.position, frame.velocity])
        mean = np.average(both, axis=0, weights=frame.mass)
        return {name: float(value) for (name, _), value in zip(self.series, mean, strict=True)}
