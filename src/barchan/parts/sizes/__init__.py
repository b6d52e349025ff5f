"""Sizes: how large grains are, as a distribution.

One file each. A size is the diameter of a sphere, and the overall extent of any other grain.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from barchan.registry import Part
from barchan.schema.problems import fault

EVEN = (np.arange(20_000) + 0.5) / 20_000  # shares at which a mean is taken


class Size(Part):
    """Base of distributions of sizes."""

    family: ClassVar[str] = "sizes"

    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest size in m."""
        raise TypeError(f"{type(self).__name__} has no bounds")

    def draw(self, count: int, rng: np.random.Generator, where: str = "size") -> np.ndarray:
        """`count` sizes (count,) m; SceneError at `where` if there are none to draw from."""
        raise TypeError(f"{type(self).__name__} has no sizes")

    def mean_power(self, power: int) -> float:
        """The mean of size^power over the distribution."""
        raise TypeError(f"{type(self).__name__} has no mean")


def check_order(low: float, high: float) -> None:
    """For validators: a fault where two bounds, m, are in the wrong order."""
    if low > high:
        raise fault(f"low {low:g} m is above high {high:g} m", "low must be ≤ high")
