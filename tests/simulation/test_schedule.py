"""When a run is visited: exact times, nothing twice, and the same from any point on."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from barchan.simulation.schedule import At, Every, Reason, Schedule


def scene(duration: float, frame_rate: float = 24.0, sample_rate: float | None = None) -> SimpleNamespace:
    nothing = {"sources": (), "sinks": (), "events": ()}
    return SimpleNamespace(duration=duration, frame_rate=frame_rate, sample_rate=sample_rate, **nothing)


def times(schedule: Schedule, reason: Reason) -> list[float]:
    return [visit.time for visit in schedule.visits() if reason in visit]


def test_frames_lie_at_the_start_at_every_interval_and_at_the_end():
    assert times(Schedule.of(scene(0.1)), Reason.FRAME) == [0.0, 1 / 24, 2 / 24, 0.1]


def test_an_end_on_a_frame_is_one_visit():
    visits = list(Schedule.of(scene(0.5)).visits())
    assert len(visits) == 13
    assert visits[-1].time == 0.5
    assert {Reason.END, Reason.FRAME, Reason.SAMPLE} <= visits[-1].reasons


def test_times_do_not_drift():
    """The hundred-thousandth frame at 30/s is the correctly rounded 100000/30, not the sum of so many 1/30."""
    every = Every(Fraction(30)).after(Fraction(100_000, 30) - Fraction(1, 60))
    assert float(next(every)) == 100_000 / 30


def test_edges_of_walls_are_visited_and_those_after_the_end_are_not():
    schedule = Schedule.of(scene(0.1), edges=[0.03, 1 / 24, 7.0])
    assert times(schedule, Reason.WALLS) == [0.03, 1 / 24]
    assert len(list(schedule.visits())) == 5


def test_a_frame_is_cut_into_pieces():
    schedule = Schedule.of(scene(0.1, 10.0), pieces=4)
    assert times(schedule, Reason.WATCH) == [0.0, 0.025, 0.05, 0.075, 0.1]
    assert times(schedule, Reason.FRAME) == [0.0, 0.1]


def test_the_given_times_are_sorted():
    assert list(At.seconds([3.0, 1.0, 2.0]).after(Fraction(1))) == [2, 3]


@given(
    duration=st.floats(0.01, 2.0),
    frame_rate=st.floats(0.1, 120.0),
    sample_rate=st.none() | st.floats(0.1, 300.0),
    pieces=st.integers(1, 13),
    edges=st.lists(st.floats(0.0, 3.0), max_size=4),
)
def test_what_is_left_depends_on_the_time_alone(duration, frame_rate, sample_rate, pieces, edges):
    """From any visit on, the schedule gives what it would have given: this is what makes a run resumable."""
    schedule = Schedule.of(scene(duration, frame_rate, sample_rate), pieces=pieces, edges=edges)
    visits = list(schedule.visits())
    assert [visit.time for visit in visits] == sorted({visit.time for visit in visits})
    assert visits[0].time == 0.0
    assert visits[-1].time == duration
    assert [Reason.END in visit for visit in visits] == [False] * (len(visits) - 1) + [True]
    for index in range(0, len(visits), max(1, len(visits) // 7)):
        assert list(schedule.visits(after=visits[index].time)) == visits[index + 1 :]
