"""Conditions of events: one function each, in the table at the end.

A function gets the condition as the scene states it, the moment, and a dict of its own, in which it may keep plain
values from look to look; checkpoints keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from barchan.scene import AfterEvent, AtCount, AtRest, AtTime
from barchan.scene.check_flow import ALL_GRAINS
from barchan.scene.events import HasGates, HasSpeeds
from barchan.solvers.base import Solver

ROUND_OFF = 1e-9  # s, by which a look may come early


@dataclass(frozen=True)
class Now:
    """A look at a run."""

    time: float  # s
    solver: Solver
    fired: Mapping[str, float]  # s, when events came, by name

    def reached(self, time: float) -> bool:
        """Whether this time, s, has come."""
        return self.time >= time - ROUND_OFF


def _at_time(when: AtTime, now: Now, memory: dict[str, Any]) -> bool:
    return now.reached(when.at)


def _at_rest(when: AtRest, now: Now, memory: dict[str, Any]) -> bool:
    solver = now.solver
    if not len(solver) or not now.reached(when.not_before) or not _slow(when, solver):
        memory.pop("since", None)
        return False
    return now.reached(memory.setdefault("since", now.time) + when.lasting)


def _slow(when: AtRest, solver: HasSpeeds) -> bool:
    if when.speed is not None:
        return bool(solver.fastest() < when.speed)
    return bool(solver.kinetic_energy() < (when.energy or 0.0) * len(solver))


def _at_count(when: AtCount, now: Now, memory: dict[str, Any]) -> bool:
    number = _count(when.of, now.solver)
    passed = number > when.above if when.above is not None else number < (when.below or 0)
    return passed and now.reached(when.not_before)


def _count(of: str, solver: HasGates) -> int:
    return len(solver) if of == ALL_GRAINS else solver.gates()[of].number


def _after_event(when: AfterEvent, now: Now, memory: dict[str, Any]) -> bool:
    return when.event in now.fired and now.reached(now.fired[when.event] + when.delay)


CONDITIONS: dict[type, Callable[[Any, Now, dict[str, Any]], bool]] = {
    AtTime: _at_time,
    AtRest: _at_rest,
    AtCount: _at_count,
    AfterEvent: _after_event,
}
