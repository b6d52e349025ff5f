"""Actions: what an event does.

One file each. A run takes it once, at the look at which the event's condition holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

import numpy as np

from barchan.registry import Part

Vector = tuple[float, float, float]


class HasWalls(Protocol):
    """A solver whose walls come, go and move when told."""

    def add_wall(self, name: str) -> None: ...
    def remove_wall(self, name: str) -> None: ...
    def start_motion(self, name: str) -> None: ...


class HasGravity(Protocol):
    """A solver whose gravity changes when told."""

    def gravity(self) -> np.ndarray: ...
    def change_gravity(self, gravity: Sequence[float] | np.ndarray) -> None: ...


class Changed(HasWalls, HasGravity, Protocol):
    """A solver that actions may change in every way that they need."""


class Timeline(Protocol):
    """What goes on in a run from look to look."""

    def stop(self) -> None: ...
    def stop_source(self, name: str) -> None: ...
    def lead_gravity(self, solver: HasGravity, to: Vector, time: float, over: float) -> None: ...


class Action(Part):
    """Base of actions: `asks` is the protocol of the solver that `act(solver, timeline, time)` changes; time in s."""

    family: ClassVar[str] = "actions"
    asks: ClassVar[type] = object

    def act(self, solver: Changed, timeline: Timeline, time: float) -> None:
        """Do it, at a time, s."""
        raise TypeError(f"{type(self).__name__} does nothing")

    def walls(self) -> tuple[str, ...]:
        """Names of the walls that it changes."""
        return ()

    def motions(self) -> tuple[str, ...]:
        """Names of the walls whose motions rest until it starts them."""
        return ()

    def gravities(self) -> tuple[Vector, ...]:
        """Gravities, m/s², that it brings about."""
        return ()
