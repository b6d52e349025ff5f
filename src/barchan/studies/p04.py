"""P4: where the time goes (Pöschel and Buchholtz 1995, Table I)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from barchan.bench import triangles
from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult

SIZES, QUICK_SIZES = (250, 2500, 25_000), (250, 1000)  # grains of four triangles
MOST = 2.5  # times the cost per triangle and step of the cheapest size


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Measure the cost of a step for numbers of triangles that grow, and its parts."""
    found = []
    for grains in QUICK_SIZES if quick else SIZES:
        progress.status("measuring", f"{4 * grains} triangles")
        found.append(next(iter(triangles.measure(grains=grains, threads=(1,), seconds=0.5 if quick else 5.0))))
    count = np.array([one["triangles"] for one in found])
    cost = np.array([1e9 / one["triangle_steps_per_cpu_second"] for one in found])  # ns
    last = found[-1]
    rows = [
        Row(f"share of {part}", f"{100 * paper:.1f}", f"{100 * last['shares'][part]:.1f}", "%")
        for part, paper in triangles.PAPER.items()
    ]
    spread = float(cost.max() / cost.min())
    rows += [
        Row(f"cost per triangle and step, {count[0]} to {count[-1]} triangles", "linear, but for the lists",
            f"within a factor {spread:.2f}", "", spread < MOST, f"below {MOST:g}"),
        Row("triangle-steps per second of one core", "–", f"{last['triangle_steps_per_cpu_second'] / 1e6:.2f} million"),
    ]  # fmt: skip
    panels = [
        Panel("triangles", "cost per triangle and step (ns)", [Curve(count, cost, "", "both")], log_x=True,
              from_zero=True),
        Panel("part: 1 lists, 2 contacts, 3 beams, 4 integration", "share of the time (%)", [
            Curve(np.arange(1, 5), [100 * one["shares"][p] for p in triangles.PARTS], f"{one['triangles']} triangles",
                  "both") for one in found
        ] + [Curve(np.arange(1, 5), [100 * triangles.PAPER[p] for p in triangles.PARTS], "paper", "dashed")]),
    ]  # fmt: skip
    path = save_figure(draw_panels(panels), folder / "cost.png")
    return StudyResult(tuple(rows), (Picture(path, "Cost of a step against the number of triangles, and its parts."),))


STUDY = Study(
    "P4", "Where the time goes", "73.7% in the lists, 7.9% triangle forces, 13.3% beams, 3.7% integration (Table I)",
    run, "1000 and 4000 triangles instead of 1000 to 100 000, half a second each",
)  # fmt: skip
