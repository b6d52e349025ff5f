"""What another event brings about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from annotated_types import Len
from pydantic_core import InitErrorDetails

from barchan.parts.conditions import Condition, Now
from barchan.schema.peeking import names, peek
from barchan.schema.problems import unknown
from barchan.schema.quantities import Time


class AfterEvent(Condition):
    """A while after another event."""

    key: ClassVar[str] = "after"
    event: Annotated[str, Len(1)]
    """The name of the other event."""
    delay: Time = 0.0
    """How long after the other event it comes."""

    @classmethod
    def misfits(cls, own: Any, fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        yield from unknown(peek(own, "event"), "events", names(fields, "events"), ("event",))

    def holds(self, solver: object, now: Now, kept: dict[str, Any]) -> bool:
        return self.event in now.fired and now.reached(now.fired[self.event] + self.delay)
