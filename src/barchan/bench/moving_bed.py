"""Grains poured on to a floor that shakes sideways and shears them: the speed where lists wear out all the time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from barchan import solvers
from barchan.bench.stepping import on_gpu, rates
from barchan.kernels import threads as kernel_threads
from barchan.model.build import Model, build
from barchan.model.grains import Grains
from barchan.scene import Scene

SIZE, SPACING = 2e-3, 2.3e-3  # m, across a grain, and of the lattice on which it begins
LAYERS = 20
TIME_STEP = {"sphere": 8.5e-6, "cube": 4e-6}  # s
FALL = 0.08  # s, until all have landed
SHAKE = {"kind": "oscillate", "amplitude": 5e-3, "frequency": 20.0, "direction": (1.0, 0.0, 0.0)}  # up to 0.63 m/s


def poured(grains: int, shape: str) -> tuple[Model, Grains]:
    """That many grains in twenty layers above the floor, with velocities of some 0.1 m/s, periodic sides."""
    columns = -(-grains // LAYERS)
    across = max(4, round(columns**0.5))
    spots = np.stack(np.unravel_index(np.arange(grains), (-(-columns // across), across, LAYERS)), axis=-1)
    deep = int(spots[:, 0].max()) + 1
    scene = Scene.model_validate(
        {
            "name": f"moving {shape}s",
            "duration": 1.0,
            "periodic": (True, True, False),
            "box": {"low": (0.0, 0.0, -0.1), "high": (max(4, deep) * SPACING, across * SPACING, 1.0)},
            "materials": {"glass": {"density": 2500.0, "young": 1e7, "restitution": 0.5, "friction": 0.5}},
            "grains": [
                {
                    "name": "grains",
                    "material": "glass",
                    "shape": shape,
                    "size": SIZE,
                    "fill": {"kind": "points", "positions": [(0, 0, 0)]},
                }
            ],
            "walls": [{"name": "floor", "shape": "plane", "material": "glass", "motion": SHAKE}],
        }
    )
    model, one = build(scene)
    grown = one.take(np.zeros(grains, np.int64))
    grown.id[:] = np.arange(grains)
    grown.position[:] = (spots + 0.5) * SPACING
    grown.velocity[:] = np.random.default_rng(1).normal(scale=0.1, size=(grains, 3))
    return model, grown


def measure(*, grains: int = 10_000, threads: Sequence[int] = (), seconds: float = 3.0) -> Iterator[dict[str, Any]]:
    """Grain-steps per second of spheres once they have landed, on each number of threads."""
    model, start = poured(grains, "sphere")
    step = TIME_STEP["sphere"]
    for count in list(threads) or sorted({1, kernel_threads.most()}):
        kernel_threads.use(count)
        solver = solvers.create(model, start, step)
        solver.advance_to(FALL)
        lists, first = solver.list_counts[0], solver.step
        found = rates(solver, grains, max(20, 2_000_000 // grains), seconds)
        yield {
            "benchmark": "moving-bed",
            "grains": grains,
            "threads": count,
            "device": "cpu",
            "grain_steps_per_second": max(found),
            "median": float(np.median(found)),
            "steps_per_list": (solver.step - first) / max(solver.list_counts[0] - lists, 1),
        }


def measure_device(*, grains: int = 100_000, seconds: float, device: str, precision: str) -> Iterator[dict[str, Any]]:
    """The same on a GPU, of spheres and of cubes of eight spheres; those are counted by sphere as well."""
    from barchan.kernels import cuda_device

    kernel_threads.use(kernel_threads.most())
    for shape, count in (("sphere", grains), ("cube", grains // 8)):
        model, start = poured(count, shape)
        step = TIME_STEP[shape]
        row = on_gpu(model, start, step, seconds, device=device, precision=precision, settle=round(FALL / step))
        row["sphere_steps_per_second"] = row["grain_steps_per_second"] * row["spheres"] / row["grains"]
        yield {"benchmark": "moving-bed", "shape": shape, **row, "machine": cuda_device.name()}
