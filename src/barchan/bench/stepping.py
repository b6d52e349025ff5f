"""What benchmarks of beds share: timing a solver that steps, and its contacts."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from barchan import solvers
from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.solvers.base import Solver


def rates(solver: Solver, grains: int, steps: int, seconds: float) -> list[float]:
    """Grain-steps per second of stretches of that many steps, over at least that long and three of them."""
    found: list[float] = []
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds or len(found) < 3:
        before = time.perf_counter()
        solver.advance(steps)
        found.append(grains * steps / (time.perf_counter() - before))
    return found


def contacts(solver: Solver) -> int:
    """How often a grain touches something: a contact between two counts twice."""
    second = solver.frame().contacts.second
    return len(second) + int(np.count_nonzero(second >= 0))


def on_gpu(
    model: Model, start: Grains, time_step: float, seconds: float, *, device: str, precision: str, settle: int = 200
) -> dict[str, Any]:
    """How fast a GPU moves these grains: `settle` steps first, then stretches of steps for that many seconds."""
    solver = solvers.create(model, start, time_step, device=device, precision=precision)
    solver.advance(settle)
    lists, first = solver.list_counts, solver.step
    found = rates(solver, len(start), max(200, 400_000_000 // len(start)), seconds)
    made, searched = (now - was for now, was in zip(solver.list_counts, lists, strict=True))
    taken = solver.step - first
    return {
        "grains": len(start),
        "spheres": solver.sphere_count,
        "device": device,
        "precision": precision,
        "grain_steps_per_second": max(found),
        "median": float(np.median(found)),
        "steps": taken,
        "steps_per_list": taken / max(made, 1),
        "steps_per_search": taken / max(searched, 1),
        "contacts_per_grain": contacts(solver) / len(start),
        "worst_overlap": solver.worst_overlap,
    }
