"""How a state is advanced: one solver per method, chosen by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.model.build import Model
from barchan.model.grains import Grains


def create(model: Model, grains: Grains, time_step: float) -> Any:
    """The solver that the scene asks for, at the scene's start; time_step in s."""
    return _solver(model)(model, grains, time_step)


def restore(model: Model, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> Any:
    """The solver as it was when `state()` gave these arrays and numbers."""
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
