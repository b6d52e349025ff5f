"""Flow through a level: how much has passed, how fast, and when nothing did although more was waiting above."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from barchan.drawn import Drawn
from barchan.record.frame import Frame


@dataclass(frozen=True)
class Flow(Drawn):
    """Grains and mass below a level against time."""

    time: np.ndarray  # (F,) s
    count: np.ndarray  # (F,) grains below the level
    mass: np.ndarray  # (F,) kg below the level
    total: int  # grains in the last frame

    def rate(self, window: float) -> np.ndarray:
        """Mass flow (F,), kg/s, over a centred window of this length (s), shorter at the ends."""
        low = np.interp(np.maximum(self.time - window / 2, self.time[0]), self.time, self.mass)
        high = np.interp(np.minimum(self.time + window / 2, self.time[-1]), self.time, self.mass)
        span = np.minimum(self.time + window / 2, self.time[-1]) - np.maximum(self.time - window / 2, self.time[0])
        return (high - low) / np.maximum(span, 1e-300)

    @property
    def mean_rate(self) -> float:
        """Mass flow, kg/s, between the first tenth and the last tenth of what has passed; 0 where nothing has."""
        passed = self.mass - self.mass[0]
        if passed[-1] <= 0:
            return 0.0
        begin, end = (int(np.searchsorted(passed, part * passed[-1])) for part in (0.1, 0.9))
        return float((passed[end] - passed[begin]) / max(self.time[end] - self.time[begin], 1e-300))


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


def flow_through(frames: Iterable[Frame], level: float) -> Flow:
    """Flow downwards through the height `level` (m), by the centres of mass of the grains."""
    rows = []
    total = 0
    for frame in frames:
        below = frame.position[:, 2] < level
        rows.append((frame.time, int(below.sum()), float(frame.mass[below].sum())))
        total = len(frame)
    time, count, mass = np.array(rows, float).reshape(-1, 3).T
    return Flow(time, count.astype(int), mass, total)


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
        waiting = flow.total - int(flow.count[first])
        # The last quiet frame is the one before a grain is seen below.
        end = last - 1 if last in passed else last
        if waiting > 0 and flow.time[end] - flow.time[first] >= least:
            found.append(Jam(float(flow.time[first]), float(flow.time[end]), waiting))
    return found
