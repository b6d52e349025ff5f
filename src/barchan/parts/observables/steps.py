"""How many time steps were taken, and how long they were."""

from __future__ import annotations

from typing import ClassVar

from barchan.frame import Frame
from barchan.parts.observables import Observable


class Steps(Observable):
    """Time steps since the start: accepted, rejected, and the shortest and the longest one."""

    key: ClassVar[str] = "steps"
    needs = ("steps",)
    series = (("steps_accepted", ""), ("steps_rejected", ""), ("shortest_step", "s"), ("longest_step", "s"))

    def measure(self, frame: Frame) -> dict[str, float]:
        return {name: float(frame.steps.get(name, 0)) for name, _ in self.series}
