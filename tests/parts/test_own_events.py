"""Conditions and actions of one's own, registered by a script: checked with the scene, run, and taken up again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

import barchan as bc
from barchan import registry
from barchan.parts.actions import Action, HasWalls, Timeline
from barchan.parts.conditions import Condition, Now
from barchan.schema.peeking import names, peek
from barchan.schema.problems import unknown
from barchan.simulation.schedule import Reason, Schedule
from simulation.shared import SMALL, stopped


class Ticks(Condition):
    """Once it has been asked a number of times from a moment on, while a wall is there."""

    key: ClassVar[str] = "test-ticks"
    start: float
    number: int
    wall: str = "floor"

    @classmethod
    def misfits(cls, own: Any, fields: Mapping[str, Any]) -> Iterable[Any]:
        return unknown(peek(own, "wall"), "walls", names(fields, "walls"), ("wall",))

    def holds(self, solver: object, now: Now, kept: dict[str, Any]) -> bool:
        kept["asked"] = kept.get("asked", 0) + now.reached(self.start)
        return bool(kept["asked"] == self.number)

    def times(self) -> tuple[float, ...]:
        return (self.start,)


class Swap(Action):
    """A wall goes, another one comes, and the run ends."""

    key: ClassVar[str] = "test-swap"
    asks: ClassVar[type] = HasWalls
    gone: str
    there: str

    @classmethod
    def misfits(cls, own: Any, fields: Mapping[str, Any]) -> Iterable[Any]:
        return unknown(peek(own, "there"), "walls", names(fields, "walls"), ("there",))

    def act(self, solver: HasWalls, timeline: Timeline, time: float) -> None:
        solver.remove_wall(self.gone)
        solver.add_wall(self.there)
        timeline.stop()


WHEN = '{ kind = "test-ticks", start = 0.0203, number = 25 }'


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    """The parts, known until the test is over."""
    for part in (Ticks, Swap):
        registry.register(part)
    yield
    for part in (Ticks, Swap):
        registry._found[part.family].pop(part.key, None)


def scene(when: str, do: str = '"stop"') -> bc.Scene:
    """Grains fall on a floor until an event."""
    return bc.loads(f'{SMALL}\n[[events]]\nname = "own"\nwhen = {when}\ndo = {do}\n')


def test_a_condition_of_ones_own_ends_a_run(tmp_path: Path) -> None:
    """Looks come ten a frame, every 2 ms, and one at the moment that the condition names, 20.3 ms: the 25th from then
    on comes at 68 ms. A condition that is not asked for its times is first counted at 22 ms, and ends the run at 70 ms;
    one whose own values are lost in a checkpoint ends it later.
    """
    described = scene(WHEN)
    looks = [visit.time for visit in Schedule.of(described).visits() if Reason.LOOK in visit]
    assert pytest.approx(0.0203) in looks
    whole = bc.run(described, tmp_path / "whole", progress=bc.Silent(), threads=1)
    assert whole.summary["events"] == {"own": pytest.approx(0.068)}
    stopped(described, tmp_path / "cut", 0.03)
    cut = bc.resume(tmp_path / "cut", progress=bc.Silent(), threads=1)
    assert cut.summary["events"] == whole.summary["events"]


def test_what_a_condition_of_ones_own_names_is_checked() -> None:
    """A name that nothing in the scene has is told at its place, as for the conditions of the package."""
    wrong = WHEN.replace("number = 25", 'number = 25, wall = "flor"')
    with pytest.raises(bc.SceneError, match=r"events\[0\]\.when\.wall: 'flor' is not among the walls; known: floor"):
        scene(wrong)


def test_a_recorded_scene_is_read_without_it() -> None:
    """Looking at a run needs no conditions: it is kept as it was written."""
    from barchan.scene.toml import loads_recorded

    text = bc.dumps(scene(WHEN))
    registry._found["conditions"].pop(Ticks.key)
    assert bc.dumps(loads_recorded(text, "out")) == text
    with pytest.raises(bc.FileError, match=r"out, events\[0\]\.when\.kind: 'test-ticks' is not among the conditions"):
        loads_recorded(text, "out", to_run=True)


def test_an_action_of_ones_own_changes_walls_and_ends_the_run(tmp_path: Path) -> None:
    """At 20 ms the floor goes, the roof is there, and the run ends with a frame of that. A name of a wall that is not
    there is told where it stands.
    """
    swap = '{ kind = "test-swap", gone = "floor", there = "roof" }'
    roof = '[[walls]]\nname = "roof"\nshape = "plane"\npoint = [0, 0, 1]\nmaterial = "sand"\npresent = false\n'
    event = f'[[events]]\nname = "own"\nwhen = {{ kind = "time", at = 0.02 }}\ndo = {swap}\n'
    result = bc.run(bc.loads(SMALL + roof + event), tmp_path / "out", progress=bc.Silent(), threads=1)
    assert result.summary["events"] == {"own": 0.02}
    with result.recording as recording:
        assert [frame.wall_present.tolist() for frame in (recording[0], recording[-1])] == [[1, 0], [0, 1]]
        assert recording[-1].time == 0.02
    with pytest.raises(
        bc.SceneError, match=r"events\[0\]\.do\[0\]\.there: 'roof' is not among the walls; known: floor"
    ):
        bc.loads(SMALL + event)
