"""P1: two squares meet twice when slow and once when fast (Pöschel and Buchholtz 1995, Figs. 15 and 16)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, blank_figure, draw_panel, draw_panels
from barchan.draw.files import save_figure
from barchan.draw.palette import PALETTE, linear
from barchan.draw.polygons import add_polygons
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.poschel import Collision, collide

SPEEDS = (0.1, 0.5, 1.0)  # m/s
HITS = (2, 2, 1)
THRESHOLD = 0.7  # m/s, the paper's
GREY = ("#4a4f57", "#b9bec6")


def threshold(low: float, high: float, width: float, progress: Progress) -> float:
    """The speed, m/s, above which they meet once: halved between `low` and `high` down to `width`."""
    while high - low > width:
        middle = (low + high) / 2
        progress.status("two squares", f"{100 * middle:.0f} cm/s")
        if collide(middle).hits > 1:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def strobe(found: Sequence[Collision], path: Path) -> Path:
    """Stroboscopic snapshots of each collision beside its energies (Fig. 15)."""
    figure = blank_figure(10.0, 2.7 * len(found))
    for row, one in enumerate(found):
        ax = figure.add_subplot(len(found), 2, 2 * row + 1)
        for frame in one.frames:
            add_polygons(ax, frame, np.array([linear(colour) for colour in GREY]), scale=1e3, beams=False)
        ax.set_aspect("equal")
        ax.autoscale_view()
        ax.set_xlabel("x (mm)", fontsize=8)
        ax.set_ylabel("z (mm)", fontsize=8)
        ax.tick_params(labelsize=7)
        ax.set_title(f"{100 * one.speed:.0f} cm/s, every {1e3 * np.diff(one.time)[0] * len(one.time) / 8:.1f} ms",
                     fontsize=9)  # fmt: skip
        curves = [
            Curve(1e3 * one.time, 1e6 * one.moving_energy, "translation"),
            Curve(1e3 * one.time, 1e6 * one.turning_energy, "rotation"),
            Curve(1e3 * one.time, 1e6 * one.total_energy, "total"),
        ]
        draw_panel(Panel("time (ms)", "energy (µJ)", curves, from_zero=True),
                   figure.add_subplot(len(found), 2, 2 * row + 2))  # fmt: skip
    return save_figure(figure, path)


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Let squares meet at the paper's speeds, and find the speed between two hits and one."""
    found = []
    for speed in SPEEDS:
        progress.status("two squares", f"{100 * speed:.0f} cm/s")
        found.append(collide(speed))
    limit = threshold(0.5, 1.0, 0.1 if quick else 0.01, progress)
    rows = [
        Row(f"hits at {100 * one.speed:.0f} cm/s", "two" if hits == 2 else "one", str(one.hits), "", one.hits == hits,
            "the same")
        for one, hits in zip(found, HITS, strict=True)
    ]  # fmt: skip
    slow, fast = max(one.turn for one in found[:2]), found[2].turn
    rows += [
        Row("spin afterwards over speed/edge, slow and fast", "very small, and large", f"{slow:.2f}, {fast:.2f}", "",
            slow < 0.5 * fast, "slow below half of fast"),
        Row("speed between two hits and one", f"about {100 * THRESHOLD:.0f}", f"{100 * limit:.0f}", "cm/s",
            bool(50 < 100 * limit < 100), "between 50 and 100 cm/s"),
    ]  # fmt: skip
    rows += [Row(f"energy lost at {100 * one.speed:.0f} cm/s", "–", f"{100 * one.lost:.0f}", "%") for one in found]
    if not quick:
        graded = [collide(speed, contact="exact").hits for speed in SPEEDS]
        rows.append(Row("hits with exact contacts", "–", ", ".join(map(str, graded))))
    spins = [
        Curve(1e3 * one.time, np.abs(one.spin).max(axis=1), f"{100 * one.speed:.0f} cm/s", color=PALETTE[k])
        for k, one in enumerate(found)
    ]
    turning = draw_panels([Panel("time (ms)", "angular velocity (rad/s)", spins, log_x=True)])
    return StudyResult(
        tuple(rows),
        (
            Picture(strobe(found, folder / "collisions.png"),
                    "Stroboscopic snapshots, and energies over time, of squares that meet at three speeds (Fig. 15)."),
            Picture(save_figure(turning, folder / "spin.png"), "Angular velocity of the grains over time (Fig. 16)."),
        ),
        ("The paper states neither the size of the squares nor how far they lie aside: here the edge is 2 mm, the mass "
         "1 g/cm², and the resting square lies 3/4 of an edge aside.",),
    )  # fmt: skip


STUDY = Study(
    "P1", "Two squares meet twice when slow and once when fast",
    "below about 70 cm/s two hits and hardly any spin, above it one hit and spin (Figs. 15, 16)", run,
    "the speed between two hits and one is found to 10 cm/s instead of 1 cm/s",
)  # fmt: skip
