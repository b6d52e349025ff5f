"""A scene: everything that is there and everything that is asked for, in words and SI numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, Le, Len
from pydantic import Field, field_validator
from pydantic_core import InitErrorDetails

from barchan.parts.regions.box import Box
from barchan.scene.beams import Beams
from barchan.scene.checks import scene_problems
from barchan.scene.events import Event
from barchan.scene.grains import GrainGroup, GrainShape
from barchan.scene.materials import Material, PairOverride, Stiction
from barchan.scene.method import HardSpheres, Method, SoftSpheres
from barchan.scene.mixtures import parted, places, whole
from barchan.scene.parts import DeformationField, IntegratorField, LawField, ObservableField, RestitutionField, default
from barchan.scene.relax import Relax
from barchan.scene.sources import Sink, Source
from barchan.scene.tethers import Tether
from barchan.scene.walls import Wall
from barchan.schema.fields import Parameter
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

    contacts: bool = False
    """Every frame holds every contact with its forces."""


class Scene(Table):
    """A complete scene. z points up; in two dimensions grains move in the x–z plane and spin about y."""

    name: Annotated[str, Len(1, 200)]
    """What the scene is called: folders of runs and pictures take it."""
    description: str = ""
    """A line about it, for lists and pictures."""
    solver: str = Field(default="soft", json_schema_extra={"enum": list(SOLVERS)})
    """How motion is computed."""
    duration: PositiveTime
    """How long the run lasts in the scene's time."""
    frame_rate: Frequency = 24.0
    """How many frames a second of the scene's time are recorded."""
    sample_rate: Frequency | None = None
    """How often observables are measured; left out, once a frame."""
    gravity: Acceleration = (0.0, 0.0, -9.81)
    """The acceleration of all grains; z points up."""
    dimensions: Literal[2, 3] = 3
    """In 2 dimensions grains move in the x–z plane and spin about y."""
    rotation: bool = True
    """Whether grains spin."""
    scalar_inertia: bool = False
    """One moment of inertia for all axes: the mean of the three."""
    periodic: tuple[bool, bool, bool] = (False, False, False)
    """Axes along which the box repeats."""
    box: Box | None = None
    """The upright box that periodic axes repeat; a grain that leaves it along another axis stops the run."""
    deformation: DeformationField | None = None
    """What happens to a periodic box along the duration."""
    drag: Damping = 0.0
    """A background resists every grain with this much times its velocity; where a box deforms, times that relative to
    the box."""
    seed: Annotated[int, Ge(0), Le(MOST_SEED)] = 0
    """Decides all that is random: the same number gives the same run."""
    time_step: PositiveTime | None = None
    """How long a step is, which is checked; left out, it follows from stiffness, damping, mass and impact speed."""
    wall_step_limit: Annotated[float, Gt(0), Unit("", finite=False)] = WALL_STEP_LIMIT
    """How far a step may move a grain against a wall within reach, in radii of its smallest sphere; inf takes no
    account of walls."""
    integrator: IntegratorField = Field(default_factory=default("integrators", "verlet"))
    """How the state is carried from step to step; left out, "verlet"."""
    contact: LawField = Field(default_factory=default("laws", "hertz"))
    """The law of contacts between grains; left out, "hertz"."""
    wall_contact: LawField = Field(default_factory=lambda known: known["contact"])
    """The law of contacts at walls; left out, that between grains."""
    stiction: Stiction | None = None
    """Brings grains that rest on walls to a full stop."""
    restitution: RestitutionField = Field(default_factory=default("restitutions", "constant"))
    """How the restitution of hard spheres depends on the speed; left out, "constant"."""
    hard: HardSpheres = HardSpheres()
    """Settings of the solver "hard"."""
    materials: Annotated[dict[str, Material], Len(1)]
    """What grains and walls are made of, by name."""
    pairs: tuple[PairOverride, ...] = ()
    """What two materials are to each other, where it does not follow from both."""
    grains: tuple[GrainGroup, ...] = ()
    """Groups of grains; with sources there may be none."""
    sources: tuple[Source, ...] = ()
    """Where grains are poured in."""
    sinks: tuple[Sink, ...] = ()
    """Where grains are taken away."""
    walls: tuple[Wall, ...] = ()
    """Surfaces that grains cannot pass."""
    tethers: tuple[Tether, ...] = ()
    """Springs that hold grains to points."""
    events: tuple[Event, ...] = ()
    """What happens once, and when."""
    observables: tuple[ObservableField, ...] = ()
    """What the run measures as it goes."""
    record: Record = Record()
    """What frames hold beside the grains."""
    start: str | None = None
    """The folder of another run, whose last grains these are; their fills are then not used."""
    relax: Relax = Field(default_factory=lambda: Relax())
    """Settings of the solver "relax"."""
    beams: Beams = Beams()
    """Settings of the solver "beams"."""
    checkpoint_interval: PositiveTime = 60.0
    """How often the run saves where it is, in your time, not the scene's."""

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
    def described_fields(cls) -> list[Parameter]:
        """As for every table, but without the fields of tables in it: these are described by themselves."""
        return [one for one in super().described_fields() if "." not in one.name]

    @classmethod
    def across(cls, fields: Mapping[str, Any]) -> list[InitErrorDetails]:
        """Names that nothing has, names that two things have, and fields that contradict each other."""
        return scene_problems(fields)


TABLES: dict[str, type[Table]] = {  # what stands in a scene and is no part, by the name of its field
    "scene": Scene, "materials": Material, "pairs": PairOverride, "grains": GrainGroup, "walls": Wall,
    "sources": Source, "sinks": Sink, "tethers": Tether, "events": Event, "record": Record, "stiction": Stiction,
    "hard": HardSpheres, "relax": Relax, "beams": Beams,
}  # fmt: skip


def schema() -> dict[str, Any]:
    """The JSON Schema of a scene with all parts known now, registered ones included, told apart by their names."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Scene.model_json_schema()}
