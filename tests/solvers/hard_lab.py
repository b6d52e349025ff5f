"""A laboratory for tests of hard spheres: a few grains, placed by hand.

The loop over events is compiled once for every set of surfaces and motions, which takes far longer than any test here.
So all scenes of the laboratory have the same: spare walls that never appear bring all that any test uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from barchan.model.build import build
from barchan.scene.scene import Scene
from barchan.solvers.hard.solver import HardSolver

GRAVITY = 9.81  # m/s²
NEVER = 1e9  # s
FLOOR = {"name": "floor", "shape": "plane", "material": "a"}
SPARE_WALLS = (
    {"shape": "plane", "motion": {"kind": "translate", "velocity": (0.0, 0.0, 0.0)}},
    {"shape": "cylinder", "radius": 1.0, "motion": {"kind": "rotate", "rate": 0.0}},
    {"shape": "disk", "radius": 1.0, "motion": {"kind": "oscillate", "amplitude": 1.0, "frequency": 1.0}},
    {"shape": "ring", "radius": 1.0, "motion": {"kind": "keyframes", "keys": [{"time": 1.0}]}},
    {"shape": "line", "start": (0, 0, 0), "end": (0, 0, 1)},
    {"shape": "point", "position": (0, 0, 0)},
    {"shape": "mesh", "vertices": [(0, 0, 0), (1, 0, 0), (0, 1, 0)], "triangles": [(0, 1, 2)]},
    {"shape": "rectangle", "widths": (1.0, 1.0)},
    {"shape": "cone", "bottom_radius": 1.0, "top_radius": 2.0, "height": 1.0},
    {"shape": "sphere", "radius": 1.0},
)


def grain(position: Sequence[float], size: float = 0.1, **options: Any) -> dict[str, Any]:
    """A group of one grain of material a, at rest, unless told otherwise."""
    return grains([position], size=size, **options)


def grains(positions: Any, size: float = 0.1, **options: Any) -> dict[str, Any]:
    """A group with one grain at each of the positions (n, 3) m."""
    fill = {"kind": "points", "positions": np.asarray(positions, float).tolist()}
    return {"material": "a", "size": size, "fill": fill, **options}


def scene(
    groups: Iterable[dict[str, Any]],
    walls: Iterable[dict[str, Any]] = (),
    *,
    restitution: float = 1.0,
    tangential: float = 1.0,
    gravity: Sequence[float] = (0.0, 0.0, 0.0),
    **options: Any,
) -> Scene:
    """A scene of hard spheres of material a, with the laboratory's spare walls."""
    named = [{"name": f"group {k}", **group} for k, group in enumerate(groups)]
    spare = [{"name": f"spare {k}", "material": "a", "appears": NEVER, **wall} for k, wall in enumerate(SPARE_WALLS)]
    given = [{"material": "a", "name": f"wall {k}", **wall} for k, wall in enumerate(walls)]
    material = {"density": 2500.0, "restitution": restitution, "tangential_restitution": tangential}
    return Scene.model_validate(
        {
            "name": "laboratory",
            "solver": "hard",
            "duration": 1.0,
            "materials": {"a": material},
            "grains": named,
            "walls": [*spare, *given],
            "gravity": tuple(gravity),
            **options,
        }
    )


def solver(described: Scene) -> HardSolver:
    """The scene's solver at its start."""
    return HardSolver(*build(described), 1.0)


def gas(count: int, fraction: float, restitution: float = 1.0, *, tangential: float = 1.0, seed: int = 1) -> HardSolver:
    """Equal spheres 1 m across in a periodic cube, with Maxwell's velocities of 1 m/s each way."""
    side = (count * np.pi / 6 / fraction) ** (1 / 3)
    across = int(np.ceil(count ** (1 / 3) - 1e-9))
    spots = np.stack(np.meshgrid(*(np.arange(across),) * 3, indexing="ij"), axis=-1).reshape(-1, 3)[:count]
    described = scene(
        [grain((0.5, 0.5, 0.5), size=1.0)], restitution=restitution, tangential=tangential,
        periodic=(True, True, True), box={"low": (0.0, 0.0, 0.0), "high": (side, side, side)},
    )  # fmt: skip
    model, one = build(described)
    made = one.take(np.zeros(count, np.int64))
    made.id[:] = np.arange(count)
    made.position[:] = (spots + 0.5) * side / across
    velocity = np.random.default_rng(seed).normal(size=(count, 3))
    made.velocity[:] = velocity - velocity.mean(axis=0)
    made.mass[:] = 1.0
    return HardSolver(model, made, 1.0)


def momentum(machine: HardSolver) -> np.ndarray:
    """Total momentum (3,), kg m/s."""
    seen = machine.frame()
    return (seen.mass[:, None] * seen.velocity).sum(axis=0)


def angular_momentum(machine: HardSolver) -> np.ndarray:
    """Total angular momentum about the origin (3,), kg m²/s."""
    seen = machine.frame()
    orbital = np.cross(seen.position, seen.mass[:, None] * seen.velocity)
    return (orbital + (0.4 * seen.mass * seen.radius**2)[:, None] * seen.spin).sum(axis=0)
