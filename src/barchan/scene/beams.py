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

    stretch: PositiveStrain | None = None
    """The change of a beam's length over its length."""
    force: PositiveForce | None = None
    """The force along a beam, pulled or pressed."""
    moment: PositiveMoment | None = None
    """The bending moment at either end."""

    @model_validator(mode="after")
    def _some(self) -> Breakage:
        if self.stretch is None and self.force is None and self.moment is None:
            raise fault("no limit", "state `stretch`, `force` or `moment`", "leave the table out if nothing breaks")
        return self


class Yielding(Table):
    """A beam that is loaded beyond one of these keeps part of its deformation: the load stays at the limit."""

    force: PositiveForce | None = None
    """The force along a beam."""
    moment: PositiveMoment | None = None
    """The bending moment at either end."""

    @model_validator(mode="after")
    def _some(self) -> Yielding:
        if self.force is None and self.moment is None:
            raise fault("no limit", "state `force` or `moment`", "leave the table out if nothing yields")
        return self


class Beams(Method):
    """Grains of triangles joined by beams (Pöschel and Buchholtz 1995); the defaults are the paper's."""

    name: ClassVar[str] = "beams"
    ledger: ClassVar[tuple[str, ...]] = ("beam_energy", "dissipated_beams")
    tables: ClassVar[tuple[type[Rows], ...]] = (Corners, BeamLines, Strips)
    can: ClassVar[frozenset[str]] = frozenset(CAPABILITIES) - {"list_counts"}
    reads: ClassVar[tuple[str, ...]] = ("beams",)
    idle: ClassVar[tuple[str, ...]] = ("collisions",)
    bodies: ClassVar[str] = "triangles"
    color: ClassVar[Literal["group", "speed"]] = "speed"

    stiffness: Stiffness = 100.0
    """Force over stretch of a beam, E."""
    inertia: Annotated[float, Gt(0), Unit("m^3")] = 1e-10
    """The moment I of a beam's section; E I is its bending stiffness."""
    damping: Damping = 9e-3
    """Force over rate of stretch of a beam, λ."""
    thickness: PositiveLength = 0.01
    """The extent along y, which gives triangles their mass."""
    contact: Literal["paper", "exact"] = "paper"
    """"paper": the five kinds of overlap of the paper, whose force is Young's modulus of the material times an area;
    "exact": a force that is the gradient of an energy in the overlap."""
    integrator: Literal["gear", "verlet"] = "gear"
    """How the state is carried from step to step: Gear's predictor and corrector of the paper, or velocity Verlet."""
    grip: Annotated[float, Ge(0), Unit("")] = 0.1
    """The stiffness of friction's springs over Young's modulus and the root of the smaller triangle's area: what
    friction can hold it holds at rest. 0: there are no springs."""
    slip_speed: PositiveSpeed = 1e-3
    """Without springs friction falls off in proportion at slower slip."""
    wall_thickness: PositiveLength | None = None
    """The thickness of walls made of triangles; left out, half the largest triangle."""
    breakage: Breakage | None = None
    """Where beams break; left out, nowhere."""
    yielding: Yielding | None = None
    """Where beams yield; left out, nowhere."""
