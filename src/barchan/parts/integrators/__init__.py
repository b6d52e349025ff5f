"""Integrators: how a state is carried through time.

One file each.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from annotated_types import Gt
from pydantic import ValidationInfo, field_validator

from barchan.registry import Part
from barchan.schema.quantities import PositiveTime, Unit


class Integrator(Part):
    """Base of integrators."""

    family: ClassVar[str] = "integrators"
    can: ClassVar[frozenset[str]] = frozenset({"servo", "deformation", "cuda"})  # what it goes together with

    def shortest_step(self, time_step: float | None) -> tuple[str, float | None]:
        """The field that states how short steps may be, and what it says, s; the scene's `time_step` (s) may be it."""
        return "time_step", time_step

    def limits(self, frame: float) -> str:
        """Between which limits it chooses its steps, none longer than a frame, s, in words; "" with fixed steps."""
        return ""


class RungeKutta(Integrator):
    """Base of embedded Runge–Kutta pairs with Yee's controller (2009, Algorithm 1).

    Stage s is evaluated at y + h Σ stages[s][r] k[r]; `lower` advances, the difference to `higher` judges the step:
    h_opt = h (tolerance h/(2 error))^(1/order), error being the largest difference of two positions. A step is
    accepted where h_opt ≥ 0.75 h; the next one is h_opt between `shortest` and `longest`, cut so that whole steps fill
    a frame, so that no grain goes farther than the scene's `wall_step_limit` against a wall which it could reach in the
    step, and no farther than its smallest sphere's radius where it could meet another grain: it would fly through
    either between two evaluations.
    """

    can: ClassVar[frozenset[str]] = frozenset()
    stages: ClassVar[tuple[tuple[float, ...], ...]]
    lower: ClassVar[tuple[float, ...]]
    higher: ClassVar[tuple[float, ...]]
    order: ClassVar[int]  # of the lower formula

    tolerance: Annotated[float, Gt(0), Unit("m/s")] | None = None
    """The error ε of a position, in m, that is allowed in 2 s; left out, 1e-4 of the speed of the fastest impact, and
    0.01 m/s at most."""
    shortest: PositiveTime | None = None
    """Steps are never shorter; one this short is accepted whatever its error. Left out, it is the step of "verlet", and
    1e-5 s at most."""
    longest: PositiveTime = 1 / 24
    """Steps are never longer."""
    incremental: bool = False
    """Let contacts see positions and velocities that a step of gravity and drift has already changed (Yee, Algorithm
    1)."""

    @field_validator("longest")
    @classmethod
    def _ordered(cls, longest: float, info: ValidationInfo) -> float:
        if longest < (info.data.get("shortest") or 0.0):
            raise ValueError("must not be below `shortest`")
        return longest

    def shortest_step(self, time_step: float | None) -> tuple[str, float | None]:
        """`shortest`: steps choose their length from there."""
        return "integrator.shortest", self.shortest

    def limits(self, frame: float) -> str:
        """From `shortest` to `longest`."""
        longest = f"{min(self.longest, frame):.3g} s"
        if self.shortest is None:
            return f"{self.key} chooses its steps, up to {longest}; the scene sets the shortest"
        return f"{self.key} chooses its steps, from {self.shortest:.3g} to {longest}"
