"""A square lattice."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from barchan.parts.fills import LOOSE, Fill, Given, Order, check_memory
from barchan.parts.fills._sites import ROUND, sites, stack
from barchan.parts.regions import RegionField, Space
from barchan.schema.quantities import NonNegativeLength, PositiveLength


def lattice(
    space: Space, order: Order, rng: np.random.Generator, *, spacing: float | None = None, jitter: float = 0.0
) -> np.ndarray:
    """A simple cubic (in two dimensions square) lattice, layer by layer from below, centred sideways."""
    spacing = spacing or 2.0 * order.reach * LOOSE + 2.0 * jitter
    margin = order.reach + jitter
    across, along = sites(space, 1, spacing, margin), sites(space, 0, spacing, margin)
    check_memory(order, along.number * across.number)
    layer = np.stack(np.meshgrid(along.places(), across.places()), axis=-1).reshape(-1, 2)
    upwards = sites(space, 2, spacing, margin, from_low=True)
    centres = stack(space, order, [layer[space.holds_column(layer, margin, ROUND * margin)]], upwards)
    if jitter:
        shift = rng.uniform(-jitter, jitter, centres.shape)
        centres[:, space.axes] += shift[:, space.axes]
    return centres


class LatticeFill(Fill):
    """A simple cubic lattice, filled layer by layer from below; whole grains lie inside the region.

    Without `count` the group fills the region.
    """

    key: ClassVar[str] = "lattice"
    region: RegionField
    """Where it may be."""
    spacing: PositiveLength | None = None
    """The distance of centres; left out, it is a little more than the largest grain's extent, and twice the jitter."""
    jitter: NonNegativeLength = 0.0
    """How far each centre is shifted along each axis, at the most."""

    def grains(self, order: Order, rng: np.random.Generator) -> Given:
        space = order.space(self.region)
        return Given(lattice(space, order, rng, spacing=self.spacing, jitter=self.jitter))
