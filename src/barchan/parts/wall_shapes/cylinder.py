"""A cylinder without end, or an open tube."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import ValidationInfo, field_validator

from barchan.geometry import Axis
from barchan.parts.wall_shapes import SIDES, Piece, Shape, _drawing, bounded, piece_along
from barchan.schema.quantities import Position, PositiveLength

Side = Literal["inside", "outside", "both"]

ENDLESS = 1e30  # m, the length that stands for an infinite cylinder


def gap(
    x: float, y: float, z: float, radius: float, start: float, end: float, side: float
) -> tuple[float, float, float, float]:
    """From the tube of that radius at start ≤ z ≤ end; `side` is -1 inside, 1 outside, 0 two-sided."""
    rho = math.sqrt(x * x + y * y)
    cx, cy = 1.0, 0.0
    if rho > 1e-18:
        cx, cy = x / rho, y / rho
    away = rho - radius
    if side != 0.0:
        return side * away, side * cx, side * cy, 0.0
    beyond = z - max(start, min(end, z))
    distance = math.sqrt(away * away + beyond * beyond)
    if distance > 1e-18:
        return distance, away / distance * cx, away / distance * cy, beyond / distance
    return distance, -cx, -cy, 0.0


class Cylinder(Shape):
    """A cylinder: without end, or with a `length` an open tube with its two rims.

    An endless cylinder keeps grains inside (the default) or outside, or parts them (`"both"`); a tube is always
    two-sided. Its ends are closed with disks.
    """

    key: ClassVar[str] = "cylinder"

    point: Position = (0.0, 0.0, 0.0)
    """A point on the axis; of a tube, the middle of its first end."""
    axis: Axis = (0.0, 0.0, 1.0)
    """The direction of the axis, in which a tube goes on from `point`."""
    radius: PositiveLength
    """The distance of the surface from the axis."""
    length: PositiveLength | None = None
    """How far a tube reaches from `point`; left out, the cylinder has no end."""
    side: Side | None = None
    """Where an endless cylinder keeps grains; left out, inside. A tube is two-sided."""

    @field_validator("side")
    @classmethod
    def _tubes_are_two_sided(cls, side: Side | None, info: ValidationInfo) -> Side | None:
        if info.data.get("length") is not None and side not in (None, "both"):
            raise ValueError("a tube of finite length is two-sided: leave out side")
        return side

    def pieces(self) -> list[Piece]:
        if self.length is None:
            side = SIDES[self.side or "inside"]
            return [piece_along(gap, self.point, self.axis, self.radius, -ENDLESS, ENDLESS, side)]
        return [bounded(piece_along(gap, self.point, self.axis, self.radius, 0.0, self.length, SIDES["both"]))]

    def outline(self, low: Any, high: Any) -> list[np.ndarray]:
        return _drawing.revolution_outline(self._profile(low, high), self.point, self.axis)

    def surface(self, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
        return _drawing.revolution_surface(self._profile(low, high), self.point, self.axis)

    def _profile(self, low: Any, high: Any) -> list[tuple[float, float]]:
        start, end = 0.0, self.length
        if end is None:
            start, end = _drawing.extent_along(self.point, self.axis, low, high)
        return [(self.radius, start), (self.radius, end)]
