"""Minimisers: ways down to the nearest minimum of energy.

One file each. A minimiser is given a landscape (`solvers/relax/landscape.py`) and a point on it, and answers with the
minimum. It is judged by the largest force on a grain over the mean contact force, and by how many gradients and how
many products of the Hessian with a vector it needs; the landscape counts both, for all minimisers alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from barchan.registry import Part

NEARLY, LOOKS = 1e-6, 3  # force over mean contact force, and how often it must be looked at without any fall
PATIENCE = 100_000  # gradients and products without any gain, after which a minimiser gives up


@dataclass
class Descent:
    """What a minimiser found."""

    point: Any  # of the landscape
    calm: bool  # whether forces came into balance
    tolerance: float  # that was asked for, or what round-off allows where that is more
    history: list[tuple[int, float, float]] = field(default_factory=list)  # gradients + products, J, force over mean


class Minimiser(Part):
    """Base of minimisers."""

    family: ClassVar[str] = "minimisers"

    def minimise(
        self, landscape: Any, point: Any, tolerance: float, *, pulse: Callable[[Any], None] | None = None
    ) -> Descent:
        """The minimum below `point`; `pulse` is told every point on the way."""
        raise TypeError(f"{type(self).__name__} does not minimise")


class Watch:
    """Keeps the history of a descent and says when it is over."""

    def __init__(self, landscape: Any, tolerance: float, pulse: Callable[[Any], None] | None) -> None:
        self.landscape, self.asked, self.pulse = landscape, tolerance, pulse
        self.tolerance = tolerance
        landscape.hardest = 0.0
        self.began = landscape.gradients + landscape.products
        self.history: list[tuple[int, float, float]] = []
        self._lowest, self._calmest, self._gained = math.inf, math.inf, 0
        self._least, self._looks = math.inf, 0  # force, and how often it was looked at since it was last there

    @property
    def work(self) -> int:
        """Gradients and products so far."""
        return int(self.landscape.gradients + self.landscape.products - self.began)

    def over(self, point: Any) -> bool:
        """Note where the descent has come to; whether that is the end of it."""
        self.history.append((self.work, point.energy, point.largest / max(point.mean_force, 1e-300)))
        if self.pulse is not None:
            self.pulse(point)
        if self._at_the_bottom(self.history[-1][2]):
            self.tolerance = max(self.asked, self.landscape.floor(point))
        return self.landscape.is_calm(point, self.tolerance) or self._stuck(*self.history[-1])

    def _at_the_bottom(self, force: float) -> bool:
        """Whether forces, nearly in balance, fall no more: round-off may then be all that is left of them."""
        self._least, self._looks = (force, 0) if force < 0.9 * self._least else (self._least, self._looks + 1)
        return force < NEARLY and self._looks >= LOOKS

    def _stuck(self, work: int, energy: float, force: float) -> bool:
        """Whether neither energy nor forces have fallen for a long while: round-off, or numbers that went bad."""
        if energy < self._lowest - 1e-14 * abs(self._lowest) or force < 0.9 * self._calmest:
            self._lowest, self._calmest = min(energy, self._lowest), min(force, self._calmest)
            self._gained = work
        return work - self._gained > PATIENCE

    def descent(self, point: Any) -> Descent:
        """The outcome."""
        return Descent(point, self.landscape.is_calm(point, self.tolerance), self.tolerance, self.history)


def fall(before: Any, after: Any, step: Any, landscape: Any) -> float:
    """Energy after less energy before, J; near the minimum from the gradients, where energies agree to round-off."""
    change = after.energy - before.energy
    if abs(change) < 1e-9 * abs(before.energy):
        change = 0.5 * landscape.dot(before.gradient + after.gradient, step)
    return float(change)
