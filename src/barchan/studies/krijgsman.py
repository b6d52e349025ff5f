"""What the studies of Krijgsman and Luding (2016) share: packings of discs with radii uniform in [r, 2r], relaxed.

Lengths are in units of the box, forces in units of its length times the springs' stiffness.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from barchan import registry
from barchan.kernels import threads
from barchan.model.build import build
from barchan.parts.minimisers import Descent
from barchan.scene import Scene
from barchan.simulation.progress import Progress
from barchan.solvers.relax.solver import RelaxSolver
from barchan.studies.cores import side_by_side

TOLERANCE = 1e-12
STRAIN = 0.04  # of the paper's pure shear, which its Fig. 10 goes on to twice as much
SHEARED: dict[str, Any] = {"deformation": {"kind": "pure-shear", "strain": 2 * STRAIN}, "relax": {"predict": "affine"}}
NAMES = ("fabric_isotropic", "fabric_deviatoric", "stress_isotropic", "stress_deviatoric")
SHOWN = {  # axis label of each
    "fabric_isotropic": "isotropic fabric", "fabric_deviatoric": "deviatoric fabric",
    "stress_isotropic": "isotropic stress / k", "stress_deviatoric": "deviatoric stress / k",
}  # fmt: skip


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
    seconds: float  # of the processor

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
    began = time.process_time()
    solver, descent = descend(packing)
    land, seconds = solver.landscape, time.process_time() - began
    loose = land.is_loose(descent.point)
    return Cost(len(descent.history) - 1, land.gradients, land.products, descent.calm, loose, seconds)


def costs(packing: Packing, seeds: Sequence[int], progress: Progress, *, workers: int | None = None) -> list[Cost]:
    """The costs of packings that differ in seeds, side by side on the cores, or in this process if `workers` is 1."""
    progress.status(f"{packing.count} grains at {packing.fraction:g}, {packing.minimiser}", f"{len(seeds)} seeds")
    return side_by_side(cost, [replace(packing, seed=seed) for seed in seeds], workers)


def exponent(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """p and C of y = C x^p, by least squares of the logarithms."""
    slope, shift = np.polyfit(np.log(np.asarray(x, float)), np.log(np.asarray(y, float)), 1)
    return float(slope), float(np.exp(shift))


def exponent_error(samples: Mapping[int, np.ndarray]) -> float:
    """Standard error of `exponent` of the means of samples by x: what their scatter does to the slope."""
    x = np.log(np.array(list(samples), float))
    lever = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
    scatter = [many.std(ddof=1) / np.sqrt(len(many)) / many.mean() for many in samples.values()]
    return float(np.sqrt(np.sum((lever * np.array(scatter)) ** 2)))


class Race(NamedTuple):
    """Processor seconds of Newton, and of the trust region until it arrived or was stopped."""

    first: float
    second: float
    arrived: bool


class _Enough(Exception):
    """The race is decided."""


def race(count: int, lead: float, progress: Progress) -> Race:
    """Newton and then the trust region from the same random start; the latter is stopped after `lead` times longer."""
    with threads.at_most(1):
        progress.status(f"{count} grains", "newton")
        first, _ = _timed(Packing(count, minimiser="newton"), math.inf)
        progress.status(f"{count} grains", f"trust-region, for up to {lead * first:.0f} s")
        return Race(first, *_timed(Packing(count), lead * first))


def _timed(packing: Packing, most: float) -> tuple[float, bool]:
    """Processor seconds of a descent, which is stopped after `most`, and whether it came to its end."""
    solver = packing.solver()
    began = time.process_time()

    def late(point: object) -> None:
        if time.process_time() - began > most:
            raise _Enough

    arrived = False
    with contextlib.suppress(_Enough):
        minimiser = solver.model.scene.relax.minimiser
        arrived = minimiser.minimise(solver.landscape, solver.point, TOLERANCE, pulse=late).calm
    return time.process_time() - began, arrived


@dataclass(frozen=True)
class Shear:
    """A pure shear to twice the paper's strain: strains, fabric and stress over stiffness, and what it took."""

    strain: np.ndarray
    values: dict[str, np.ndarray]
    work: int = 0  # gradients and products
    products: int = 0
    seconds: float = 0.0  # of the processor
    kinetic: np.ndarray | None = None  # energy over that stored at the start, of soft spheres

    def mean(self, name: str) -> float:
        """The mean over strains from the paper's to twice that, where the packing yields all the time."""
        return float(np.interp(np.linspace(STRAIN, 2 * STRAIN, 1001), self.strain, self.values[name]).mean())


def shear(solver: RelaxSolver, points: int, progress: Progress) -> Shear:
    """Shear a packing (see SHEARED), in so many points to the paper's strain and as many beyond it."""
    observable = registry.part("observables", "packing")()
    seen: list[dict[str, float]] = []
    solver.advance_to(0.0)
    land = solver.landscape
    before, began = (land.gradients, land.products), time.process_time()
    for k in range(2 * points + 1):
        progress.status(f"{points} points", f"{k} of {2 * points}")
        if k:
            solver.advance_to(k / (2 * points))
        seen.append(observable.measure(solver.frame()))  # type: ignore[attr-defined]
    values = {name: np.array([one[name] for one in seen]) for name in NAMES}
    return Shear(
        np.linspace(0, 2 * STRAIN, 2 * points + 1), values, land.gradients + land.products - sum(before),
        land.products - before[1], time.process_time() - began,
    )  # fmt: skip
