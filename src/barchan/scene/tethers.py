"""Tethers: springs between grains and fixed points."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Len

from barchan.schema.quantities import Damping, NonNegativeLength, Position, Stiffness
from barchan.schema.tables import Table


class Tether(Table):
    """A spring, with a dashpot beside it, from the centre of every grain of a group to a fixed point.

    Of length l it pulls with stiffness · (l − length) + damping · dl/dt, and pushes where that is negative. With a
    `length` of 0 the force is linear in the displacement. Grains do not collide with it.
    """

    name: Annotated[str, Len(1)]
    group: str  # a name among the scene's grains
    point: Position | None = None  # m; None: where each grain is at the start
    stiffness: Stiffness  # N/m
    damping: Damping = 0.0  # N s/m, along the tether
    length: NonNegativeLength = 0.0  # m, at rest
