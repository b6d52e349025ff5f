"""What all studies of Hasan and van Opheusden (2007) share: their grain, their springs, and how a run is followed.

A grain is a sphere of 5 cm and 50 g, in two dimensions too (a sphere that stays in its plane), and does not turn.
Critical damping is that of one grain's mass, 2 √(m k), also between two grains, as in the paper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from barchan import solvers
from barchan.frame import Frame
from barchan.parts.laws._normal import damping_ratio
from barchan.scene import Scene, load
from barchan.simulation.plan import Plan
from barchan.simulation.story import Story
from barchan.solvers.base import Solver

MASS, SIZE, GRAVITY = 0.05, 0.05, 9.81  # kg, m, m/s²
STIFFNESS = 1e5  # kn, N/m
STATIC = 0.6  # μs
DENT = MASS * GRAVITY / STIFFNESS  # m, how deep a grain lies in the floor


def critical(stiffness: float) -> float:
    """Critical damping of a grain, N s/m."""
    return 2 * math.sqrt(MASS * stiffness)


def normal_damping(restitution: float) -> float:
    """γn, N s/m, with which a grain that hits the floor rebounds with this part of its speed."""
    return damping_ratio(restitution) * critical(STIFFNESS)


def points(positions: np.ndarray) -> str:
    """Positions (n, 3) m as an override writes them."""
    return "[" + ", ".join(f"[{x!r}, {y!r}, {z!r}]" for x, y, z in np.asarray(positions, float).tolist()) + "]"


def changed(name: str, *changes: str) -> Scene:
    """A scene of the library after overrides."""
    return load(name, changes)


def start(scene: Scene) -> Solver:
    """The solver of a scene that is followed step by step and not recorded."""
    plan = Plan.of(scene)
    return solvers.create(plan.model, plan.grains, plan.time_step.value)


def followed(
    scene: Scene, look: Callable[[Solver], Sequence[float]], every: float
) -> tuple[np.ndarray, np.ndarray, Frame]:
    """Run a scene to its end; times (S,) s, what `look` at the solver gave each `every` seconds (S, …), the last frame.

    Events happen as in a recorded run, at each look.
    """
    solver, story = start(scene), Story(scene)
    times, rows = [], []
    for k in range(round(scene.duration / every) + 1):
        solver.advance_to(k * every)
        story.look(solver, k * every)
        times.append(solver.time)
        rows.append(tuple(look(solver)))
    return np.array(times), np.array(rows), solver.frame("contacts")
