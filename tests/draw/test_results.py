"""Every result that says it can be drawn is drawn, with labelled axes, and shows itself in a notebook."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from barchan.draw.charts import blank_figure
from barchan.draw.results import plot
from barchan.drawn import Drawn
from barchan.measures.flow import Flow
from barchan.measures.motion import FractureSurface
from barchan.measures.pile import radial_profile
from barchan.measures.slides import slide_between
from barchan.measures.steps import StepStatistics
from barchan.measures.terrain import HeightMap
from draw.frames import cone_frame, frame_of

TIME = np.linspace(0.0, 2.0, 9)
DISCS = frame_of(np.column_stack([np.arange(30) % 6, np.zeros(30), np.arange(30) // 6]), 0.5)
RESULTS = {
    "Flow": Flow(TIME, np.arange(9), 0.3 * TIME, 9),
    "FractureSurface": FractureSurface(TIME, 0.1 * TIME, 0.9),
    "StepStatistics": StepStatistics(8, 1, 1e-3, 1e-2, 5e-3, TIME, 1e-3 + 0 * TIME, 0 * TIME),
    "HeightMap": HeightMap(TIME, TIME[:5], np.outer(TIME[:5], TIME), np.outer(TIME[:5], TIME) > 0),
    "RadialProfile": radial_profile(cone_frame(30.0, grains=2000)),
    "Slide": slide_between(DISCS, DISCS),
    "Frame": DISCS,
}


def kinds(of: type) -> set[str]:
    """The names of all classes derived from this one."""
    return {name for one in of.__subclasses__() for name in (one.__name__, *kinds(one))}


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS.keys())
def test_plot_and_picture(result: Drawn) -> None:
    axes = result.plot()
    assert axes.get_xlabel() and axes.get_ylabel()
    own = blank_figure(4.0, 3.0).add_subplot()
    assert result.plot(own) is own and (own.lines or own.images or own.collections)
    picture = np.asarray(Image.open(io.BytesIO(result._repr_png_())).convert("L"))
    assert picture.shape[0] > 100 and np.ptp(picture) > 100


def test_no_result_is_forgotten() -> None:
    """Runs and recordings are drawn in the tests of runs; all others are above, and nothing else can be drawn."""
    assert kinds(Drawn) == {*RESULTS, "Recording", "RunResult"}
    with pytest.raises(TypeError, match="nothing is known about drawing a int"):
        plot(3, None)


def test_results_of_any_size_have_units_that_read_well() -> None:
    flow = plot(Flow(18_000 * TIME, np.arange(9), 1e5 * TIME, 9), None)
    assert (flow.get_xlabel(), flow.get_ylabel()) == ("time (h)", "mass that has passed (t)")
    assert flow.lines[0].get_xdata()[-1] == pytest.approx(10.0) and flow.lines[0].get_ydata()[-1] == pytest.approx(200)
    tiny = frame_of(1e-7 * DISCS.position, 5e-8)
    discs = plot(slide_between(tiny, tiny), None)
    discs.figure.draw_without_rendering()
    assert discs.get_xlabel() == "x (nm)" and "100" in {text.get_text() for text in discs.get_xticklabels()}


def test_a_map_of_heights_reaches_to_the_edges_of_its_cells() -> None:
    """Points in the middles of cells of 0.5 m, from 0.25 m to 1.75 m along x and 0.25 m to 0.75 m along y: the picture
    goes from 0 to 2 m and from 0 to 1 m. Drawn between the outer points it is half a cell too small all round.
    """
    x, y = np.array([0.25, 0.75, 1.25, 1.75]), np.array([0.25, 0.75])
    for rows in (y, y[:1]):
        heights = np.ones((len(rows), 4))
        axes = plot(HeightMap(x, rows, heights, heights > 0), None)
        (image,) = axes.get_images()
        assert image.get_extent() == pytest.approx([0.0, 2.0, 0.0, 0.5 * len(rows)])
