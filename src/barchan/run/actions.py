"""Actions of events: one function each, in the table at the end. What they change lives in the solver and the story."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from barchan.scene import AddWall, ChangeGravity, RemoveWall, StartMotion, StopRun, StopSource
from barchan.scene.events import HasGravity, HasWalls
from barchan.solvers.base import Solver

if TYPE_CHECKING:
    from barchan.run.story import Story


def _remove_wall(action: RemoveWall, solver: HasWalls, story: Story, time: float) -> None:
    solver.remove_wall(action.wall)


def _add_wall(action: AddWall, solver: HasWalls, story: Story, time: float) -> None:
    solver.add_wall(action.wall)


def _start_motion(action: StartMotion, solver: HasWalls, story: Story, time: float) -> None:
    solver.start_motion(action.wall)


def _change_gravity(action: ChangeGravity, solver: HasGravity, story: Story, time: float) -> None:
    story.ramp = {"from": solver.gravity().tolist(), "to": list(action.to), "start": time, "over": action.over}
    story.lean(solver, time)


def _stop_source(action: StopSource, solver: object, story: Story, time: float) -> None:
    story.pourers[action.source].stopped = True


def _stop_run(action: StopRun, solver: object, story: Story, time: float) -> None:
    story.over = True


ACTIONS: dict[type, Callable[[Any, Solver, Story, float], None]] = {
    RemoveWall: _remove_wall,
    AddWall: _add_wall,
    StartMotion: _start_motion,
    ChangeGravity: _change_gravity,
    StopSource: _stop_source,
    StopRun: _stop_run,
}
