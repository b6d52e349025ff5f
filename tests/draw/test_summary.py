"""The four panels of a run, with all, some or none of their series."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from barchan.draw.files import save_figure
from barchan.draw.summary import draw_summary

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
UNITS = {"outflow": "kg", "pile_height": "m", "contacts_per_grain": "1"}


def recording(**series):
    return SimpleNamespace(times=np.linspace(0.0, 3.0, 4), series=series, units=UNITS)


def labels(figure):
    return {axes.get_ylabel() for axes in figure.axes}


def test_four_panels_with_units(tmp_path):
    figure = draw_summary(recording(**SERIES))
    assert labels(figure) == {"energy (mJ)", "height (cm)", "outflow (kg)", "grains", "contacts per grain"}
    assert save_figure(figure, tmp_path / "summary.png").stat().st_size > 10_000


def test_energies_that_stay_zero_are_left_out_and_potential_ends_at_zero():
    energies = draw_summary(recording(**SERIES)).axes[0]
    curves = {line.get_label(): line.get_ydata() for line in energies.lines}
    assert set(curves) == {"kinetic", "potential", "elastic", "lost: friction"}
    assert curves["potential"][-1] == 0.0
    assert curves["potential"][0] == pytest.approx(60.0)


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
