"""Packings for the tests of energy minimisation, of two kinds only: every other combination compiles kernels anew.

Flat ones are discs with springs in a periodic box; the others are spheres with Hertz's law and a wall, which may be
far away.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.model.build import build
from barchan.scene import Scene
from barchan.solvers.relax.solver import RelaxSolver

STIFFNESS = 100.0  # N/m, of the discs' springs


def flat_scene(count: int = 200, *, fraction: float | None = 0.86, seed: int = 1, **options: Any) -> Scene:
    """Discs in a periodic unit square; `relax` is merged into its table."""
    more = options.pop("relax", {})
    potential = {"kind": "harmonic", "stiffness": STIFFNESS}
    return _scene(
        {"dimensions": 2, "periodic": (True, False, True), "box": {"low": (0, 0, 0), "high": (1, 0, 1)}, "walls": []},
        {"potential": potential, "packing_fraction": fraction, **more}, count, seed, options,
    )  # fmt: skip


def round_scene(count: int = 100, *, fraction: float | None = 0.75, seed: int = 1, **options: Any) -> Scene:
    """Spheres in a periodic unit cube, with a wall far below."""
    more = options.pop("relax", {})
    far = [{"name": "far", "shape": "sphere", "center": (0, 0, -1e3), "radius": 1.0, "material": "a"}]
    return _scene(
        {"periodic": (True, True, True), "box": {"low": (0, 0, 0), "high": (1, 1, 1)}, "walls": far},
        {"potential": "hertz", "packing_fraction": fraction, **more}, count, seed, options,
    )  # fmt: skip


def _scene(space: dict[str, Any], relax: dict[str, Any], count: int, seed: int, options: dict[str, Any]) -> Scene:
    box = space["box"]
    group = {
        "name": "grains", "material": "a", "size": {"kind": "uniform", "low": 0.05, "high": 0.1}, "count": count,
        "fill": {"kind": "random", "overlap": True, "region": {"kind": "box", **box}},
    }  # fmt: skip
    fields = {
        "name": "laboratory", "solver": "relax", "duration": 1.0, "frame_rate": 4.0, "gravity": (0, 0, 0),
        "materials": {"a": {"density": 1000.0, "young": 1e5, "friction": 0.0}}, "grains": [group], "seed": seed,
        "relax": {name: value for name, value in relax.items() if value is not None}, **space,
    }  # fmt: skip
    return Scene(**{**fields, **options})


def solver(scene: Scene) -> RelaxSolver:
    """The scene's solver at its start."""
    return RelaxSolver(*build(scene), 1.0)


def relaxed(scene: Scene) -> RelaxSolver:
    """The scene's solver after its first relaxation."""
    machine = solver(scene)
    machine.relax()
    return machine


def noise(machine: RelaxSolver, seed: int = 0) -> np.ndarray:
    """A random direction (N, components) of unit length."""
    v = np.random.default_rng(seed).normal(size=machine.point.moved.shape)
    return v / np.linalg.norm(v)
