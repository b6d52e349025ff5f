"""Y8: extreme eigenvalues of the Jacobian while 48 grains fall as a pyramid (Yee 2009, Tables 2 and 3).

The Jacobian is that of the real right-hand side, by finite differences, with what contacts remember frozen as it is
within a step. Its unknowns are 13 a grain (the orientation is a quaternion), the paper's 12. The motion is that of
velocity Verlet: all grains of the pyramid meet the floor at once, which RKF45, judging by positions, may overlook.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.scene import Scene
from barchan.simulation.plan import Plan
from barchan.simulation.progress import Progress
from barchan.solvers.soft.jacobian import jacobian
from barchan.solvers.soft.solver import SoftSolver
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.yee import BIN_RADIUS, cubes, hopper_walls, yee_scene

PAIRS = ((0.0, 0.0), (0.25, 0.000125), (0.5, 0.00025), (0.75, 0.000325), (1.0, 0.0005))
HEIGHT = 0.2  # m, of the pyramid's foot above the floor at the start
STEP = 0.01  # s, for which the right-hand side is meant: about the paper's
STIFF = 1e4  # 1/s; the paper calls its eigenvalues, nearly all below it in size, not exceptionally large
GENERAL = 0.9  # part of the times that is `in general`
FEWER = 0.75  # evaluations over unknowns that grouping must reach
# Largest negative real part (1/s) at the paper's twenty times, one column a friction pair: Table 2.
PAPER_LOWEST = (
    (-1776.7, -501.7, -8397.8, -311.2, -226.4, -962.4, -172.0, -64.0, -3202.5, -851.5, -421.5, -326.1, -2212.3, -500.8,
     -2147.0, -10384.0, -5.5, -268.0, -2632.2, -10.0),
    (-2991.8, -548.9, -140.3, -3421.8, -186.2, -1102.7, -16714.1, -100.9, -226.9, -300.5, -160.8, -1566.1, -1281.0,
     -516.3, -12035.3, -1888.8, -242.8, -2192.9, -225.7, -4932.3),
    (-2781.2, -952.6, -78298.3, -1170.1, -1386.9, -8467.0, -519.6, -441.2, -1026.2, -1431.6, -2341.9, -260.3, -184.0,
     -9311.4, -587.7, -4363.5, -164.2, -154.5, -683.8, -709.1),
    (-1053.2, -988.3, -362.7, -417.2, -389.4, -2420.5, -2442.2, -1440.4, -9171.2, -49.1, -369.4, -158.5, -1534.2,
     -2207.1, -405.6, -163.3, -132.4, -6.5, -298.4, -163.2),
    (-2532.4, -285.9, -169.5, -1048.7, -9445.1, -110.4, -425.4, -7619.1, -148.5, -369.6, -232.4, -297.2, -2706.3,
     -552.2, -768.3, -3211.6, -280.8, -478.6, -655.0, -215.1),
)  # fmt: skip


@dataclass(frozen=True)
class Spectrum:
    """Extreme eigenvalues at one time."""

    time: float  # s
    lowest: complex  # 1/s, with the largest negative real part
    largest: complex  # 1/s, with the largest absolute real part
    evaluations: int
    unknowns: int


def scene(count: int, friction: float, rolling: float, duration: float) -> Scene:
    """A pyramid of grains a little above the floor, under the mouth of the empty hopper."""
    return yee_scene(
        name=f"pyramid of {count} grains, μs = {friction:g}",
        duration=duration,
        friction=friction,
        rolling=rolling,
        grains=cubes(count, {"kind": "pyramid", "base": [0, 0, HEIGHT]}),
        integrator={"kind": "verlet"},
        walls=hopper_walls(BIN_RADIUS / 2, BIN_RADIUS, 1.0),
    )


def spectra(scene: Scene, times: np.ndarray, progress: Progress) -> list[Spectrum]:
    """Extreme eigenvalues at the times, s."""
    plan = Plan.of(scene)
    solver = SoftSolver(plan.model, plan.grains, plan.time_step.value)
    found = []
    for time in times:
        progress.status(scene.name, f"t = {time:.3g} s")
        solver.advance_to(float(time))
        matrix, evaluations = jacobian(solver, STEP)
        values = np.linalg.eigvals(matrix)
        lowest, largest = values[np.argmin(values.real)], values[np.argmax(np.abs(values.real))]
        found.append(Spectrum(float(time), complex(lowest), complex(largest), evaluations, len(matrix)))
    return found


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Find the extreme eigenvalues at each time for each pair of friction coefficients."""
    count, moments, pairs = (14, 8, PAIRS[:3:2]) if quick else (48, 20, PAIRS)
    times = np.linspace(0.25, 1.0 if quick else 3.0, moments)
    found = {pair: spectra(scene(count, *pair, float(times[-1])), times, progress) for pair in pairs}
    rows = [_row(pair, found[pair]) for pair in pairs]
    everything = [one for column in found.values() for one in column]
    share = float(np.mean([-one.lowest.real < STIFF for one in everything]))
    paper_share = float(np.mean(-np.array(PAPER_LOWEST) < STIFF))
    used = sum(one.evaluations for one in everything) / sum(one.unknowns for one in everything)
    rows += [
        Row(
            f"times at which no eigenvalue is stiffer than {STIFF:g} 1/s",
            f"{100 * paper_share:.0f}%",
            f"{100 * share:.0f}%",
            passed=share >= GENERAL,
            criterion=f"≥ {100 * GENERAL:.0f}%: in general not stiff",
        ),
        Row("evaluations over unknowns", "≥ 1", f"{used:.2f}", passed=used < FEWER, criterion=f"< {FEWER:g}"),
    ]
    figure = save_figure(draw_panels(_panels(found)), folder / "eigenvalues.png")
    _write_table(found, folder / "eigenvalues.csv")
    return StudyResult(
        tuple(rows),
        (Picture(figure, "Extreme eigenvalues of the Jacobian against time."),),
        ("The eigenvalues of every time are in eigenvalues.csv, as in the paper's Tables 2 and 3.",),
    )


def _row(pair: tuple[float, float], column: list[Spectrum]) -> Row:
    paper = -np.array(PAPER_LOWEST[PAIRS.index(pair)])
    ours = np.array([-one.lowest.real for one in column])
    texts = [f"{np.median(one):.0f} ({one.min():.0f} … {one.max():.0f})" for one in (paper, ours)]
    return Row(f"μs {pair[0]:g}, μr {pair[1]:g}: −Re λ, median (range)", texts[0], texts[1], "1/s")


def _panels(found: dict[tuple[float, float], list[Spectrum]]) -> list[Panel]:
    def curves(part: str) -> list[Curve]:
        return [
            Curve([s.time for s in column], [abs(getattr(s, part).real) for s in column], f"μs {friction:g}", "both")
            for (friction, _), column in found.items()
        ]

    return [
        Panel("time (s)", "−Re λ (1/s)", curves("lowest"), "Largest negative real part (Table 2)", log_y=True),
        Panel("time (s)", "|Re λ| (1/s)", curves("largest"), "Largest absolute real part (Table 3)", log_y=True),
    ]


def _write_table(found: dict[tuple[float, float], list[Spectrum]], path: Path) -> None:
    lines = ["friction,rolling_friction_m,time_s,lowest_per_s,largest_per_s,evaluations,unknowns"]
    for (friction, rolling), column in found.items():
        for one in column:
            low, large = (f"{value.real:.1f}{value.imag:+.1f}i" for value in (one.lowest, one.largest))
            lines.append(f"{friction:g},{rolling:g},{one.time:.4f},{low},{large},{one.evaluations},{one.unknowns}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


STUDY = Study(
    "Y8",
    "The equations of motion are not stiff in general",
    "Tables 2, 3: extreme eigenvalues of the Jacobian at 20 times for 5 frictions, 48 grains falling as a pyramid.",
    run,
    "14 grains, 8 times, 2 friction pairs",
)
