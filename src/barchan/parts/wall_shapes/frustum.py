"""A solid truncated cone."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from barchan.parts.wall_shapes import _drawing
from barchan.parts.wall_shapes._tapered import Tapered


def gap(x: float, y: float, z: float, bottom: float, top: float, height: float) -> tuple[float, float, float, float]:
    """From the closed surface of the solid from radius `bottom` at z = 0 to `top` at z = height; negative inside."""
    rho = math.sqrt(x * x + y * y)
    cx, cy = 1.0, 0.0
    if rho > 1e-18:
        cx, cy = x / rho, y / rho
    widening = top - bottom
    slant = math.sqrt(widening * widening + height * height)
    outward, upward = height / slant, -widening / slant  # the mantle's normal
    below, over, beside = -z, z - height, (rho - bottom) * outward + z * upward
    if below <= 0.0 and over <= 0.0 and beside <= 0.0:
        if beside >= below and beside >= over:
            return beside, outward * cx, outward * cy, upward
        if over >= below:
            return over, 0.0, 0.0, 1.0
        return below, 0.0, 0.0, -1.0
    along = max(0.0, min(slant, ((rho - bottom) * widening + z * height) / slant)) / slant
    away, above = rho - bottom - along * widening, z - along * height
    nearest = away * away + above * above
    rim = max(0.0, rho - bottom)
    if rim * rim + below * below < nearest:
        away, above, nearest = rim, -below, rim * rim + below * below
    rim = max(0.0, rho - top)
    if rim * rim + over * over < nearest:
        away, above, nearest = rim, over, rim * rim + over * over
    distance = math.sqrt(nearest)
    if distance > 1e-18:
        return distance, away / distance * cx, away / distance * cy, above / distance
    return distance, outward * cx, outward * cy, upward


class Frustum(Tapered):
    """A solid truncated cone with flat caps: a cone where one radius is 0, a round bar where both are equal.

    From `point` (m), the centre of the bottom cap, it reaches `height` (m) along `axis`; its radius goes from
    `bottom_radius` to `top_radius` (m).
    """

    key: ClassVar[str] = "frustum"
    gap = staticmethod(gap)

    def outline(self, low: Any, high: Any) -> list[np.ndarray]:
        return _drawing.revolution_outline(self.mantle(), self.point, self.axis)

    def surface(self, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
        profile = [(0.0, 0.0), *self.mantle(), (0.0, self.height)]
        return _drawing.revolution_surface(profile, self.point, self.axis)
