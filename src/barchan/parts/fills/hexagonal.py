"""Layers of triangles."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from barchan.parts.fills import LOOSE, Fill, Given, Order, check_memory
from barchan.parts.fills._sites import ROUND, sites, stack
from barchan.parts.regions import RegionField, Space
from barchan.schema.quantities import PositiveLength


def hexagonal(space: Space, order: Order, *, spacing: float | None = None) -> np.ndarray:
    """Layers of triangles, every second one in the hollows of the one below; in two dimensions rows of discs."""
    spacing = spacing or 2.0 * order.reach * LOOSE
    flat, cornered = space.dimensions == 2, space.cornered
    columns = sites(space, 0, spacing, order.reach, from_low=cornered)
    rows = sites(space, 1, spacing * np.sqrt(0.75), order.reach, from_low=cornered, even=True)
    rise = spacing * np.sqrt(0.75 if flat else 2.0 / 3.0)
    upwards = sites(space, 2, rise, order.reach, from_low=True, even=True)
    check_memory(order, columns.number * rows.number)
    column, row = np.meshgrid(np.arange(columns.number), np.arange(rows.number))
    layers = []
    for odd in (0, 1):
        x = columns.first + columns.step * (column + 0.5 * ((row + odd) % 2))
        y = rows.first + rows.step * (row + odd / 3.0)
        layer = space.wrap(np.stack([x, y], axis=-1).reshape(-1, 2))
        layers.append(layer[space.holds_column(layer, order.reach, ROUND * order.reach)])
    return stack(space, order, layers, upwards)


class HexagonalFill(Fill):
    """Horizontal layers of hexagonally packed grains, each resting in the hollows of the layer below.

    Whole grains lie inside the region; without `count` the group fills it.
    """

    key: ClassVar[str] = "hexagonal"
    region: RegionField
    """Where it may be."""
    spacing: PositiveLength | None = None
    """The distance of neighbouring centres; left out, it is a little more than the largest grain's extent."""

    def grains(self, order: Order, rng: np.random.Generator) -> Given:
        around = replace(order, reach=order.bounding)
        return Given(hexagonal(order.space(self.region), around, spacing=self.spacing))
