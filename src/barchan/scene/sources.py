"""Where grains come from and where they go while a run is under way: sources that pour, regions that take away."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le, Len
from pydantic import model_validator

from barchan.scene.grains import MOST_GRAINS, ClumpGrain, Region, ShapeField, SizeField, SphereGrain
from barchan.scene.polygons import PolygonGrain
from barchan.schema.problems import fault
from barchan.schema.quantities import AngularVelocity, Frequency, PositiveTime, Time, Unit, Velocity
from barchan.schema.tables import Table


class Source(Table):
    """Pours grains into a region, never on top of others: what finds no room waits until there is some.

    `rate` (grains a second) or `mass_rate` (kg/s) says how fast, `count` how many in all; without a rate they are
    poured as fast as the region has room. What a rate has fallen behind by is made up for, after `end` too.
    """

    name: Annotated[str, Len(1)]
    material: str  # a name among the scene's materials
    shape: ShapeField = SphereGrain()
    size: SizeField | None = None  # m; None only with a clump or a polygon
    region: Region  # whole grains begin inside it
    count: Annotated[int, Ge(1), Le(MOST_GRAINS)] | None = None
    rate: Frequency | None = None  # grains a second, 1/s
    mass_rate: Annotated[float, Gt(0), Unit("kg/s")] | None = None
    velocity: Velocity = (0.0, 0.0, 0.0)  # m/s
    velocity_scatter: Annotated[float, Ge(0), Unit("m/s")] = 0.0  # m/s, deviation of each component, normal
    spin: AngularVelocity = (0.0, 0.0, 0.0)  # rad/s, in the scene's frame
    orientation: Literal["aligned", "random"] = "random"  # own axes along the scene's, or uniformly random
    start: Time = 0.0  # s
    end: PositiveTime | None = None  # s; None: until `count` is reached, or for ever

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
    """Takes away and counts every grain whose centre is in the region, or with `outside` every one whose is not."""

    name: Annotated[str, Len(1)]
    region: Region
    outside: bool = False
