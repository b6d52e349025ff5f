"""A wall goes."""

from __future__ import annotations

from typing import ClassVar

from barchan.parts.actions import HasWalls, Timeline
from barchan.parts.actions._wall import WallAction


class RemoveWall(WallAction):
    """A wall is there no longer."""

    key: ClassVar[str] = "remove_wall"

    def act(self, solver: HasWalls, timeline: Timeline, time: float) -> None:
        solver.remove_wall(self.wall)
