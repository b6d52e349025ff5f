"""How a state is advanced: one solver per method, chosen by name."""

from __future__ import annotations

import importlib
from typing import Any, Protocol, cast

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.model.timestep import TimeStep
from barchan.solvers.base import Solver

DEVICES = ("cpu", "cuda")
PRECISIONS = ("double", "mixed")
CLASSES = {
    ("soft", "cpu"): "soft.solver:SoftSolver",
    ("soft", "cuda"): "soft.cuda.solver:CudaSolver",
    ("hard", "cpu"): "hard.solver:HardSolver",
    ("relax", "cpu"): "relax.solver:RelaxSolver",
    ("beams", "cpu"): "beams.solver:BeamSolver",
}  # by name and device
CHECKS = {"soft": "soft.checks", "hard": "hard.checks", "relax": "relax.checks", "beams": "beams.checks"}


class Checks(Protocol):
    """What a method asks before a run."""

    def check(self, model: Model, grains: Grains) -> list[Finding]:
        """Warnings about a scene at its start; SceneError with all errors where there are any."""
        ...

    def choose(self, model: Model, grains: Grains) -> TimeStep:
        """The time step, and the reason for it."""
        ...


def check_device(model: Model | None, device: str, precision: str) -> None:
    """SceneError where the device is not there, or lacks something that the model needs (None: not known yet)."""
    if device not in DEVICES:
        raise SceneError(Finding("device", repr(device), f"must be one of {', '.join(DEVICES)}"))
    if precision not in PRECISIONS:
        raise SceneError(Finding("precision", repr(precision), f"must be one of {', '.join(PRECISIONS)}"))
    if device == "cpu" and precision != "double":
        raise SceneError(Finding(
            "precision", repr(precision), "the CPU computes in double precision", "use --device cuda"
        ))  # fmt: skip
    if device == "cuda":
        from barchan.solvers.soft.cuda import solver

        solver.refuse(model)


def create(
    model: Model, grains: Grains, time_step: float, *, device: str = "cpu", precision: str = "double"
) -> Solver:  # fmt: skip
    """The solver that the scene asks for, at the scene's start; time_step in s."""
    check_device(model, device, precision)
    if device == "cuda":
        from barchan.solvers.soft.cuda.solver import CudaSolver

        return CudaSolver(model, grains, time_step, precision=precision)
    return solver_class(model.scene.solver)(model, grains, time_step)


def restore(
    model: Model, arrays: dict[str, np.ndarray], meta: dict[str, Any], *, device: str = "cpu", precision: str = "double"
) -> Solver:  # fmt: skip
    """The solver as it was when `state()` gave these arrays and numbers, on this device or another one."""
    check_device(model, device, precision)
    return solver_class(model.scene.solver, device).restored(model, arrays, {**meta, "precision": precision})


def solver_class(name: str, device: str = "cpu") -> type[Solver]:
    """The class of the solver of that name, for that device; its modules are imported only now."""
    module, _, own = CLASSES[name, device].partition(":")
    return cast(type[Solver], getattr(importlib.import_module(f"barchan.solvers.{module}"), own))


def checks(name: str) -> Checks:
    """The checks of the solver of that name; their modules are imported only now."""
    return cast(Checks, importlib.import_module(f"barchan.solvers.{CHECKS[name]}"))
