"""Gravity changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic_core import InitErrorDetails

from barchan.parts.actions import Action, HasGravity, Timeline, Vector
from barchan.schema.peeking import is_nonzero, listed, peek
from barchan.schema.problems import fault, located
from barchan.schema.quantities import Acceleration, Time


class ChangeGravity(Action):
    """Gravity becomes another one, at once or bit by bit."""

    key: ClassVar[str] = "gravity"
    asks: ClassVar[type] = HasGravity
    to: Acceleration
    """What gravity becomes."""
    over: Time = 0.0
    """How long it takes, in even steps from look to look; 0: at once."""

    @classmethod
    def misfits(cls, own: Any, fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        sideways = listed(peek(own, "to"))[1:2]
        if fields.get("dimensions") == 2 and sideways and is_nonzero(sideways[0]):
            error = fault("gravity along y in two dimensions", "must be 0: grains move in the x–z plane")
            yield located(error, ("to", 1), sideways[0])

    def act(self, solver: HasGravity, timeline: Timeline, time: float) -> None:
        timeline.lead_gravity(solver, self.to, time, self.over)

    def gravities(self) -> tuple[Vector, ...]:
        return (self.to,)
