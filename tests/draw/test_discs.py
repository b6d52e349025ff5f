"""Discs in the plane: modes of contacts and slides are drawn and counted."""

from __future__ import annotations

import numpy as np

from barchan.draw.charts import blank_figure
from barchan.draw.discs import draw_modes, draw_slide
from barchan.frame import Contacts
from barchan.measures.slides import slide_between
from draw.frames import frame_of


def test_contacts_are_drawn_by_mode():
    """Three discs in a row on a floor: one contact sticks, two slip, and one of a law without modes is not drawn."""
    places = [(0.0, 0.0, 0.5), (1.0, 0.0, 0.5), (2.0, 0.0, 0.5)]
    touching = Contacts(
        first=np.array([0, 1, 0, 2]), second=np.array([1, 2, -1, -1]), point=np.zeros((4, 3)), force=np.zeros((4, 3)),
        overlap=np.full(4, 1e-3), mode=np.array([1, 2, 2, 0], np.int8), face=np.zeros(4, np.int64),
        depth=np.full(4, 2e-3),
    )  # fmt: skip
    axes = blank_figure(4, 3).add_subplot()
    draw_modes(frame_of(places, 0.5, contacts=touching), axes)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["sticks: 1", "slips: 2"]
    stuck = axes.collections[-2].get_segments()
    np.testing.assert_allclose(stuck[0], [(0.0, 0.5), (1.0, 0.5)])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x (m)", "z (m)")


def test_a_slide_is_drawn_with_its_line():
    places = np.array([(float(i), 0.0, 0.5 + k) for k in range(2) for i in range(6)])
    shifted = places + np.where(places[:, 2:] > 1, [0.3, 0.0, 0.0], 0.0)
    before, after = (frame_of(at, 0.5, time=time) for at, time in ((places, 2.0), (shifted, 2.2)))
    axes = blank_figure(4, 3).add_subplot()
    draw_slide(slide_between(before, after), axes)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels[-1] == "dislocation line, 0°"
    assert axes.get_title() == "From 2.00 to 2.20 s"


def test_a_bar_that_leaves_out_the_farthest_says_so():
    """Of forty grains one shifts by 3 diameters and the others by 0.3: the bar ends at 95% of them, with an arrow. If
    all shift alike nothing is left out, and there is none.
    """
    places = np.array([(1.5 * i, 0.0, 0.5) for i in range(40)])
    for far, arrow in ((3.0, "max"), (0.3, "neither")):
        shift = np.full((40, 3), (0.3, 0.0, 0.0))
        shift[20, 0] = far
        before, after = (frame_of(at, 0.5, time=time) for at, time in ((places, 2.0), (places + shift, 2.2)))
        figure = blank_figure(4, 3)
        axes = figure.add_subplot()
        draw_slide(slide_between(before, after), axes)
        assert figure.axes[-1]._colorbar.extend == arrow
