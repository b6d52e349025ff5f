"""A bed of cubes of eight spheres that settles under gravity: clump-steps per second."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from barchan import solvers
from barchan.bench.stepping import contacts, rates
from barchan.kernels import threads as kernel_threads
from barchan.model.build import Model, build
from barchan.model.grains import Grains
from barchan.model.timestep import choose
from barchan.scene import Scene

GRAINS = 5000
SIZE = 2e-3  # m, edge of a cube
PITCH = 1.75 * SIZE  # m: its diagonal, so that cubes may be turned as they like
LAYERS = 10
SETTLED = 0.12  # s: they fall through half the bed's height of gaps in some hundredths


def bed(grains: int) -> tuple[Model, Grains]:
    """That many cubes, turned at random, in a lattice above a floor, between periodic sides."""
    layers = min(LAYERS, max(1, round(grains ** (1 / 3))))
    across = math.ceil(math.sqrt(grains / layers))
    index = np.arange(grains)
    spots = np.column_stack([index % across, index // across % across, index // across**2]) + 0.5
    side = across * PITCH
    scene = Scene.model_validate({
        "name": "clumps", "duration": 1.0, "frame_rate": 100.0, "seed": 1, "periodic": (True, True, False),
        "box": {"low": (0.0, 0.0, -0.1), "high": (side, side, 1.0)},
        "materials": {"glass": {"density": 2500.0, "young": 1e7, "restitution": 0.5, "friction": 0.5}},
        "grains": [{
            "name": "cubes", "material": "glass", "shape": "cube", "size": SIZE, "orientation": "random",
            "fill": {"kind": "points", "positions": (PITCH * spots).tolist()},
        }],
        "walls": [{"name": "floor", "shape": "plane", "material": "glass"}],
    })  # fmt: skip
    return build(scene)


def measure(
    *, grains: int = GRAINS, threads: Sequence[int] = (), seconds: float = 3.0, settled: float = SETTLED
) -> Iterator[dict[str, Any]]:
    """Clump-steps per second on each number of threads, after the bed has settled for that long (s)."""
    counts = list(threads) or sorted({1, kernel_threads.most()})
    model, start = bed(grains)
    kernel_threads.use(max(counts))
    solver = solvers.create(model, start, choose(model, start).value)
    solver.advance_to(settled)
    for count in counts:
        kernel_threads.use(count)
        found = rates(solver, grains, max(20, 200_000 // grains), seconds)
        yield {
            "benchmark": "clumps",
            "grains": grains,
            "threads": count,
            "device": "cpu",
            "law": "hertz",
            "clump_steps_per_second": max(found),
            "median": float(np.median(found)),
            "contacts_per_grain": contacts(solver) / grains,
            "bytes_per_grain": solver.nbytes / grains,
        }
