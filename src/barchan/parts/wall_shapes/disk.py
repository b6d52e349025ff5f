"""A flat disk, with or without a hole."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from pydantic import ValidationInfo, field_validator

from barchan.geometry import Axis
from barchan.parts.wall_shapes import Piece, Shape, _drawing, bounded, piece_along
from barchan.schema.quantities import NonNegativeLength, Position, PositiveLength


def gap(x: float, y: float, z: float, hole: float, radius: float) -> tuple[float, float, float, float]:
    """From the nearest point of the flat annulus hole ≤ √(x² + y²) ≤ radius, z = 0."""
    rho = math.sqrt(x * x + y * y)
    cx, cy = 1.0, 0.0
    if rho > 1e-18:
        cx, cy = x / rho, y / rho
    away = rho - max(hole, min(radius, rho))
    distance = math.sqrt(away * away + z * z)
    if distance > 1e-18:
        return distance, away / distance * cx, away / distance * cy, z / distance
    return distance, 0.0, 0.0, 1.0


class Disk(Shape):
    """A flat disk, two-sided, its rim included; with a `hole` an annulus."""

    key: ClassVar[str] = "disk"

    center: Position = (0.0, 0.0, 0.0)
    """The middle of the disk."""
    normal: Axis = (0.0, 0.0, 1.0)
    """The direction perpendicular to the disk."""
    radius: PositiveLength
    """The distance of the rim from the middle."""
    hole: NonNegativeLength = 0.0
    """The radius of the opening in the middle; 0: there is none."""

    @field_validator("hole")
    @classmethod
    def _fits(cls, hole: float, info: ValidationInfo) -> float:
        if hole >= info.data.get("radius", math.inf):
            raise ValueError("must be smaller than radius")
        return hole

    def pieces(self) -> list[Piece]:
        return [bounded(piece_along(gap, self.center, self.normal, self.hole, self.radius))]

    def outline(self, low: Any, high: Any) -> list[np.ndarray]:
        outer = _drawing.revolution_outline([(self.radius, 0.0)], self.center, self.normal)
        return outer + _drawing.revolution_outline([(self.hole, 0.0)], self.center, self.normal)

    def surface(self, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
        return _drawing.revolution_surface([(self.hole, 0.0), (self.radius, 0.0)], self.center, self.normal)
