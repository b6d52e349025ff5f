"""Flow and jams of made-up records whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from barchan.analysis import Flow, flow_through, jams
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
