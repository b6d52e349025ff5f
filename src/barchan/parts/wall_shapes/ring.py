"""A circle of wire without thickness."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from barchan.geometry import Axis
from barchan.parts.wall_shapes import Piece, Shape, _drawing, bounded, piece_along
from barchan.schema.quantities import Position, PositiveLength


def gap(x: float, y: float, z: float, radius: float) -> tuple[float, float, float, float]:
    """From the nearest point of the circle √(x² + y²) = radius, z = 0."""
    rho = math.sqrt(x * x + y * y)
    cx, cy = 1.0, 0.0
    if rho > 1e-18:
        cx, cy = x / rho, y / rho
    away = rho - radius
    distance = math.sqrt(away * away + z * z)
    if distance > 1e-18:
        return distance, away / distance * cx, away / distance * cy, z / distance
    return distance, 0.0, 0.0, 1.0


class Ring(Shape):
    """A circle of wire without thickness."""

    key: ClassVar[str] = "ring"

    center: Position = (0.0, 0.0, 0.0)
    """The middle of the circle."""
    normal: Axis = (0.0, 0.0, 1.0)
    """The direction perpendicular to the circle's plane."""
    radius: PositiveLength
    """The distance of the wire from the middle."""

    def pieces(self) -> list[Piece]:
        return [bounded(piece_along(gap, self.center, self.normal, self.radius))]

    def outline(self, low: Any, high: Any) -> list[np.ndarray]:
        return _drawing.revolution_outline([(self.radius, 0.0)], self.center, self.normal)

    def surface(self, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
        return _drawing.nothing()
