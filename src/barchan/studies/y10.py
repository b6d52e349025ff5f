"""Y10: the time a frame takes grows in proportion to the number of grains (Yee 2009, Table 6)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from barchan import solvers
from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.draw.palette import PALETTE
from barchan.kernels import threads
from barchan.simulation.plan import Plan
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.yee import FRAME_RATE, Hopper

PAPER = {536: 2.4, 1051: 5.28, 2071: 13.2, 4096: 28.8, 8036: 58.2}  # grains: s a frame
FRAMES = {536: 300, 1051: 400, 2071: 600, 4096: 1500, 8036: 2500}  # the paper's numbers of frames
FASTER = 100.0  # at least, than the paper
STEEPEST = 1.25  # exponent that still counts as linear; the paper's own is 1.19
PARTS = 5  # stretches of a run whose frames are timed
LATE = 120  # frames after which grains flow everywhere, and which a run with the paper's own integrator ends with


@dataclass(frozen=True)
class Cost:
    """What frames of 1/24 s cost on average."""

    frame: float  # s of clock a frame
    step: float  # s of clock an accepted step


def cost(integrator: str, count: int, frames: int, timed: int, clock: Callable[[], float], progress: Progress) -> Cost:
    """The cost of `timed` frames in each of several stretches of a run of `frames`."""
    plan = Plan.of(Hopper(count=count, duration=frames / FRAME_RATE, integrator=integrator).scene())
    solver = solvers.create(plan.model, plan.grains, plan.time_step.value)
    solver.advance_to(0.5 / FRAME_RATE)  # compiles
    spent, steps = 0.0, 0
    for part in range(PARTS):
        first = max(1, (part + 1) * frames // PARTS - timed)
        progress.status(f"{count} grains", f"frame {first} of {frames}")
        solver.advance_to(first / FRAME_RATE)
        began, before = clock(), solver.step
        solver.advance_to((first + timed) / FRAME_RATE)
        spent, steps = spent + clock() - began, steps + solver.step - before
    return Cost(spent / (PARTS * timed), spent / steps)


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Time frames of hoppers of several sizes: by the wall clock on all idle threads, or quick by one thread's own.

    As in the other studies of heaps the integrator is velocity Verlet; the paper's own is timed beside it.
    """
    counts = dict.fromkeys((400, 600, 900, 1350), 16) if quick else FRAMES
    used = 1 if quick else threads.idle()
    threads.use(used)
    clock = time.process_time if quick else time.perf_counter
    found = {n: cost("verlet", n, frames, 2 if quick else 20, clock, progress) for n, frames in counts.items()}
    beside = {} if quick else {n: cost("rkf45", n, LATE, 4, clock, progress).frame for n in counts}
    sizes = np.array(list(found), float)
    frame, step = (np.array([getattr(one, part) for one in found.values()]) for part in ("frame", "step"))
    paper = _exponent(list(PAPER), list(PAPER.values()))
    rows = [_row(n, one.frame) for n, one in found.items()]
    rows += [
        Row(f"{n} grains, RKF45 at TOL 0.01, {LATE} frames: clock time per frame", f"{PAPER[n]:g}", f"{spent:.3g}", "s")
        for n, spent in beside.items()
    ]
    for what, ours, theirs in (("frame", frame, f"{paper[0]:.2f}"), ("time step", step, "1, O(N)")):
        slope = _exponent(sizes, ours)[0]
        judged = None if quick and what == "frame" else slope <= STEEPEST
        criterion = "" if judged is None else f"≤ {STEEPEST:g}: linear"
        rows.append(Row(f"exponent of the cost of a {what}", theirs, f"{slope:.2f}", "", judged, criterion))
    slope, factor = _exponent(sizes, frame)
    label = f"ours, {used} thread{'s' if used > 1 else ''}, exponent {slope:.2f}"
    curves = [
        Curve(sizes, frame, label, "points"),
        Curve(sizes, factor * sizes**slope, color=PALETTE[0]),
        Curve(list(PAPER), list(PAPER.values()), f"paper (2009), exponent {paper[0]:.2f}", "both", PALETTE[1]),
    ]
    if beside:
        curves.append(Curve(list(beside), list(beside.values()), "ours, RKF45", "points", PALETTE[2]))
    panel = Panel("grains of eight spheres", "clock time per frame of 1/24 s (s)", curves, log_x=True, log_y=True)
    figure = save_figure(draw_panels([panel]), folder / "cost.png")
    note = (
        "Frames are timed in five stretches of each run with velocity Verlet, as heaps are computed in the other "
        "studies. RKF45 judges a step by the worst grain of all and finds forces eight times in it."
    )
    picture = Picture(figure, "Clock time per frame against the number of grains.")
    return StudyResult(tuple(rows), (picture,), (note,))


def _exponent(sizes: Sequence[float] | np.ndarray, values: Sequence[float] | np.ndarray) -> tuple[float, float]:
    """Exponent and factor of the power law that fits best."""
    slope, offset = np.polyfit(np.log(sizes), np.log(values), 1)
    return float(slope), math.exp(offset)


def _row(count: int, spent: float) -> Row:
    paper = PAPER.get(count)
    if paper is None:
        return Row(f"{count} grains: clock time per frame", "–", f"{spent:.3g}", "s")
    return Row(
        f"{count} grains: clock time per frame",
        f"{paper:g}",
        f"{spent:.3g}",
        "s",
        passed=spent <= paper / FASTER,
        criterion=f"≤ {paper / FASTER:.3g} s, {FASTER:g} times faster",
    )


STUDY = Study(
    "Y10",
    "The cost of a frame is proportional to the number of grains",
    "Table 6: 536 to 8036 grains of eight spheres take 2.4 to 58.2 s per frame of 1/24 s.",
    run,
    "400 to 1350 grains, 16 frames each, the exponents only, by the processor time of one thread",
)
