"""A plane without end."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from barchan.geometry import Axis
from barchan.parts.wall_shapes import Piece, Shape, _drawing, piece_along
from barchan.schema.quantities import Position


def gap(x: float, y: float, z: float, front: float) -> tuple[float, float, float, float]:
    """From the plane z = 0; `front` is 1 for one-sided (grains at z > 0), 0 for two-sided."""
    if front > 0.0 or z >= 0.0:
        return z, 0.0, 0.0, 1.0
    return -z, 0.0, 0.0, -1.0


class Plane(Shape):
    """A plane without end; one-sided unless told otherwise."""

    key: ClassVar[str] = "plane"

    point: Position = (0.0, 0.0, 0.0)
    """Any point on the plane."""
    normal: Axis = (0.0, 0.0, 1.0)
    """The direction perpendicular to the plane, towards the side where grains are kept."""
    sides: Literal["front", "both"] = "front"
    """"front": grains are kept on the side to which `normal` points; "both": the plane parts the grains of either
    side."""

    def pieces(self) -> list[Piece]:
        return [piece_along(gap, self.point, self.normal, 1.0 if self.sides == "front" else 0.0)]

    def outline(self, low: Any, high: Any) -> list[np.ndarray]:
        return _drawing.closed(_drawing.plane_in_box(self.point, self.normal, low, high))

    def surface(self, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
        return _drawing.fan(_drawing.plane_in_box(self.point, self.normal, low, high))
