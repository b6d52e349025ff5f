"""How many grains there are, and how many have left."""

from __future__ import annotations

from typing import ClassVar

from barchan.frame import Frame
from barchan.parts.observables import Observable


class Count(Observable):
    """Grains in the scene, and grains that have entered and left it again."""

    key: ClassVar[str] = "count"
    needs = ("inserted",)
    series = (("grain_count", ""), ("outflow", ""))

    def measure(self, frame: Frame) -> dict[str, float]:
        count = len(frame.mass)
        return {"grain_count": float(count), "outflow": float(frame.inserted - count)}
