"""How a periodic box is deformed, for every solver that can.

A deformation is carried out along the scene's `duration`: for the solver `relax`, which knows no time, that is the
coordinate of its protocol; for soft spheres it is time, so that `duration` sets the rate of strain.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from annotated_types import Gt, Lt

from barchan.schema.quantities import Number, Stress, Unit
from barchan.schema.tables import Choice, Table, among

Share = Annotated[float, Gt(0), Lt(2), Unit("")]


class Deformation(Table):
    """What all deformations share: `returns` goes back the same way in the second half.

    `course` is how the deformation grows along the duration: `even`, or `smooth`, as (1 − cos)/2, which begins and ends
    at rest, so that no waves are sent out. The middle of the box stays where it is.
    """

    returns: bool = False
    course: Literal["even", "smooth"] = "even"


class Compression(Deformation):
    """The box shrinks, or grows, evenly in all periodic directions, to the packing fraction `to`."""

    key: ClassVar[str] = "compression"
    to: Share


class PureShear(Deformation):
    """The box grows along x and shrinks along z at constant volume; `strain` is ln(x/x₀) − ln(z/z₀) at the end."""

    key: ClassVar[str] = "pure-shear"
    strain: Number


class SimpleShear(Deformation):
    """The image above moves along x (Lees and Edwards); `strain` is that shift over the height at the end."""

    key: ClassVar[str] = "simple-shear"
    strain: Number


class PressureControl(Deformation):
    """The box changes evenly so that the pressure (N/m in two dimensions) goes to `to`, by one factor a point."""

    key: ClassVar[str] = "pressure"
    to: Stress


AnyDeformation = Compression | PureShear | SimpleShear | PressureControl
DeformationField = Annotated[
    AnyDeformation, Choice(among(Compression, PureShear, SimpleShear, PressureControl), "deformations")
]
