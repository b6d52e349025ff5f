"""Shapes of flat grains that are made of triangles, for the solver `beams`.

`size` is the overall extent that each docstring names. Outlines lie in the x–z plane.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from annotated_types import Ge, Gt, Le, Len, Lt
from pydantic import model_validator

from barchan.schema.problems import fault
from barchan.schema.quantities import Length, PositiveLength, Unit
from barchan.schema.tables import Table

Share = Annotated[float, Gt(0), Lt(1), Unit("")]
Point = tuple[Length, Length]


class SquareGrain(Table):
    """A square of four triangles that meet in its middle; `size` is its edge."""

    key: ClassVar[str] = "square"


class TriangleGrain(Table):
    """An equilateral triangle of four smaller ones; `size` is its edge."""

    key: ClassVar[str] = "triangle"


class HexagonGrain(Table):
    """A regular hexagon of six triangles; `size` is the distance of opposite corners."""

    key: ClassVar[str] = "hexagon"


class CrossGrain(Table):
    """Five squares of four triangles each, in a cross; `size` is its overall width."""

    key: ClassVar[str] = "cross"


class EllGrain(Table):
    """Three squares of four triangles each, in an L; `size` is its overall width."""

    key: ClassVar[str] = "ell"


class StarGrain(Table):
    """A star with `points` tips, two triangles each; `size` is the diameter of the circle through the tips.

    `waist` is the distance of the hollow corners from the middle over that of the tips.
    """

    key: ClassVar[str] = "star"
    points: Annotated[int, Ge(3), Le(100)] = 5
    waist: Share = 0.5


class IrregularGrain(Table):
    """Polygons with `corners` corners, no two alike, one triangle a side; `size` is twice the largest radius.

    The corners lie about evenly round a middle, shifted by up to `scatter` of half their spacing, at radii that differ
    by up to `scatter`. Then the grain is scaled so that its farthest corner is half of `size` from its centre of mass.
    """

    key: ClassVar[str] = "irregular"
    corners: Annotated[int, Ge(3), Le(100)] = 6
    scatter: Annotated[float, Ge(0), Le(0.45), Unit("")] = 0.3


class PolygonGrain(Table):
    """Any simple polygon, convex or not, given by its corners in metres; the group then has no `size`.

    It is cut into triangles by a constrained Delaunay triangulation. With `mesh_size` (m) sides are cut to at most that
    length and points are set inside, so that the triangles have about that edge. No angle of a triangle may be below
    `least_angle` (degrees).
    """

    key: ClassVar[str] = "polygon"
    points: Annotated[tuple[Point, ...], Len(3, 10_000)]  # m, x and z
    mesh_size: PositiveLength | None = None  # m
    least_angle: Annotated[float, Ge(0), Le(35), Unit("")] = 5.0  # degrees

    @model_validator(mode="after")
    def _differs(self) -> PolygonGrain:
        if len(set(self.points)) < len(self.points):
            raise fault("two corners are the same point", "a simple polygon passes each of its corners once")
        return self


FLAT_SHAPES = (
    SquareGrain, TriangleGrain, HexagonGrain, CrossGrain, EllGrain, StarGrain, IrregularGrain, PolygonGrain,
)  # fmt: skip
FlatShape = (
    SquareGrain | TriangleGrain | HexagonGrain | CrossGrain | EllGrain | StarGrain | IrregularGrain | PolygonGrain
)
