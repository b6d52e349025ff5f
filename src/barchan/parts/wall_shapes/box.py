"""A box along the axes: a container of flat faces, or a solid block."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import ValidationInfo, field_validator

from barchan.parts.wall_shapes import Piece, Shape, Vector, _drawing, bounded, piece_turned
from barchan.parts.wall_shapes.rectangle import Rectangle
from barchan.schema.quantities import Position

Face = Literal["-x", "+x", "-y", "+y", "-z", "+z"]
Side = Literal["inside", "outside"]
FACES: tuple[Face, ...] = ("-x", "+x", "-y", "+y", "-z", "+z")


def gap(x: float, y: float, z: float, half_x: float, half_y: float, half_z: float) -> tuple[float, float, float, float]:
    """From the surface of the solid block |x| ≤ half_x, |y| ≤ half_y, |z| ≤ half_z; negative inside."""
    qx, qy, qz = abs(x) - half_x, abs(y) - half_y, abs(z) - half_z
    sx, sy, sz = math.copysign(1.0, x), math.copysign(1.0, y), math.copysign(1.0, z)
    dx, dy, dz = max(qx, 0.0), max(qy, 0.0), max(qz, 0.0)
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    if distance > 1e-18:
        return distance, sx * dx / distance, sy * dy / distance, sz * dz / distance
    if qz >= qx and qz >= qy:
        return qz, 0.0, 0.0, sz
    if qy >= qx:
        return qy, 0.0, sy, 0.0
    return qx, sx, 0.0, 0.0


class Box(Shape):
    """A box along the axes: six faces to keep grains in, or a solid block to keep them out.

    A grain that touches an outer edge from without meets both faces there, so use `side = "outside"`, a solid block
    with its edges and corners, for obstacles.
    """

    key: ClassVar[str] = "box"

    low: Position
    """The corner with the smallest coordinates."""
    high: Position
    """The opposite corner."""
    open: tuple[Face, ...] = ()
    """Faces that are left out, such as ["+z"]; a solid block has none."""
    side: Side = "inside"
    """"inside": six two-sided rectangles keep grains in; "outside": a solid block keeps them out."""

    @field_validator("high")
    @classmethod
    def _has_volume(cls, high: Vector, info: ValidationInfo) -> Vector:
        low = info.data.get("low", (-math.inf, -math.inf, -math.inf))
        if not all(start < end for start, end in zip(low, high, strict=True)):
            raise ValueError("must be greater than low along every axis")
        return high

    @field_validator("open")
    @classmethod
    def _leaves_a_face(cls, faces: tuple[Face, ...]) -> tuple[Face, ...]:
        if len(set(faces)) == len(FACES):
            raise ValueError("must leave at least one face")
        return faces

    @field_validator("side")
    @classmethod
    def _solid_is_closed(cls, side: Side, info: ValidationInfo) -> Side:
        if side == "outside" and info.data.get("open"):
            raise ValueError("a solid block has no open faces: leave out open")
        return side

    def faces(self) -> list[Rectangle]:
        """The rectangles that are not open, their normals pointing inwards."""
        return [self._face(face) for face in FACES if face not in self.open]

    def pieces(self) -> list[Piece]:
        if self.side == "inside":
            return [piece for face in self.faces() for piece in face.pieces()]
        low, high = np.asarray(self.low), np.asarray(self.high)
        return [bounded(piece_turned(gap, (low + high) / 2.0, (1.0, 0.0, 0.0, 0.0), *((high - low) / 2.0)))]

    def outline(self, low: Any, high: Any) -> list[np.ndarray]:
        corners = [face.corners() for face in self.faces()]
        edges = {}
        for face in corners:
            for start, end in zip(face, np.roll(face, -1, axis=0), strict=True):
                edges[tuple(sorted((tuple(start.round(12)), tuple(end.round(12)))))] = np.stack([start, end])
        return list(edges.values())

    def surface(self, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
        return _drawing.joined([face.surface(low, high) for face in self.faces()])

    def _face(self, face: Face) -> Rectangle:
        axis = "xyz".index(face[1])
        low, high = np.asarray(self.low), np.asarray(self.high)
        center, normal, edge = (low + high) / 2.0, np.zeros(3), np.zeros(3)
        center[axis] = high[axis] if face[0] == "+" else low[axis]
        normal[axis] = -1.0 if face[0] == "+" else 1.0
        first, second = (axis + 1) % 3, (axis + 2) % 3
        edge[first] = 1.0
        widths = (high - low)[first], (high - low)[second]
        return Rectangle(center=tuple(center), normal=tuple(normal), edge=tuple(edge), widths=widths)
