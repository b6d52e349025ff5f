"""The run ends."""

from __future__ import annotations

from typing import ClassVar

from barchan.parts.actions import Action, Timeline


class StopRun(Action):
    """The run ends here, as if its duration were over."""

    key: ClassVar[str] = "stop"

    def act(self, solver: object, timeline: Timeline, time: float) -> None:
        timeline.stop()
