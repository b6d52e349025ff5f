"""What happens during a run: when (a time, or a condition that comes to hold) and what (walls, motions, gravity, …).

A new condition is a table here and an entry in `run/conditions.py`; a new action a table here and one in
`run/actions.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Protocol

from annotated_types import Ge, Gt, Len
from pydantic import model_validator

from barchan.scene.walls import OneOrMore
from barchan.schema.problems import fault
from barchan.schema.quantities import Acceleration, PositiveTime, Time, Unit
from barchan.schema.tables import Choice, Table, among

if TYPE_CHECKING:
    import numpy as np

    from barchan.frame import Gate


class Asking(Table):
    """Base of conditions and actions: `needs` is the protocol of what they ask of a run."""

    needs: ClassVar[type] = object


# ---------------------------------------------------------------- when


class HasSpeeds(Protocol):
    """A run that knows how fast its grains are; all as in `solvers/base.py`."""

    def __len__(self) -> int: ...
    def fastest(self) -> float: ...
    def kinetic_energy(self) -> float: ...


class HasGates(Protocol):
    """A run that counts its grains, and those that come and go."""

    def __len__(self) -> int: ...
    def gates(self) -> Mapping[str, Gate]: ...


class AtTime(Asking):
    """At a time."""

    key: ClassVar[str] = "time"
    at: Time  # s


class AtRest(Asking):
    """Once all grains have been slow for a while: all below `speed`, or their kinetic energy below `energy` a grain.

    `lasting` is how long, so that a grain at the top of its flight does not count. A scene without grains is not at
    rest.
    """

    key: ClassVar[str] = "rest"
    needs: ClassVar[type] = HasSpeeds
    speed: Annotated[float, Gt(0), Unit("m/s")] | None = None  # m/s
    energy: Annotated[float, Gt(0), Unit("J")] | None = None  # J a grain, on average
    lasting: PositiveTime = 0.1  # s
    not_before: Time = 0.0  # s, when to begin to look

    @model_validator(mode="after")
    def _one_measure(self) -> AtRest:
        if (self.speed is None) == (self.energy is None):
            raise fault("both or neither of `speed` and `energy`", "give exactly one of them")
        return self


class AtCount(Asking):
    """Once a number of grains is above or below a bound.

    `of` is "grains" for those in the scene, or the name of a source, a sink or an absorbing wall for those that have
    passed it.
    """

    key: ClassVar[str] = "count"
    needs: ClassVar[type] = HasGates
    of: Annotated[str, Len(1)] = "grains"
    above: Annotated[int, Ge(0)] | None = None
    below: Annotated[int, Ge(1)] | None = None
    not_before: Time = 0.0  # s, when to begin to look

    @model_validator(mode="after")
    def _one_bound(self) -> AtCount:
        if (self.above is None) == (self.below is None):
            raise fault("both or neither of `above` and `below`", "give exactly one of them")
        return self


class AfterEvent(Asking):
    """A while after another event."""

    key: ClassVar[str] = "after"
    event: Annotated[str, Len(1)]  # its name
    delay: Time = 0.0  # s


When = AtTime | AtRest | AtCount | AfterEvent

# ---------------------------------------------------------------- what


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
    needs: ClassVar[type] = HasWalls
    wall: Annotated[str, Len(1)]


class AddWall(Asking):
    """A wall that was declared with `present = false`, or was removed, is there."""

    key: ClassVar[str] = "add_wall"
    needs: ClassVar[type] = HasWalls
    wall: Annotated[str, Len(1)]


class StartMotion(Asking):
    """The motions of a wall begin: until then it rests, and their `start` and `end` count from the event on."""

    key: ClassVar[str] = "start_motion"
    needs: ClassVar[type] = HasWalls
    wall: Annotated[str, Len(1)]


class ChangeGravity(Asking):
    """Gravity becomes another one; `over` a time, in even steps from look to look, if that is given."""

    key: ClassVar[str] = "gravity"
    needs: ClassVar[type] = HasGravity
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
    when: Annotated[When, Choice(among(AtTime, AtRest, AtCount, AfterEvent), "conditions")]
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
