"""Flow through a level: how much has passed, how fast, and when nothing did although more was waiting above."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated

import numpy as np
from pydantic import Field

from barchan.drawn import Drawn
from barchan.frame import Frame
from barchan.measures.named import measured
from barchan.schema.quantities import Length, PositiveTime, Time, Unit

Level = Annotated[Length, Field(description="The height through which grains pass.")]
Fall = Annotated[
    Annotated[float, Unit("m/s^2")] | None,
    Field(description="The acceleration downwards; left out, that of a recorded scene, or 9.81 m/s²."),
]
Least = Annotated[PositiveTime, Field(description="How long nothing passes, at least.")]
Since = Annotated[Time, Field(description="Nothing counts before, such as the fall to the mouth.")]


@dataclass(frozen=True)
class Flow(Drawn):
    """Grains and mass that have passed a level downwards, against time; those that began below it have passed."""

    time: np.ndarray  # (F,) s
    count: np.ndarray  # (F,) grains that have passed
    mass: np.ndarray  # (F,) kg that have passed
    total: int  # grains that have passed or wait above, in the last frame
    above: np.ndarray | None = None  # (F,) grains above the level; None: all that have not passed

    @property
    def waiting(self) -> np.ndarray:
        """(F,) grains above the level."""
        return self.total - self.count if self.above is None else self.above

    def rate(self, window: float) -> np.ndarray:
        """Mass flow (F,), kg/s, over a centred window of this length (s), shorter at the ends."""
        low = np.interp(np.maximum(self.time - window / 2, self.time[0]), self.time, self.mass)
        high = np.interp(np.minimum(self.time + window / 2, self.time[-1]), self.time, self.mass)
        span = np.minimum(self.time + window / 2, self.time[-1]) - np.maximum(self.time - window / 2, self.time[0])
        return (high - low) / np.maximum(span, 1e-300)

    @property
    def mean_rate(self) -> float:
        """Mass flow, kg/s, between the first tenth and the last tenth of what has passed; 0 where nothing has.

        Between two frames mass is taken to flow evenly.
        """
        passed = np.maximum.accumulate(self.mass - self.mass[0])
        if passed[-1] <= 0:
            return 0.0
        begin, end = (self._reached(passed, part * passed[-1]) for part in (0.1, 0.9))
        return float(0.8 * passed[-1] / (end - begin))

    def _reached(self, passed: np.ndarray, mass: float) -> float:
        """When so much had passed, s."""
        k = int(np.searchsorted(passed, mass))  # not the first frame: nothing had passed there
        share = (mass - passed[k - 1]) / (passed[k] - passed[k - 1])
        return float(self.time[k - 1] + share * (self.time[k] - self.time[k - 1]))


@dataclass(frozen=True)
class Jam:
    """An interval in which nothing flowed although grains were waiting."""

    start: float  # s
    end: float  # s
    waiting: int  # grains above the level

    @property
    def duration(self) -> float:
        """How long it lasted, s."""
        return self.end - self.start


@measured(
    {"passed_count": "", "passed_mass": "kg", "waiting": ""}, taken=attrgetter("count", "mass", "waiting"), each=True
)
def flow_through(frames: Iterable[Frame], level: Level, *, gravity: Fall = None) -> Flow:
    """Flow downwards through the height `level` (m), by the centres of mass of the grains.

    Grains are followed one by one, so that pouring above and absorbing below do not matter; what goes up again counts
    back. Of a grain that comes or goes between two frames its free flight decides, which is why `gravity` (m/s²,
    downwards) matters; left out, it is that of a recorded scene, or 9.81.
    """
    scene = getattr(frames, "scene", None)
    fall = gravity if gravity is not None else 9.81 if scene is None else -scene.gravity[2]
    rows: list[tuple[float, float, float, float]] = []
    count, mass = 0.0, 0.0
    before: Frame | None = None
    for frame in frames:
        below = frame.position[:, 2] < level
        more = (float(below.sum()), float(frame.mass[below].sum()))
        if before is not None:
            more = _passed(before, frame, level, fall)
        count, mass, before = count + more[0], mass + more[1], frame
        rows.append((frame.time, count, mass, float((~below).sum())))
    time, counts, masses, above = np.array(rows, float).reshape(-1, 4).T
    total = int(count + above[-1]) if len(above) else 0
    return Flow(time, counts.astype(int), masses, total, above.astype(int))


@measured({"mean_rate": "kg/s"})
def mean_rate(frames: Iterable[Frame], level: Level, *, gravity: Fall = None) -> float:
    """Mass flow downwards through a height: `mean_rate` of `flow_through`."""
    return flow_through(frames, level, gravity=gravity).mean_rate


@measured({"jam_count": "", "jam_time": "s"}, taken=tuple)
def jamming(
    frames: Iterable[Frame], level: Level, *, least: Least = 1.0, since: Since = 0.0, gravity: Fall = None
) -> tuple[int, float]:
    """How often, and how long in all, nothing flowed through a height although grains were waiting: see `jams`."""
    found = jams(flow_through(frames, level, gravity=gravity), least=least, since=since)
    return len(found), sum((jam.duration for jam in found), 0.0)


def _passed(before: Frame, after: Frame, level: float, fall: float) -> tuple[float, float]:
    """Number and mass, kg, of the grains that have passed a level downwards between two frames."""
    _, one, two = np.intersect1d(before.id, after.id, assume_unique=True, return_indices=True)
    start = before.position[one, 2]
    end = start + after.nearest(after.position[two] - before.position[one])[:, 2]
    way = (start >= level).astype(float) - (end >= level)
    gone = np.setdiff1d(np.arange(len(before)), one)
    span = after.time - before.time
    landed = before.position[gone, 2] + before.velocity[gone, 2] * span - 0.5 * fall * span**2
    gone = gone[(before.position[gone, 2] >= level) & (landed < level)]
    new = np.setdiff1d(np.arange(len(after)), two)
    age = after.time - after.born[new]
    poured = after.position[new, 2] - after.velocity[new, 2] * age - 0.5 * fall * age**2
    new = new[(after.position[new, 2] < level) & (poured >= level)]
    mass = float(way @ after.mass[two] + before.mass[gone].sum() + after.mass[new].sum())
    return float(way.sum()) + len(gone) + len(new), mass


def jams(flow: Flow, *, least: float = 1.0, since: float = 0.0) -> list[Jam]:
    """Intervals of at least `least` seconds in which no grain passed while some waited above.

    The time before the first grain has passed counts as well: a hopper may be jammed from the start. since: time, s,
    before which nothing counts, such as that of the fall to the mouth.
    """
    begin = min(int(np.searchsorted(flow.time, since)), len(flow.time) - 1)
    passed = np.flatnonzero(np.diff(flow.count) > 0) + 1  # frames at which a grain has just passed
    passed = passed[passed > begin]
    edges = np.concatenate([[begin], passed, [len(flow.time) - 1]])
    found = []
    for first, last in itertools.pairwise(edges):
        waiting = int(flow.waiting[first])
        # The last quiet frame is the one before a grain is seen below.
        end = last - 1 if last in passed else last
        if waiting > 0 and flow.time[end] - flow.time[first] >= least:
            found.append(Jam(float(flow.time[first]), float(flow.time[end]), waiting))
    return found
