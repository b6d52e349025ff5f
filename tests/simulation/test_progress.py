"""What a run says of itself."""

from __future__ import annotations

import io

from barchan.simulation.progress import Lines, Meter, Pulse, clock_text, short
from barchan.simulation.summary import rows, table


def pulse(time: float, step: int) -> Pulse:
    return Pulse(
        time=time, duration=2.0, grains=50, step=step, grain_steps=50 * step, kinetic_energy=0.25, worst_overlap=0.0123
    )


def test_the_line_has_time_speed_energy_overlap_and_what_is_left():
    """1000 steps and 0.5 s in 4 s of the wall clock: 250 steps/s, and 12 s for the other 1.5 s."""
    clock = iter([0.0, 4.0])
    meter = Meter(lambda: next(clock))
    meter.line(pulse(0.0, 0))
    line = meter.line(pulse(0.5, 1000))
    for part in (
        "t = 0.5 / 2 s (25%)",
        "50 grains",
        "250 steps/s",
        "12.5k grain-steps/s",
        "0.25 J",
        "1.2%",
        "12 s left",
    ):
        assert part in line


def test_speeds_are_those_of_the_last_seconds():
    clock = iter([0.0, 100.0, 105.0, 110.0])
    meter = Meter(lambda: next(clock))
    lines = [meter.line(pulse(time, step)) for time, step in ((0.0, 0), (0.1, 10), (0.6, 5010), (1.1, 10_010))]
    assert "· 1k steps/s" in lines[-1]


def test_a_new_run_begins_to_count_anew():
    """A study runs one scene after another: 100 steps of the second in 2 s, after 10 000 of the first."""
    clock = iter([0.0, 5.0, 6.0, 8.0])
    meter = Meter(lambda: next(clock))
    lines = [meter.line(pulse(time, step)) for time, step in ((1.0, 9000), (2.0, 10_000), (0.0, 0), (0.1, 100))]
    assert "/s ·" not in lines[2] and "· 50 steps/s" in lines[3]


def test_plain_lines_are_few():
    out = io.StringIO()
    lines = Lines(out)
    for count in range(100):
        lines.status("drawing", f"{count} of 100")
        lines.pulse(pulse(count / 50, count))
    lines.pulse(pulse(2.0, 100))
    said = out.getvalue().splitlines()
    assert said[0] == "drawing"
    assert "(100%)" in said[-1]
    assert len(said) == 3


def test_numbers_and_durations_read_well():
    assert [short(n) for n in (7.0, 999.0, 5624.0, 5.624e6, 9.9999e8, 5.6e9)] == [
        "7", "999", "5.62k", "5.62M", "1G", "5.6G",
    ]  # fmt: skip
    assert [clock_text(s) for s in (0.4, 42.0, 187.0, 7500.0)] == ["0.4 s", "42 s", "3:07 min", "2:05 h"]


def test_the_summary_leaves_out_what_it_does_not_know():
    said = dict(rows({"worst_overlap": 0.0449, "grains_in": 30, "grains_out": 2}))
    assert said == {"worst overlap": "4.49% of the smaller radius", "grains": "30 in, 2 out"}
    assert table(said.items()).splitlines()[0] == "  grains         30 in, 2 out"
