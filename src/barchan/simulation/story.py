"""The story of a run: grains that are poured and taken away, and events, at every look."""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.model.place import space_in
from barchan.model.pour import GivesGrains, Pourer, TakesGrains
from barchan.parts.actions import HasGravity, Vector
from barchan.parts.conditions import Now
from barchan.scene import Event, Scene, Sink
from barchan.solvers.base import Solver


class Story:
    """What comes and goes and happens, and how far it has got; `state` is all of that as plain values.

    Looks come at the times that the schedule says, so the story is the same however often a run is stopped.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.pourers = {source.name: Pourer(scene, index) for index, source in enumerate(scene.sources)}
        self.fired: dict[str, float] = {}  # s, when events came, by name
        self.memory: dict[str, dict[str, Any]] = {event.name: {} for event in scene.events}
        self.ramp: dict[str, Any] | None = None  # a change of gravity that is under way
        self.over = False  # whether an event has stopped the run

    def look(self, solver: Solver, time: float) -> None:
        """Let grains go and come, and happen what is due at this time, s."""
        for sink in self.scene.sinks:
            self._drain(solver, sink)
        for pourer in self.pourers.values():
            self._pour(solver, pourer, time)
        self.lean(solver, time)
        while due := self._due(solver, time):
            for event in due:
                self.fired[event.name] = time
                for action in event.do:
                    action.act(solver, self, time)

    def _due(self, solver: Solver, time: float) -> list[Event]:
        """The events whose conditions hold and that have not come yet."""
        now = Now(time, self.fired)
        waiting = [event for event in self.scene.events if event.name not in self.fired]
        return [event for event in waiting if event.when.holds(solver, now, self.memory[event.name])]

    def _pour(self, solver: TakesGrains, pourer: Pourer, time: float) -> None:
        grains = pourer.pour(time, solver.room)
        solver.insert(grains, pourer.source.name, waiting=pourer.behind)
        pourer.book(grains)

    def _drain(self, solver: GivesGrains, sink: Sink) -> None:
        if len(solver):
            inside = space_in(self.scene, sink.region).holds(solver.positions())
            taken = ~inside if sink.outside else inside
            if taken.any():
                solver.remove(taken, sink.name)

    def stop(self) -> None:
        """The run ends here."""
        self.over = True

    def stop_source(self, name: str) -> None:
        """A source pours no more."""
        self.pourers[name].stopped = True

    def lead_gravity(self, solver: HasGravity, to: Vector, time: float, over: float) -> None:
        """From this time on, s, gravity goes to another one, m/s², over a time, s."""
        self.ramp = {"from": solver.gravity().tolist(), "to": list(to), "start": time, "over": over}
        self.lean(solver, time)

    def lean(self, solver: HasGravity, time: float) -> None:
        """Bring gravity to where its change has got by now, s."""
        if self.ramp is None:
            return
        begin, end = np.array(self.ramp["from"]), np.array(self.ramp["to"])
        over = self.ramp["over"]
        share = min(1.0, (time - self.ramp["start"]) / over) if over else 1.0
        solver.change_gravity(end if share == 1.0 else begin + share * (end - begin))
        if share == 1.0:
            self.ramp = None

    def summary(self, solver: Solver) -> dict[str, Any]:
        """What has passed every gate, and when events came; nothing where a scene has none."""
        gates = solver.gates()
        told: dict[str, Any] = {}
        if gates:
            told["flow"] = {
                name: {"number": gate.number, "mass": gate.mass, "waiting": gate.waiting}
                for name, gate in gates.items()
            }
        if self.scene.events:
            told["events"] = dict(self.fired)
        return told

    def state(self) -> dict[str, Any]:
        """All that changes, as plain values."""
        return {
            "sources": {name: pourer.state() for name, pourer in self.pourers.items()},
            "fired": self.fired,
            "memory": self.memory,
            "ramp": self.ramp,
            "over": self.over,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` said."""
        for name, pourer in self.pourers.items():
            pourer.restore(state["sources"][name])
        self.fired, self.memory = dict(state["fired"]), {name: dict(kept) for name, kept in state["memory"].items()}
        self.ramp, self.over = state["ramp"], state["over"]
