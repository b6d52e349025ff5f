"""P3: avalanches in a slow drum, steady flow in a fast one (Pöschel and Buchholtz 1995, Figs. 18 and 19)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import curve_fit

from barchan.draw.charts import Curve, Panel, blank_figure, draw_panels
from barchan.draw.files import save_figure
from barchan.draw.picture import draw_scene
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.cores import side_by_side
from barchan.studies.drums import Drum, Tumbling, Turn, kept, turned

STEADY = 0.05  # share of the time below which grains rest in a drum that flows steadily
POWER, NEAR = 2.0, 0.4
FEWEST = 4  # rates in steady flow: the law has three numbers
# Angular velocities (rad/s), and seeds of the fillings. The law that is sought is one of the faster drums, and of these
# the two ends and the middle tell its power best. Where a seed is missing the grains find no room.
SEEDS = {
    0.25: [2, 3], 0.5: [2, 3], 1.0: [2, 3], 2.0: [2, 3, 4, 5, 6, 8, 10, 11, 12, 13],
    3.0: [2, 3, 4, 5, 6, 8, 10, 11, 12, 13, 15, 17], 4.0: [2, 3, 4, 5], 5.0: [2, 3, 4, 5, 6, 8, 10, 11, 12, 13],
    6.0: [2, 3, 4, 5, 6, 8, 10, 11], 7.0: [2, 3, 4, 5], 8.0: [2, 3, 4, 5, 6, 8, 10, 11],
}  # fmt: skip
FEWER = {0.25: [2], 1.0: [2, 3], 2.0: [2], 3.0: [2], 4.0: [2], 5.0: [2, 3], 6.0: [2], 7.0: [2], 8.0: [2, 3]}


class Kind(NamedTuple):
    """Drums of one kind: angular velocities (rad/s), and for each the seeds of its fillings."""

    name: str
    drum: Drum
    seeds: dict[float, list[int]]


# The paper calls its grains complex, and its wall is made of grains: it says no more about them.
KINDS = (
    Kind("squares, fins on the wall", Drum.full(), SEEDS),
    Kind("five corners, wall of squares", Drum.angular(0.0), FEWER | {5.0: [2, 3, 4]}),
    Kind("five corners, wall of squares, μ = 0.3", Drum.angular(0.3), FEWER),
)


def law(rate: np.ndarray, repose: float, factor: float, power: float) -> np.ndarray:
    """Inclination, degrees, at an angular velocity in rad/s."""
    return repose + factor * rate**power


def fit_law(rate: np.ndarray, lean: np.ndarray, many: np.ndarray) -> tuple[np.ndarray, float]:
    """`law` for means of so many drums each: its three numbers, and the standard error of the power."""
    start, bounds = (lean.min(), 0.1, POWER), ([0.0, 1e-3, 0.2], [60.0, 60.0, 6.0])
    fit, spread = curve_fit(law, rate, lean, p0=start, sigma=1 / np.sqrt(many), bounds=bounds)
    return fit, math.sqrt(spread[2, 2])


def scatter_of_power(rate: np.ndarray, leans: Sequence[np.ndarray], fit: np.ndarray) -> float:
    """The standard error of the power in `fit` from what drums of one rate differ by, the law taken for granted.

    leans: for each rate the inclinations of its drums, two of them at least somewhere.
    """
    many = np.array([len(several) for several in leans])
    square = sum(np.sum((several - several.mean()) ** 2) for several in leans) / np.sum(many - 1)
    _, factor, power = fit
    slopes = np.column_stack([np.ones(len(rate)), rate**power, factor * rate**power * np.log(rate)])
    return math.sqrt(square * np.linalg.inv(slopes.T @ (many[:, None] * slopes))[2, 2])


def judge_power(rate: np.ndarray, leans: Sequence[np.ndarray], rest: np.ndarray) -> tuple[list[Row], np.ndarray | None]:
    """What is found for the power of Ω in steady flow, and the law's three numbers, where there is enough of it.

    leans: for each rate the inclinations of its drums. rest: for each rate the share of time at rest. Steady flow is
    from the rate on from which that is below STEADY.
    """
    lean, many = np.array([several.mean() for several in leans]), np.array([len(several) for several in leans])
    first = int(np.flatnonzero(rest >= STEADY).max(initial=-1)) + 1
    name, bound = "power of Ω in inclination − that of repose, steady flow", f"within {NEAR:g}"
    if len(rate) - first < FEWEST:
        few = f"not fitted: {len(rate) - first} rates, fewer than {FEWEST}"
        return [Row(name, f"{POWER:g}", few, "", False, bound)], None

    def told(fit: np.ndarray, error: float, begin: int) -> str:
        scatter = scatter_of_power(rate[begin:], leans[begin:], fit)
        return f"{fit[2]:.2f} ± {error:.2f} (fillings ± {scatter:.2f}), above {fit[0]:.1f}°"

    steady, error = fit_law(rate[first:], lean[first:], many[first:])
    rows = [Row(f"{name}, from {rate[first]:g} rad/s on", f"{POWER:g}", told(steady, error, first), "",
                bool(abs(steady[2] - POWER) < NEAR), bound)]  # fmt: skip
    for begin in sorted({max(first - 1, 0), 0} - {first}, reverse=True):
        why = f"from {rate[begin]:g} rad/s on, where grains rest for {rest[begin]:.0%} of the time"
        rows.append(Row(f"the same {why}", "–", told(*fit_law(rate[begin:], lean[begin:], many[begin:]), begin)))
    return rows, steady


class Series(NamedTuple):
    """What drums of one kind have done, by rate."""

    rate: np.ndarray  # (R,) rad/s
    leans: list[np.ndarray]  # R times, degrees, inclinations of the drums
    rest: np.ndarray  # (R,) share of the time at rest

    @classmethod
    def of(cls, drums: Sequence[Tumbling]) -> Series:
        """Drums in the order of their rates."""
        rate = sorted({one.rate for one in drums})
        by_rate = [[one for one in drums if one.rate == at] for at in rate]
        leans = [np.array([one.inclination for one in several]) for several in by_rate]
        return cls(np.array(rate), leans, np.array([np.mean([one.rest for one in several]) for several in by_rate]))

    @property
    def means(self) -> np.ndarray:
        """(R,) degrees."""
        return np.array([several.mean() for several in self.leans])

    def __str__(self) -> str:
        told = zip(self.rate, self.leans, strict=True)
        return ", ".join(f"{at:g}: " + " ".join(f"{one:.1f}" for one in several) for at, several in told)


def turn_all(kinds: Sequence[Kind], workers: int | None, folder: Path, progress: Progress) -> list[list[Tumbling]]:
    """The drums of every kind, those that were turned before from the folder where they are kept."""
    tasks = [
        [(Turn(kind.drum, rate, seed), folder / f"{k}-{rate:g}-{seed}.npz") for rate in kind.seeds
         for seed in kind.seeds[rate]]
        for k, kind in enumerate(kinds)
    ]  # fmt: skip
    flat = [task for several in tasks for task in several]
    if had := sum(kept(*task) is not None for task in flat):
        progress.note(f"{folder} holds {had} of these drums, which are taken as they are; remove it to begin anew")

    def tell(done: int) -> None:
        progress.status(f"{done} of {len(flat)} drums", "side by side")

    tell(0)
    found = iter(side_by_side(turned, flat, workers, tell))
    return [[next(found) for _ in several] for several in tasks]


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Turn drums at several rates."""
    kinds, workers = ((Kind("squares", Drum.small(), {0.7: [2], 10.0: [2, 3]}),), 1) if quick else (KINDS, None)
    every = turn_all(kinds, workers, folder / "drums", progress)
    found = every[0]
    series = [Series.of(drums) for drums in every]
    (rate, leans, rest), lean = series[0], series[0].means
    slow, fast = found[0], found[-1]
    deepest = max(one.overlap for drums in every for one in drums)
    rows = [
        Row(f"share of time at rest in the drum at {slow.rate:g} rad/s", "most of it", f"{rest[0]:.2f}", "",
            bool(rest[0] > 0.25), "above 0.25"),
        Row(f"the same at {fast.rate:g} rad/s", "steady flow", f"{rest[-1]:.2f}", "", bool(rest[-1] < STEADY),
            f"below {STEADY:g}"),
        Row("inclination, slow and fast", "grows", f"{lean[0]:.0f}, {lean[-1]:.0f}", "°",
            bool(lean[-1] > lean[0]), "fast above slow"),
        Row("deepest overlap of all drums", "–", f"{deepest:.2f}", "of a triangle"),
    ]  # fmt: skip
    curves = [Curve(rate, lean, "" if quick else kinds[0].name, "points")]
    if not quick:
        judged, fit = judge_power(rate, leans, rest)
        rows += judged
        if fit is not None:
            fine = np.linspace(0.0, rate[-1], 100)
            curves.append(Curve(fine, law(fine, *fit), f"{fit[0]:.1f}° + {fit[1]:.2g}° Ω^{fit[2]:.2f}", "dashed"))
    for kind, other in zip(kinds[1:], series[1:], strict=True):
        judged, _ = judge_power(*other)
        rows += [
            Row(f"{kind.name}: share of time at rest at {other.rate[0]:g} rad/s", "–", f"{other.rest[0]:.2f}"),
            Row(f"{kind.name}: {judged[0].quantity}", "–", judged[0].ours),
        ]
        curves.append(Curve(other.rate, other.means, kind.name, "both"))
    panels = [
        Panel("time (s)", "kinetic energy in the drum's frame (nJ)", [
            Curve(one.time, 1e9 * one.energy, f"{one.rate:g} rad/s") for one in (slow, fast)
        ], log_y=True),
        Panel("time (s)", "lean of the centre of mass (°)", [
            Curve(one.time, one.lean, f"{one.rate:g} rad/s") for one in (slow, fast)
        ]),
        Panel("angular velocity (rad/s)", "inclination of the surface (°)", curves),
    ]  # fmt: skip
    shown = list(zip(kinds, every, strict=True))[:2]  # a third row would make them small
    shots = blank_figure(11.0, 4.6 * len(shown))
    for row, (kind, drums) in enumerate(shown):
        for place, one in enumerate((drums[0], drums[-1]), start=1 + 2 * row):
            axes = shots.add_subplot(len(shown), 2, place)
            draw_scene(one.frame, one.scene.walls, ax=axes, color="speed")
            axes.set_title(f"{kind.name}, {one.rate:g} rad/s", fontsize=9)
    return StudyResult(
        tuple(rows),
        (
            Picture(save_figure(shots, folder / "drums.png"), "Grains in a slow and in a fast drum (Fig. 18)."),
            Picture(save_figure(draw_panels(panels, columns=3), folder / "inclination.png"),
                    "Motion in the drum over time, and its inclination against the angular velocity (Fig. 19)."),
        ),
        ("The drums that are judged have squares without friction and fins with μ = 1; the paper's wall is of grains.",
         *(f"Inclination (°) of each drum by angular velocity (rad/s), {kind.name}: {told}."
           for kind, told in zip(kinds, series, strict=True)),
         f"The law is of steady flow (Rajchenbach 1990): drums that rest for {STEADY:.0%} of the time do not count."),
    )  # fmt: skip


STUDY = Study(
    "P3", "Avalanches in a slow drum, steady flow in a fast one",
    "stick–slip when slow, steady when fast; inclination minus that of repose ∝ Ω² (Figs. 18, 19)", run,
    "20 squares and two rates, 1.5 s each, instead of 500 and ten, of one kind; the power at full size only",
)  # fmt: skip
