"""What is known of a solver before it is imported: what it can do, and which fields of a scene it alone reads."""

from __future__ import annotations

from typing import ClassVar, Literal

from barchan.frame import Table as Rows
from barchan.schema.quantities import Time
from barchan.schema.tables import Table

# What some solvers can do and others cannot, by the name of the member of `solvers.base.Solver` that does it.
CAPABILITIES = {
    "advance": "take a number of steps",
    "room": "find room for grains that are poured",
    "insert": "take in grains",
    "remove": "take grains away",
    "add_wall": "let walls appear",
    "remove_wall": "let walls vanish",
    "start_motion": "let walls begin to move",
    "change_gravity": "change gravity",
    "fastest": "say how fast grains are",
    "kinetic_energy": "say how much energy moves",
    "worst_overlap": "say how deep the worst overlap was",
    "list_counts": "say how often lists of neighbours were made",
}


class Method(Table):
    """Base of the tables that say how a solver goes about its work."""

    name: ClassVar[str]  # of the solver
    can: ClassVar[frozenset[str]] = frozenset(CAPABILITIES)
    reads: ClassVar[tuple[str, ...]] = ()  # fields of a scene that no other solver reads
    surface: ClassVar[tuple[str, ...]] = ()  # the same, of materials and pairs
    observables: ClassVar[tuple[str, ...]] = ()  # of every run, beside those that all solvers have
    ledger: ClassVar[tuple[str, ...]] = ()  # lines of its ledger of energy, beside those of every method
    tables: ClassVar[tuple[type[Rows], ...]] = ()  # what it adds to its frames
    idle: ClassVar[tuple[str, ...]] = ()  # observables that it has nothing for
    devices: ClassVar[tuple[str, ...]] = ("cpu",)
    bodies: ClassVar[str] = "spheres"  # what grains are made of
    event_driven: ClassVar[bool] = False  # its `step` counts collisions
    color: ClassVar[Literal["group", "speed"]] = "group"  # what pictures show best

    @property
    def stepless(self) -> bool:
        """Whether it goes from event to event instead of taking time steps."""
        return False


class SoftSpheres(Method):
    """Soft spheres: all that they are told stands in the scene itself."""

    name: ClassVar[str] = "soft"
    ledger: ClassVar[tuple[str, ...]] = ("tether_energy", "dissipated_tethers", "box_work", "dissipated_drag")
    reads: ClassVar[tuple[str, ...]] = ("wall_step_limit",)
    idle: ClassVar[tuple[str, ...]] = ("collisions",)
    devices: ClassVar[tuple[str, ...]] = ("cpu", "cuda")


class HardSpheres(Method):
    """How the hard-sphere solver goes about its work."""

    name: ClassVar[str] = "hard"
    ledger: ClassVar[tuple[str, ...]] = ("rest_work", "spared_energy")
    can: ClassVar[frozenset[str]] = frozenset(CAPABILITIES) - {"advance", "list_counts"}
    reads: ClassVar[tuple[str, ...]] = ("hard", "restitution")
    surface: ClassVar[tuple[str, ...]] = ("tangential_restitution",)
    observables: ClassVar[tuple[str, ...]] = ("collisions",)
    idle: ClassVar[tuple[str, ...]] = ("steps", "modes", "packing")
    event_driven: ClassVar[bool] = True

    mode: Literal["exact", "leapfrog"] = "exact"
    """"exact": parabolas between collisions, without a time step; "leapfrog": gravity acts in kicks at the ends of
    steps of `time_step`, and between them grains move in straight lines (Richardson 2011)."""
    contact_time: Time | None = None
    """A collision so soon after another one of the same grain is elastic; left out, it is chosen."""

    @property
    def stepless(self) -> bool:
        """Whether gravity acts between collisions, and not in kicks."""
        return self.mode == "exact"
