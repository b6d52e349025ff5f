"""The benchmarks as two revisions run them in turns: set up once, then as much work at a time as is asked for.

What is measured is the revision's own: this file asks the benchmarks of any revision for what all of them have had
since 3d01659. Where a later one has to be asked differently, it is asked here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

LINEAR_SETTLES = 2000  # steps: the bed was settled under another law


def _nothing(pieces: int) -> None:
    """There is nothing to be made ready before a turn."""


@dataclass(frozen=True)
class Course:
    """A benchmark that is set up."""

    unit: str  # of what is counted
    advance: Callable[[int], float]  # goes on by so many small pieces of work; how much that was
    ready: Callable[[int], None] = field(default=_nothing)  # what comes before such a turn, and is not timed


def _of_steps(solver: Any, grains: int, steps: int, unit: str = "grain-steps") -> Course:
    """Goes on, `steps` steps a piece."""

    def advance(pieces: int) -> float:
        solver.advance(pieces * steps)
        return float(pieces * steps * grains)

    return Course(unit, advance)


def settled_bed(grains: int = 10_000, steps: int = 10, **where: str) -> Course:
    """A bed at rest under `hertz`."""
    from barchan import solvers

    bench = import_module("barchan.bench.settled_bed")
    solver = solvers.create(*bench.bed(grains), bench.TIME_STEP, **where)
    solver.advance(20 if not where else 200)
    return _of_steps(solver, grains, steps)


def linear_bed(grains: int = 10_000, settles: int = LINEAR_SETTLES) -> Course:
    """The same bed under `linear`."""
    from barchan import solvers

    bench = import_module("barchan.bench.settled_bed")
    solver = solvers.create(*linear_grains(grains), bench.TIME_STEP)
    solver.advance(settles)
    return _of_steps(solver, grains, 10)


def linear_grains(grains: int) -> Any:
    """Model and grains of the bed with another contact law."""
    from barchan.registry import part

    bench = import_module("barchan.bench.settled_bed")
    model, start = bench.bed(grains)
    law = part("laws", "linear")()
    changed, _ = bench.build(model.scene.model_copy(update={"contact": law, "wall_contact": law}))
    return changed, start


def moving_bed(grains: int = 10_000, fall: float | None = None, **where: str) -> Course:
    """Spheres on a floor that shakes."""
    from barchan import solvers

    bench = import_module("barchan.bench.moving_bed")
    solver = solvers.create(*bench.poured(grains, "sphere"), bench.TIME_STEP["sphere"], **where)
    solver.advance_to(bench.FALL if fall is None else fall)
    return _of_steps(solver, grains, 10)


def clumps(grains: int = 2000, settled: float | None = None) -> Course:
    """Cubes of eight spheres."""
    from barchan import solvers

    bench = import_module("barchan.bench.clumps")
    model, start = bench.bed(grains)
    solver = solvers.create(model, start, bench.choose(model, start).value)
    solver.advance_to(bench.SETTLED if settled is None else settled)
    return _of_steps(solver, grains, 10, "clump-steps")


def gas(grains: int = 10_000, mean_times: float = 10.0) -> Course:
    """Hard spheres in a periodic box."""
    from barchan import solvers

    bench = import_module("barchan.bench.gas")
    solver = solvers.create(*bench.gas(grains), 1.0)
    mean_time = 0.1  # about that between two collisions of a grain
    solver.advance_to(mean_times * mean_time)

    def advance(pieces: int) -> float:
        before = solver.step
        solver.advance_to(solver.time + pieces * 50_000 * mean_time / grains)
        return float(solver.step - before)

    return Course("collisions", advance)


def relax(grains: int = 300) -> Course:
    """Small packings of discs from random places to rest, by each minimiser in turn."""
    bench = import_module("barchan.bench.relax")
    waiting: list[Any] = []

    def ready(pieces: int) -> None:
        waiting[:] = [bench.packing(grains, name) for _ in range(pieces) for name in bench.MINIMISERS]

    def advance(pieces: int) -> float:
        for solver in waiting:
            minimiser = solver.model.scene.relax.minimiser
            minimiser.minimise(solver.landscape, solver.point, bench.TOLERANCE)
        return float(pieces * grains)  # descents are counted: to need fewer gradients is to be faster

    return Course("discs brought to rest", advance, ready)


def triangles(grains: int = 2000, meet: int | None = None) -> Course:
    """Squares of four triangles that fly about and meet; each turn begins where they have just met."""
    bench = import_module("barchan.bench.triangles")
    started = bench.squares(grains)
    started.advance(bench.MEET if meet is None else meet)
    arrays, meta = started.state()
    now: list[Any] = [started]

    def ready(pieces: int) -> None:
        copies = {name: array.copy() for name, array in arrays.items()}
        now[0] = type(started).restored(started.model, copies, meta)

    def advance(pieces: int) -> float:
        now[0].advance(5 * pieces)
        return float(5 * pieces * started.triangle_count)

    return Course("triangle-steps", advance, ready)


COURSES: Mapping[str, Callable[..., Course]] = {
    "settled-bed": settled_bed,
    "moving-bed": moving_bed,
    "clumps": clumps,
    "gas": gas,
    "relax": relax,
    "triangles": triangles,
    "linear-bed": linear_bed,
}
TINY: Mapping[str, Mapping[str, Any]] = {  # sizes that say whether it runs, and nothing about speed
    "settled-bed": {"grains": 1000},
    "moving-bed": {"grains": 8, "fall": 2e-5},
    "clumps": {"grains": 27, "settled": 2e-3},
    "gas": {"grains": 100, "mean_times": 1.0},
    "relax": {"grains": 60},
    "triangles": {"grains": 40, "meet": 20},
    "linear-bed": {"grains": 1000, "settles": 20},
}
ON_GPU = ("settled-bed", "moving-bed")
LARGE: Mapping[str, Mapping[str, Any]] = {  # enough to fill a GPU
    "settled-bed": {"grains": 1_600_000},
    "moving-bed": {"grains": 1_000_000},
}
