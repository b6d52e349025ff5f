"""Turning about a fixed axis."""

from __future__ import annotations

import math
from typing import ClassVar

from barchan.geometry import Axis, unit
from barchan.parts.motions import TimedMotion, Vector
from barchan.schema.quantities import Position, Spin


def path(
    t: float, ax: float, ay: float, az: float, rate: float, start: float, end: float
) -> tuple[float, float, float, float, float, float, float, float, float, float, float, float, float]:
    """Pose and velocity of a turn at `rate` (rad/s) about the unit axis (ax, ay, az) through the pivot."""
    half = 0.5 * rate * (max(start, min(end, t)) - start)
    c, s = math.cos(half), math.sin(half)
    spin = rate if start <= t < end else 0.0
    return 0.0, 0.0, 0.0, c, s * ax, s * ay, s * az, 0.0, 0.0, 0.0, spin * ax, spin * ay, spin * az


class Rotate(TimedMotion):
    """Turns about an axis at a constant rate, right-handed."""

    key: ClassVar[str] = "rotate"
    path = staticmethod(path)

    center: Position = (0.0, 0.0, 0.0)
    """A point on the axis."""
    axis: Axis = (0.0, 0.0, 1.0)
    """The direction of the axis."""
    rate: Spin
    """How fast the wall turns, such as "30 rpm"; below 0 the other way round."""

    def parameters(self) -> tuple[float, ...]:
        ax, ay, az = unit(self.axis).tolist()
        return ax, ay, az, self.rate, *self.interval()

    def pivot(self) -> Vector:
        return self.center

    def speed(self, reach: float) -> float:
        return abs(self.rate) * reach
