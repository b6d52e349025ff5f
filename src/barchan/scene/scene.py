"""A scene: everything that is there and everything that is asked for, in words and SI numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, Le, Len
from pydantic import Field, field_validator
from pydantic_core import InitErrorDetails

from barchan.scene.beams import Beams
from barchan.scene.checks import scene_problems
from barchan.scene.events import Event
from barchan.scene.grains import Box, GrainGroup, GrainShape
from barchan.scene.materials import Material, PairOverride, Stiction
from barchan.scene.method import HardSpheres, Method, SoftSpheres
from barchan.scene.mixtures import parted, places, whole
from barchan.scene.parts import DeformationField, IntegratorField, LawField, ObservableField, RestitutionField, default
from barchan.scene.relax import Relax
from barchan.scene.sources import Sink, Source
from barchan.scene.tethers import Tether
from barchan.scene.walls import Wall
from barchan.schema.problems import unknown_name
from barchan.schema.quantities import Acceleration, Damping, Frequency, PositiveTime, Unit
from barchan.schema.tables import Table

METHODS: dict[str, type[Method]] = {one.name: one for one in (SoftSpheres, HardSpheres, Beams, Relax)}
LEDGER_LINES = tuple(dict.fromkeys(line for one in METHODS.values() for line in one.ledger))  # that methods add
SOLVERS = tuple(METHODS)
MOST_SEED = 2**63 - 1
WALL_STEP_LIMIT = 0.2  # radii: a crossing then shows as an overlap of 90% at least


class Record(Table):
    """What frames hold beside the grains."""

    contacts: bool = False  # every contact with its forces, in every frame


class Scene(Table):
    """A complete scene. z points up; in two dimensions grains move in the x–z plane and spin about y."""

    name: Annotated[str, Len(1, 200)]
    description: str = ""
    solver: str = Field(default="soft", json_schema_extra={"enum": list(SOLVERS)})
    duration: PositiveTime  # s
    frame_rate: Frequency = 24.0  # 1/s
    sample_rate: Frequency | None = None  # 1/s, of the observables; None: once a frame
    gravity: Acceleration = (0.0, 0.0, -9.81)  # m/s²
    dimensions: Literal[2, 3] = 3
    rotation: bool = True  # whether grains spin
    scalar_inertia: bool = False  # one moment of inertia for all axes, the mean of the three
    periodic: tuple[bool, bool, bool] = (False, False, False)
    box: Box | None = None  # periodic axes repeat it; a grain that leaves it along another axis stops the run
    deformation: DeformationField | None = None  # of the periodic box, along the duration
    drag: Damping = 0.0  # N s/m: a background resists every grain, at rest or carried along by a deforming box
    seed: Annotated[int, Ge(0), Le(MOST_SEED)] = 0
    time_step: PositiveTime | None = None  # s; None: chosen from stiffness, mass and speed
    wall_step_limit: Annotated[float, Gt(0), Unit("", finite=False)] = WALL_STEP_LIMIT  # radii, see docs; or inf
    integrator: IntegratorField = Field(default_factory=default("integrators", "verlet"))
    contact: LawField = Field(default_factory=default("laws", "hertz"))  # between grains
    wall_contact: LawField = Field(default_factory=lambda known: known["contact"])  # grains at walls
    stiction: Stiction | None = None
    restitution: RestitutionField = Field(default_factory=default("restitutions", "constant"))  # of hard spheres
    hard: HardSpheres = HardSpheres()
    materials: Annotated[dict[str, Material], Len(1)]
    pairs: tuple[PairOverride, ...] = ()
    grains: tuple[GrainGroup, ...] = ()  # may be missing where there are sources
    sources: tuple[Source, ...] = ()
    sinks: tuple[Sink, ...] = ()
    walls: tuple[Wall, ...] = ()
    tethers: tuple[Tether, ...] = ()
    events: tuple[Event, ...] = ()
    observables: tuple[ObservableField, ...] = ()
    record: Record = Record()
    start: str | None = None  # the folder of a run whose last frame the grains are taken from, instead of their fills
    relax: Relax = Field(default_factory=lambda: Relax())  # for the solver of that name
    beams: Beams = Beams()  # for the solver of that name
    checkpoint_interval: PositiveTime = 60.0  # s of the wall clock

    @field_validator("grains")
    @classmethod
    def _parted(cls, groups: tuple[GrainGroup, ...]) -> tuple[GrainGroup, ...]:
        return parted(groups)

    @field_validator("solver")
    @classmethod
    def _exists(cls, solver: str) -> str:
        if solver not in METHODS:
            raise unknown_name(solver, "solvers", SOLVERS)
        return solver

    @property
    def stepless(self) -> bool:
        """Whether the solver goes from event to event instead of taking time steps."""
        return self.method.stepless

    @property
    def method(self) -> Method:
        """The table of the scene's solver."""
        return getattr(self, self.solver, SoftSpheres())

    def to_dict(self, *, full: bool = True) -> dict[str, Any]:
        """As for every table; mixtures are written as they were stated."""
        plain: dict[str, Any] = super().to_dict(full=full)
        if "grains" in plain:
            plain["grains"] = [group.to_dict(full=full) for group in whole(self.grains)]
        return plain

    def group_places(self) -> list[str]:
        """Where the groups are stated, in the order of their names: `grains[0]`, `grains[1].mix[0]`, `sources[0]`."""
        return [*places(self.grains), *(f"sources[{k}]" for k in range(len(self.sources)))]

    def group_names(self) -> list[str]:
        """Names of the groups that grains belong to: those of `grains`, then those of `sources`."""
        return [*(one.name for one in self.grains), *(one.name for one in self.sources)]

    def group_densities(self) -> list[float]:
        """Densities of the groups, kg/m³, in the order of their names."""
        used = [*(one.material for one in self.grains), *(one.material for one in self.sources)]
        return [self.materials[name].density for name in used]

    def group_shapes(self) -> list[GrainShape]:
        """Shapes of the groups' grains, in the order of their names."""
        return [*(one.shape for one in self.grains), *(one.shape for one in self.sources)]

    @classmethod
    def across(cls, fields: Mapping[str, Any]) -> list[InitErrorDetails]:
        """Names that nothing has, names that two things have, and fields that contradict each other."""
        return scene_problems(fields)


def schema() -> dict[str, Any]:
    """The JSON Schema of a scene with all parts known now, registered ones included, told apart by their names."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Scene.model_json_schema()}
