"""The trust region of Krijgsman and Luding (2016)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, ClassVar

from annotated_types import Gt, Lt

from barchan.parts.minimisers import Descent, Minimiser, Watch, fall
from barchan.schema.quantities import Unit


class TrustRegion(Minimiser):
    """Trust region with Steihaug's conjugate gradients, as Krijgsman and Luding describe it.

    Δ ← |p|/4 where the quality ρ is below 1/4, Δ ← 2Δ where it is above 3/4 at the edge; a step is taken where ρ > 0.
    """

    key: ClassVar[str] = "trust-region"

    accuracy: Annotated[float, Gt(0), Lt(1), Unit("")] = 0.1
    """Conjugate gradients end where the residual has fallen to this share, ε."""

    def minimise(
        self, landscape: Any, point: Any, tolerance: float, *, pulse: Callable[[Any], None] | None = None
    ) -> Descent:
        watch = Watch(landscape, tolerance, pulse)
        radius = 0.1 * float(landscape.radius.mean()) * math.sqrt(len(landscape))  # m: a tenth of a grain for each
        # What falls freely follows its model however far it goes: it must not fall through a floor.
        most = math.inf if landscape.heft == 0.0 else 0.5 * float(landscape.radius.min())
        radius, spare = min(radius, most), None
        while not watch.over(point):
            step, expected, at_edge, _ = landscape.steihaug(point, radius, self.accuracy, 10 * len(landscape))
            there = landscape.trial(point, step, spare)
            quality = fall(point, there, step, landscape) / expected
            size = math.sqrt(landscape.dot(step, step))
            if quality > 0:
                point, spare = there, point
            else:
                spare = there
            if quality < 0.25:
                radius = 0.25 * size
            elif quality > 0.75 and at_edge:
                radius = min(2 * radius, most)
        return watch.descent(point)
