"""Charts and rows of snapshots: what was asked for is there, with labels."""

from __future__ import annotations

import numpy as np
import pytest

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import FORMATS, save_figure
from barchan.draw.snapshots import draw_snapshots
from barchan.errors import FileError
from draw.frames import frame_of


def test_panels_have_their_curves_and_labels():
    x = np.array([1.0, 10.0, 100.0])
    first = Panel("time (s)", "height (m)", [Curve(x, x, "a"), Curve(x, 2 * x, "b", "dashed")], "One", from_zero=True)
    second = Panel("grains", "clock (s)", [Curve(x, x, look="band")], "Two", log_x=True, log_y=True)
    figure = draw_panels([first, second])
    left, right = figure.axes
    assert (left.get_xlabel(), left.get_ylabel(), left.get_title()) == ("time (s)", "height (m)", "One")
    assert [line.get_label() for line in left.lines] == ["a", "b"]
    assert left.get_ylim()[0] == 0.0
    assert [text.get_text() for text in left.get_legend().get_texts()] == ["a", "b"]
    assert (right.get_xscale(), right.get_yscale(), right.get_legend()) == ("log", "log", None)
    assert len(right.collections) == 1


@pytest.mark.parametrize("kind", FORMATS)
def test_figures_are_saved_in_every_format(tmp_path, kind):
    path = save_figure(draw_panels([Panel("x", "y", [Curve([0.0, 1.0], [0.0, 1.0])])]), tmp_path / f"chart.{kind}")
    assert path.stat().st_size > 0


def test_a_figure_in_a_format_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(FileError, match=r"chart.bmp: is no picture; must end in .png, .pdf"):
        save_figure(draw_panels([Panel("x", "y", [])]), tmp_path / "chart.bmp")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("columns", [1, 3])
def test_snapshots_stand_in_rows(columns):
    frames = [frame_of([(0.0, 0.0, 1.0 + k), (2.0, 0.0, 1.0)], 0.5, time=float(k)) for k in range(columns)]
    figure = draw_snapshots([("law 1", frames), ("law 2", frames)])
    assert len(figure.axes) == 2 * columns
    assert [text.get_text() for text in figure.texts] == ["law 1", "law 2"]
    assert figure.axes[0].get_title().startswith("t = 0.0")
    assert "bar: " in figure.axes[-1].get_title()
    tops = [axes.get_position().y1 for axes in figure.axes]
    assert tops[0] == tops[columns - 1] > tops[columns]


def test_what_is_level_but_for_round_off_is_a_level_line():
    """A height of 75 cm to the last bits: its numbers are those of a height, not 1e-12 + 7.5e-1."""
    time = np.linspace(0.0, 1.0, 50)
    height = 0.75 * (1.0 + 1e-13 * np.cos(40.0 * time))
    figure = draw_panels([Panel("time (s)", "height (m)", [Curve(time, height)])])
    figure.canvas.draw()
    (axes,) = figure.axes
    assert axes.yaxis.get_offset_text().get_text() == ""
    assert axes.get_ylim() == pytest.approx((0.675, 0.825))
