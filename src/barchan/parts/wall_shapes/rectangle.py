"""A flat rectangle."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from pydantic import ValidationInfo, field_validator

from barchan.geometry import Axis, rotate, rotation_to, rotation_to_frame, unit
from barchan.parts.wall_shapes import Piece, Shape, Vector, _drawing, bounded, piece_turned
from barchan.schema.quantities import Position, PositiveLength


def gap(x: float, y: float, z: float, half_x: float, half_y: float) -> tuple[float, float, float, float]:
    """From the nearest point of the rectangle |x| ≤ half_x, |y| ≤ half_y, z = 0."""
    dx = x - max(-half_x, min(half_x, x))
    dy = y - max(-half_y, min(half_y, y))
    distance = math.sqrt(dx * dx + dy * dy + z * z)
    if distance > 1e-18:
        return distance, dx / distance, dy / distance, z / distance
    return distance, 0.0, 0.0, 1.0


class Rectangle(Shape):
    """A flat rectangle, two-sided, its edges included."""

    key: ClassVar[str] = "rectangle"

    center: Position = (0.0, 0.0, 0.0)
    """The middle of the rectangle."""
    normal: Axis = (0.0, 0.0, 1.0)
    """The direction perpendicular to the rectangle."""
    edge: Axis | None = None
    """The direction of the first width, but for its part along `normal`; left out, any across `normal` is taken."""
    widths: tuple[PositiveLength, PositiveLength]
    """The lengths along `edge` and across it."""

    @field_validator("edge")
    @classmethod
    def _lies_across(cls, edge: Vector | None, info: ValidationInfo) -> Vector | None:
        normal = info.data.get("normal")
        if edge and normal and np.linalg.norm(np.cross(unit(edge), unit(normal))) < 1e-6:
            raise ValueError("must not be parallel to normal")
        return edge

    def orientation(self) -> np.ndarray:
        """The quaternion (4,) that takes z to the normal and x to the edge."""
        return rotation_to(self.normal) if self.edge is None else rotation_to_frame(self.normal, self.edge)

    def pieces(self) -> list[Piece]:
        half = self.widths[0] / 2.0, self.widths[1] / 2.0
        return [bounded(piece_turned(gap, self.center, self.orientation(), *half))]

    def corners(self) -> np.ndarray:
        """The four corners (4, 3) in m, in turn."""
        a, b = self.widths[0] / 2.0, self.widths[1] / 2.0
        corners = np.array([(-a, -b, 0.0), (a, -b, 0.0), (a, b, 0.0), (-a, b, 0.0)])
        return rotate(self.orientation(), corners) + np.asarray(self.center)

    def outline(self, low: Any, high: Any) -> list[np.ndarray]:
        return _drawing.closed(self.corners())

    def surface(self, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
        return _drawing.fan(self.corners())
