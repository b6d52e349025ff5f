"""Damped inertia."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from barchan.parts.minimisers import Descent, Minimiser, Watch

BURST = 200  # steps between two looks


class Fire(Minimiser):
    """Fast inertial relaxation (Bitzek and others 2006): grains roll downhill and stop where they would climb."""

    key: ClassVar[str] = "fire"

    def minimise(
        self, landscape: Any, point: Any, tolerance: float, *, pulse: Callable[[Any], None] | None = None
    ) -> Descent:
        watch = Watch(landscape, tolerance, pulse)
        velocity, state = np.zeros_like(point.moved), np.array([0.0, 0.1, 0.0])
        while not watch.over(point):
            landscape.descend(point, velocity, state, steps=BURST, target=watch.tolerance)
        return watch.descent(point)
