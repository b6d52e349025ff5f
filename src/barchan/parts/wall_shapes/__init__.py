"""Wall shapes: the surfaces that grains cannot pass.

One file each. A shape is described in the scene's coordinates and solved in its own.

A shape is cut into pieces. A piece has an origin and an orientation, and in its own frame a plain scalar
function `gap(x, y, z, *parameters) -> (distance, nx, ny, nz)`: the distance from the surface to the point
(negative behind a one-sided surface) and the unit normal from the surface to the point. A sphere of radius R
centred there overlaps the piece by R − distance.

What every `gap` promises:

- it calls nothing but `math`, takes and returns floats, and never divides by zero: where no nearest point is
  singled out (on an axis, at a centre, on the surface itself) it still answers with a unit normal;
- its distance changes by no more than the point moves, so a list of the pieces near a grain, made with a skin,
  stays true until the grain has moved that far; and from one point a check knows of all spheres about it;
- surfaces with an edge (rectangle, disk, tube, funnel) are two-sided: the distance is the unsigned one to the
  nearest point, rims included, and the normal points to the side where the point is. A grain outside a hopper
  touches its outer face, instead of being taken for one that fell through. A `side` belongs to surfaces
  without an edge alone: plane, infinite cylinder, sphere, and the solid box and frustum;
- seen from a point in front of it, a piece is convex, or round about its axis with a convex profile (a straight line, a
  point): the ball that touches it where it is nearest, and grows along the normal, meets it again only when its centre
  has come to the axis. From this and the second promise the hard-sphere solver finds the moment of impact, for every
  shape alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from barchan.geometry import rotation_to
from barchan.registry import Part

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Gap = Callable[..., tuple[float, float, float, float]]

SIDES = {"inside": -1.0, "both": 0.0, "outside": 1.0}  # the sign that a `gap` takes for a side


class Facet(NamedTuple):
    """What makes a piece one of many that join into one surface: its bounds, and the side where grains belong.

    Such pieces are looked up by place, and at a join a sphere touches only the one that comes nearest.
    """

    low: Vector  # m, in the piece's frame, which all pieces of the surface share
    high: Vector  # m
    normal: Vector  # unit vector to the side where grains belong; zero where that is both
    face: int = 0  # the flat face of the surface that it is a part of


class Piece(NamedTuple):
    """A surface that a sphere touches in at most one point."""

    gap: Gap
    origin: Vector  # m
    orientation: Quaternion  # (w, x, y, z), from the piece's frame to the scene's
    parameters: tuple[float, ...]
    axial: bool = False  # turning about its own z axis leaves the surface where it is
    bounded: bool = False  # it ends somewhere, and shuts no grain in: a periodic box repeats it as it repeats grains
    facet: Facet | None = None


class Shape(Part):
    """Base of wall shapes."""

    family: ClassVar[str] = "shapes"

    def pieces(self) -> list[Piece]:
        """The surfaces the shape consists of."""
        raise TypeError(f"{type(self).__name__} has no pieces")

    def notes(self) -> list[str]:
        """What a user should know of the shape before a run."""
        return []

    def outline(self, low: Any, high: Any) -> list[np.ndarray]:
        """Polylines, each (k, 3) in m, that draw the shape; infinite shapes are cut to the box low … high."""
        raise TypeError(f"{type(self).__name__} has no outline")

    def surface(self, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
        """Vertices (k, 3) in m and triangles (t, 3) that fill the shape; infinite shapes are cut likewise."""
        raise TypeError(f"{type(self).__name__} has no surface")


def bounded(piece: Piece) -> Piece:
    """The piece as one that a periodic box repeats."""
    return piece._replace(bounded=True)


def piece_along(gap: Gap, origin: Vector, axis: Vector, *parameters: float) -> Piece:
    """A piece with its z axis along `axis` and the same all round it; `origin` in m."""
    return piece_turned(gap, origin, rotation_to(axis), *parameters)._replace(axial=True)


def piece_turned(gap: Gap, origin: Any, orientation: Any, *parameters: float) -> Piece:
    """A piece at `origin` (3,) m, turned by the quaternion `orientation` (4,)."""
    x, y, z = (float(value) for value in origin)
    w, i, j, k = (float(value) for value in orientation)
    return Piece(gap, (x, y, z), (w, i, j, k), tuple(float(value) for value in parameters))
