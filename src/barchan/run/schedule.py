"""When: the times at which a run is visited, as objects. Times are k / rate, never added up, so they do not drift."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Protocol

from barchan.scene import Scene

SLACK = Fraction(1, 10**9)  # of the shortest interval: times closer than this are one visit


class Reason(Enum):
    """What is to be done at a visit."""

    WALLS = "walls"  # a wall appears or vanishes
    WATCH = "watch"  # the state is checked, and a checkpoint may be saved
    SAMPLE = "sample"  # observables are measured
    FRAME = "frame"  # the grains are recorded
    END = "end"


class When(Protocol):
    """A set of times."""

    def after(self, time: Fraction) -> Iterator[Fraction]:
        """The times, s, later than `time`, in order."""
        ...


@dataclass(frozen=True)
class Every:
    """At 0, 1/rate, 2/rate, … for ever."""

    rate: Fraction  # 1/s

    def after(self, time: Fraction) -> Iterator[Fraction]:
        """The times, s, later than `time`, in order."""
        count = max(0, math.floor(time * self.rate) + 1)
        while True:
            yield count / self.rate
            count += 1


@dataclass(frozen=True)
class At:
    """At the given times, s."""

    times: tuple[Fraction, ...]

    @classmethod
    def seconds(cls, times: Iterable[float]) -> At:
        """The given times, s."""
        return cls(tuple(sorted(map(Fraction, times))))

    def after(self, time: Fraction) -> Iterator[Fraction]:
        """The times, s, later than `time`, in order."""
        return (one for one in self.times if one > time)


@dataclass(frozen=True)
class Visit:
    """A time, s, and what is to be done then."""

    time: float
    reasons: frozenset[Reason]

    def __contains__(self, reason: Reason) -> bool:
        return reason in self.reasons


@dataclass(frozen=True)
class Schedule:
    """All visits of a run up to its end: a pure function of the scene and of how finely a frame is cut."""

    duration: Fraction  # s
    whens: tuple[tuple[Reason, When], ...]
    slack: Fraction  # s

    @classmethod
    def of(cls, scene: Scene, *, pieces: int = 1, edges: Iterable[float] = ()) -> Schedule:
        """The visits of a scene; `pieces` of a frame are watched one by one, `edges` (s) are the walls' times."""
        frames = Fraction(scene.frame_rate)
        samples = frames if scene.sample_rate is None else Fraction(scene.sample_rate)
        duration = Fraction(scene.duration)
        whens = (
            (Reason.WALLS, At.seconds(edges)),
            (Reason.WATCH, Every(frames * pieces)),
            (Reason.SAMPLE, Every(samples)),
            (Reason.FRAME, Every(frames)),
            (Reason.END, At((duration,))),
        )
        return cls(duration, whens, SLACK / max(frames * pieces, samples, 1 / duration))

    def visits(self, after: float | None = None) -> Iterator[Visit]:
        """The visits later than `after`, s; all of them, from 0 on, when left out."""
        start = -self.slack if after is None else Fraction(after) + self.slack
        streams = [_labelled(when.after(start), reason) for reason, when in self.whens]
        time, reasons = start, set[Reason]()
        for one, reason in heapq.merge(*streams, key=lambda labelled: labelled[0]):
            if reasons and one > time + self.slack:
                yield self._visit(time, reasons)
                reasons = set()
                if time + self.slack >= self.duration:
                    return
            if not reasons:
                time = one
            if one > self.duration + self.slack:
                return
            reasons.add(reason)

    def _visit(self, time: Fraction, reasons: set[Reason]) -> Visit:
        if Reason.END in reasons:
            return Visit(float(self.duration), frozenset({*reasons, Reason.SAMPLE, Reason.FRAME}))
        return Visit(float(time), frozenset(reasons))


def _labelled(times: Iterator[Fraction], reason: Reason) -> Iterator[tuple[Fraction, Reason]]:
    return ((time, reason) for time in times)
