"""A part of a round wall: chutes, bowls, and drums with an opening."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from pydantic import ValidationInfo, field_validator

from barchan.parts.wall_shapes import Piece, Shape, _drawing
from barchan.parts.wall_shapes.mesh import Mesh
from barchan.schema.quantities import Angle, Position, PositiveLength

STRIPS = 128  # flat ones, of a full circle: they leave the circle by 3e-4 of its radius at the most


class Arc(Shape):
    """A part of a round wall about an axis along y, two-sided, its ends included: a line that is bent.

    `start = "180 deg", end = "360 deg"` is a bowl. It consists of flat strips, of which a full circle would have 128.
    """

    key: ClassVar[str] = "arc"

    center: Position = (0.0, 0.0, 0.0)
    """The middle of the circle, halfway along the width."""
    radius: PositiveLength
    """The distance of the wall from its axis."""
    start: Angle = 0.0
    """The angle at which the wall begins, counted from x towards z."""
    end: Angle
    """The angle at which it ends: more than `start`, by a full circle at most."""
    width: PositiveLength | None = None
    """The extent along y; left out, the diameter of the circle."""

    @field_validator("end")
    @classmethod
    def _goes_round_once(cls, end: float, info: ValidationInfo) -> float:
        start = info.data.get("start", end - 1.0)
        if not 0.0 < end - start <= 2.0 * math.pi * (1.0 + 1e-12):
            raise ValueError("must be greater than start, by a full circle at the most")
        return end

    def surface(self, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
        span = self.end - self.start
        closed = span > 2.0 * math.pi * (1.0 - 1e-9)
        count = max(1, math.ceil(STRIPS * span / (2.0 * math.pi) - 1e-9))
        angle = self.start + span * np.arange(count if closed else count + 1) / count
        half = 0.5 * (self.width or 2.0 * self.radius)
        round_way = np.stack([np.cos(angle), np.zeros_like(angle), np.sin(angle)], axis=1)
        rims = [self.radius * round_way + (0.0, side, 0.0) for side in (-half, half)]
        here = np.arange(count)
        beside, across = (here + 1) % len(angle), len(angle)
        triangles = [
            np.stack([here, beside, beside + across], axis=1),
            np.stack([here, beside + across, here + across], axis=1),
        ]
        return np.concatenate(rims) + np.asarray(self.center), np.concatenate(triangles)

    def pieces(self) -> list[Piece]:
        vertices, triangles = self.surface(None, None)
        return Mesh(vertices=vertices.tolist(), triangles=triangles.tolist()).pieces()

    def outline(self, low: Any, high: Any) -> list[np.ndarray]:
        vertices, _ = self.surface(low, high)
        rims = [*np.split(vertices, 2)]
        if math.isclose(self.end - self.start, 2.0 * math.pi):
            return [line for rim in rims for line in _drawing.closed(rim)]
        return [*rims, np.stack([rims[0][0], rims[1][0]]), np.stack([rims[0][-1], rims[1][-1]])]
