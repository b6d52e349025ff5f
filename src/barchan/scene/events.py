"""What happens during a run: when (a time, or a condition that comes to hold) and what (walls, motions, gravity, …).

A condition is a part; a new action is a table here and an entry in `run/actions.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Protocol

from annotated_types import Len

from barchan.scene.parts import ConditionField
from barchan.scene.walls import OneOrMore
from barchan.schema.quantities import Acceleration, Time
from barchan.schema.tables import Choice, Table, among

if TYPE_CHECKING:
    import numpy as np


class Asking(Table):
    """Base of actions: `asks` is the protocol of what they ask of a run."""

    asks: ClassVar[type] = object


class HasWalls(Protocol):
    """A run whose walls come, go and move when told."""

    def add_wall(self, name: str) -> None: ...
    def remove_wall(self, name: str) -> None: ...
    def start_motion(self, name: str) -> None: ...


class HasGravity(Protocol):
    """A run whose gravity changes when told."""

    def gravity(self) -> np.ndarray: ...
    def change_gravity(self, gravity: Sequence[float] | np.ndarray) -> None: ...


class RemoveWall(Asking):
    """A wall is there no longer."""

    key: ClassVar[str] = "remove_wall"
    asks: ClassVar[type] = HasWalls
    wall: Annotated[str, Len(1)]


class AddWall(Asking):
    """A wall that was declared with `present = false`, or was removed, is there."""

    key: ClassVar[str] = "add_wall"
    asks: ClassVar[type] = HasWalls
    wall: Annotated[str, Len(1)]


class StartMotion(Asking):
    """The motions of a wall begin: until then it rests, and their `start` and `end` count from the event on."""

    key: ClassVar[str] = "start_motion"
    asks: ClassVar[type] = HasWalls
    wall: Annotated[str, Len(1)]


class ChangeGravity(Asking):
    """Gravity becomes another one; `over` a time, in even steps from look to look, if that is given."""

    key: ClassVar[str] = "gravity"
    asks: ClassVar[type] = HasGravity
    to: Acceleration  # m/s²
    over: Time = 0.0  # s


class StopSource(Asking):
    """A source pours no more, whatever it is still owed."""

    key: ClassVar[str] = "stop_source"
    source: Annotated[str, Len(1)]


class StopRun(Asking):
    """The run ends here, as if its duration were over."""

    key: ClassVar[str] = "stop"


Action = RemoveWall | AddWall | StartMotion | ChangeGravity | StopSource | StopRun


class Event(Table):
    """Something that happens once, the first time that its condition is seen to hold."""

    name: Annotated[str, Len(1)]
    when: ConditionField
    do: Annotated[
        tuple[
            Annotated[
                Action,
                Choice(among(RemoveWall, AddWall, StartMotion, ChangeGravity, StopSource, StopRun), "actions"),
            ],
            ...,
        ],
        Len(1),
        OneOrMore(),
    ]

    def to_dict(self, *, full: bool = True) -> dict[str, object]:
        """As for every table; a single action is written as a table."""
        plain: dict[str, object] = super().to_dict(full=full)
        if len(self.do) == 1:
            plain["do"] = self.do[0].to_dict(full=full)
        return plain
