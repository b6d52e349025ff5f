"""A periodic box that deforms while grains move in it, and the background that resists them.

A template: see `bound.py`. The array `box` holds lengths (m), how fast they grow (m/s), and the lengths when the pair
list was made and when the wider one was that it was drawn from (m); `course` the numbers of `parts/deformations`, then
the lengths at the start.
"""

from __future__ import annotations

import math
from typing import Any

from barchan.kernels.bound import box_course
from barchan.kernels.jit import njit
from barchan.solvers.soft.layout import DRAG, DRAG_LOSS, DRAG_POWER, FLOW_POWER, FLOW_WORK, MIDDLE


@njit(cache=True, error_model="numpy")
def deform_box(t: float, course: Any, box: Any, inverse: Any, worst: float, per: float) -> float:
    """Give the box the lengths and rates of time t, s.

    worst: the square of the farthest way of a sphere since the list was made, over its leeway. Answers with that for
    which the list would be as worn in a box that stays: half of what the images have come nearer counts for either
    side. per: 1/m, one over the smallest leeway.
    """
    x, y, z, a, b, c = box_course(t, course[0], course[1], course[2], course[3], course[4], course[5])
    box[0], box[1], box[2] = course[6] * x, course[7] * y, course[8] * z
    box[3], box[4], box[5] = box[0] * a, box[1] * b, box[2] * c
    moved = 0.0
    for k in range(3):
        inverse[k] = 1.0 / box[k] if box[k] > 0.0 else 0.0
        moved += (box[k] - box[6 + k]) ** 2
    return (math.sqrt(worst) + 0.5 * per * math.sqrt(moved)) ** 2


@njit(cache=True, error_model="numpy")
def resist(
    grains: int, weight: float, drag: Any, box: Any, inverse: Any, position: Any, motion: Any, pull: Any, add: bool
) -> None:
    """The drag −γ (v − u) on every grain, (N, 3) N in `pull`, added to what is there or instead of it.

    The background is at rest, or moves with the box, u = L̇/L (x − middle): for every image of a grain it is the same.
    weight: time, s, with which the powers enter the books. One thread: the sums have an order.
    """
    coefficient = drag[DRAG]
    loss, flow = 0.0, 0.0
    keep = 1.0 if add else 0.0
    for g in range(grains):
        for k in range(3):
            u = box[3 + k] * inverse[k] * (position[g, k] - drag[MIDDLE + k])
            v = motion[g, k] - u
            loss += v * v
            flow -= v * u
            pull[g, k] = keep * pull[g, k] - coefficient * v
    drag[DRAG_POWER], drag[FLOW_POWER] = coefficient * loss, coefficient * flow
    drag[DRAG_LOSS] += weight * drag[DRAG_POWER]
    drag[FLOW_WORK] += weight * drag[FLOW_POWER]
