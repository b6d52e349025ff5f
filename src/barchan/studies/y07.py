"""Y7: friction hardly changes the time step (Yee 2009, Table 1)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.measures.steps import StepStatistics
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.yee import Hopper, stepped

MOST_SPREAD = 1.5  # longest over shortest mean step of the four; the paper's are within 1.18
# (μs, μr): accepted, rejected, longest, shortest, mean step (s).
PAPER = {
    (0.0, 0.0): (9611, 763, 0.041667, 0.002083, 0.011367),
    (0.1, 0.0001): (9291, 1310, 0.041667, 0.003472, 0.013449),
    (0.25, 0.000125): (8287, 762, 0.041667, 0.003086, 0.013198),
    (0.5, 0.00025): (9083, 488, 0.041667, 0.004630, 0.012771),
}


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Run the hopper with each pair of friction coefficients."""
    base = Hopper(count=30, duration=2.5) if quick else Hopper(count=1575, duration=110.0)
    found: dict[tuple[float, float], StepStatistics] = {}
    for friction, rolling in PAPER:
        hopper = replace(base, friction=friction, rolling=rolling)
        found[friction, rolling] = stepped(hopper.scene(), progress).steps
    means = [one.mean for one in found.values()]
    paper_means = [row[4] for row in PAPER.values()]
    rows = [row for pair, one in found.items() for row in _rows(pair, one)]
    spread, paper_spread = max(means) / min(means), max(paper_means) / min(paper_means)
    rows.append(
        Row(
            "longest over shortest mean step of the four",
            f"{paper_spread:.2f}",
            f"{spread:.2f}",
            passed=spread <= MOST_SPREAD,
            criterion=f"≤ {MOST_SPREAD:g}: friction hardly changes the step",
        )
    )
    curves = [
        Curve(one.time, 1e3 * one.interval_mean, f"μs {friction:g}, μr {rolling:g} m")
        for (friction, rolling), one in found.items()
    ]
    panels = [
        Panel("time (s)", "mean step in a frame (ms)", curves, "Steps against time", log_y=True),
        Panel(
            "μs",
            "mean step (ms)",
            [
                Curve([pair[0] for pair in found], [1e3 * mean for mean in means], "ours", "both"),
                Curve([pair[0] for pair in PAPER], [1e3 * mean for mean in paper_means], "paper", "dashed"),
            ],
            "Mean step against friction",
            from_zero=True,
        ),
    ]
    figure = save_figure(draw_panels(panels), folder / "steps.png")
    return StudyResult(tuple(rows), (Picture(figure, "Time steps of RKF45 at TOL 0.01 for four friction pairs."),))


def _rows(pair: tuple[float, float], one: StepStatistics) -> list[Row]:
    """The paper's row of the table beside ours."""
    accepted, rejected, longest, shortest, mean = PAPER[pair]
    at = f"μs {pair[0]:g}, μr {pair[1]:g}"
    steps = [
        f"{1e3 * short:.2f} / {1e3 * average:.2f} / {1e3 * long:.2f}"
        for short, average, long in ((shortest, mean, longest), (one.shortest, one.mean, one.longest))
    ]
    return [
        Row(f"{at}: steps accepted / rejected", f"{accepted} / {rejected}", f"{one.accepted} / {one.rejected}"),
        Row(f"{at}: step, shortest / mean / longest", steps[0], steps[1], "ms"),
    ]


STUDY = Study(
    "Y7",
    "Friction hardly changes the time step",
    "Table 1: RKF45 at TOL 0.01 for four friction pairs: 8287 to 9611 accepted steps, mean 11.4 to 13.4 ms.",
    run,
    "30 grains for 2.5 s instead of 1575 for 110 s",
)
