"""Newton's method with a factorised preconditioner, in a trust region, and damped inertia where grains rearrange.

Conjugate gradients, plain or preconditioned, and quasi-Newton methods were tried for the whole way down from a random
start. All of them judge a step by its worst place: somewhere grains are always about to touch, more places the larger
the packing, and the number of steps grows with it. Grains that roll with light damping have no such judge.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, ClassVar

import numpy as np
from annotated_types import Ge, Gt

from barchan.parts.minimisers import Descent, Minimiser, Watch, fall
from barchan.schema.quantities import Unit

BURST = 200  # steps of inertia between two looks
MOST_INNER = 200  # conjugate gradients in a step
# Share of its velocity that a grain loses in a step while it rolls. The longest waves of a packing must not be damped
# critically, and they are the slower the larger it is: from FEW grains on, damping falls as their number to the −1/4.
DAMPING = 0.02
FEW = 1000
AT_FIRST = 1.0  # as `ease`, where a descent begins
SLOW = 8  # steps in which forces do not fall to a half: grains rearrange, which inertia does in fewer gradients
STALE = 12  # conjugate gradients after which the next step gets a new factorisation,
WORN = 1.5  # if they are so many times more than the first step with the present one needed
FLAT = 1e-9  # curvature, over what the preconditioner says, that counts as none
FARTHEST = 0.5  # of the mean radius, that a grain may go in a step
SOFTEST = 1e-4  # of the mean stiffness, added to the diagonal: takes out rattlers and translations


class Newton(Minimiser):
    """Preconditioned Newton in a trust region, after damped inertia where grains still rearrange.

    While grains rearrange, contacts come and go with every step, and no quadratic model is true for long: there it
    rolls downhill with light damping. Where forces are nearly in balance it takes Newton steps found by conjugate
    gradients, preconditioned with the factorised stiffness of contacts without prestress, near contacts within reach of
    the step included.
    """

    key: ClassVar[str] = "newton"

    ease: Annotated[float, Gt(0), Unit("")] = 3e-3
    """The largest force on a grain over the mean contact force at which inertia hands over to Newton steps."""
    patience: Annotated[int, Ge(1)] = 3
    """How many poor steps in a row it takes until inertia takes over again."""

    def minimise(
        self, landscape: Any, point: Any, tolerance: float, *, pulse: Callable[[Any], None] | None = None
    ) -> Descent:
        watch = Watch(landscape, tolerance, pulse)
        steps = _Steps(landscape, watch)
        # From a packing that is only a little out of balance, Newton's way is the shortest; what hangs must fall first.
        ease = AT_FIRST if landscape.heft == 0.0 else self.ease
        while not watch.over(point):
            if point.largest > ease * point.mean_force:
                ease = min(ease, self.ease)
                _roll(landscape, point, watch, ease)
                continue
            met = point.largest / point.mean_force
            point = steps.down(point, self.patience)
            # Back among rearrangements: let inertia come further down before the next attempt.
            ease = max(min(0.1 * met, self.ease), 0.5 * watch.tolerance)
        return watch.descent(point)


def _roll(landscape: Any, point: Any, watch: Watch, ease: float) -> None:
    """Damped inertia until forces are in balance but for `ease`; FIRE's rule for what has weight, and would bounce."""
    velocity, state = np.zeros_like(point.moved), np.array([0.0, 0.1, 0.0])
    damping = 0.0 if landscape.heft > 0.0 else DAMPING * min(1.0, FEW / len(landscape)) ** 0.25
    while True:
        landscape.descend(point, velocity, state, steps=BURST, target=ease, damping=damping)
        if point.largest <= ease * point.mean_force or watch.over(point):
            return


class _Steps:
    """Newton steps in a trust region measured by the preconditioner."""

    def __init__(self, landscape: Any, watch: Watch) -> None:
        self.landscape, self.watch = landscape, watch
        self.solve: Callable[[np.ndarray], np.ndarray] | None = None
        self.inner = 0  # conjugate gradients of the last step
        self.fresh = 0  # of the first one with this factorisation
        self.reach = 0.0  # m, how far grains went in the last step

    def down(self, point: Any, patience: int) -> Any:
        """Steps until the end, or until `patience` poor ones in a row."""
        radius, poor, spare = math.inf, 0, None
        least, idle = point.largest / point.mean_force, 0
        while poor < patience and idle < SLOW and not self.watch.over(point):
            renewed = self.solve is None or self.inner > max(STALE, WORN * self.fresh)
            if renewed:
                self.solve = self.landscape.factorised(point, SOFTEST, prestress=False, near=self.reach)
            accuracy = min(0.1, max(1e-3, math.sqrt(point.largest / point.mean_force)))
            step, expected, size, at_edge = self._step(point, radius, accuracy)
            self.fresh = self.inner if renewed else self.fresh
            there = self.landscape.trial(point, step, spare)
            quality = fall(point, there, step, self.landscape) / expected if expected < 0 else -1.0
            # Where energies agree to round-off, forces tell more.
            calmer = there.largest < 0.5 * point.largest and there.energy <= point.energy + 1e-9 * abs(point.energy)
            if quality > 0 or (calmer and quality > -1):
                self.reach = float(np.abs(step).max())
                point, spare = there, point
            else:
                spare = there
            poor = 0 if quality > 0.25 or calmer else poor + 1
            force = point.largest / max(point.mean_force, 1e-300)
            least, idle = (force, 0) if force < 0.5 * least else (least, idle + 1)
            if quality < 0.25:
                radius = 0.25 * size
            elif quality > 0.75 and at_edge:
                radius *= 2
        return point

    def _step(self, point: Any, radius: float, accuracy: float) -> tuple[np.ndarray, float, float, bool]:
        """Steihaug's conjugate gradients, preconditioned: the step, the model's change, its size, whether at the edge.

        Sizes are measured by the preconditioner M, so that soft directions may be followed far: with z = M⁻¹ r the
        products p·Mp, p·Md, d·Md follow from recurrences (Conn, Gould and Toint 2000, section 7.5).
        """
        land, solve = self.landscape, self.solve
        assert solve is not None
        p, r = np.zeros_like(point.moved), point.gradient.copy()
        z = solve(r)
        d = -z
        rz = land.dot(r, z)
        first, pp, pd, dd = rz, 0.0, 0.0, rz
        at_edge = False
        self.inner = 0
        while self.inner < MOST_INNER:
            kd, curvature = land.product(point, d)
            self.inner += 1
            if curvature <= FLAT * dd and rz < 0.01 * first:
                break  # what is left of the residual lies in directions without stiffness
            along = rz / curvature if curvature > 0 else 0.0
            if curvature <= 0 or pp + 2 * along * pd + along * along * dd >= radius * radius:
                bound = radius if math.isfinite(radius) else math.sqrt(max(pp, 0.0)) + math.sqrt(dd)
                along, at_edge = (-pd + math.sqrt(max(pd * pd - dd * (pp - bound * bound), 0.0))) / dd, True
            p += along * d
            r += along * kd
            pp += 2 * along * pd + along * along * dd
            if at_edge:
                break
            z = solve(r)
            before, rz = rz, land.dot(r, z)
            if rz <= accuracy**2 * first:
                break
            ratio = rz / before
            pd = ratio * (pd + along * dd)
            dd = rz + ratio * ratio * dd
            d = ratio * d - z
        slope = land.dot(point.gradient, p)
        change = 0.5 * (slope + land.dot(r, p))
        far = float(np.abs(p).max())
        if far > FARTHEST * float(land.radius.mean()):  # along what has no stiffness the model knows no end
            share, at_edge = FARTHEST * float(land.radius.mean()) / far, True
            p, pp, change = share * p, share * share * pp, share * slope + share * share * (change - slope)
        return p, change, math.sqrt(max(pp, 0.0)), at_edge
