"""The Jacobian of the soft-sphere equations of motion, by differences of the right-hand side that the steppers use.

The state of a grain is position, velocity, orientation (quaternion) and angular momentum: 13 numbers. What contacts
remember is frozen, as it is within a Runge–Kutta step. A grain's forces depend on itself and on the grains it touches,
so columns of grains that have no neighbour in common are found with one evaluation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from barchan.solvers.soft.kernels.state import State
from barchan.solvers.soft.layout import SET, SLOPES, STATE

if TYPE_CHECKING:
    from barchan.solvers.soft.solver import SoftSolver

STEPS = (1e-6, 1e-4, 1e-6, 1e-4)  # of position (m), velocity (m/s), quaternion, and spin (rad/s)
CHANGED = (
    "position", "velocity", "orientation", "angular", "motion", "place", "force", "torque", "pair_force", "wall_slots",
    "wall_gap", "wall_seam", "wall_memory", "servo", "tether", "pull", "held", "drag",
)  # fmt: skip
REACH = 10.0  # differences of a position: grains this near to each other may touch in a difference


def state_vector(solver: SoftSolver) -> np.ndarray:
    """The state y, (N · 13,): position, velocity, quaternion and angular momentum of each grain in turn."""
    a, n = solver.arrays, len(solver)
    return np.hstack([a["position"][:n], a["velocity"], a["orientation"], a["angular"]]).ravel()


def right_hand_side(solver: SoftSolver, state: np.ndarray, step: float) -> np.ndarray:
    """dy/dt at the state (N · 13,), at the solver's time; the solver's own state is left as it was.

    `step` (s) is the length of the step it is meant for: stiction and rolling resistance are limited by it.
    """
    c, k, n = solver.packed(), solver.kernels, len(solver)
    slopes = np.zeros((1, n, STATE))
    kept = {name: solver.arrays[name].copy() for name in CHANGED}
    y = State.of(c)
    base, none = state.reshape(n, STATE), np.zeros(1)
    k.all_grains(SET, y, base, slopes, none, none, 0, 0.0, 0.0)
    k.evaluate(c, solver.stepper.pose_time, 0.0, step, 0.0, 0.0, 0.0, 0.0, 0)
    k.all_grains(SLOPES, y, base, slopes, none, none, 0, 0.0, 0.0)
    for name, array in kept.items():
        solver.arrays[name][:] = array
    return slopes[0].ravel()


def neighbours(solver: SoftSolver) -> np.ndarray:
    """Which grains act on each other, (N, N) bool, symmetric, every grain on itself: those that touch, or nearly."""
    c, k, count = solver.packed(), solver.kernels, solver.lists.pairs
    found = np.zeros((count, 3))
    k.pair_state(
        count, c.first, c.second, c.place, c.grain, c.motion, c.material, c.kinds, c.table, c.box, c.inverse, c.memory,
        found,
    )  # fmt: skip
    near = found[:, 0] > -REACH * STEPS[0]
    a, b = c.grain[c.first[:count][near]], c.grain[c.second[:count][near]]
    graph = np.eye(len(solver), dtype=bool)
    graph[a, b] = graph[b, a] = True
    return graph


def groups(graph: np.ndarray) -> list[np.ndarray]:
    """Grains whose columns can be found together: no two of a group act on the same grain. Greedy, busiest first."""
    clash = graph.astype(np.int32) @ graph.astype(np.int32) > 0
    color = np.full(len(graph), -1)
    for g in np.argsort(-clash.sum(axis=1), kind="stable"):
        taken = set(color[clash[g]].tolist())
        color[g] = next(k for k in range(len(graph)) if k not in taken)
    return [np.flatnonzero(color == k) for k in range(int(color.max(initial=-1)) + 1)]


def jacobian(solver: SoftSolver, step: float, *, grouped: bool = True) -> tuple[np.ndarray, int]:
    """d(dy/dt)/dy, (N · 13, N · 13), by forward differences, and how many evaluations that took.

    step: s, see `right_hand_side`. Not `grouped`: every column by itself, as a check.
    """
    n, state = len(solver), state_vector(solver)
    graph = neighbours(solver)
    sets = groups(graph) if grouped else [np.array([g]) for g in range(n)]
    width = _differences(solver)
    here = right_hand_side(solver, state, step)
    matrix = np.zeros((n, STATE, n, STATE))
    for together in sets:
        rows = [np.flatnonzero(graph[g]) if grouped else np.arange(n) for g in together]
        for k in range(STATE):
            change = np.zeros((n, STATE))
            change[together, k] = width[together, k]
            slope = (right_hand_side(solver, state + change.ravel(), step) - here).reshape(n, STATE)
            for g, affected in zip(together, rows, strict=True):
                matrix[affected, :, g, k] = slope[affected] / width[g, k]
    return matrix.reshape(n * STATE, n * STATE), 1 + STATE * len(sets)


def _differences(solver: SoftSolver) -> np.ndarray:
    """By how much each number of the state is changed, (N, 13)."""
    n = len(solver)
    position, velocity, turn, spin = STEPS
    plain = np.repeat([position, velocity, turn, spin], [3, 3, 4, 3])
    width = np.tile(plain, (n, 1))
    width[:, 10:] *= solver.arrays["inertia"].mean(axis=1)[:, None]
    return width
