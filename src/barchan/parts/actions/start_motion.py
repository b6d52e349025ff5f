"""A wall begins to move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic_core import InitErrorDetails

from barchan.parts.actions import HasWalls, Timeline
from barchan.parts.actions._wall import WallAction
from barchan.schema.peeking import items, peek
from barchan.schema.problems import fault, located


class StartMotion(WallAction):
    """The motions of a wall begin: until then it rests, and their `start` and `end` count from the event on."""

    key: ClassVar[str] = "start_motion"

    @classmethod
    def misfits(cls, own: Any, fields: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        yield from super().misfits(own, fields)
        name = peek(own, "wall")
        walls = [wall for _, wall in items(fields, "walls") if peek(wall, "name") == name]
        if walls and not peek(walls[0], "motion"):
            yield located(fault(f"wall {name!r} has no motion", "give it one, for the event to start"), (), name)

    def act(self, solver: HasWalls, timeline: Timeline, time: float) -> None:
        solver.start_motion(self.wall)

    def motions(self) -> tuple[str, ...]:
        return (self.wall,)
