"""A source ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from annotated_types import Len
from pydantic_core import InitErrorDetails

from barchan.parts.actions import Action, Timeline
from barchan.schema.peeking import names, peek
from barchan.schema.problems import unknown


class StopSource(Action):
    """A source pours no more, whatever it is still owed."""

    key: ClassVar[str] = "stop_source"
    source: Annotated[str, Len(1)]
    """The name of the source."""

    @classmethod
    def misfits(cls, own: Any, fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        yield from unknown(peek(own, "source"), "sources", names(fields, "sources"), ("source",))

    def act(self, solver: object, timeline: Timeline, time: float) -> None:
        timeline.stop_source(self.source)
