"""Velocity Verlet."""

from __future__ import annotations

from typing import ClassVar

from barchan.parts.integrators import Integrator


class Verlet(Integrator):
    """Velocity Verlet: fixed step, second order, one evaluation a step.

    Forces that depend on velocities see velocities extrapolated to the end of the step, which keeps the second order
    with damping and friction.
    """

    key: ClassVar[str] = "verlet"
