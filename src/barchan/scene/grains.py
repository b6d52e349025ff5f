"""Groups of grains: what they are made of, how large they are, where they lie at the start and how they move.

This file says only what is there; `model/` makes arrays of it. Lengths are in m, `size` is always a diameter or an
overall extent, never a radius, except where a field is called `radius`.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, NamedTuple

from annotated_types import Ge, Gt, Le, Len, Lt
from pydantic import PrivateAttr, model_validator

from barchan.parts.fills import Fill
from barchan.scene.parts import FillField, SizeField
from barchan.scene.polygons import FLAT_SHAPES, FlatShape, PolygonGrain
from barchan.schema.problems import fault
from barchan.schema.quantities import (
    AngularVelocity,
    Position,
    PositiveLength,
    Unit,
    Velocity,
)
from barchan.schema.tables import Bare, Choice, Table, among

MOST_GRAINS = 100_000_000

# ---------------------------------------------------------------- shapes of a grain

Roundness = Annotated[float, Ge(0.5), Lt(1), Unit("")]


class SphereGrain(Table):
    """A sphere; `size` is its diameter."""

    key: ClassVar[str] = "sphere"


class CubeGrain(Table):
    """Eight equal spheres at the corners of a cube; `size` is the edge of the enclosing cube.

    A sphere's diameter is roundness · size, the centres are (1 − roundness) · size apart along an edge: at 0.5
    neighbours just touch. Principal axes are the cube's edges.
    """

    key: ClassVar[str] = "cube"
    roundness: Roundness = 0.5


class DimerGrain(Table):
    """Two equal spheres on the grain's own z axis; `size` is the overall length.

    A sphere's diameter is roundness · size, the centres are (1 − roundness) · size apart: at 0.5 they just touch.
    """

    key: ClassVar[str] = "dimer"
    roundness: Roundness = 0.5


class TetraGrain(Table):
    """Four equal spheres at the corners of a regular tetrahedron; `size` is the extent along one of its edges.

    That is the distance of two centres plus one diameter. A sphere's diameter is roundness · size, the centres are
    (1 − roundness) · size apart: at 0.5 neighbours just touch.
    """

    key: ClassVar[str] = "tetra"
    roundness: Roundness = 0.5


class RodGrain(Table):
    """Equal spheres in a row on the grain's own z axis, evenly spaced; `size` is the overall length.

    A sphere's diameter is roundness · size (so length : width is 1 : roundness), neighbouring centres are
    (1 − roundness) · size / (spheres − 1) apart: with the defaults, four spheres just touch.
    """

    key: ClassVar[str] = "rod"
    spheres: Annotated[int, Ge(2), Le(1000)] = 4
    roundness: Annotated[float, Gt(0), Lt(1), Unit("")] = 0.25

    @model_validator(mode="after")
    def _connected(self) -> RodGrain:
        if self.spheres * self.roundness < 1 - 1e-12:
            raise fault(
                f"{self.spheres} spheres of {self.roundness:g} of the length do not touch each other",
                f"spheres · roundness must be ≥ 1, so roundness ≥ {1 / self.spheres:.4g}",
            )
        return self


class ClumpSphere(Table):
    """One sphere of a clump given by a list."""

    position: Position  # m, in the clump's own frame, whose origin may be anywhere
    radius: PositiveLength  # m


class ClumpGrain(Table):
    """A rigid set of spheres given one by one, in metres; the group then has no `size`.

    The grain is placed by its centre of mass. Volume where spheres overlap counts once.
    """

    key: ClassVar[str] = "clump"
    spheres: Annotated[tuple[ClumpSphere, ...], Len(1, 10_000)]


GrainShape = SphereGrain | CubeGrain | DimerGrain | TetraGrain | RodGrain | ClumpGrain | FlatShape
ShapeField = Annotated[
    GrainShape,
    Choice(
        among(SphereGrain, CubeGrain, DimerGrain, TetraGrain, RodGrain, ClumpGrain, *FLAT_SHAPES),
        "shapes of grains",
        bare=Bare(ClumpGrain, "spheres", (list, tuple)),
    ),
]

# ---------------------------------------------------------------- the group


class MixPart(Table):
    """One kind of grain in a mixture; what it leaves out is the group's own. Shares count up to a common factor."""

    share: Annotated[float, Gt(0), Unit("")]
    """How much of the mixture it is, up to a common factor."""
    material: str | None = None
    """The name of one of the scene's materials."""
    shape: ShapeField | None = None
    """The shape of its grains."""
    size: SizeField | None = None
    """The size of its grains: a number, or a distribution."""


class Part(NamedTuple):
    """Which part of which mixture a group is."""

    whole: GrainGroup
    number: int


class GrainGroup(Table):
    """Grains that share a material, a shape, a distribution of sizes and a fill.

    With `mix` they are of several kinds, packed together by the one fill.
    """

    name: Annotated[str, Len(1)]
    """What the group is called in tables, pictures and measures."""
    material: str
    """The name of one of the scene's materials."""
    shape: ShapeField = SphereGrain()
    """The shape of each grain: a name, or a list of spheres."""
    size: SizeField | None = None
    """A diameter or an overall extent: a number, or a distribution of sizes. Left out with a clump, a polygon or a
    file."""
    count: Annotated[int, Ge(1), Le(MOST_GRAINS)] | None = None
    """How many grains; left out, as many as the fill says or holds. A random fill needs it."""
    fill: FillField
    """Where the grains are at the start."""
    velocity: Velocity = (0.0, 0.0, 0.0)
    """The velocity at the start, the same for all of them."""
    velocity_scatter: Annotated[float, Ge(0), Unit("m/s")] = 0.0
    """The deviation of each component of the velocity, normally distributed."""
    spin: AngularVelocity = (0.0, 0.0, 0.0)
    """The angular velocity at the start, in the scene's frame."""
    orientation: Literal["aligned", "random"] = "aligned"
    """"aligned": the grains' own axes lie along the scene's; "random": they are turned evenly at random."""
    mix: Annotated[tuple[MixPart, ...], Len(1, 100)] | None = None
    """Several kinds of grains in one group; what a part leaves out is the group's own."""
    share_by: Literal["number", "mass"] = "number"
    """What the shares of `mix` are shares of."""
    _part: Part | None = PrivateAttr(default=None)

    @property
    def part(self) -> Part | None:
        """Which part of which mixture this is, where a scene has parted one."""
        return self._part

    def kind(self, number: int) -> GrainGroup:
        """The group as one part of its mixture has it."""
        assert self.mix is not None
        stated = {name: getattr(self.mix[number], name) for name in ("material", "shape", "size")}
        return self.model_copy(update={name: value for name, value in stated.items() if value is not None})

    @model_validator(mode="after")
    def _mixed(self) -> GrainGroup:
        for number in range(len(self.mix or ())):
            self.kind(number)._check_size()
        if self.mix and isinstance(self.fill, Fill) and self.fill.sized:
            raise fault("a mixture from a file", "a file says where each grain is", "give each kind a file and a group")
        if self.mix is None and self.share_by != "number":
            raise fault(f"share_by = {self.share_by!r} without `mix`", "there is nothing to share", "leave it out")
        return self

    @model_validator(mode="after")
    def _sized(self) -> GrainGroup:
        if self.mix is None:
            self._check_size()
        return self

    def _check_size(self) -> None:
        if isinstance(self.shape, (ClumpGrain, PolygonGrain)):
            if self.size is not None:
                what = f"both a size and a {self.shape.key} in metres"
                raise fault(what, f"a {self.shape.key} given in metres has no `size`")
        elif self.size is None and isinstance(self.fill, Fill) and not self.fill.sized:
            raise fault("no size", f"a {self.shape.key} needs its `size`, such as size = '5 mm'")

    @model_validator(mode="after")
    def _counted(self) -> GrainGroup:
        if isinstance(self.fill, Fill):  # and not a fill that nobody here knows
            self.fill.check_count(self.count)
        return self
