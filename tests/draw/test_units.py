"""Units in which numbers read well."""

from __future__ import annotations

import itertools
import math

import pytest

from barchan.draw.units import LADDERS, length_unit, playing_pace, readable, round_below, time_text


@pytest.mark.parametrize(
    ("span", "unit"),
    [(3e-7, "nm"), (2e-6, "µm"), (0.003, "mm"), (0.2, "cm"), (3.0, "m"), (2e4, "km"), (4e7, "Mm"), (0.0, "m")],
)
def test_lengths_read_well(span, unit):
    assert length_unit(span)[0] == unit


@pytest.mark.parametrize(
    ("largest", "unit", "told"),
    [
        (1.4e10, "J", (1e-9, "GJ")),
        (3e-19, "J", (1e21, "zJ")),
        (2e-11, "N", (1e12, "pN")),
        (0.3, "Pa", (1e3, "mPa")),
        (1e-31, "J", (1.0, "J")),
        (math.nan, "J", (1.0, "J")),
        (0.02, "m/s", (1e3, "mm/s")),
        (2e3, "m/s", (1e-3, "km/s")),
        (0.6, "kg", (1.0, "kg")),
        (3e-16, "kg", (1e18, "fg")),
        (5e5, "kg", (1e-3, "t")),
        (7e-6, "rad/s", (1.0, "rad/s")),
        (5e6, "", (1.0, "")),
    ],
)
def test_numbers_read_well(largest, unit, told):
    assert readable(largest, unit) == told


@pytest.mark.parametrize("unit", LADDERS)
def test_units_follow_each_other_without_a_gap(unit):
    """From the smallest told, numbers have one to four digits before the point, or a few zeros behind it."""
    steps = LADDERS[unit]
    assert [least for least, _, _ in steps] == sorted((least for least, _, _ in steps), reverse=True)
    for (above, _, _), (least, _, factor) in itertools.pairwise(steps):
        assert 0.01 <= factor * least and factor * above <= 10_000


@pytest.mark.parametrize(
    ("time", "longest", "text"),
    [
        (12.34, 20.0, "t = 12.3 s"),
        (4e-5, 0.0113, "t = 0.0 ms"),
        (3e-5, 5e-5, "t = 30.0 µs"),
        (3e-8, 5e-8, "t = 30.0 ns"),
        (0.0, 0.0, "t = 0.000 s"),
        (900.0, 1800.0, "t = 15.0 min"),
        (36000.0, 36000.0, "t = 10.0 h"),
        (432000.0, 864000.0, "t = 5.0 d"),
    ],
)
def test_times_read_well(time, longest, text):
    assert time_text(time, longest) == text


@pytest.mark.parametrize(("wish", "found"), [(1.0, 1.0), (4.99, 2.0), (5.0, 5.0), (999.0, 500.0), (3e-7, 2e-7)])
def test_round_numbers_do_not_exceed_what_is_wished(wish, found):
    assert round_below(wish) == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize(
    ("frame_rate", "pace"),
    [(24.0, 1.0), (100.0, 1.0), (8.0, 1.0), (250.0, 0.1), (2000.0, 0.01), (4.0, 5.0), (0.01, 1200.0), (1e-4, 172800.0)],
)
def test_runs_are_played_as_fast_as_can_be_followed(frame_rate, pace):
    """In real time, or 25 pictures a second at most, rounded down: 2500 s are 41.7 min, of which 20 are left."""
    assert playing_pace(frame_rate) == pytest.approx(pace, rel=1e-12)
