"""A straight wire without thickness."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from pydantic import ValidationInfo, field_validator

from barchan.parts.wall_shapes import Piece, Shape, Vector, _drawing, bounded, piece_along
from barchan.schema.quantities import Position


def gap(x: float, y: float, z: float, length: float) -> tuple[float, float, float, float]:
    """From the nearest point of the segment x = y = 0, 0 ≤ z ≤ length."""
    beyond = z - max(0.0, min(length, z))
    distance = math.sqrt(x * x + y * y + beyond * beyond)
    if distance > 1e-18:
        return distance, x / distance, y / distance, beyond / distance
    return distance, 1.0, 0.0, 0.0


class Line(Shape):
    """A straight wire without thickness, its two ends included."""

    key: ClassVar[str] = "line"

    start: Position
    """Where the wire begins."""
    end: Position
    """Where the wire ends."""

    @field_validator("end")
    @classmethod
    def _has_length(cls, end: Vector, info: ValidationInfo) -> Vector:
        if end == info.data.get("start"):
            raise ValueError("must differ from start")
        return end

    def pieces(self) -> list[Piece]:
        along = np.subtract(self.end, self.start)
        axis = (float(along[0]), float(along[1]), float(along[2]))
        return [bounded(piece_along(gap, self.start, axis, math.hypot(*axis)))]

    def outline(self, low: Any, high: Any) -> list[np.ndarray]:
        return [np.array([self.start, self.end])]

    def surface(self, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
        return _drawing.nothing()
