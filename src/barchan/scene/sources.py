"""Where grains come from and where they go while a run is under way: sources that pour, regions that take away."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le, Len
from pydantic import model_validator

from barchan.parts.regions import RegionField
from barchan.scene.grains import MOST_GRAINS, ClumpGrain, ShapeField, SphereGrain
from barchan.scene.parts import SizeField
from barchan.scene.polygons import PolygonGrain
from barchan.schema.problems import fault
from barchan.schema.quantities import AngularVelocity, Frequency, PositiveTime, Time, Unit, Velocity
from barchan.schema.tables import Table


class Source(Table):
    """Pours grains into a region, never on top of others: what finds no room waits until there is some.

    Without a rate they are poured as fast as the region has room. What a rate has fallen behind by is made up for,
    after `end` too.
    """

    name: Annotated[str, Len(1)]
    """What the source is called in events and series."""
    material: str
    """The name of one of the scene's materials."""
    shape: ShapeField = SphereGrain()
    """The shape of each grain: a name, or a list of spheres."""
    size: SizeField | None = None
    """A diameter or an overall extent: a number, or a distribution of sizes. Left out with a clump or a polygon."""
    region: RegionField
    """Where grains begin, whole grains inside."""
    count: Annotated[int, Ge(1), Le(MOST_GRAINS)] | None = None
    """How many grains in all; needed where there is no rate."""
    rate: Frequency | None = None
    """How many grains are poured in a second."""
    mass_rate: Annotated[float, Gt(0), Unit("kg/s")] | None = None
    """How much mass is poured in a second, instead of `rate`."""
    velocity: Velocity = (0.0, 0.0, 0.0)
    """The velocity with which grains begin."""
    velocity_scatter: Annotated[float, Ge(0), Unit("m/s")] = 0.0
    """The deviation of each component of the velocity, normally distributed."""
    spin: AngularVelocity = (0.0, 0.0, 0.0)
    """The angular velocity with which grains begin, in the scene's frame."""
    orientation: Literal["aligned", "random"] = "random"
    """"aligned": the grains' own axes lie along the scene's; "random": they are turned evenly at random."""
    start: Time = 0.0
    """When the source begins to pour."""
    end: PositiveTime | None = None
    """When it ends; left out, once `count` is reached, or never."""

    @model_validator(mode="after")
    def _sized(self) -> Source:
        if isinstance(self.shape, (ClumpGrain, PolygonGrain)):
            if self.size is not None:
                what = f"both a size and a {self.shape.key} in metres"
                raise fault(what, f"a {self.shape.key} given in metres has no `size`")
        elif self.size is None:
            raise fault("no size", f"a {self.shape.key} needs its `size`, such as size = '5 mm'")
        return self

    @model_validator(mode="after")
    def _bounded(self) -> Source:
        if self.rate is not None and self.mass_rate is not None:
            raise fault("both a rate and a mass_rate", "give one of them")
        if self.rate is None and self.mass_rate is None and self.count is None:
            raise fault("neither a count nor a rate", "give `count`, `rate` (grains a second) or `mass_rate` (kg/s)")
        if self.end is not None and self.end <= self.start:
            raise fault(f"ends at {self.end:g} s, starts at {self.start:g} s", "it must end after it starts")
        return self


class Sink(Table):
    """Takes away and counts every grain whose centre is in the region."""

    name: Annotated[str, Len(1)]
    """What the sink is called in events and series."""
    region: RegionField
    """Where grains are taken away."""
    outside: bool = False
    """Grains are taken away where the region is not."""
