"""Cubes of eight spheres that run out of the library's hopper: grain-steps per second while all is in motion."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from barchan import solvers
from barchan.kernels import threads as kernel_threads
from barchan.scene import Scene, load
from barchan.simulation.plan import Plan

GRAINS = 397
FIRST, LAST = 1.0, 3.0  # s: the first grains have reached the floor, and the hopper is not empty yet


def scene(grains: int) -> Scene:
    """The library's hopper, larger in all its lengths for more grains than it was made for."""
    ready: Any = load("hopper")
    scale = max(1.0, (grains / GRAINS) ** (1 / 3))
    changes = [f"grains[0].count={grains}"]
    region = ready.grains[0].fill.region
    changes += [
        f"grains[0].fill.region.base=[0, 0, {scale * region.base[2]}]",
        f"grains[0].fill.region.radius={scale * region.radius}",
        f"grains[0].fill.region.height={scale * region.height}",
    ]
    for k, wall in enumerate(ready.walls):
        for name in ("bottom_radius", "top_radius", "height", "radius", "length"):
            if getattr(wall.shape, name, None) is not None:
                changes.append(f"walls[{k}].{name}={scale * getattr(wall.shape, name)}")
        if wall.name != "floor":
            changes.append(f"walls[{k}].point=[0, 0, {scale * wall.shape.point[2]}]")
    return load("hopper", changes)


def measure(*, grains: int = GRAINS, threads: Sequence[int] = (), seconds: float = 3.0) -> Iterator[dict[str, Any]]:
    """Grain-steps per second on each number of threads; a run of its own for each, from the same moment on."""
    counts = list(threads) or sorted({1, kernel_threads.most()})
    plan = Plan.of(scene(grains))
    for count in counts:
        kernel_threads.use(count)
        solver = solvers.create(plan.model, plan.grains, plan.time_step.value)
        solver.advance_to(FIRST)
        rates: list[float] = []
        begin, frame = time.perf_counter(), 1 / plan.scene.frame_rate
        while (time.perf_counter() - begin < seconds or len(rates) < 3) and solver.time < LAST:
            before, step = time.perf_counter(), solver.step
            solver.advance_to(solver.time + frame)
            rates.append(grains * (solver.step - step) / (time.perf_counter() - before))
        yield {
            "benchmark": "hopper",
            "grains": grains,
            "threads": count,
            "device": "cpu",
            "law": plan.scene.contact.key,
            "grain_steps_per_second": max(rates),
            "median": float(np.median(rates)),
            "seconds_per_frame": frame / plan.time_step.value * grains / float(np.median(rates)),
            "bytes_per_grain": solver.nbytes / grains,
        }
