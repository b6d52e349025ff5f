"""A wall comes."""

from __future__ import annotations

from typing import ClassVar

from barchan.parts.actions import HasWalls, Timeline
from barchan.parts.actions._wall import WallAction


class AddWall(WallAction):
    """A wall that was declared with `present = false`, or was removed, is there."""

    key: ClassVar[str] = "add_wall"

    def act(self, solver: HasWalls, timeline: Timeline, time: float) -> None:
        solver.add_wall(self.wall)
