"""An elastic gas of hard spheres in a periodic box: the standard measure of an event-driven code's speed."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from barchan import solvers
from barchan.model.build import Model, build
from barchan.model.grains import Grains
from barchan.scene import Scene

FRACTION = 0.2  # of the volume, that the spheres take up


def gas(grains: int, fraction: float = FRACTION, *, seed: int = 1, restitution: float = 1.0) -> tuple[Model, Grains]:
    """That many equal spheres, 1 m across and of 1 kg, in a periodic cube, with Maxwell's velocities of 1 m/s each way.

    They begin on a cubic lattice; some ten collisions each make a fluid of them.
    """
    side = (grains * math.pi / 6 / fraction) ** (1 / 3)
    across = math.ceil(grains ** (1 / 3) - 1e-9)
    spots = np.stack(np.meshgrid(*(np.arange(across),) * 3, indexing="ij"), axis=-1).reshape(-1, 3)[:grains]
    scene = Scene.model_validate(
        {
            "name": "gas",
            "solver": "hard",
            "duration": 1.0,
            "gravity": (0.0, 0.0, 0.0),
            "periodic": (True, True, True),
            "box": {"low": (0.0, 0.0, 0.0), "high": (side, side, side)},
            "materials": {"glass": {"density": 6 / math.pi, "restitution": restitution}},
            "grains": [
                {"name": "gas", "material": "glass", "size": 1.0, "fill": {"kind": "points", "positions": [(0, 0, 0)]}}
            ],
        }
    )
    model, one = build(scene)
    grown = one.take(np.zeros(grains, np.int64))
    grown.id[:] = np.arange(grains)
    grown.position[:] = (spots + 0.5) * side / across
    velocity = np.random.default_rng(seed).normal(size=(grains, 3))
    grown.velocity[:] = velocity - velocity.mean(axis=0)
    return model, grown


def measure(*, grains: int = 10_000, threads: Sequence[int] = (), seconds: float = 3.0) -> Iterator[dict[str, Any]]:
    """Collisions per second; events come one after another, so there is one thread."""
    model, start = gas(grains)
    solver = solvers.create(model, start, 1.0)
    mean_time = 0.1  # about that between two collisions of a grain, at this density, in these units
    solver.advance_to(10 * mean_time)
    rates: list[float] = []
    shares: list[float] = []
    began = time.perf_counter()
    while time.perf_counter() - began < seconds or len(rates) < 3:
        before, spent, collisions = time.perf_counter(), time.process_time(), solver.step
        solver.advance_to(solver.time + mean_time * max(1.0, 1e5 / grains))
        rates.append((solver.step - collisions) / (time.perf_counter() - before))
        shares.append((solver.step - collisions) / (time.process_time() - spent))
    yield {
        "benchmark": "gas",
        "grains": grains,
        "threads": 1,
        "device": "cpu",
        "volume_fraction": FRACTION,
        "collisions_per_second": max(rates),
        "median": float(np.median(rates)),
        "collisions_per_cpu_second": float(np.median(shares)),  # what a processor that others share can tell
        "collisions": solver.step,
        "bytes_per_grain": solver.nbytes / grains,
    }
