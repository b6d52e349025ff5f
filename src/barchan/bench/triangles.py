"""Squares of four triangles in a box: triangle-steps per second, and where the time goes (paper P, Table I)."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from barchan.kernels import threads as cores
from barchan.model.build import build
from barchan.scene import Scene
from barchan.solvers.beams import checks, prepare
from barchan.solvers.beams import layout as phase
from barchan.solvers.beams.solver import BeamSolver

SIZE, SPACING = 2e-3, 2.3e-3  # m: squares, and the lattice on which they begin
MEET, STEPS = 200, 100  # steps until some squares have met, and those that are measured
# The phases of a step by what Table I of Pöschel and Buchholtz calls them, and its shares of the time.
PARTS = {
    "lists": (phase.PLACE, phase.FIND),
    "contacts": (phase.PUSH, phase.WALLS),
    "beams": (phase.BEND, phase.DAMP),
    "integration": (phase.PREDICT, phase.ACCELERATE, phase.CORRECT),
}
PAPER = {"lists": 0.737, "contacts": 0.0787, "beams": 0.1333, "integration": 0.0371}


def squares(grains: int) -> BeamSolver:
    """That many squares of four triangles, turned at random, that fly about and meet."""
    across = math.ceil(math.sqrt(grains))
    spots = np.stack(np.meshgrid(np.arange(across), np.arange(across)), axis=-1).reshape(-1, 2)[:grains] * SPACING
    scene = Scene.model_validate(
        {
            "name": "squares",
            "solver": "beams",
            "dimensions": 2,
            "duration": 1.0,
            "frame_rate": 1000.0,
            "gravity": (0.0, 0.0, 0.0),
            "materials": {"a": {"density": 1000.0, "young": 2e6, "friction": 0.0}},
            "grains": [
                {
                    "name": "squares",
                    "material": "a",
                    "shape": "square",
                    "size": SIZE,
                    "velocity_scatter": 0.3,
                    "fill": {"kind": "points", "positions": [(x, 0.0, z) for x, z in spots.tolist()]},
                }
            ],
        }
    )
    model, start = build(scene)
    return BeamSolver(model, start, checks.choose(model, start).value)


def shares(solver: BeamSolver, repeats: int = 20) -> dict[str, float]:
    """The share of a step's time that each part takes; making the lists counts by how often it happens."""
    spent = dict.fromkeys(PARTS, 0.0)
    c, kernels = solver.packed(), solver.kernels
    work = prepare.ready(kernels, c)
    kept = solver.arrays["state"].copy()
    for part, those in PARTS.items():
        for which in those:
            began = time.process_time()
            for _ in range(repeats):
                kernels.phases(c, which, which, solver.dt, 0.0, 0.0, True, work)
            spent[part] += (time.process_time() - began) / repeats
    solver.arrays["state"][:] = kept
    began = time.process_time()
    solver.rebuild()
    spent["lists"] += (time.process_time() - began) * (solver.rebuilds / max(solver.step, 1))
    return {part: value / sum(spent.values()) for part, value in spent.items()}


def measure(*, grains: int = 10_000, threads: Sequence[int] = (), seconds: float = 3.0) -> Iterator[dict[str, Any]]:
    """Triangle-steps per second and the shares of time, on so many threads."""
    for count in threads or sorted({1, cores.most()}):
        cores.use(count)
        started = squares(grains)
        started.advance(MEET)
        arrays, meta = started.state()
        rates: list[float] = []
        own: list[float] = []
        began = time.perf_counter()
        while time.perf_counter() - began < seconds or len(rates) < 3:
            # The same steps again: squares that fly apart meet less and less often, and cost less.
            solver = BeamSolver.restored(started.model, {name: array.copy() for name, array in arrays.items()}, meta)
            before, spent = time.perf_counter(), time.process_time()
            solver.advance(STEPS)
            rates.append(STEPS * solver.triangle_count / (time.perf_counter() - before))
            own.append(STEPS * solver.triangle_count / max(time.process_time() - spent, 1e-9))
        parts = shares(solver)
        yield {
            "benchmark": "triangles",
            "grains": grains,
            "triangles": solver.triangle_count,
            "threads": count,
            "device": "cpu",
            "triangle_steps_per_second": max(rates),
            "median": float(np.median(rates)),
            "triangle_steps_per_cpu_second": float(np.median(own)),  # what a processor that others share can tell
            "steps_per_list": solver.step / solver.rebuilds,
            "shares": {part: round(value, 4) for part, value in parts.items()},
            "paper_shares": PAPER,
        }
