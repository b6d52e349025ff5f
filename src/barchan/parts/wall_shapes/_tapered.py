"""What funnels and solid truncated cones share: their parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from pydantic import ValidationInfo, field_validator

from barchan.geometry import Axis
from barchan.parts.wall_shapes import Piece, Shape, bounded, piece_along
from barchan.schema.quantities import NonNegativeLength, Position, PositiveLength


class Tapered(Shape):
    """Base of the shapes that taper along an axis."""

    gap: ClassVar[Callable[..., Any]]  # (x, y, z, bottom, top, height) -> distance and normal

    point: Position = (0.0, 0.0, 0.0)
    """The centre of the bottom."""
    axis: Axis = (0.0, 0.0, 1.0)
    """The direction from the bottom to the top."""
    bottom_radius: NonNegativeLength
    """The radius at the bottom, where `point` is."""
    top_radius: NonNegativeLength
    """The radius at the top."""
    height: PositiveLength
    """The distance from the bottom to the top."""

    @field_validator("top_radius")
    @classmethod
    def _has_width(cls, top: float, info: ValidationInfo) -> float:
        if top == 0.0 and info.data.get("bottom_radius") == 0.0:
            raise ValueError("one of the two radii must be > 0")
        return top

    def pieces(self) -> list[Piece]:
        sizes = self.bottom_radius, self.top_radius, self.height
        return [bounded(piece_along(type(self).gap, self.point, self.axis, *sizes))]

    def mantle(self) -> list[tuple[float, float]]:
        """Radius and height, m, of both rims."""
        return [(self.bottom_radius, 0.0), (self.top_radius, self.height)]
