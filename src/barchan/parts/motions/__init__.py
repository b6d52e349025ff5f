"""Wall motions: where a wall is at a time, and how fast it moves.

One file each, pose and velocity at time t as a plain scalar function.

`path(t, *parameters) -> (dx, dy, dz, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz)`: a wall's point X0 is found at
pivot + q·(X0 − pivot) + d and moves with v + ω × (X − pivot − d). The same function serves the compiled
solvers and the pictures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from pydantic import ValidationInfo, field_validator

from barchan.registry import Part
from barchan.schema.quantities import Time

Vector = tuple[float, float, float]

FOREVER = 1e30  # s, the end of a motion that has none


class Motion(Part):
    """Base of wall motions."""

    family: ClassVar[str] = "motions"
    path: ClassVar[Callable[..., tuple[float, ...]]]

    def parameters(self) -> tuple[float, ...]:
        """The numbers that `path` takes after the time: one by one, or all at once where it is `path(t, numbers)`."""
        raise TypeError(f"{type(self).__name__} has no parameters")

    def arguments(self, parameters: tuple[float, ...]) -> tuple[Any, ...]:
        """The parameters as `path` takes them."""
        return parameters

    def pivot(self) -> Vector:
        """The point, in m, about which the motion turns; for a pure translation any point will do."""
        return (0.0, 0.0, 0.0)

    def speed(self, reach: float) -> float:
        """The fastest speed in m/s of any point within `reach` (m) of the pivot."""
        raise TypeError(f"{type(self).__name__} has no speed")

    def paces(self) -> tuple[float, float]:
        """The fastest shift, m/s, and the fastest turning, rad/s: each by itself, whenever it is."""
        return self.speed(0.0), self.speed(1.0) - self.speed(0.0)

    def strays(self) -> tuple[float, float]:
        """How far shifts may carry a point from where it rests: so many m, and so many m for every second."""
        return 0.0, self.speed(0.0)

    def at(self, t: float, parameters: tuple[float, ...] | None = None) -> Any:
        """`path` at time t (s), with its own parameters or, where a solver has changed them, with those."""
        return type(self).path(t, *self.arguments(self.parameters() if parameters is None else parameters))


class TimedMotion(Motion):
    """Base of motions that last for a time: the wall is at rest before, and after where the end left it."""

    start: Time = 0.0
    """When the motion begins."""
    end: Time | None = None
    """When the motion ends; left out, never."""

    @field_validator("end")
    @classmethod
    def _later_than_start(cls, end: float | None, info: ValidationInfo) -> float | None:
        if end is not None and end <= info.data.get("start", -1.0):
            raise ValueError("must be later than start")
        return end

    def interval(self) -> tuple[float, float]:
        """Start and end in s, FOREVER where there is no end."""
        return self.start, FOREVER if self.end is None else self.end
