"""How a state is advanced: one solver per method, chosen by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.model.build import Model
from barchan.model.grains import Grains

DEVICES = ("cpu", "cuda")
PRECISIONS = ("double", "mixed")


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
        from barchan.solvers import soft_cuda

        soft_cuda.refuse(model)


def create(
    model: Model, grains: Grains, time_step: float, *, device: str = "cpu", precision: str = "double"
) -> Any:  # fmt: skip
    """The solver that the scene asks for, at the scene's start; time_step in s."""
    check_device(model, device, precision)
    if device == "cuda":
        from barchan.solvers.soft_cuda import CudaSolver

        return CudaSolver(model, grains, time_step, precision=precision)
    return _solver(model)(model, grains, time_step)


def restore(
    model: Model, arrays: dict[str, np.ndarray], meta: dict[str, Any], *, device: str = "cpu", precision: str = "double"
) -> Any:  # fmt: skip
    """The solver as it was when `state()` gave these arrays and numbers, on this device or another one."""
    check_device(model, device, precision)
    if device == "cuda":
        from barchan.solvers.soft_cuda import CudaSolver

        return CudaSolver.restored(model, arrays, {**meta, "precision": precision})
    return _solver(model).restored(model, arrays, meta)


def _solver(model: Model) -> Any:
    if model.scene.solver == "hard":
        from barchan.solvers.hard import HardSolver

        return HardSolver
    if model.scene.solver == "relax":
        from barchan.solvers.relax import RelaxSolver

        return RelaxSolver
    if model.scene.solver == "beams":
        from barchan.solvers.beams import BeamSolver

        return BeamSolver
    from barchan.solvers.soft import SoftSolver

    return SoftSolver
