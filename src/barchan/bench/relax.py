"""Discs at random in a periodic box, relaxed to balance: how much work of which minimiser, and how fast."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from barchan.kernels import threads as kernel_threads
from barchan.model.build import build
from barchan.scene import Scene
from barchan.solvers.relax.solver import RelaxSolver

GRAINS = 2000
FRACTION, TOLERANCE = 0.86, 1e-12  # packing fraction; force left over mean contact force
MINIMISERS = ("newton", "trust-region", "fire")


def packing(grains: int, minimiser: str) -> RelaxSolver:
    """That many discs at random places."""
    box = {"low": (0, 0, 0), "high": (1, 0, 1)}
    return RelaxSolver(*build(Scene.model_validate({
        "name": "packing", "solver": "relax", "duration": 1.0, "frame_rate": 1.0, "gravity": (0, 0, 0),
        "dimensions": 2, "periodic": (True, False, True), "box": box,
        "materials": {"spring": {"density": 1000.0, "young": 1e6, "friction": 0.0}},
        "grains": [{
            "name": "grains", "material": "spring", "size": {"kind": "uniform", "low": 0.01, "high": 0.02},
            "count": grains, "fill": {"kind": "random", "overlap": True, "region": {"kind": "box", **box}},
        }],
        "relax": {
            "potential": {"kind": "harmonic", "stiffness": 1.0}, "minimiser": minimiser, "tolerance": TOLERANCE,
            "packing_fraction": FRACTION,
        },
    })), 1.0)  # fmt: skip


def measure(*, grains: int = GRAINS, threads: Sequence[int] = (), seconds: float = 3.0) -> Iterator[dict[str, Any]]:
    """Discs times gradients and Hessian products per second, for each minimiser, on one thread."""
    kernel_threads.use(1)
    for name in MINIMISERS:
        rates: list[float] = []
        began = time.perf_counter()
        while time.perf_counter() - began < seconds or len(rates) < 2:  # the first one compiles
            solver = packing(grains, name)
            before, spent = time.perf_counter(), time.process_time()
            descent = solver.model.scene.relax.minimiser.minimise(solver.landscape, solver.point, TOLERANCE)
            took, used = time.perf_counter() - before, time.process_time() - spent
            work = solver.landscape.gradients + solver.landscape.products
            rates.append(grains * work / took)
        yield {
            "benchmark": "relax",
            "grains": grains,
            "threads": 1,
            "device": "cpu",
            "minimiser": name,
            "disc_products_per_second": max(rates),
            "median": float(np.median(rates[1:])),
            "gradients": solver.landscape.gradients,
            "products": solver.landscape.products,
            "seconds": took,
            "cpu_seconds": used,
            "calm": bool(descent.calm),
        }
