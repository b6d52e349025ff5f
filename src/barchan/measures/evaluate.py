"""What a recording is asked for by name, measured on its frames, or taken from its series where no frame holds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from barchan import registry
from barchan.errors import FileError, Finding, SceneError
from barchan.frame import Frame
from barchan.measures.asked import Asked, parse
from barchan.measures.named import Measure, numbers_of
from barchan.parts.observables import Observable, unit_in
from barchan.parts.observables.flow import gate_series
from barchan.record.recording import Recording
from barchan.scene import Scene

if TYPE_CHECKING:
    from barchan.simulation.loop import RunResult


@dataclass(frozen=True)
class Measured:
    """What was measured: every number at each of the times, or one value of it for all of them."""

    text: str  # as it was asked for
    time: np.ndarray  # (F,) s, of the frames
    values: dict[str, np.ndarray]  # (F,) each, or (1,) where one is asked for
    units: dict[str, str]
    one: bool  # whether it is one value
    note: str = ""  # what to know of them, such as which sign means what

    @property
    def value(self) -> float:
        """The first number, where one value is asked for."""
        if not self.one:
            remedy = f"add a moment, such as {self.text}@last, or take `values`"
            raise SceneError(Finding(self.text, f"has {len(self.time)} values", "one is asked for", remedy))
        return float(next(iter(self.values.values()))[0])


class Frames:
    """Some frames of a recording, read when they are looked at."""

    def __init__(self, recording: Recording, chosen: np.ndarray) -> None:
        self._recording, self.chosen = recording, chosen
        self.scene = recording.scene

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, index: int) -> Frame:
        return self._recording[int(self.chosen[index])]

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(len(self)))


def measure(run: Recording | RunResult | Path | str, text: str) -> Measured:
    """What `text` asks for, such as "angle_of_repose(floor=0)@last", of a run, its folder or its recording."""
    if isinstance(run, Recording):
        return measure_all(run, [parse(text)])[0]
    with Recording(run) if isinstance(run, (str, Path)) else run.recording as recording:
        return measure_all(recording, [parse(text)])[0]


def measure_all(
    recording: Recording, asked: Sequence[Asked], report: Callable[[int, int], None] = lambda done, total: None
) -> list[Measured]:
    """What is asked for; `report` is told how many of how many frames were looked at."""
    if not len(recording):
        raise FileError(Finding(str(recording.path), "holds no frames", remedy="let the run record its first one"))
    frames = [Frames(recording, one.when.frames(recording.times, one.text)) for one in asked]
    by_frame = [k for k, one in enumerate(asked) if _is_by_frame(recording, one, frames[k])]
    rows = _on_each_frame(recording, {k: (asked[k].part, frames[k].chosen) for k in by_frame}, report)
    found = []
    for k, one in enumerate(asked):
        values = _columns(rows[k]) if k in rows else _together(recording, one, frames[k])
        found.append(_measured(recording, one, frames[k], values))
    return found


def _measured(recording: Recording, asked: Asked, frames: Frames, values: dict[str, np.ndarray]) -> Measured:
    if asked.when.kind == "mean":
        values = {name: np.mean(one, keepdims=True) for name, one in values.items()}
    flat = recording.scene.dimensions == 2
    units = recording.units | {name: unit_in(unit, flat=flat) for name, unit in numbers_of(type(asked.part))}
    times = recording.times[frames.chosen]
    note = getattr(asked.part, "note", "")
    return Measured(asked.text, times, values, {name: units[name] for name in values}, asked.one, note)


def _is_by_frame(recording: Recording, asked: Asked, frames: Frames) -> bool:
    """Whether it is measured on one frame after the other; FileError where these lack what it needs.

    What frames cannot or do not hold is taken from the series, where the run has measured the same.
    """
    part = asked.part
    if isinstance(part, Measure):
        return part.on == "frame"
    lacking = [name for name in part.needs if not frames[0].has(name)]
    if not lacking:
        return True
    if _was_measured(recording, part):
        return False
    scene = recording.scene  # bodies that meet for an instant have no contacts to record
    fields = [f"record.{name} = true" for name in lacking if getattr(scene.record, name, None) is False]
    fields = [] if scene.method.event_driven else fields
    fitted = " with these fields" if part.to_dict(full=False).keys() > {"kind"} else ""
    ways = [*fields, f'observables = ["{part.key}"]{fitted}']
    remedy = f"set {' or '.join(ways)} in the scene, and run it again"
    what = f"the frames hold no {' and no '.join(lacking)}, and the run did not measure it as it went"
    raise FileError(Finding(asked.text, what, remedy=remedy))


def _was_measured(recording: Recording, part: Observable) -> bool:
    """Whether the series are of this observable with these fields."""
    same = [one for one in recording.scene.observables if type(one) is type(part)] or [type(part)()]
    return part in same and recording.series.keys() >= {name for name, _ in part.series}


def _on_each_frame(
    recording: Recording,
    parts: Mapping[int, tuple[Measure | Observable, np.ndarray]],
    report: Callable[[int, int], None],
) -> dict[int, list[dict[str, Any]]]:
    """Rows of numbers for each of the parts, at its frames; no frame is read twice."""
    rows: dict[int, list[dict[str, Any]]] = {k: [] for k in parts}
    needed = sorted({int(one) for _, chosen in parts.values() for one in chosen})
    for done, index in enumerate(needed):
        report(done, len(needed))
        frame = recording[index]
        for k, (part, chosen) in parts.items():
            if index in chosen:
                grains = _grains(part, [frame], recording.scene) if isinstance(part, Measure) else {}
                rows[k].append(part.measure(frame, **grains))
    return rows


def _together(recording: Recording, asked: Asked, frames: Frames) -> dict[str, np.ndarray]:
    """(F,) values of each number, or (1,) where there is one for all frames: of the series, or of frames together."""
    part = asked.part
    if not isinstance(part, Measure):
        return _of_series(recording, part, frames)
    if part.on == "series":
        if asked.when.kind != "all":
            what = f"{part.key} is of the whole run"
            raise SceneError(Finding(asked.text, what, remedy="leave out what follows the @"))
        return _columns([part.measure(recording.series)])
    if not part.each:
        return _columns([part.measure(frames, **_grains(part, frames, recording.scene))])
    every = Frames(recording, np.arange(len(recording)))
    found = part.measure(every, **_grains(part, every, recording.scene))
    return {name: np.asarray(one, float)[frames.chosen] for name, one in found.items()}


def _of_series(recording: Recording, part: Observable, frames: Frames) -> dict[str, np.ndarray]:
    """(F,) values of each number of an observable that the run has measured; NaN at frames without a sample."""
    scene, series = recording.scene, recording.series
    names = [name for name, _ in numbers_of(type(part))]
    if part.key == "flow":
        sinks = [one.name for one in scene.sinks] + [wall.name for wall in scene.walls if wall.absorbing]
        gates = [*gate_series([one.name for one in scene.sources], inward=True), *gate_series(sinks, inward=False)]
        names += [name for name, _ in gates if name in series]
    times, sampled = recording.times[frames.chosen], np.append(series["time"], np.inf)
    row = np.searchsorted(sampled, times)
    there = sampled[row] == times
    return {name: np.where(there, np.append(series[name], np.nan)[row], np.nan) for name in names}


def _columns(rows: Iterable[dict[str, Any]]) -> dict[str, np.ndarray]:
    found = list(rows)
    return {name: np.array([row[name] for row in found], float) for name in found[0]}


def _grains(part: Measure, frames: Sequence[Frame] | Frames, scene: Scene) -> dict[str, np.ndarray]:
    """(N,) bool for each field that names groups; SceneError where one of them changes from frame to frame."""
    known = {name: k for k, name in enumerate(scene.group_names())}
    masks = {}
    for name in part.groups:
        given = getattr(part, name)
        wanted = [
            registry.one_of(known, group, "groups of grains", f"{part.key}.{name}")
            for group in ([given] if isinstance(given, str) else given)
        ]
        first = frames[0]
        masks[name] = np.isin(first.group, wanted)
        if any(not np.array_equal(frame.id, first.id) for frame in frames):
            what = "takes frames that hold the same grains, but some come or go"
            raise SceneError(Finding(part.key, what, remedy="ask for a time in which none does, such as @mean(2s, 5s)"))
    return masks
