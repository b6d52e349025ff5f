"""All that can be known before a run: the arrays, the time step, what is measured and when. Nothing is written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from barchan import registry, solvers
from barchan.errors import Finding, SceneError
from barchan.frame import Frame
from barchan.model.build import Model, build, build_model
from barchan.model.build_grains import clump_of
from barchan.model.grains import Grains
from barchan.model.timestep import TimeStep
from barchan.parts.observables import Observable, unit_in
from barchan.parts.observables._volume import Measured
from barchan.parts.observables.flow import gate_series, gate_values
from barchan.scene import Scene
from barchan.scene.scene import LEDGER_LINES
from barchan.simulation.schedule import Schedule
from barchan.simulation.start import last_grains, masses
from barchan.solvers import unused

ALWAYS = ("energy", "contacts", "pile", "count")  # observables of every run
# Grain-steps between two visits: about a fifth of a second on one core, ten seconds on a GPU, from which all grains are
# fetched for every visit.
MOST_WORK = {"cpu": 1_000_000, "cuda": 20_000_000_000}
# Visits a frame, where that leaves LEAST_STEPS between them: fewer would cost more than they are worth.
WATCHES = {"cpu": 10, "cuda": 2}
LEAST_STEPS = 500
MOST_STEPS = 3e9  # of a run; more are told as a warning
FEWEST_STEPS = 20  # between visits, however many grains there are


@dataclass(frozen=True)
class Measures:
    """The observables of a run: those of every run and those of the scene, each kind once."""

    observables: tuple[Observable, ...]
    sources: tuple[str, ...] = ()  # names that inflow is counted by
    sinks: tuple[str, ...] = ()  # names, of absorbing walls too, that outflow is counted by
    flat: bool = False  # two-dimensional

    @classmethod
    def of(cls, scene: Scene) -> Measures:
        """The observables of a scene; SceneError where two of them would give numbers of the same name."""
        asked = cast(Sequence[Observable], scene.observables)
        sources = tuple(source.name for source in scene.sources)
        sinks = (*(sink.name for sink in scene.sinks), *(wall.name for wall in scene.walls if wall.absorbing))
        always = (*ALWAYS, *(("flow",) if sources or sinks else ()), *scene.method.observables)
        missing = [key for key in always if key not in [one.key for one in asked]]
        observables = (*(cast(Observable, registry.part("observables", key)()) for key in missing), *asked)
        owner: dict[str, Observable] = {}
        for one in observables:
            for name, _ in one.numbers(LEDGER_LINES):
                if owner.setdefault(name, one) is not one:
                    what = f"{one.key!r} measures {name!r}, as does {owner[name].key!r}"
                    raise SceneError(Finding("observables", what, "every number must have a name of its own"))
        return cls(observables, sources, sinks, scene.dimensions == 2)

    @property
    def series(self) -> list[tuple[str, str]]:
        """Name and unit of every number."""
        own = [
            (name, unit_in(unit, flat=self.flat))
            for one in self.observables
            for name, unit in one.numbers(LEDGER_LINES)
        ]
        return [*own, *gate_series(self.sources, inward=True), *gate_series(self.sinks, inward=False)]

    def measure(self, frame: Frame) -> dict[str, float]:
        """A value for every name in `series`."""
        values = dict.fromkeys(LEDGER_LINES, 0.0)  # of methods that are not this one
        for one in self.observables:
            values |= one.measure(frame)
        return values | gate_values(frame)


@dataclass(frozen=True)
class Plan:
    """A scene that has passed all checks and is ready to run."""

    scene: Scene
    model: Model
    grains: Grains
    time_step: TimeStep
    measures: Measures
    warnings: tuple[Finding, ...]
    device: str = "cpu"

    @classmethod
    def of(cls, scene: Scene, *, device: str = "cpu") -> Plan:
        """The plan of a scene; SceneError tells what keeps it from running."""
        if lacking := unused.lacking(scene):
            raise SceneError(lacking)
        measures = Measures.of(scene)
        model, grains = build(scene) if scene.start is None else (build_model(scene), last_grains(scene))
        checks = solvers.checks(scene.solver)
        warnings, time_step = checks.check(model, grains), checks.choose(model, grains)
        if time_step.fixed:
            _check_rate(scene, time_step.value)
        _check_regions(scene)
        kept = masses(scene, grains) if scene.start is not None else []
        told = (*unused.other_tables(scene), *kept, *warnings, *_endless(scene, time_step), *_extents(scene))
        return cls(scene, model, grains, time_step, measures, told, device)

    @property
    def steps(self) -> int:
        """How many steps the run will take, if all are of the chosen length and no event stops it."""
        return math.ceil(self.scene.duration / self.time_step.value * (1 - 1e-12))

    @property
    def most_grains(self) -> int:
        """How many grains there may be, as far as the scene says."""
        return len(self.grains) + sum(source.count or 0 for source in self.scene.sources)

    @property
    def most_spheres(self) -> int:
        """How many spheres these grains are made of."""
        poured = ((source.count or 0) * len(clump_of(source.shape).radii) for source in self.scene.sources)
        return len(self.grains.sphere_radius) + sum(poured)

    @property
    def pieces(self) -> int:
        """Into how many pieces a frame is cut, so that a run can be watched, saved and stopped between them."""
        if self.scene.stepless:
            return WATCHES["cpu"]
        steps = math.floor((1 + 1e-9) / (self.scene.frame_rate * self.time_step.value))
        needed = min(math.ceil(steps * self.most_grains / MOST_WORK[self.device]), steps // FEWEST_STEPS)
        wanted = max(needed, min(WATCHES[self.device], steps // LEAST_STEPS))
        return max(1, min(steps, wanted))

    @property
    def schedule(self) -> Schedule:
        """When the run is visited."""
        return Schedule.of(self.scene, pieces=self.pieces, edges=self.model.walls.edges())


def divisors(scene: Scene) -> dict[str, str]:
    """What observables divide by, in words, by their place in the scene."""
    flat = scene.dimensions == 2
    return {
        f"observables[{k}]": f"{one.key} is over {one.divisor(scene.periodic, flat=flat)}"
        for k, one in enumerate(scene.observables)
        if isinstance(one, Measured)
    }


def _check_regions(scene: Scene) -> None:
    """SceneError where a region is longer than the periodic box, or lies further away than its next image."""
    if scene.box is None:
        return
    regions = {k: one.region for k, one in enumerate(scene.observables) if isinstance(one, Measured) and one.region}
    for k, region in regions.items():
        for axis, name in enumerate("xyz"):
            if not scene.periodic[axis] or (scene.dimensions == 2 and name == "y"):
                continue
            low, high, first, last = (box[axis] for box in (region.low, region.high, scene.box.low, scene.box.high))
            length = last - first
            if high - low > length * (1 + 1e-9) or low < first - length or high > last + length:
                raise SceneError(Finding(
                    f"observables[{k}].region", f"goes from {low:g} m to {high:g} m along {name}",
                    f"the periodic box goes from {first:g} m to {last:g} m, and what lies in it is measured once",
                    "keep the region within the box, or leave it out for all of it",
                ))  # fmt: skip


def _extents(scene: Scene) -> list[Finding]:
    """Observables that divide by the extent of the grains, which takes in what is empty above and beside them."""
    return [
        Finding(where, text, remedy="state its `volume` or `region` where that is not what is meant")
        for where, text in divisors(scene).items()
        if "extent" in text
    ]


def _endless(scene: Scene, time_step: TimeStep) -> list[Finding]:
    """Whether a run would take longer than anybody waits: a step is a microsecond of computing at the least."""
    steps = scene.duration / time_step.value
    if not time_step.fixed or steps < MOST_STEPS:
        return []
    return [Finding(
        "duration", f"{scene.duration:g} s, {steps:.2g} steps of {time_step.value:.2g} s ({time_step.text})",
        f"{MOST_STEPS:.0e} steps take hours, of several grains days",
        "take softer materials or beams, larger or rounder grains, or a shorter duration",
    )]  # fmt: skip


def _check_rate(scene: Scene, time_step: float) -> None:
    """Refuse to measure more often than the solver steps: samples would repeat each other."""
    rate = scene.sample_rate
    if rate is not None and rate * time_step > 1 + 1e-9:
        expected = f"must be at most {1 / time_step:.4g}/s, one a time step of {time_step:.3g} s"
        raise SceneError(Finding("sample_rate", f"{rate:g}/s", expected))
