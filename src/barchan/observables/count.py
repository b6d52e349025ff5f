"""How many grains there are, and how many have left."""

from __future__ import annotations

from typing import ClassVar

from barchan.observables import Moment, Observable


class Count(Observable):
    """Grains in the scene, and grains that have entered and left it again."""

    key: ClassVar[str] = "count"
    series = (("grain_count", ""), ("outflow", ""))

    def measure(self, moment: Moment) -> dict[str, float]:
        count = len(moment.mass)
        return {"grain_count": float(count), "outflow": float(moment.inserted - count)}
