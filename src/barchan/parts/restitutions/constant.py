"""The same restitution at every speed."""

from __future__ import annotations

from typing import ClassVar

from barchan.parts.laws import Surface
from barchan.parts.restitutions import Restitution


def rebound(speed: float, a: float, b: float, c: float) -> float:
    """εn = a."""
    return a


class Constant(Restitution):
    """The materials' restitution, at every speed."""

    key: ClassVar[str] = "constant"
    rebound = staticmethod(rebound)

    def constants(self, surface: Surface) -> tuple[float, float, float]:
        return 1.0 if surface.restitution is None else surface.restitution, 0.0, 0.0
