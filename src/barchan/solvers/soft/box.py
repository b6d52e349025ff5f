"""The box of the soft-sphere solver: how it deforms, what its deformation does to grains, and the drag in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from barchan import registry
from barchan.errors import Finding, SceneError
from barchan.model import course
from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.parts.deformations import Course, Deformation, stretch
from barchan.solvers.soft.layout import DRAG, DRAG_COLUMNS, DRAG_LOSS, DRAG_POWER, FLOW_POWER, FLOW_WORK, MIDDLE

if TYPE_CHECKING:
    from barchan.solvers.soft.solver import SoftSolver


def refuse(model: Model, grains: Grains) -> None:
    """SceneError with all that a deforming box does not go together with."""
    scene, deformation = model.scene, model.scene.deformation
    if deformation is None:
        return
    findings = []
    known = [key for key, one in registry.parts("deformations").items() if cast(type[Deformation], one).stretch]

    def wrong(what: str, expected: str, remedy: str) -> None:
        findings.append(Finding("deformation", what, expected, remedy))

    if deformation.stretch is None:
        wrong(deformation.key, f"soft spheres know {' and '.join(known)}", 'use solver = "relax"')
    if not (scene.periodic[0] and scene.periodic[2]):
        wrong(deformation.key, "needs a box that repeats along x and z", "set periodic = [true, …, true], and `box`")
    if scene.walls:
        wrong(f"{len(scene.walls)} walls in the box", "walls do not follow the box", "leave the walls out")
    if scene.sources or scene.sinks:
        wrong("sources or sinks in the box", "their regions do not follow the box", "leave them out")
    if "deformation" not in scene.integrator.can:
        wrong(f"the integrator {scene.integrator.key!r}", "needs fixed steps", 'use integrator = "verlet"')
    if deformation.sets == "packing fraction" and grains.clumped:
        wrong("clumps", "the packing fraction of overlapping spheres is not known", "take shape = 'sphere'")
    findings += course.unfilled(scene)
    if findings:
        raise SceneError(findings)


def course_of(model: Model) -> Course:
    """Lengths of the box over those at the start, and their rates, at t and with the box's numbers."""
    deformation = model.scene.deformation
    return (deformation.stretch if deformation else None) or stretch


def box_arrays(model: Model, grains: Grains) -> dict[str, np.ndarray]:
    """`box`, `inverse`, `course` and `drag` of `solvers/soft/kernels/box.py`, at the start."""
    drag = np.zeros(DRAG_COLUMNS)
    drag[DRAG] = model.scene.drag
    drag[MIDDLE:] = model.low + 0.5 * model.box
    numbers = course.of(model.scene, model.box, grains.sphere_radius)
    rates = course_of(model)(0.0, *numbers)[3:]
    return {
        "box": np.concatenate([model.box, model.box * rates, model.box, model.box]),
        "inverse": np.divide(1.0, model.box, out=np.zeros(3), where=model.box > 0),
        "course": np.array([*numbers, *model.box]),
        "drag": drag,
    }


def wrap(arrays: dict[str, np.ndarray], count: np.ndarray) -> None:
    """Give grains that have crossed the box `count` (N, 3) times the velocities of their images inside.

    An image moves with the box, so the kinetic energy jumps: the difference is work of the box.
    """
    n, pace, motion = len(count), arrays["box"][3:6], arrays["motion"]
    if not pace.any():
        return
    jump = count * pace
    before = motion[:n, :3].copy()
    motion[:n, :3] -= jump
    arrays["velocity"][:n] -= jump
    gained = 0.5 * motion[:n, 3] * np.sum(motion[:n, :3] ** 2 - before**2, axis=1)
    arrays["crossed"][0] += float(gained[np.argsort(arrays["id"])].sum())


def books(solver: SoftSolver, pairs: float) -> tuple[float, float]:
    """Energy, J, that the background has taken, and work that the deforming box has done on grains.

    pairs: the part of it done through contacts, J. As with contacts, half of the present step's power is taken back.
    """
    drag, half = solver.arrays["drag"], solver.stepper.half * solver.dt
    flow = drag[FLOW_WORK] - half * drag[FLOW_POWER]
    return (
        float(drag[DRAG_LOSS] - half * drag[DRAG_POWER]),
        float(pairs + flow + solver.arrays["crossed"][0]),
    )
