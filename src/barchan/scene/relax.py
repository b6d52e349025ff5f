"""What the solver `relax` is told: the potential, the minimiser, and how the box is deformed.

There is no time in it. The scene's `duration` is the length of the protocol, a coordinate, and a deformation is carried
out evenly along it: a frame is recorded at every relaxed point, `frame_rate` of them a second.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Gt, Le, Lt
from pydantic import Field

from barchan.scene.parts import MinimiserField, PotentialField, default
from barchan.scene.quantities import Number, Pressure, Unit
from barchan.scene.tables import Choice, Table, among

Share = Annotated[float, Gt(0), Lt(2), Unit("")]


class Deformation(Table):
    """What all deformations share: `returns` goes back the same way in the second half of the protocol.

    Every point is predicted from the one before, with the grains carried along by the box (`affine`) or also by the
    tangent of their equilibrium (`tangent`), and then relaxed. `splits` is how often a step may be halved where the
    packing yields: where a grain ends farther from its prediction than a tenth of the mean radius.
    """

    returns: bool = False
    predict: Literal["tangent", "affine"] = "tangent"
    splits: Annotated[int, Ge(0), Le(20)] = 0


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
    to: Pressure


AnyDeformation = Compression | PureShear | SimpleShear | PressureControl


class Relax(Table):
    """Energy minimisation: what pushes, how the minimum is found, and what happens to the box."""

    potential: PotentialField = Field(default_factory=default("potentials", "harmonic"))
    minimiser: MinimiserField = Field(default_factory=default("minimisers", "newton"))
    tolerance: Annotated[float, Gt(0), Lt(1), Unit("")] = 1e-12  # largest force on a grain over mean contact force
    packing_fraction: Share | None = None  # all sizes are scaled by one factor to reach it; None: sizes as they are
    deformation: (
        Annotated[AnyDeformation, Choice(among(Compression, PureShear, SimpleShear, PressureControl), "deformations")]
        | None
    ) = None
