"""A pyramid."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from annotated_types import Ge, Le

from barchan.errors import SceneError
from barchan.parts.fills import LOOSE, Fill, Given, Order, check_memory, too_many
from barchan.schema.problems import fault
from barchan.schema.quantities import Position, PositiveLength


def pyramid(
    base: tuple[float, float, float],
    order: Order,
    *,
    layers: int | None = None,
    spacing: float | None = None,
    dimensions: int = 3,
) -> np.ndarray:
    """Square layers (rows in two dimensions) of n, n − 1, …, 1 grains a side above the point `base` (m).

    Without `layers` it is the smallest such pyramid that holds the order's count, filled from below.
    """
    spacing = spacing or 2.0 * order.reach * LOOSE
    sides = np.arange(1, (layers or 10_000) + 1)
    held = np.cumsum(sides ** (dimensions - 1))  # grains in a pyramid of that many layers
    count = order.count if layers is None else int(held[-1])
    assert count is not None, "a pyramid has layers or a count"
    check_memory(order, count)
    if count > held[-1]:
        raise SceneError(too_many(order, int(held[-1])))
    height = layers or int(np.searchsorted(held, count)) + 1
    centres = np.concatenate([_square(height - level, level, dimensions) for level in range(height)])[:count]
    origin = np.array([base[0], 0.0 if dimensions == 2 else base[1], base[2] + order.reach])
    return origin + spacing * centres


def _square(side: int, level: int, dimensions: int) -> np.ndarray:
    """A square layer (a row in two dimensions) about the z axis, in units of the spacing: (side², 3) or (side, 3)."""
    line = np.arange(side) - 0.5 * (side - 1)
    y, x = np.meshgrid(np.zeros(1) if dimensions == 2 else line, line, indexing="ij")
    return np.stack([x.ravel(), y.ravel(), np.full(x.size, float(level))], axis=1)


class PyramidFill(Fill):
    """Square layers of grains, n × n at the bottom, one fewer each way in every layer above it.

    Either `layers` (then n = layers, and the top is a single grain) or the group's `count` is given (then the
    smallest such pyramid that holds it is filled from the bottom layer up).
    """

    key: ClassVar[str] = "pyramid"
    base: Position
    """The point below the apex that the lowest grains stand on."""
    layers: Annotated[int, Ge(1), Le(10_000)] | None = None
    """How many layers; give this or the group's `count`."""
    spacing: PositiveLength | None = None
    """The distance of neighbouring centres and of layers; left out, a little more than the largest grain's extent."""

    def check_count(self, count: int | None) -> None:
        if (count is None) == (self.layers is None):
            raise fault("a pyramid with both or neither of `count` and `fill.layers`", "give exactly one of them")

    def grains(self, order: Order, rng: np.random.Generator) -> Given:
        return Given(pyramid(self.base, order, layers=self.layers, spacing=self.spacing, dimensions=order.dimensions))
