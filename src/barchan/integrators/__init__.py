"""How a state is carried through time: one file each."""

from __future__ import annotations

from typing import ClassVar

from barchan.registry import Part


class Integrator(Part):
    """Base of integrators."""

    family: ClassVar[str] = "integrators"
    adaptive: ClassVar[bool] = False  # chooses its own steps


class RungeKutta(Integrator):
    """Base of embedded Runge–Kutta pairs: a tableau; the method advances with `weights` and is judged by `check`.

    Stage s is evaluated at y + h Σ stages[s][r] k[r]. `order` is that of the formula that advances.
    """

    adaptive: ClassVar[bool] = True
    stages: ClassVar[tuple[tuple[float, ...], ...]]
    weights: ClassVar[tuple[float, ...]]
    check: ClassVar[tuple[float, ...]]
    order: ClassVar[int]
