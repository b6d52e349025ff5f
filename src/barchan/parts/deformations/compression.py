"""A box that shrinks."""

from __future__ import annotations

from typing import ClassVar

from barchan.parts.deformations import Stretch
from barchan.schema.quantities import PackingFraction


class Compression(Stretch):
    """The box shrinks, or grows, evenly in all periodic directions."""

    key: ClassVar[str] = "compression"
    sets: ClassVar[str] = "packing fraction"
    to: PackingFraction
    """The packing fraction at the end."""

    def amounts(self, fraction: float) -> tuple[float, float]:
        return 0.0, self.to / fraction - 1

    def limit(self, axis: int, ratio: float, fraction: float, directions: int) -> tuple[str, float]:
        return "to", fraction * ratio**directions
