"""Grains that have come to rest."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from annotated_types import Gt
from pydantic import model_validator

from barchan.parts.conditions import Condition, HasSpeeds, Now
from barchan.schema.problems import fault
from barchan.schema.quantities import PositiveTime, Time, Unit


class AtRest(Condition):
    """Once all grains have been slow for a while. A scene without grains is not at rest."""

    key: ClassVar[str] = "rest"
    asks: ClassVar[type] = HasSpeeds
    speed: Annotated[float, Gt(0), Unit("m/s")] | None = None
    """Each grain is slower than this; give this or `energy`."""
    energy: Annotated[float, Gt(0), Unit("J")] | None = None
    """The mean kinetic energy of a grain is below this; give this or `speed`."""
    lasting: PositiveTime = 0.1
    """How long grains must be slow: one at the top of its flight does not count."""
    not_before: Time = 0.0
    """When to begin to look."""

    @model_validator(mode="after")
    def _one_measure(self) -> AtRest:
        if (self.speed is None) == (self.energy is None):
            raise fault("both or neither of `speed` and `energy`", "give exactly one of them")
        return self

    def holds(self, solver: HasSpeeds, now: Now, kept: dict[str, Any]) -> bool:
        if not len(solver) or not now.reached(self.not_before) or not self._slow(solver):
            kept.pop("since", None)
            return False
        return now.reached(kept.setdefault("since", now.time) + self.lasting)

    def _slow(self, solver: HasSpeeds) -> bool:
        if self.speed is not None:
            return bool(solver.fastest() < self.speed)
        return bool(solver.kinetic_energy() < (self.energy or 0.0) * len(solver))
