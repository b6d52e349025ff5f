"""H1: a sphere on a conveyor belt, held by a spring, sticks and slips (Hasan and van Opheusden 2007, Figure 4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.simulation.progress import Progress
from barchan.solvers import restore
from barchan.solvers.base import Solver
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.hasan import GRAVITY, MASS, STATIC, changed, critical, start

REAL, BELT = 1e5, 5e-3  # N/m, m/s: the real spring and the belt
WEIGHT = MASS * GRAVITY
PAPER_VIRTUAL, PAPER_SPEED = 1e6, 1e-4  # kv, N/m; ε, m/s
STIFFEST, SLOWEST = 1e11, 1e-6  # kv, N/m, and ε, m/s, at which the transitions are judged
LATE = 1.4712  # the root of u + u³/6 = 2
LOOK = 1e-5  # s
FEW_STEPS = 1 / 7  # of √(m/kv): the time step
NEAR_FIRST, NEAR_SECOND = 0.005, 0.02  # how near the transitions must come to x1 and x2
LATE = 1.4712  # the root of u + u³/6 = 2
NOTES = (
    "The paper's x2 is 0, since μd is half of μs: 2 % of it would be nothing, so there 2 % of x1 are allowed, which is "
    "the width of the loop. With μd = 0.45, x2 is half of x1, and 2 % of x2 are allowed.",
    "With the paper's kv and ε the loop is much wider than the analytic one. At x1 the dashpot of the virtual spring "
    "still carries a part of the load, and the spring must stretch further before it breaks, by 2 √(m/kv) times the "
    "speed of slip. Meanwhile friction is at its limit and slip grows: u √(m/kv) later, with u + u³/6 = 2, it breaks, "
    "and the belt has gone on by 1.47 √(m/kv) v. (In the paper the first leg follows Coulomb's law instead, and one "
    "loop is shown.) Sticking begins at the speed ε, before x2 by v ε/((μs − μd) g), 6 % of x1. Both vanish as kv "
    "grows and ε falls.",
)


@dataclass(frozen=True)
class Loop:
    """The sphere's path, and where its modes change."""

    time: np.ndarray  # (S,) s
    x: np.ndarray  # (S,) m
    v: np.ndarray  # (S,) m/s
    mode: np.ndarray  # (S,) 1 sticks, 2 slips
    sliding: float  # μd

    @property
    def first(self) -> float:
        """x1, m, where the sphere last began to slip."""
        return self._change(1)

    @property
    def second(self) -> float:
        """x2, m, where it last began to stick."""
        return self._change(2)

    def _change(self, from_mode: int) -> float:
        at = np.flatnonzero((np.diff(self.mode) != 0) & (self.mode[:-1] == from_mode))
        return float(0.5 * (self.x[at[-1]] + self.x[at[-1] + 1])) if len(at) else math.nan

    @property
    def lag(self) -> float:
        """How much slower than the belt, m/s, the sphere was at 0.9 x1, where it still sticks and has long begun to."""
        return float(BELT - self.v[int(np.argmax(self.x > 0.9 * self.analytic()[0]))])

    def analytic(self) -> tuple[float, float]:
        """x1 and x2, m."""
        return STATIC * WEIGHT / REAL, (2 * self.sliding - STATIC) * WEIGHT / REAL

    def off_the_ellipse(self) -> float:
        """How far the slipping sphere is at most from the analytic ellipse, over its size."""
        first, _ = self.analytic()
        middle = self.sliding * WEIGHT / REAL
        size = math.hypot(first - middle, BELT * math.sqrt(MASS / REAL))
        slips = self.mode == 2
        away = np.hypot(self.x[slips] - middle, self.v[slips] * math.sqrt(MASS / REAL))
        return float(np.abs(away / size - 1).max())


def loop(
    virtual: float, stick_speed: float, *, sliding: float = 0.3, share: float = FEW_STEPS, end: float = 6e-3
) -> Loop:
    """The sphere's path with a virtual spring of that stiffness, N/m, and ε, m/s; the step is a share of √(m/kv).

    It is looked at every few µs, and at every step where its mode changes.
    """
    step = min(2e-6, share * math.sqrt(MASS / virtual))
    solver = start(
        changed(
            "conveyor",
            f"contact.tangential={virtual / REAL!r}",
            f"contact.tangential_damping={critical(virtual)!r}",
            f"contact.sliding={sliding / STATIC!r}",
            f"contact.stick_speed={stick_speed!r}",
            f"time_step={step!r}",
        )
    )
    every = max(1, round(LOOK / solver.dt))
    rows = [_seen(solver)]
    while solver.time < end:
        before = solver.state()
        solver.advance(every)
        if every > 1 and _seen(solver)[3] != rows[-1][3]:
            solver = restore(solver.model, *before)
            for _ in range(every - 1):
                solver.advance(1)
                rows.append(_seen(solver))
            solver.advance(1)
        rows.append(_seen(solver))
    time, x, v, mode = np.array(rows).T
    return Loop(time, x, v, mode, sliding)


def _seen(solver: Solver) -> tuple[float, float, float, int]:
    """Time, s, position, m, velocity, m/s, and mode of the sphere."""
    frame = solver.frame("contacts")
    return frame.time, frame.position[0, 0], frame.velocity[0, 0], int(frame.contacts.mode[0])


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Follow the sphere with springs of growing stiffness."""
    progress.status("H1", "the paper's spring")
    paper = loop(PAPER_VIRTUAL, PAPER_SPEED, end=12e-3)
    ladder = (1e6, 1e8, STIFFEST) if quick else (1e6, 1e7, 1e8, 1e9, 1e10, STIFFEST)
    stiffer = {}
    for virtual in ladder:
        progress.status("H1", f"kv = {virtual:.0e} N/m")
        stiffer[virtual] = loop(virtual, SLOWEST)
    other = loop(STIFFEST, SLOWEST, sliding=0.45)
    shares = (0.24, 0.06) if quick else (0.24, 0.12, 0.06, 0.03)
    steps = {share * math.sqrt(MASS / 1e9): loop(1e9, SLOWEST, share=share) for share in shares}
    rows = [*_paper_rows(paper), *_judged(stiffer[STIFFEST]), *_judged(other), *_convergence(stiffer, steps)]
    figure = save_figure(draw_panels(_panels(paper, stiffer, steps), columns=2), folder / "loops.png")
    caption = "The sphere in the phase plane, its speed where it comes to stick, and how the transitions converge."
    return StudyResult(tuple(rows), (Picture(figure, caption),), NOTES)


def _paper_rows(paper: Loop) -> list[Row]:
    first, second = paper.analytic()
    return [
        Row("kv 1e6, ε 1e-4: slips from", f"{1e6 * first:.3f}", f"{1e6 * paper.first:.3f}", "µm"),
        Row("kv 1e6, ε 1e-4: sticks from", f"{1e6 * second:.3f}", f"{1e6 * paper.second:.3f}", "µm"),
    ]


def _judged(found: Loop) -> list[Row]:
    """Both transitions against the analytic ones, and the loop against the ellipse."""
    first, second = found.analytic()
    scale = abs(second) if second else first
    label = f"kv {STIFFEST:.0e}, ε {SLOWEST:.0e}, μd {found.sliding:g}"
    off_first, off_second = found.first / first - 1, (found.second - second) / scale
    of = "x2" if second else "x1, x2 being 0"
    return [
        Row(
            f"{label}: slips from x1",
            f"{1e6 * first:.4f}",
            f"{1e6 * found.first:.4f} ({100 * off_first:+.2f} %)",
            "µm",
            abs(off_first) <= NEAR_FIRST,
            "within 0.5 % of x1",
        ),
        Row(
            f"{label}: sticks from x2",
            f"{1e6 * second:.4f}",
            f"{1e6 * found.second:.4f} ({100 * off_second:+.2f} %)",
            "µm",
            abs(off_second) <= NEAR_SECOND,
            f"within 2 % of {of}",
        ),
        Row(
            f"{label}: farthest from the ellipse, over its size",
            "0",
            f"{100 * found.off_the_ellipse():.2f} %",
            passed=found.off_the_ellipse() <= 0.01,
            criterion="≤ 1 %",
        ),
    ]


def _errors(loops: dict[float, Loop]) -> tuple[np.ndarray, np.ndarray]:
    """By how much, over x1, each sphere slips late, and sticks early."""
    return (
        np.array([one.first / one.analytic()[0] - 1 for one in loops.values()]),
        np.array([(one.analytic()[1] - one.second) / one.analytic()[0] for one in loops.values()]),
    )


def _convergence(stiffer: dict[float, Loop], steps: dict[float, Loop]) -> list[Row]:
    late, _ = _errors(stiffer)
    stiff = np.array(list(stiffer)) >= 1e8
    power = float(np.polyfit(np.log(np.array(list(stiffer))[stiff]), np.log(late[stiff]), 1)[0])
    lag, expected = stiffer[1e8].lag, BELT * REAL / (REAL + 1e8)
    by_step, _ = _errors(steps)
    return [
        Row(
            "power of kv with which x1 converges",
            "the more rigid, the nearer",
            f"{power:.3f}",
            passed=abs(power + 0.5) <= 0.05,
            criterion="−0.5 ± 0.05, x1 + 1.47 √(m/kv) v",
        ),
        Row(
            "kv 1e8: the sphere lags behind the belt by",
            f"{1e6 * expected:.3f}",
            f"{1e6 * lag:.3f}",
            "µm/s",
            abs(lag / expected - 1) <= 0.02,
            "within 2 % of v kr/(kr + kv)",
        ),
        Row(
            f"kv 1e9: x1 with steps of {1e6 * max(steps):.2g} and {1e6 * min(steps):.2g} µs",
            "",
            f"{100 * by_step[0]:+.2f} and {100 * by_step[-1]:+.2f} %",
            passed=abs(by_step[0] - by_step[-1]) <= NEAR_FIRST,
            criterion="less than 0.5 % apart",
        ),
    ]


def _ellipse(sliding: float) -> tuple[np.ndarray, np.ndarray]:
    """The analytic loop in µm and mm/s: the belt's speed from x2 to x1, then the ellipse back to x2."""
    first, second = STATIC * WEIGHT / REAL, (2 * sliding - STATIC) * WEIGHT / REAL
    middle, rate = sliding * WEIGHT / REAL, math.sqrt(REAL / MASS)
    size, begin = math.hypot(first - middle, BELT / rate), math.atan2(BELT / rate, first - middle)
    angle = np.linspace(begin, begin - 2 * math.pi + 2 * (math.pi / 2 - begin), 400)
    x, v = middle + size * np.cos(angle), rate * size * np.sin(angle)
    return 1e6 * np.concatenate([[second], x]), 1e3 * np.concatenate([[BELT], v])


def _sticking(one: Loop) -> tuple[np.ndarray, np.ndarray]:
    """Time, ms, and velocity, mm/s, round the second time that the sphere sticks."""
    shown = (one.time > 4.2e-3) & (one.time < 5.7e-3)
    return 1e3 * one.time[shown], 1e3 * one.v[shown]


def _panels(paper: Loop, stiffer: dict[float, Loop], steps: dict[float, Loop]) -> Sequence[Panel]:
    exact = _ellipse(paper.sliding)
    shown = [(f"kv = {kv:.0e} N/m", one) for kv, one in stiffer.items() if kv in (1e8, STIFFEST)]
    curves = [Curve(1e6 * one.x, 1e3 * one.v, label) for label, one in shown]
    loops = [Curve(1e6 * paper.x, 1e3 * paper.v, "kv = 1e6 N/m, ε = 1e-4 m/s (paper)"), *curves]
    late, early = _errors(stiffer)
    by_step, _ = _errors(steps)
    virtual = np.array(list(stiffer))
    law = 100 * LATE * np.sqrt(MASS / virtual) * BELT / paper.analytic()[0]
    followed = zip((paper, *(one for _, one in shown)), [curve.label for curve in loops], strict=True)
    return [
        Panel(
            "position (µm)",
            "velocity (mm/s)",
            [*loops, Curve(*exact, "analytic", "dashed", color="#3b4654")],
            "Phase plane",
        ),
        Panel(
            "time (ms)",
            "velocity (mm/s)",
            [Curve(*_sticking(one), label) for one, label in followed],
            "Where the sphere comes to stick; the belt moves at 5 mm/s",
        ),
        Panel(
            "virtual stiffness kv (N/m)",
            "distance from the analytic value (% of x1)",
            [
                Curve(virtual, 100 * late, "x1, beyond", "both"),
                Curve(virtual, 100 * early, f"x2, before (ε = {SLOWEST:.0e} m/s)", "both"),
                Curve(virtual, law, "1.47 √(m/kv) v", "dashed", color="#3b4654"),
            ],
            "Convergence with kv",
            log_x=True,
            log_y=True,
        ),
        Panel(
            "time step (µs)",
            "x1, beyond the analytic value (%)",
            [Curve(1e6 * np.array(list(steps)), 100 * by_step, "kv = 1e9 N/m", "both")],
            "Convergence with the step",
            log_x=True,
            from_zero=True,
        ),
    ]


STUDY = Study(
    "H1",
    "A sphere on a belt, held by a spring, sticks and slips in the analytic loop",
    "Fig. 4: m 0.05, kr 1e5, kv 1e6, μs 0.6, μd 0.3, ε 1e-4, belt 5 mm/s; slips from x1 = μs m g/k, sticks from "
    "x2 = (2μd − μs) m g/k; the more rigid the virtual spring, the smaller the deviation.",
    run,
    "three stiffnesses and two steps instead of six and four",
)
