"""When: the times at which a run is visited, as objects. Times are k / rate, never added up, so they do not drift."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Protocol

from barchan.scene import ClumpGrain, Scene, Source
from barchan.scene.polygons import PolygonGrain

LOOKS = 10  # at the least, a frame
SLACK = Fraction(1, 10**9)  # of the shortest interval: times closer than this are one visit


class Reason(Enum):
    """What is to be done at a visit."""

    WALLS = "walls"  # a wall appears or vanishes
    LOOK = "look"  # grains come and go, and conditions of events are looked at
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
        looks = look_rate(scene)
        whens = (
            (Reason.WALLS, At.seconds(edges)),
            *(((Reason.LOOK, Every(looks)),) if looks else ()),
            (Reason.LOOK, At.seconds(time for event in scene.events for time in event.when.times())),
            (Reason.WATCH, Every(frames * pieces)),
            (Reason.SAMPLE, Every(samples)),
            (Reason.FRAME, Every(frames)),
            (Reason.END, At((duration,))),
        )
        return cls(duration, whens, SLACK / max(frames * pieces, samples, looks or frames, 1 / duration))

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


def look_rate(scene: Scene) -> Fraction | None:
    """How often, 1/s, grains may come and go and conditions are looked at; None where a scene has none of these.

    Ten times a frame, or as often as the fastest source needs for a new layer: as its largest grain, moving on under
    gravity, takes to go its own size. Always a whole number of times a frame.
    """
    if not (scene.sources or scene.sinks or scene.events):
        return None
    gravity = math.hypot(*scene.gravity)
    often = float(LOOKS)
    for source in scene.sources:
        size = _largest(source)
        speed = math.hypot(*source.velocity)
        falling = math.sqrt(speed**2 + 2 * gravity * size)  # (falling − speed)/gravity is the time, size/mean the same
        often = max(often, (speed + falling) / (2 * size) / scene.frame_rate)
    return Fraction(scene.frame_rate) * math.ceil(often)


def _largest(source: Source) -> float:
    """The extent, m, of a source's largest grain, about."""
    if isinstance(source.shape, ClumpGrain):
        return 2 * max(sphere.radius for sphere in source.shape.spheres)
    if isinstance(source.shape, PolygonGrain):
        return max(math.dist(one, other) for one in source.shape.points for other in source.shape.points)
    assert source.size is not None, "only a grain in metres has no size"
    return source.size.bounds()[1]


def _labelled(times: Iterator[Fraction], reason: Reason) -> Iterator[tuple[Fraction, Reason]]:
    return ((time, reason) for time in times)
