"""An upright cylinder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from pydantic import model_validator

from barchan.parts.regions import Period, Region, Space
from barchan.schema.problems import fault
from barchan.schema.quantities import Position, PositiveLength

RESOLVED = 1e-12  # of a distance from the origin: what is smaller has hardly a digit left there


@dataclass(frozen=True)
class Cylinder(Space):
    """The space in an upright cylinder, about the middle of the box around it."""

    radius: float = 0.0  # m
    cornered: ClassVar[bool] = False

    @property
    def content(self) -> float:
        return float(np.pi * self.radius**2 * self.length[2])

    def sample(self, reach: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        centres = super().sample(reach, rng)
        distance = (self.radius - reach) * np.sqrt(rng.uniform(size=len(reach)))
        angle = 2.0 * np.pi * rng.uniform(size=len(reach))
        centres[:, :2] = self.middle[:2] + distance[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return centres

    def clamp(self, centres: np.ndarray, reach: np.ndarray) -> np.ndarray:
        inside = super().clamp(centres, reach)
        across = inside[:, :2] - self.middle[:2]
        distance = np.linalg.norm(across, axis=1)
        limit = self.radius - reach
        inwards = limit / np.maximum(np.maximum(distance, limit), 1e-300)
        inside[:, :2] = self.middle[:2] + across * inwards[:, None]
        return inside

    def holds(self, points: np.ndarray) -> np.ndarray:
        across = points[:, :2] - self.middle[:2]
        return super().holds(points) & ((across * across).sum(axis=1) <= self.radius**2)

    def holds_column(self, sites: np.ndarray, margin: float, slack: float) -> np.ndarray:
        return np.linalg.norm(sites - self.middle[:2], axis=1) <= self.radius - margin + slack


class CylinderRegion(Region):
    """An upright cylinder (axis z). In two dimensions it is the box that a cut through its axis shows."""

    key: ClassVar[str] = "cylinder"
    base: Position
    """The centre of the lower end."""
    radius: PositiveLength
    """Its radius."""
    height: PositiveLength
    """Its height."""

    @model_validator(mode="after")
    def _seen_from_the_origin(self) -> Self:
        far = max(map(abs, self.base))
        if min(self.radius, self.height) <= RESOLVED * far:
            raise fault(
                f"{min(self.radius, self.height):g} m of a cylinder {far:g} m from the origin",
                f"must be more than {RESOLVED:g} of that distance, or rounding swallows it", "move it to the origin",
            )  # fmt: skip
        return self

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        base, side = np.array(self.base), np.array([self.radius, self.radius, 0.0])
        return base - side, base + side + np.array([0.0, 0.0, self.height])

    def space(self, *, dimensions: int = 3, period: Period | None = None) -> Space:
        if dimensions == 2:
            return super().space(dimensions=dimensions, period=period)
        return Cylinder(*self.bounds(), np.zeros(3, dtype=bool), radius=self.radius)
