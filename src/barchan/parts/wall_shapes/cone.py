"""A funnel: the open mantle of a truncated cone."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from barchan.parts.wall_shapes import _drawing
from barchan.parts.wall_shapes._tapered import Tapered


def gap(x: float, y: float, z: float, bottom: float, top: float, height: float) -> tuple[float, float, float, float]:
    """From the mantle whose radius goes from `bottom` at z = 0 to `top` at z = height."""
    rho = math.sqrt(x * x + y * y)
    cx, cy = 1.0, 0.0
    if rho > 1e-18:
        cx, cy = x / rho, y / rho
    widening = top - bottom
    slant = math.sqrt(widening * widening + height * height)
    along = ((rho - bottom) * widening + z * height) / slant
    along = max(0.0, min(slant, along)) / slant
    away, above = rho - bottom - along * widening, z - along * height
    distance = math.sqrt(away * away + above * above)
    if distance > 1e-18:
        return distance, away / distance * cx, away / distance * cy, above / distance
    return distance, -height / slant * cx, -height / slant * cy, widening / slant


class Cone(Tapered):
    """A hopper's funnel: the mantle of a truncated cone, open at both ends, two-sided, rims included.

    From `point` (m), the centre of the bottom rim, it reaches `height` (m) along `axis`; its radius goes from
    `bottom_radius` to `top_radius` (m).
    """

    key: ClassVar[str] = "cone"
    gap = staticmethod(gap)

    def outline(self, low: Any, high: Any) -> list[np.ndarray]:
        return _drawing.revolution_outline(self.mantle(), self.point, self.axis)

    def surface(self, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
        return _drawing.revolution_surface(self.mantle(), self.point, self.axis)
