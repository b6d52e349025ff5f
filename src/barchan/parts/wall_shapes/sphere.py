"""A sphere: a ball, or a hollow one."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

import numpy as np

from barchan.parts.wall_shapes import SIDES, Piece, Shape, _drawing, piece_along
from barchan.schema.quantities import Position, PositiveLength


def gap(x: float, y: float, z: float, radius: float, side: float) -> tuple[float, float, float, float]:
    """From the sphere about the origin; `side` is -1 inside, 1 outside, 0 two-sided."""
    r = math.sqrt(x * x + y * y + z * z)
    cx, cy, cz = 0.0, 0.0, 1.0
    if r > 1e-18:
        cx, cy, cz = x / r, y / r, z / r
    sign = side
    if side == 0.0:
        sign = 1.0 if r >= radius else -1.0
    return sign * (r - radius), sign * cx, sign * cy, sign * cz


class Sphere(Shape):
    """A sphere that keeps grains outside (the default) or inside, or parts them (`"both"`)."""

    key: ClassVar[str] = "sphere"

    center: Position = (0.0, 0.0, 0.0)
    """The middle of the sphere."""
    radius: PositiveLength
    """The distance of the surface from the middle."""
    side: Literal["inside", "outside", "both"] = "outside"
    """Where grains are kept; "both" parts those inside from those outside."""

    def pieces(self) -> list[Piece]:
        whole = piece_along(gap, self.center, (0.0, 0.0, 1.0), self.radius, SIDES[self.side])
        return [whole._replace(bounded=self.side != "inside")]

    def outline(self, low: Any, high: Any) -> list[np.ndarray]:
        axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        return [ring for axis in axes for ring in _drawing.revolution_outline([(self.radius, 0.0)], self.center, axis)]

    def surface(self, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
        latitude = np.linspace(-np.pi / 2.0, np.pi / 2.0, _drawing.SEGMENTS // 2 + 1)
        profile = [(float(self.radius * np.cos(angle)), float(self.radius * np.sin(angle))) for angle in latitude]
        return _drawing.revolution_surface(profile, self.center, (0.0, 0.0, 1.0))
