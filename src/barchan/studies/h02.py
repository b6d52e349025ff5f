"""H2: a sphere falls on to four in a square: does the pile stand? (Hasan and van Opheusden 2007, Figure 5)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.simulation.progress import Progress
from barchan.solvers.base import Solver
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.hasan import DENT, SIZE, changed, followed, normal_damping, points

NOTE = (
    "While a contact sticks, spring and dashpot together are limited to μs Fn, and the spring's force alone decides "
    "when it breaks. Without that limit the second and the fourth pile stand; where the sum of both breaks the "
    "spring, the third one falls. Steps from 1 to 20 µs give the same four outcomes."
)


@dataclass(frozen=True)
class Drop:
    """A case: where the fifth sphere begins, how far apart the four are, and the restitution at the floor."""

    height: float  # z5, m
    apart: float  # s, m
    restitution: float  # ψ
    stands: bool | None = None  # as the paper reports

    @property
    def label(self) -> str:
        """In words."""
        return f"z5 = {self.height:g} m, s = {self.apart:g} m, ψ = {self.restitution:g}"


SHOWN = 0.6  # s
ON_TOP = 0.55  # diameters: the fifth sphere rests on the others where its centre is higher; on the floor it is at 0.5
FOUR = (
    Drop(0.1, 0.058, 0.3, True),
    Drop(0.3, 0.058, 0.3, False),
    Drop(0.3, 0.054, 0.3, True),
    Drop(0.1, 0.058, 0.7, False),
)
MORE = (Drop(0.2, 0.058, 0.3), Drop(0.3, 0.056, 0.3), Drop(0.1, 0.058, 0.5))


@dataclass(frozen=True)
class Fall:
    """What became of it."""

    time: np.ndarray  # (S,) s
    diagonal: np.ndarray  # (S,) m, mean distance across the square
    slipping: np.ndarray  # (S,) contacts that slip
    stands: bool  # the fifth sphere rests on the four


def dropped(case: Drop, duration: float) -> Fall:
    """Let the fifth sphere fall."""
    half = 0.5 * case.apart
    square = [[x, y, 0.5 * SIZE - DENT] for x, y in ((half, half), (-half, half), (-half, -half), (half, -half))]
    scene = changed(
        "five-spheres",
        f"grains[0].fill.positions={points(np.array(square))}",
        f"grains[1].fill.positions={points(np.array([[0.0, 0.0, case.height]]))}",
        f"contact.damping={normal_damping(case.restitution)!r}",
        f"duration={duration!r}",
    )

    def look(solver: Solver) -> tuple[float, float]:
        place = solver.positions()
        across = [np.linalg.norm((place[a] - place[b])[:2]) for a, b in ((0, 2), (1, 3))]
        return float(np.mean(across)), float(np.count_nonzero(solver.frame().contacts.mode == 2))

    time, seen, last = followed(scene, look, 2e-3)
    return Fall(time, seen[:, 0], seen[:, 1], bool(last.position[4, 2] > ON_TOP * SIZE))


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Run the paper's four cases, and those between them."""
    found = {}
    for case in FOUR if quick else (*FOUR, *MORE):
        progress.status("H2", case.label)
        found[case] = dropped(case, 0.8 if quick else 1.5)
    rows = [_row(case, fall) for case, fall in found.items()]
    vary = (
        ("initial height", "z5", [c for c in found if (c.apart, c.restitution) == (0.058, 0.3)], "height", " m"),
        ("distance of the four", "s", [c for c in found if (c.height, c.restitution) == (0.3, 0.3)], "apart", " m"),
        ("restitution", "ψ", [c for c in found if (c.height, c.apart) == (0.1, 0.058)], "restitution", ""),
    )
    panels = [
        Panel(
            "time (s)",
            "diagonal distance (cm)",
            [
                *(
                    Curve(*_shown(found[c]), f"{symbol} = {getattr(c, field):g}{unit}")
                    for c in sorted(cases, key=lambda c: float(getattr(c, field)))
                ),
                Curve(np.linspace(0, SHOWN, 50), np.full(50, 200 * SIZE), "", "dashed", "#3b4654"),
            ],
            f"Varying the {title} (dashed: two diameters)",
        )
        for title, symbol, cases, field, unit in vary
    ]
    figure = save_figure(draw_panels(panels, columns=3), folder / "diagonals.png")
    caption = "Distance across the square against time; beyond two diameters the fifth sphere has come through."
    return StudyResult(tuple(rows), (Picture(figure, caption),), (NOTE,))


def _shown(fall: Fall) -> tuple[np.ndarray, np.ndarray]:
    """Time, s, and diagonal, cm, while anything moves."""
    early = fall.time <= SHOWN
    return fall.time[early], 100 * fall.diagonal[early]


def _row(case: Drop, fall: Fall) -> Row:
    words = {True: "stands", False: "falls", None: "–"}
    ours = f"{words[fall.stands]}, diagonal {fall.diagonal[-1] / SIZE:.3f} σ, {fall.slipping[-1]:.0f} slip at the end"
    judged = None if case.stands is None else fall.stands == case.stands
    return Row(case.label, words[case.stands], ours, passed=judged, criterion="" if judged is None else "the same")


STUDY = Study(
    "H2",
    "Five spheres: the pile stands or falls as in the paper",
    "Fig. 5: stands for z5 = 0.1, s = 0.058, ψ 0.3; falls for z5 = 0.3, s = 0.058; stands again at s = 0.054; falls "
    "for ψ 0.7.",
    run,
    "the four cases for 0.8 s, without those between them",
)
