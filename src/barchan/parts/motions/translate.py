"""Moving along a straight line."""

from __future__ import annotations

import math
from typing import ClassVar

from barchan.parts.motions import TimedMotion
from barchan.schema.quantities import Velocity


def path(
    t: float, vx: float, vy: float, vz: float, start: float, end: float
) -> tuple[float, float, float, float, float, float, float, float, float, float, float, float, float]:
    """Pose and velocity of a straight movement at (vx, vy, vz) m/s."""
    elapsed = max(start, min(end, t)) - start
    moving = 1.0 if start <= t < end else 0.0
    return (
        vx * elapsed, vy * elapsed, vz * elapsed,
        1.0, 0.0, 0.0, 0.0,
        vx * moving, vy * moving, vz * moving,
        0.0, 0.0, 0.0,
    )  # fmt: skip


class Translate(TimedMotion):
    """Moves along a straight line at a constant velocity."""

    key: ClassVar[str] = "translate"
    path = staticmethod(path)

    velocity: Velocity
    """How far the wall moves in a second, along each axis."""

    def parameters(self) -> tuple[float, ...]:
        return *self.velocity, *self.interval()

    def speed(self, reach: float) -> float:
        return math.hypot(*self.velocity)
