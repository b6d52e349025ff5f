"""Moved by forces: a wall with a mass, pushed by the grains and by a force of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from annotated_types import Ge, Gt
from pydantic import ValidationInfo, field_validator
from pydantic_core import InitErrorDetails

from barchan.geometry import Axis, unit
from barchan.parts.motions import TimedMotion, Vector
from barchan.schema.problems import fault, located
from barchan.schema.quantities import Angle, Damping, Length, Position, Unit

FAR = 1e30  # m or rad, the limit of a servo that has none
SLIDES = ("force", "mass", "damping", "travel")
TURNS = ("torque", "inertia", "angular_damping", "swing")


def path(
    t: float, ax: float, ay: float, az: float, turns: float, way: float, rate: float
) -> tuple[float, float, float, float, float, float, float, float, float, float, float, float, float]:
    """Pose and velocity after the way (m) along the unit axis, or the angle (rad) about it where `turns` is 1.

    The solver finds the way and its rate of change, and keeps them in the table that the parameters are read from.
    """
    slides = 1.0 - turns
    c, s = math.cos(0.5 * turns * way), math.sin(0.5 * turns * way)
    along, speed, spin = slides * way, slides * rate, turns * rate
    return (
        along * ax, along * ay, along * az,
        c, s * ax, s * ay, s * az,
        speed * ax, speed * ay, speed * az,
        spin * ax, spin * ay, spin * az,
    )  # fmt: skip


class Servo(TimedMotion):
    """Moves as forces bid: a wall that slides along `axis`, or turns about it, pushed by grains and by its drive.

    It slides under a `force` with a `mass`, or turns under a `torque` with an `inertia`. At a limit it stops dead. The
    drive is all that pulls at it: the wall's own weight, if it counts, belongs into `force`. Before `start` and after
    `end` it is held where it is. As the last of several motions it moves what the others have moved.
    """

    key: ClassVar[str] = "servo"
    path = staticmethod(path)

    axis: Axis = (0.0, 0.0, 1.0)
    """The direction in which the wall slides, or about which it turns."""
    center: Position = (0.0, 0.0, 0.0)
    """A point on the axis about which the wall turns."""
    force: Annotated[float, Unit("N")] | None = None
    """The drive of a wall that slides, along `axis`."""
    mass: Annotated[float, Gt(0), Unit("kg")] | None = None
    """The mass of a wall that slides."""
    damping: Damping | None = None
    """Resistance over speed of a wall that slides; left out, none."""
    travel: tuple[Length, Length] | None = None
    """The least and the greatest displacement, with 0 between them; left out, there is no limit."""
    torque: Annotated[float, Unit("N*m")] | None = None
    """The drive of a wall that turns, about `axis`."""
    inertia: Annotated[float, Gt(0), Unit("kg*m^2")] | None = None
    """The moment of inertia, about `axis`, of a wall that turns."""
    angular_damping: Annotated[float, Ge(0), Unit("N*m*s")] | None = None
    """Resistance over rate of a wall that turns; left out, none."""
    swing: tuple[Angle, Angle] | None = None
    """The least and the greatest angle, with 0 between them; left out, there is no limit."""

    @field_validator("travel", "swing")
    @classmethod
    def _holds_the_start(cls, limits: tuple[float, float] | None, info: ValidationInfo) -> tuple[float, float] | None:
        if limits is not None and not (limits[0] <= 0.0 <= limits[1] and limits[0] < limits[1]):
            raise ValueError("must be a lower and an upper limit with 0, where the wall begins, between them")
        return limits

    @classmethod
    def across(cls, fields: Mapping[str, Any]) -> list[InitErrorDetails]:
        given = {name for name in (*SLIDES, *TURNS) if fields.get(name) is not None}
        if {"force", "mass"} <= given <= set(SLIDES) or {"torque", "inertia"} <= given <= set(TURNS):
            return []
        what = f"a servo with {', '.join(sorted(given)) or 'no force'}"
        wanted = f"give force and mass ({', '.join(SLIDES[2:])}), or torque and inertia ({', '.join(TURNS[2:])})"
        return [located(fault(what, wanted), (), dict(fields))]

    def parameters(self) -> tuple[float, ...]:
        ax, ay, az = unit(self.axis).tolist()
        return ax, ay, az, 0.0 if self.torque is None else 1.0, 0.0, 0.0

    def drive(self) -> tuple[float, ...]:
        """Mass or inertia, force or torque, damping, lower and upper limit, start and end, in SI."""
        if self.torque is not None:
            limits = self.swing or (-FAR, FAR)
            return self.inertia or 0.0, self.torque, self.angular_damping or 0.0, *limits, *self.interval()
        limits = self.travel or (-FAR, FAR)
        return self.mass or 0.0, self.force or 0.0, self.damping or 0.0, *limits, *self.interval()

    def pivot(self) -> Vector:
        return self.center

    def speed(self, reach: float) -> float:
        return 0.0  # how fast forces will make it, nobody knows beforehand
