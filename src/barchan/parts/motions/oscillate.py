"""Shaking to and fro along a line."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar

from annotated_types import Gt
from pydantic import Field, ValidationInfo, field_validator

from barchan.geometry import Axis, unit
from barchan.parts.motions import TimedMotion
from barchan.schema.quantities import Angle, Frequency, PositiveLength, Unit


def path(
    t: float, ax: float, ay: float, az: float, omega: float, phase: float, start: float, end: float
) -> tuple[float, float, float, float, float, float, float, float, float, float, float, float, float]:
    """Pose and velocity of a harmonic movement of amplitude (ax, ay, az) m at `omega` rad/s."""
    angle = omega * (max(start, min(end, t)) - start) + phase
    s = math.sin(angle) - math.sin(phase)
    c = omega * math.cos(angle) if start <= t < end else 0.0
    return s * ax, s * ay, s * az, 1.0, 0.0, 0.0, 0.0, c * ax, c * ay, c * az, 0.0, 0.0, 0.0


class Oscillate(TimedMotion):
    """Shakes along `direction` by amplitude · (sin(ω (t − start) + phase) − sin(phase)), so it begins in place."""

    key: ClassVar[str] = "oscillate"
    path = staticmethod(path)

    amplitude: PositiveLength
    """Half the distance between the turning points."""
    frequency: Frequency | None = None
    """How many cycles a second; give this or `angular_frequency`."""
    angular_frequency: Annotated[float, Gt(0), Unit("rad/s")] | None = Field(default=None, validate_default=True)
    """2π times the frequency, ω; give this or `frequency`."""
    direction: Axis = (0.0, 0.0, 1.0)
    """The direction of the shift."""
    phase: Angle = 0.0
    """Where in its cycle the motion begins."""

    @field_validator("angular_frequency")
    @classmethod
    def _one_of_two(cls, omega: float | None, info: ValidationInfo) -> float | None:
        if "frequency" in info.data and (omega is None) == (info.data["frequency"] is None):
            raise ValueError("give either frequency or angular_frequency")
        return omega

    @property
    def omega(self) -> float:
        """The angular frequency in rad/s."""
        return self.angular_frequency or 2.0 * math.pi * (self.frequency or 0.0)

    def parameters(self) -> tuple[float, ...]:
        ax, ay, az = (self.amplitude * unit(self.direction)).tolist()
        return ax, ay, az, self.omega, self.phase, *self.interval()

    def speed(self, reach: float) -> float:
        return self.amplitude * self.omega

    def strays(self) -> tuple[float, float]:
        return 2 * self.amplitude, 0.0
