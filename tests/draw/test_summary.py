"""The four panels of a run, with all, some or none of their series."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from barchan.draw.files import save_figure
from barchan.draw.summary import draw_summary
from barchan.parts.observables.energy import Energy
from barchan.scene.scene import LEDGER_LINES
from samples import drawn

TIME = np.linspace(0.0, 3.0, 50)
SERIES = {
    "time": TIME,
    "kinetic_energy": 0.01 * TIME,
    "potential_energy": 5.0 - 0.02 * TIME,
    "stored_energy": 0.001 * TIME,
    "dissipated_friction": 0.01 * TIME,
    "dissipated_rolling": 0.0 * TIME,
    "pile_height": 0.1 + 0.0 * TIME,
    "grain_count": 397.0 + 0.0 * TIME,
    "outflow": 0.2 * TIME,
    "contacts_per_grain": 1.5 * TIME,
}
APART = ("energy_error", "spared_energy")  # in no sum
UNITS = {"outflow": "kg", "pile_height": "m", "contacts_per_grain": "1"}


def recording(**series):
    return SimpleNamespace(times=np.linspace(0.0, 3.0, 4), series=series, units=UNITS)


def labels(figure):
    return {axes.get_ylabel() for axes in figure.axes}


def test_four_panels_with_units(tmp_path):
    figure = draw_summary(recording(**SERIES))
    assert labels(figure) == {"energy (mJ)", "height (cm)", "outflow (kg)", "grains (dotted)", "contacts per grain"}
    assert drawn(save_figure(figure, tmp_path / "summary.png"))


def energies(**series):
    return {line.get_label(): line.get_ydata() for line in draw_summary(recording(**series)).axes[0].lines}


def test_energies_that_stay_zero_are_left_out_and_potential_ends_at_zero():
    """To a millionth of the largest, and so does potential energy where the same grains fall all the time."""
    curves = energies(**SERIES, dissipated_normal=1e-9 * TIME, event_work=1e-9 * TIME)
    assert set(curves) == {"kinetic", "potential, less its end", "elastic", "lost: friction"}
    assert curves["potential, less its end"][-1] == 0.0
    assert curves["potential, less its end"][0] == pytest.approx(60.0)


@pytest.mark.parametrize("name", ["inflow_energy", "outflow_energy", "event_work"])
def test_potential_energy_is_not_shifted_where_grains_come_or_go_or_gravity_changes(name):
    curves = energies(**SERIES, **{name: 0.05 * TIME})
    assert curves["potential"] == pytest.approx(SERIES["potential_energy"])


GIVEN = {"came with grains", "work of walls", "work of the box", "work at rest", "work of events"}


@pytest.mark.parametrize("poured", [0.0, 2.0])
def test_the_curves_add_up(poured):
    """What is stored, lost and gone, less what was given, is always the same: each line of the ledger is drawn."""
    ledger = {name: (k + 1.0) * TIME for k, (name, _) in enumerate(Energy.numbers(LEDGER_LINES)) if name not in APART}
    ledger["inflow_energy"] *= poured
    ledger["outflow_energy"] *= poured
    ledger["event_work"] *= poured
    given = sum(ledger[name] for name in ("inflow_energy", "wall_work", "box_work", "rest_work", "event_work"))
    others = sum(values for name, values in ledger.items() if name != "potential_energy") - given
    ledger["potential_energy"] = 7.0 + given - others
    curves = energies(time=TIME, **ledger)
    total = sum(-values if name in GIVEN else values for name, values in curves.items())
    assert total == pytest.approx(np.full(len(TIME), total[0]))
    assert len(curves) == len(ledger) - (0 if poured else 3)


def test_a_long_run_has_hours_and_a_tall_pile_kilometres():
    hours = 12_000.0 * TIME
    figure = draw_summary(recording(time=hours, kinetic_energy=5e9 * TIME, pile_height=1e3 * TIME))
    assert labels(figure) == {"energy (GJ)", "height (km)"}
    for axes in figure.axes:
        assert axes.get_xlabel() == "time (h)" and axes.lines[0].get_xdata()[-1] == pytest.approx(10.0)


def test_grains_are_counted_where_nothing_flows_out():
    figure = draw_summary(recording(time=TIME, grain_count=SERIES["grain_count"], outflow=0.0 * TIME))
    assert labels(figure) == {"grains"}


def test_missing_series_leave_their_panel_out():
    figure = draw_summary(recording(time=TIME, pile_height=SERIES["pile_height"], contacts_per_grain=np.nan * TIME))
    assert labels(figure) == {"height (cm)"}


def test_series_without_a_time_of_their_own_go_with_the_frames():
    figure = draw_summary(recording(pile_height=np.ones(4), contacts_per_grain=np.ones(7)))
    assert labels(figure) == {"height (cm)"}


def test_no_series_at_all():
    figure = draw_summary(recording())
    assert not figure.axes
    assert "no time series" in figure.texts[0].get_text()


def test_a_legend_of_many_lies_over_no_curve():
    """Nine energies that fill their panel, as of a silo: none runs through the box of the legend."""
    names = [name for name, _ in Energy.numbers(LEDGER_LINES) if name not in APART][:9]
    waves = {name: 1.0 + np.cos(3.0 * TIME + k) for k, name in enumerate(names)}
    figure = draw_summary(recording(time=TIME, **waves))
    figure.canvas.draw()
    axes = figure.axes[0]
    box = axes.get_legend().get_window_extent()
    assert len(axes.lines) == 9
    for line in axes.lines:
        x, y = axes.transData.transform(line.get_xydata()).T
        assert not np.any((x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1)), line.get_label()
