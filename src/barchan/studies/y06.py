"""Y6: height and width of a heap against friction (Yee 2009, Figure 9)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.run.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.piles import NOTE, heap_under
from barchan.studies.yee import Hopper

ROLLING = 0.0005  # m: μr over μs, as in the paper's pairs
KNEE = 0.25  # μs above which friction matters less


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Run the hopper with a range of friction coefficients."""
    base = Hopper(count=100, duration=6.0) if quick else Hopper(count=1575, duration=60.0)
    frictions = (0.0, 0.25, 0.5) if quick else (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
    heaps = [
        heap_under(replace(base, friction=one, rolling=ROLLING * one), folder / f"friction-{one:g}", progress)
        for one in frictions
    ]
    height, width = np.array([heap.height for heap in heaps]), np.array([heap.width for heap in heaps])
    rows = [
        Row(f"μs {one:g}: height / width", "a plot", f"{tall:.2f} / {wide:.2f}", "m")
        for one, tall, wide in zip(frictions, height, width, strict=True)
    ]
    knee = frictions.index(KNEE)
    rows += [_steeper("height", height, knee, +1), _steeper("width", width, knee, -1)]
    panels = [
        Panel("μs", "height (m)", [Curve(frictions, height, look="both")], "Height of the heap", from_zero=True),
        Panel("μs", "width (m)", [Curve(frictions, width, look="both")], "Width of the heap", from_zero=True),
    ]
    figure = save_figure(draw_panels(panels), folder / "friction.png")
    return StudyResult(tuple(rows), (Picture(figure, "Height and width of the heap against friction."),), (NOTE,))


def _steeper(name: str, values: np.ndarray, knee: int, sign: int) -> Row:
    """A quantity changes more below the knee than above it, and in the right direction (sign)."""
    below, above = sign * (values[knee] - values[0]), sign * (values[-1] - values[knee])
    return Row(
        f"{name}: change from μs 0 to 0.25, and on to 0.5",
        "steep, then flatter",
        f"{sign * below:+.2f}, {sign * above:+.2f}",
        "m",
        passed=bool(below > 0 and below > above),
        criterion=f"{'grows' if sign > 0 else 'shrinks'} first, and by more than later",
    )


STUDY = Study(
    "Y6",
    "Friction matters most while it is small",
    "Fig. 9: pile height and width against μs, 1575 grains: steep between 0 and 0.25, flatter from 0.25 to 0.5.",
    run,
    "100 grains for 6 s instead of 1575 for 60 s, μs 0, 0.25 and 0.5",
)
