"""A small run of each method, with a frame after every step or two, on kernels of `combinations.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.scene import Scene
from solvers import lab

STEP = 2e-5  # s
ALL = ["packing", "stress", "centre", "cell", "steps"]
EVERY: dict[str, Any] = {"observables": ALL, "record": {"contacts": True}}


def stepped(steps: int, step: float = STEP) -> dict[str, Any]:
    """A run of so many steps, with a frame after each."""
    return {**EVERY, "time_step": step, "frame_rate": 1 / step, "duration": steps * step}


def crowd(origin: Any = (0.0, 0.0, 0.0), *, flat: bool = False, material: dict[str, Any] | None = None) -> Scene:
    """Balls of two sizes that jostle in a box with a piston that comes down on them."""
    rng, at = np.random.default_rng(5), np.array(origin, float)
    counts = (3, 1 if flat else 3, 3)
    spots = np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"), axis=-1).reshape(-1, 3) * 0.0996
    spots = spots + rng.normal(scale=2e-4, size=spots.shape) * ([1, 0, 1] if flat else 1) + at
    big, small = lab.grains(spots[::2], velocity_scatter=0.5), lab.grains(spots[1::2], velocity_scatter=0.5, size=0.099)
    aside = 1.0 if flat else 0.0495
    low, high = np.array([-0.0495, -aside, -0.0495]), np.array([0.2487, 0.1992 + aside, 0.6])
    walls = [
        {"name": "box", "shape": "box", "low": low + at, "high": high + at, "open": ["+z"], "material": "a"},
        {
            "name": "piston", "shape": "plane", "point": np.array([0, 0, 0.2487]) + at, "normal": (0, 0, -1),
            "material": "a", "motion": {"kind": "translate", "velocity": (0.1, 0.0, -0.4)},
        },
    ]  # fmt: skip
    return Scene.model_validate({
        "name": "crowd", "materials": {"a": material or lab.material()}, "walls": plain(walls), "seed": 3,
        "grains": [{"name": "big", "spin": (0, 5.0, 0), **big}, {"name": "small", **small}],
        "dimensions": 2 if flat else 3, **stepped(100),
    })  # fmt: skip


def plain(value: Any) -> Any:
    """Arrays as lists, all the way down."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


SMOOTH = {"density": 2500.0, "young": 1e7, "friction": 0.0, "restitution": 1.0}
SCENES = {
    "spheres": crowd,
    "elastic": lambda: crowd(material=SMOOTH),
    "flat": lambda: crowd(flat=True),
    "far": lambda: crowd((400.0, -300.0, 250.0)),
}
