"""A moment."""

from __future__ import annotations

from typing import Any, ClassVar

from barchan.parts.conditions import Condition, Now
from barchan.schema.quantities import Time


class AtTime(Condition):
    """At a time."""

    key: ClassVar[str] = "time"
    at: Time
    """When it comes."""

    def holds(self, solver: object, now: Now, kept: dict[str, Any]) -> bool:
        return now.reached(self.at)

    def times(self) -> tuple[float, ...]:
        return (self.at,)
