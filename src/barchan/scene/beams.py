"""What the solver `beams` is told: how triangles are joined, how they push each other, and when a joint gives way."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Gt
from pydantic import model_validator

from barchan.frame import Table as Rows
from barchan.scene.beams_frame import BeamLines, Corners, Strips
from barchan.scene.method import CAPABILITIES, Method
from barchan.schema.problems import fault
from barchan.schema.quantities import Damping, PositiveLength, PositiveSpeed, Stiffness, Unit
from barchan.schema.tables import Table

PositiveStrain = Annotated[float, Gt(0), Unit("")]
PositiveForce = Annotated[float, Gt(0), Unit("N")]
PositiveMoment = Annotated[float, Gt(0), Unit("N*m")]


class Breakage(Table):
    """A beam that goes beyond one of these breaks for good; what is left out does not break it."""

    stretch: PositiveStrain | None = None  # over its length
    force: PositiveForce | None = None  # N, along it, pulled or pressed
    moment: PositiveMoment | None = None  # N m, at either end

    @model_validator(mode="after")
    def _some(self) -> Breakage:
        if self.stretch is None and self.force is None and self.moment is None:
            raise fault("no limit", "state `stretch`, `force` or `moment`", "leave the table out if nothing breaks")
        return self


class Yielding(Table):
    """A beam that is loaded beyond one of these keeps part of its deformation: the load stays at the limit."""

    force: PositiveForce | None = None  # N
    moment: PositiveMoment | None = None  # N m

    @model_validator(mode="after")
    def _some(self) -> Yielding:
        if self.force is None and self.moment is None:
            raise fault("no limit", "state `force` or `moment`", "leave the table out if nothing yields")
        return self


class Beams(Method):
    """Grains of triangles joined by beams (Pöschel and Buchholtz 1995); the defaults are the paper's.

    `contact` "paper": the five kinds of overlap of the paper, whose force is Young's modulus of the material times an
    area; "exact": a force that is the gradient of an energy in the overlap. `grip`: what friction can hold it holds at
    rest, by springs with this stiffness over Young's modulus and the root of the smaller triangle's area.
    """

    name: ClassVar[str] = "beams"
    ledger: ClassVar[tuple[str, ...]] = ("beam_energy", "dissipated_beams")
    tables: ClassVar[tuple[type[Rows], ...]] = (Corners, BeamLines, Strips)
    can: ClassVar[frozenset[str]] = frozenset(CAPABILITIES) - {"list_counts"}
    reads: ClassVar[tuple[str, ...]] = ("beams",)
    idle: ClassVar[tuple[str, ...]] = ("collisions", "modes")
    bodies: ClassVar[str] = "triangles"
    color: ClassVar[Literal["group", "speed"]] = "speed"

    stiffness: Stiffness = 100.0  # E: force over stretch
    inertia: Annotated[float, Gt(0), Unit("m^3")] = 1e-10  # I, of the beam's section; E I is the bending stiffness
    damping: Damping = 9e-3  # λ, N s/m: force over rate of stretch
    thickness: PositiveLength = 0.01  # m along y, which gives triangles their mass
    contact: Literal["paper", "exact"] = "paper"
    integrator: Literal["gear", "verlet"] = "gear"
    grip: Annotated[float, Ge(0), Unit("")] = 0.1  # stiffness of friction's springs over Y √area; 0: it has no memory
    slip_speed: PositiveSpeed = 1e-3  # without a memory friction falls off in proportion at slower slip
    wall_thickness: PositiveLength | None = None  # m, of walls made of triangles; None: half the largest triangle
    breakage: Breakage | None = None
    yielding: Yielding | None = None
