"""Y2: friction makes heaps taller, narrower and slower to form (Yee 2009, Figure 6)."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

from barchan.draw.charts import draw_panels
from barchan.draw.files import save_figure
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.piles import NOTE, Heap, heap_under, panels, snapshot_picture
from barchan.studies.yee import Hopper

PAIRS = ((0.0, 0.0), (0.1, 0.00005), (0.5, 0.00025))  # μs, μr (m)


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Run the hopper with each pair of friction coefficients."""
    base = Hopper(count=300, duration=10.0) if quick else Hopper(count=1575, duration=60.0)
    pairs = PAIRS[::2] if quick else PAIRS
    heaps = {
        pair: heap_under(replace(base, friction=pair[0], rolling=pair[1]), folder / f"friction-{pair[0]:g}", progress)
        for pair in pairs
    }
    rows = [
        Row(
            f"μs {pair[0]:g}, μr {pair[1]:g}: height / width / drained at",
            "a picture",
            f"{heap.height:.2f} m / {heap.width:.2f} m / {heap.drained:.2f} s",
        )
        for pair, heap in heaps.items()
    ]
    rows += [row for low, high in itertools.pairwise(pairs) for row in _compared(low, high, heaps)]
    named = {f"μs {pair[0]:g}": heap for pair, heap in heaps.items()}
    figure = save_figure(draw_panels(panels(named), columns=3), folder / "heaps.png")
    pictures = (Picture(figure, "Heaps under the hopper against time."), snapshot_picture(named, folder))
    return StudyResult(tuple(rows), pictures, (NOTE,))


def _compared(low: tuple[float, float], high: tuple[float, float], heaps: dict[tuple[float, float], Heap]) -> list[Row]:
    """A heap with more friction against one with less."""
    less, more = heaps[low], heaps[high]
    label = f"μs {high[0]:g} over μs {low[0]:g}"
    quantities = (
        ("height", "taller", more.height / less.height, more.height > less.height, "> 1"),
        ("width", "narrower", more.width / less.width, more.width < less.width, "< 1"),
        ("time to drain", "slower", more.drained / less.drained, more.drained > less.drained, "> 1"),
    )
    return [
        Row(f"{label}: {name}", paper, f"{ratio:.2f}", passed=bool(holds), criterion=criterion)
        for name, paper, ratio, holds, criterion in quantities
    ]


STUDY = Study(
    "Y2",
    "Friction makes heaps taller, narrower and slower to form",
    "Fig. 6: 1575 grains, (μs, μr) = (0, 0), (0.1, 5e-5), (0.5, 2.5e-4): taller and narrower with friction, slower.",
    run,
    "300 grains for 10 s instead of 1575 for 60 s, the first and the last friction pair",
)
