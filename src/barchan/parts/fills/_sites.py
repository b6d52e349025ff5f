"""Evenly spaced places, and layers of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from barchan.errors import SceneError
from barchan.parts.fills import Order, check_memory, too_many
from barchan.parts.regions import Space

ROUND = 1e-9  # of a spacing, forgiven when sites are counted


class Sites(NamedTuple):
    """Evenly spaced places along an axis."""

    number: int
    step: float  # m
    first: float  # m

    def places(self) -> np.ndarray:
        return self.first + self.step * np.arange(self.number)


def sites(
    space: Space, axis: int, spacing: float, margin: float, *, from_low: bool = False, even: bool = False
) -> Sites:
    """The places along an axis, centred in the region or from its low end, a margin (m) inside.

    Around a period they are spread evenly, an even number of them where a pattern of two repeats.
    """
    if axis not in space.axes:
        return Sites(1, 0.0, 0.0)
    low, length = float(space.low[axis]), float(space.length[axis])
    if space.periodic[axis]:
        number = int(np.floor(length / spacing + ROUND))
        number -= number % 2 if even else 0
        step = length / max(number, 1)
        return Sites(number, step, low + 0.5 * step)
    room = length - 2.0 * margin
    number = int(np.floor(room / spacing + ROUND)) + 1 if room >= -ROUND * margin else 0
    slack = 0.0 if from_low else 0.5 * (room - spacing * (number - 1))
    return Sites(number, spacing, low + margin + slack)


def stack(space: Space, order: Order, layers: list[np.ndarray], upwards: Sites) -> np.ndarray:
    """The given layers (m, 2) over and over, one at each height, and of their sites the first ones asked for."""
    cycles, rest = divmod(upwards.number, len(layers))
    cycle = sum(len(layer) for layer in layers)
    capacity = cycles * cycle + sum(len(layer) for layer in layers[:rest])
    count = capacity if order.count is None else order.count
    if count > capacity or capacity == 0:
        raise SceneError(too_many(order, capacity, count * space.share(np.array([order.reach]))))
    check_memory(order, count)
    site, level = np.arange(count) % cycle, np.arange(count) // cycle * len(layers)
    for below in np.cumsum([len(layer) for layer in layers])[:-1]:
        level += site >= below
    centres = np.empty((count, 3))  # m
    centres[:, :2] = np.concatenate(layers)[site]
    centres[:, 2] = upwards.first + upwards.step * level
    if space.dimensions == 2:
        centres[:, 1] = 0.0
    return centres
