"""Carrying the soft-sphere solver through time: fixed steps of velocity Verlet, or adaptive Runge–Kutta."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.model.timestep import SPARED, impact_speed, wall_speed, wall_step
from barchan.parts.integrators import Integrator, RungeKutta
from barchan.solvers.soft import changes, layout, watch

if TYPE_CHECKING:
    from barchan.solvers.soft.solver import SoftSolver

TOLERANCE, SHORTEST = 0.01, 1e-5  # m/s and s, Yee's: what an integrator does not say is no more than that
OF_IMPACT = 1e-4  # of the fastest impact: grains then bounce to the right height, to half a percent
GROWTH = 4  # by what a step may grow until lists are made anew


class VerletStepper:
    """Fixed steps: time is step · dt."""

    chooses = False  # whether steps choose their length
    field, remedy = "time_step", watch.SHORTER  # what says how short they may be, and what helps where they fail
    half = 0.5  # of a step: how far friction and work are ahead of the positions
    wall_fastest = 0.0  # m/s, of walls at any time; here what they do at present is enough

    def __init__(self, solver: SoftSolver) -> None:
        self.solver = solver

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.solver.step * self.solver.dt

    @property
    def evaluations(self) -> int:
        """How often forces have been found so far."""
        return self.solver.step

    @property
    def beat(self) -> float:
        """Time, s, from one evaluation of forces to the next."""
        return self.solver.dt

    @property
    def stride(self) -> float:
        """How long, s, a step may be until lists are made anew."""
        return self.solver.dt

    @property
    def pose_time(self) -> float:
        """The time, s, that the positions belong to."""
        return (self.solver.step + self.solver.drifted) * self.solver.dt

    def statistics(self) -> dict[str, float | int]:
        """Steps so far, and their shortest and longest length, s."""
        return {
            "steps_accepted": self.solver.step,
            "steps_rejected": 0,
            "shortest_step": self.solver.dt,
            "longest_step": self.solver.dt,
        }

    def advance_to(self, t: float) -> None:
        """Go on to the step nearest to time t, s."""
        self.advance(round(t / self.solver.dt) - self.solver.step)

    def advance(self, steps: int) -> None:
        """Take that many steps."""
        solver, done = self.solver, 0
        while done < steps:
            taken, solver.drifted = solver.kernels.verlet_steps(
                solver.packed(), solver.step, steps - done, solver.drifted, solver.dt, solver.forces_address
            )
            done += taken
            solver.step += taken
            watch.hops(solver, solver.dt)
            if solver.drifted:
                watch.finite(solver)
                solver.refresh(tidy=True)
            elif solver.arrays["swallowed"][0]:
                changes.swallow(solver)


def controls(model: Model, grains: Grains, time_step: float) -> dict[str, np.ndarray]:
    """`controls` of `runge_kutta_steps`: tolerance, m/s, shortest and longest step, s, the fastest that walls move and
    the fastest impact, m/s, and by how many radii a step is meant to move a grain against a wall at most; nothing with
    fixed steps.
    """
    integrator = model.scene.integrator
    if not isinstance(integrator, RungeKutta):
        return {}
    both = grains.join(model.poured)
    speed, walls = impact_speed(model, both), wall_speed(model, both)
    tolerance, least = min(TOLERANCE, OF_IMPACT * speed), min(SHORTEST, time_step, SPARED * wall_step(model, both)[0])
    own = integrator.tolerance or tolerance, integrator.shortest or least, integrator.longest
    return {"controls": np.array([*own, walls, speed, SPARED * model.scene.wall_step_limit])}


class RungeKuttaStepper:
    """Adaptive steps that end at every time asked for; step counts accepted steps."""

    chooses = True
    field, remedy = "integrator.shortest", watch.FINER
    half = 0.0

    def __init__(self, solver: SoftSolver) -> None:
        integrator = solver.model.scene.integrator
        assert isinstance(integrator, RungeKutta), "as `stepping` has it"
        self.solver = solver
        self.integrator = integrator
        count = len(integrator.lower)
        self.tableau = np.zeros((count, count))
        for s, row in enumerate(integrator.stages):
            self.tableau[s, : len(row)] = row
        arrays = solver.arrays
        self.controls = arrays["controls"]
        if "clock" not in arrays:
            first = min(max(solver.dt, self.controls[layout.LEAST]), integrator.longest)
            arrays["clock"] = np.array([0.0, first, first, 0.0, np.inf, 0.0])
            arrays["cursor"] = np.zeros(5, np.int64)
            arrays["works"] = np.zeros(solver.kernels.WORKS + layout.WALL_WORKS)
        self._fit()
        self.power = np.zeros((count + 1, len(arrays["works"])))

    def _fit(self) -> None:
        """Room for the stages of as many grains as there are."""
        n = len(self.solver)
        self.base = np.zeros((n, layout.STATE))
        self.slopes = np.zeros((len(self.tableau) + 1, n, layout.STATE))

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return float(self.solver.arrays["clock"][layout.CLOCK])

    @property
    def evaluations(self) -> int:
        """How often forces have been found so far, about."""
        cursor = self.solver.arrays["cursor"]
        tries = int(cursor[layout.ACCEPTED] + cursor[layout.REJECTED])
        return tries * (len(self.tableau) + 1) + int(cursor[layout.STAGE])

    @property
    def beat(self) -> float:
        """Time, s, from one evaluation of forces to the next, on average."""
        return float(self.solver.arrays["clock"][layout.STEP]) / (len(self.tableau) + 1)

    @property
    def wall_fastest(self) -> float:
        """The fastest, m/s, that walls move at any time."""
        return float(self.controls[layout.WALL_SPEED])

    @property
    def stride(self) -> float:
        """How long, s, a step may be until lists are made anew."""
        return GROWTH * float(self.solver.arrays["clock"][layout.STEP])

    @property
    def pose_time(self) -> float:
        """The time, s, that the positions belong to, within a step."""
        return float(self.solver.arrays["clock"][layout.LISTED])

    def advance_to(self, t: float) -> None:
        """Take steps that end at time t, s."""
        solver, a, rule = self.solver, self.solver.arrays, self.integrator
        c = solver.packed()
        since = a["clock"][layout.CLOCK] - a["clock"][layout.LISTED]
        a["strayed"][layout.GONE_BY_WALLS] = since * solver.kernels.wall_pace(c.frames, c.pose, c.axial, c.reach)
        a["clock"][layout.LISTED] = a["clock"][layout.CLOCK]
        a["cursor"][layout.KNOWN] = 0  # grains may have been put into another order, or walls moved
        solver.refresh(tidy=True, worn=False)
        while True:
            if len(self.base) != len(solver):
                self._fit()
            answer = solver.kernels.runge_kutta_steps(
                solver.packed(), t, 1 / solver.model.scene.frame_rate, self.tableau, np.array(rule.lower),
                np.array(rule.higher), rule.order, self.controls, rule.incremental, self.base, self.slopes, self.power,
                a["works"], a["clock"], a["cursor"], a["near_origin"], a["free"], solver.lists.wall_way,
                solver.forces_address,
            )  # fmt: skip
            solver.step = int(a["cursor"][layout.ACCEPTED])
            watch.hops(solver, float(a["clock"][layout.STEP]))
            if answer == layout.DONE:
                a["clock"][layout.CLOCK] = t
                return
            if answer == layout.SWALLOWED:
                a["clock"][layout.LISTED] = a["clock"][layout.CLOCK]
                a["cursor"][layout.KNOWN] = 0
                changes.swallow(solver)
                continue
            watch.finite(solver)
            # Grains keep their rows and their side of the box while a step is under way: its stages are stored so.
            solver.refresh(tidy=False)

    def statistics(self) -> dict[str, float | int]:
        """Accepted and rejected steps so far, and the shortest and longest accepted one, s."""
        cursor, clock = self.solver.arrays["cursor"], self.solver.arrays["clock"]
        taken = int(cursor[layout.ACCEPTED]) > 0
        return {
            "steps_accepted": int(cursor[layout.ACCEPTED]),
            "steps_rejected": int(cursor[layout.REJECTED]),
            "shortest_step": float(clock[layout.SHORTEST]) if taken else 0.0,
            "longest_step": float(clock[layout.LONGEST]) if taken else 0.0,
        }


def stepping(integrator: Integrator) -> type[VerletStepper] | type[RungeKuttaStepper]:
    """How an integrator is carried out."""
    return RungeKuttaStepper if isinstance(integrator, RungeKutta) else VerletStepper
