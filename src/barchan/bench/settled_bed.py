"""A settled bed of equal spheres under Hertz–Mindlin with history: the standard measure of a DEM code's speed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from barchan import solvers
from barchan.bench import data
from barchan.bench.stepping import contacts, on_gpu, rates
from barchan.errors import Finding, SceneError
from barchan.kernels import threads as kernel_threads
from barchan.model.build import Model, build
from barchan.model.grains import Grains
from barchan.scene import Scene

TIME_STEP = 8.5e-6  # s, that of the LAMMPS run which settled the bed
TILES = {"bed_10000.npz": 10_000, "bed_1000.npz": 1000}


def bed(grains: int) -> tuple[Model, Grains]:
    """The bed of that many spheres: a settled one of 1000 or 10000, repeated side by side in x and y."""
    name = next((name for name, size in TILES.items() if grains % size == 0), None)
    if name is None or grains < 1:
        raise SceneError(Finding("grains", str(grains), "must be a multiple of 1000"))
    with np.load(data(name)) as file:
        position, velocity, spin, width = file["x"], file["v"], file["omega"], file["box"][:2, 1]
    copies = grains // TILES[name]
    across = max(k for k in range(1, int(copies**0.5) + 1) if copies % k == 0)
    tiles = np.array([[i * width[0], j * width[1], 0.0] for i in range(across) for j in range(copies // across)])
    spots = (position[None] + tiles[:, None]).reshape(-1, 3)
    scene = Scene.model_validate(
        {
            "name": "settled-bed",
            "duration": 1.0,
            "time_step": TIME_STEP,
            "periodic": (True, True, False),
            "box": {"low": (0.0, 0.0, -0.1), "high": (width[0] * across, width[1] * (copies // across), 1.0)},
            "materials": {"glass": {"density": 2500.0, "young": 1e7, "restitution": 0.5, "friction": 0.5}},
            "grains": [
                {
                    "name": "beads",
                    "material": "glass",
                    "size": 0.002,
                    "fill": {"kind": "points", "positions": [(0, 0, 0)]},
                }
            ],
            "walls": [{"name": "floor", "shape": "plane", "material": "glass"}],
        }
    )
    model, one = build(scene)
    grown = one.take(np.zeros(grains, np.int64))
    grown.id[:] = np.arange(grains)
    grown.position[:] = spots
    grown.velocity[:] = np.tile(velocity, (copies, 1))
    grown.spin[:] = np.tile(spin, (copies, 1))
    return model, grown


def measure_device(*, grains: int = 100_000, seconds: float, device: str, precision: str) -> Iterator[dict[str, Any]]:
    """The same on a GPU, neighbour lists included; the state stays there while the clock runs."""
    from barchan.kernels import cuda_device

    kernel_threads.use(kernel_threads.most())
    model, start = bed(grains)
    yield {"benchmark": "settled-bed", **on_gpu(model, start, TIME_STEP, seconds, device=device, precision=precision),
           "law": "hertz", "machine": cuda_device.name()}  # fmt: skip


def measure(*, grains: int = 10_000, threads: Sequence[int] = (), seconds: float = 3.0) -> Iterator[dict[str, Any]]:
    """Grain-steps per second on each number of threads (all there are, and one, where none are named)."""
    counts = list(threads) or sorted({1, kernel_threads.most()})
    model, start = bed(grains)
    for count in counts:
        kernel_threads.use(count)
        solver = solvers.create(model, start, TIME_STEP)
        solver.advance(20)
        found = rates(solver, grains, max(20, 2_000_000 // grains), seconds)
        yield {
            "benchmark": "settled-bed",
            "grains": grains,
            "threads": count,
            "device": "cpu",
            "law": "hertz",
            "grain_steps_per_second": max(found),
            "median": float(np.median(found)),
            "contacts_per_grain": contacts(solver) / grains,
            "list_rebuilds": solver.list_counts[0],
            "bytes_per_grain": solver.nbytes / grains,
        }
