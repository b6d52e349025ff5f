"""What the studies of Krijgsman and Luding (2016) share: packings of discs with radii uniform in [r, 2r], relaxed.

Lengths are in units of the box, forces in units of its length times the springs' stiffness.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np

from barchan.minimisers import Descent
from barchan.model.build import build
from barchan.run.progress import Progress
from barchan.scene import Scene
from barchan.solvers.relax import RelaxSolver

TOLERANCE = 1e-12


@dataclass(frozen=True)
class Packing:
    """Grains at random places in a periodic box of unit size, before they are relaxed."""

    count: int
    fraction: float = 0.86
    seed: int = 0
    minimiser: str = "trust-region"
    flat: bool = True

    def scene(self, **options: Any) -> Scene:
        """The scene; `relax` is merged into its table."""
        high = (1, 0, 1) if self.flat else (1, 1, 1)
        relax = {
            "potential": {"kind": "harmonic", "stiffness": 1.0}, "minimiser": self.minimiser, "tolerance": TOLERANCE,
            "packing_fraction": self.fraction, **options.pop("relax", {}),
        }  # fmt: skip
        box = {"low": (0, 0, 0), "high": high}
        group = {
            "name": "grains", "material": "spring", "size": {"kind": "uniform", "low": 0.01, "high": 0.02},
            "count": self.count, "fill": {"kind": "random", "overlap": True, "region": {"kind": "box", **box}},
        }  # fmt: skip
        fields = {
            "name": "packing", "solver": "relax", "duration": 1.0, "frame_rate": 1.0, "gravity": (0, 0, 0),
            "dimensions": 2 if self.flat else 3, "periodic": (True, not self.flat, True), "box": box,
            "materials": {"spring": {"density": 1000.0, "young": 1e6, "friction": 0.0}}, "grains": [group],
            "seed": self.seed, "relax": relax, "observables": ["packing", "cell"],
        }  # fmt: skip
        return Scene(**{**fields, **options})

    def solver(self, **options: Any) -> RelaxSolver:
        """The packing's solver at its start."""
        return RelaxSolver(*build(self.scene(**options)), 1.0)


class Cost(NamedTuple):
    """What it took to relax a packing."""

    steps: int  # of the trust region, or of Newton
    gradients: int
    products: int  # of the Hessian with a vector
    calm: bool  # whether forces came into balance
    loose: bool  # whether no load was left

    @property
    def work(self) -> int:
        """Gradients and products."""
        return self.gradients + self.products


def descend(packing: Packing) -> tuple[RelaxSolver, Descent]:
    """Relax a packing from its random start, with the history of the descent."""
    solver = packing.solver()
    minimiser = solver.model.scene.relax.minimiser
    descent = minimiser.minimise(solver.landscape, solver.point, TOLERANCE)
    solver.point, solver.relaxed = descent.point, True
    return solver, descent


def cost(packing: Packing) -> Cost:
    """What it takes to relax a packing from its random start."""
    solver, descent = descend(packing)
    land = solver.landscape
    loose = land.is_loose(descent.point)
    return Cost(len(descent.history) - 1, land.gradients, land.products, descent.calm, loose)


def costs(packing: Packing, seeds: Sequence[int], progress: Progress, *, workers: int | None = None) -> list[Cost]:
    """The costs of packings that differ in seeds, side by side on the cores, or in this process if `workers` is 1."""
    progress.status(f"{packing.count} grains at {packing.fraction:g}, {packing.minimiser}", f"{len(seeds)} seeds")
    return _side_by_side(cost, [replace(packing, seed=seed) for seed in seeds], workers)


def _side_by_side(work: Callable[[Packing], Cost], tasks: Iterable[Packing], workers: int | None) -> list[Cost]:
    many = len(os.sched_getaffinity(0)) if workers is None else workers
    if many == 1:
        return [work(task) for task in tasks]
    with ProcessPoolExecutor(many, mp_context=get_context("spawn"), initializer=_one_thread) as pool:
        return list(pool.map(work, tasks))


def _one_thread() -> None:
    """A process for each core: none of them needs more threads."""
    from barchan.kernels import threads

    threads.use(1)


def exponent(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """p and C of y = C x^p, by least squares of the logarithms."""
    slope, shift = np.polyfit(np.log(np.asarray(x, float)), np.log(np.asarray(y, float)), 1)
    return float(slope), float(np.exp(shift))
