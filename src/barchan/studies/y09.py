"""Y9: RKF45 and Bogacki–Shampine 2(3) under the same tolerance (Yee 2009, Tables 4 and 5, Figures 10 and 11)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.draw.palette import PALETTE
from barchan.measures.steps import StepStatistics
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.yee import Hopper, Stepped, stepped

SHORTEST = 0.000141  # s, the paper's shortest step
NOTES = (
    "The paper does not give the size of its grains; contacts of ours last about 20 ms, so that all steps are shorter. "
    "The comparison of the methods is what the verdicts judge.",
    "At TOL 0.1 and 0.05 either method may gain energy by several percent: an error of TOL m/s a step is no longer "
    "small against the speed of the grains.",
)
METHODS = {"rkf45": "RKF45", "bogacki-shampine": "RK23"}
# Accepted, rejected, longest, shortest, mean step (s).
PAPER: dict[str, dict[float, tuple[int, int, float, float, float]]] = {
    "rkf45": {
        0.1: (1509, 15, 0.041667, 0.005208, 0.016540),
        0.05: (1458, 22, 0.041667, 0.006944, 0.017118),
        0.01: (1709, 77, 0.041667, 0.004630, 0.014604),
        0.005: (2000, 140, 0.041667, 0.002083, 0.012479),
        0.001: (3412, 298, 0.041667, 0.001437, 0.007315),
    },
    "bogacki-shampine": {
        0.1: (2445, 81, 0.041667, 0.001736, 0.010208),
        0.05: (3537, 164, 0.041667, 0.001042, 0.007056),
        0.01: (9493, 1660, 0.041667, 0.000284, 0.002629),
        0.005: (15706, 3008, 0.041667, 0.000141, 0.001589),
        0.001: (169908, 10, 0.041667, 0.000141, 0.000147),
    },
}


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Run the hopper with both methods and every tolerance."""
    base = Hopper(count=30, duration=2.5) if quick else Hopper(count=397, duration=25.0)
    tolerances = (0.1, 0.01) if quick else tuple(PAPER["rkf45"])
    runs = {
        method: {
            tolerance: stepped(
                replace(base, integrator=method, tolerance=tolerance, shortest=SHORTEST).scene(), progress
            )
            for tolerance in tolerances
        }
        for method in METHODS
    }
    found = {method: {tol: one.steps for tol, one in table.items()} for method, table in runs.items()}
    rows = [row for tolerance in tolerances for row in _compared(tolerance, found)]
    rows += [_grows(method, found[method]) for method in METHODS]
    rows += [_honest(method, runs[method]) for method in METHODS]
    figure = save_figure(draw_panels(_panels(found), columns=3), folder / "steps.png")
    caption = "Mean step of each frame against time, and accepted steps against the tolerance."
    return StudyResult(tuple(rows), (Picture(figure, caption),), NOTES)


def _compared(tolerance: float, found: dict[str, dict[float, StepStatistics]]) -> list[Row]:
    """Both methods at one tolerance."""
    fourth, second = (found[method][tolerance] for method in METHODS)
    paper = [PAPER[method][tolerance] for method in METHODS]
    at = f"TOL {tolerance:g}, RKF45 / RK23"
    return [
        Row(
            f"{at}: accepted steps",
            f"{paper[0][0]} / {paper[1][0]}",
            f"{fourth.accepted} / {second.accepted}",
            passed=fourth.accepted < second.accepted,
            criterion="RKF45 takes fewer",
        ),
        Row(f"{at}: rejected steps", f"{paper[0][1]} / {paper[1][1]}", f"{fourth.rejected} / {second.rejected}"),
        Row(
            f"{at}: mean step",
            f"{1e3 * paper[0][4]:.2f} / {1e3 * paper[1][4]:.2f}",
            f"{1e3 * fourth.mean:.2f} / {1e3 * second.mean:.2f}",
            "ms",
            passed=fourth.mean > second.mean,
            criterion="RKF45's is longer",
        ),
        Row(
            f"{at}: shortest step",
            f"{1e3 * paper[0][3]:.2f} / {1e3 * paper[1][3]:.2f}",
            f"{1e3 * fourth.shortest:.2f} / {1e3 * second.shortest:.2f}",
            "ms",
        ),
    ]


def _grows(method: str, table: dict[float, StepStatistics]) -> Row:
    """A tighter tolerance costs more steps."""
    loose, tight = max(table), min(table)
    ratio = table[tight].accepted / table[loose].accepted
    paper = PAPER[method][tight][0] / PAPER[method][loose][0]
    return Row(
        f"{METHODS[method]}: steps at TOL {tight:g} over those at {loose:g}",
        f"{paper:.2f}",
        f"{ratio:.2f}",
        passed=ratio > 1.0,
        criterion="> 1: a tighter tolerance takes more steps",
    )


def _honest(method: str, runs: dict[float, Stepped]) -> Row:
    """What the tolerance does to energy, which the paper does not look at."""
    told = ", ".join(f"{100 * one.energy_error:+.1f}" for one in runs.values())
    return Row(f"{METHODS[method]}: energy gained at TOL {', '.join(f'{t:g}' for t in runs)}", "not told", told, "%")


def _panels(found: dict[str, dict[float, StepStatistics]]) -> list[Panel]:
    """Mean steps against time, a panel a method, and accepted steps against the tolerance."""
    panels = [
        Panel(
            "time (s)",
            "mean step in a frame (ms)",
            [Curve(one.time, 1e3 * one.interval_mean, f"TOL {tolerance:g} m/s") for tolerance, one in table.items()],
            METHODS[method],
            log_y=True,
        )
        for method, table in found.items()
    ]
    curves = []
    for color, (method, table) in zip(PALETTE, found.items(), strict=False):
        tolerances, paper = sorted(table), PAPER[method]
        name, theirs = METHODS[method], [paper[t][0] for t in sorted(paper)]
        curves.append(Curve(tolerances, [table[t].accepted for t in tolerances], name, "both", color))
        curves.append(Curve(sorted(paper), theirs, f"{name}, paper", "dashed", color))
    return [*panels, Panel("TOL (m/s)", "accepted steps", curves, "Steps a run", log_x=True, log_y=True)]


STUDY = Study(
    "Y9",
    "RKF45 needs fewer and longer steps than Bogacki–Shampine 2(3)",
    "Tables 4, 5, Fig. 10, 11: steps of RKF45 and RK23 for TOL 0.1 … 0.001, 397 grains, μs 0.5, μr 0.00025.",
    run,
    "30 grains for 2 s, TOL 0.1 and 0.01",
)
