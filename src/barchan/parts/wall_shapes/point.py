"""A single point, such as the tip of a needle."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from barchan.parts.wall_shapes import Piece, Shape, _drawing, bounded, piece_along
from barchan.schema.quantities import Position


def gap(x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """From the origin."""
    distance = math.sqrt(x * x + y * y + z * z)
    if distance > 1e-18:
        return distance, x / distance, y / distance, z / distance
    return distance, 0.0, 0.0, 1.0


class Point(Shape):
    """A single point, such as the tip of a needle."""

    key: ClassVar[str] = "point"

    position: Position
    """Where the point is."""

    def pieces(self) -> list[Piece]:
        return [bounded(piece_along(gap, self.position, (0.0, 0.0, 1.0)))]

    def outline(self, low: Any, high: Any) -> list[np.ndarray]:
        return [np.array([self.position, self.position])]

    def surface(self, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
        return _drawing.nothing()
