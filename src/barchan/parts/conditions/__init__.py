"""Conditions: when an event comes.

One file each. A run asks it at every look, until it holds for the first time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from barchan.frame import Gate
from barchan.registry import Part

ROUND_OFF = 1e-9  # s, by which a look may come early


class HasSpeeds(Protocol):
    """A run that knows how fast its grains are; all as in `solvers/base.py`."""

    def __len__(self) -> int: ...
    def fastest(self) -> float: ...
    def kinetic_energy(self) -> float: ...


class HasGates(Protocol):
    """A run that counts its grains, and those that come and go."""

    def __len__(self) -> int: ...
    def gates(self) -> Mapping[str, Gate]: ...


class Watched(HasSpeeds, HasGates, Protocol):
    """A run of which conditions may ask all that they need."""


@dataclass(frozen=True)
class Now:
    """A look at a run."""

    time: float  # s
    fired: Mapping[str, float]  # s, when events came, by name

    def reached(self, time: float) -> bool:
        """Whether this time, s, has come."""
        return self.time >= time - ROUND_OFF


class Condition(Part):
    """Base of conditions: `asks` is the protocol of the solver that `holds` asks.

    `holds(solver, now, kept)` says whether the condition holds now. `kept` stays from look to look, and in checkpoints:
    for plain values of its own.
    """

    family: ClassVar[str] = "conditions"
    asks: ClassVar[type] = object

    def holds(self, solver: Watched, now: Now, kept: dict[str, Any]) -> bool:
        """Whether it holds now. `kept` stays from look to look, and in checkpoints: for plain values of its own."""
        raise TypeError(f"{type(self).__name__} does not say when it holds")

    def times(self) -> tuple[float, ...]:
        """Times, s, of looks for its sake, beside those of every run with events."""
        return ()
