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
    """What the tether is called in tables."""
    group: str
    """The name of the group of grains; each of them has one."""
    point: Position | None = None
    """The fixed end; left out, where each grain is at the start."""
    stiffness: Stiffness
    """Force over stretch."""
    damping: Damping = 0.0
    """Force over the rate of stretch."""
    length: NonNegativeLength = 0.0
    """The length at which it does not pull."""
