"""Flow and jams of made-up records whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from barchan.frame import Frame
from barchan.measures import Flow, flow_through, jams
from draw.frames import frame_of


def steady(count: int = 41, rate: float = 2.0, mass: float = 3.0) -> Flow:
    """Two grains a second of 3 kg each, a frame every half second, one grain a frame."""
    time = np.arange(count) / rate
    passed = np.arange(count)
    return Flow(time, passed, mass * passed, total=count - 1)


def test_a_steady_flow() -> None:
    flow = steady()
    np.testing.assert_allclose(flow.rate(2.0), 6.0)
    assert flow.mean_rate == pytest.approx(6.0)
    assert jams(flow) == []


def test_counts_are_those_below_the_level() -> None:
    frames = [
        frame_of([(0.0, 0.0, z - fallen) for z in (1.0, 2.0, 3.0)], 0.1, time=fallen) for fallen in (0.0, 1.5, 9.0)
    ]
    flow = flow_through(frames, 0.75)
    assert flow.count.tolist() == [0, 2, 3]
    assert flow.total == 3
    np.testing.assert_allclose(flow.mass, [0.0, 2 * frames[0].mass[0], 3 * frames[0].mass[0]])


def test_jams_are_found_with_their_ends() -> None:
    """Grains pass at 1, 2, 3 s, then none until 10 s, then all but one at 11 s, which never comes."""
    time = np.arange(0.0, 20.5, 0.5)
    count = np.select([time >= 11, time >= 10, time >= 3, time >= 2, time >= 1], [6, 4, 3, 2, 1], 0)
    found = jams(Flow(time, count, 1.0 * count, total=7), least=2.0)
    assert [(jam.start, jam.end, jam.waiting) for jam in found] == [(3.0, 9.5, 4), (11.0, 20.0, 1)]
    assert found[0].duration == 6.5


def test_an_empty_hopper_is_not_jammed() -> None:
    time = np.arange(0.0, 10.0)
    count = np.minimum(time.astype(int), 3)
    assert jams(Flow(time, count, 1.0 * count, total=3), least=2.0) == []


def test_nothing_flows_where_nothing_moves() -> None:
    time = np.arange(5.0)
    still = Flow(time, np.zeros(5, int), np.zeros(5), total=2)
    assert still.mean_rate == 0.0
    assert [(jam.start, jam.end) for jam in jams(still)] == [(0.0, 4.0)]


def test_the_fall_to_the_mouth_is_no_jam() -> None:
    """Grains that need 3 s to arrive and then pass one a second: a jam of 3 s from the start, and none since then."""
    time = np.arange(0.0, 8.0, 0.5)
    count = np.clip(np.floor(time - 2.0), 0, 4).astype(int)
    flow = Flow(time, count, 1.0 * count, total=9)
    assert [(jam.start, jam.end) for jam in jams(flow, least=2.0)] == [(0.0, 2.5)]
    assert jams(flow, least=2.0, since=3.0) == []


def silo(times: np.ndarray) -> list[Frame]:
    """Grains of 0.5 kg that are let go 1 m above the level every 0.1 s and absorbed 0.2 m below it, and others of 2 kg
    that are poured 0.1 m below it and absorbed as well: known at any time from their free fall alone.
    """
    made = []
    for now in times:
        released = 0.1 * np.arange(1, 60)
        stream, low = (start - 4.905 * np.maximum(now - released, 0.0) ** 2 for start in (1.0, -0.1))
        height, born = np.concatenate([stream, low]), np.tile(released, 2)
        there = (born <= now) & (height > -0.2)
        place, velocity = np.zeros((len(height), 3)), np.zeros((len(height), 3))
        place[:, 2], velocity[:, 2] = height, -9.81 * (now - born)
        made.append(frame_of(
            place[there], 0.01, time=now, velocity=velocity[there], id=np.flatnonzero(there), born=born[there],
            mass=np.repeat([0.5, 2.0], 59)[there],
        ))  # fmt: skip
    return made


@pytest.mark.parametrize("interval", [0.03, 0.25, 0.4])
def test_a_silo_that_is_filled_and_emptied(interval: float) -> None:
    """Passed has every grain of the stream that was let go more than √(2 · 1 m/g) ago, however rarely is looked: those
    absorbed before they were seen below, and those seen below first, count; those poured below
    do not. The flow is 0.5 kg every 0.1 s. Counted by what is below, it would be about 0.
    """
    times = np.arange(0.0, 5.0, interval)
    flow = flow_through(silo(times), 0.0)
    expected = [np.count_nonzero(0.1 * np.arange(1, 60) < now - np.sqrt(2 / 9.81)) for now in times]
    assert flow.count.tolist() == expected
    assert flow.mass == pytest.approx(0.5 * np.array(expected))
    assert flow.mean_rate == pytest.approx(5.0, rel=0.15)
    assert not jams(flow, least=max(2 * interval, 0.3), since=1.0)


def test_a_jam_below_a_source() -> None:
    """While grains go on being poured above, none passes from 2 s on: a jam, with those that wait when it begins."""
    frames = []
    for now in np.arange(0.0, 10.0, 0.5):
        count = int(2 * now) + 3
        height = np.where(np.arange(count) < min(2 * now, 4), -1.0, 1.0)
        frames.append(frame_of(np.column_stack([np.arange(count), np.zeros(count), height]), 0.1, time=now))
    found = jams(flow_through(frames, 0.0), least=2.0)
    assert [(jam.start, jam.end, jam.waiting) for jam in found] == [(2.0, 9.5, 3)]


def test_a_flow_between_two_frames_has_a_rate() -> None:
    """10 kg pass between 1 s and 2 s, seen at their ends only: 10 kg/s."""
    flow = Flow(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0, 0, 5, 5]), np.array([0.0, 0.0, 10.0, 10.0]), total=5)
    assert flow.mean_rate == pytest.approx(10.0)


def test_what_goes_round_a_periodic_box_does_not_come_up() -> None:
    """Twenty falls through a level at 0.5 m in a box of 1 m that repeats upwards: each passes once a turn."""
    heights = 0.9 - 0.3 * np.arange(67)
    cell = np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0]])
    frames = [frame_of([(0.5, 0.0, z % 1.0)], 0.1, time=float(k), cell=cell) for k, z in enumerate(heights)]
    assert flow_through(frames, 0.5).count[-1] == 20
