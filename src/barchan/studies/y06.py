"""Y6: height and width of a heap against friction (Yee 2009, Figure 9).

A heap of one fill is one of many that chance could have made: every friction is run from several fills, and the spread
of their heaps tells how far the means can be trusted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.draw.palette import PALETTE
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.piles import NOTE, heap_under
from barchan.studies.yee import Hopper

ROLLING = 0.0005  # m: μr over μs, as in the paper's pairs
KNEE = 0.25  # μs above which friction matters less
FRICTIONS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
FILLS = 2


@dataclass(frozen=True)
class Means:
    """A quantity of heaps: its mean over the fills for each friction, and the standard error of the poorest mean."""

    value: np.ndarray  # (F,) m
    error: float  # m, from the spread about the means of all frictions together

    @classmethod
    def of(cls, values: np.ndarray) -> Means:
        """From values (F, S) for F frictions and S fills, m; not a number for a fill that does not count."""
        fills = np.isfinite(values).sum(axis=1)
        mean = np.nansum(values, axis=1) / fills
        deviation = math.sqrt(float(np.nansum((values - mean[:, None]) ** 2)) / float((fills - 1).sum()))
        return cls(mean, deviation / math.sqrt(fills.min()))


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Run the hopper with a range of friction coefficients, each from several fills."""
    base = Hopper(count=150, duration=7.0) if quick else Hopper(count=1575, duration=60.0)
    frictions = FRICTIONS[:: len(FRICTIONS) - 1] if quick else FRICTIONS
    heaps = [
        [
            heap_under(
                replace(base, friction=one, rolling=ROLLING * one, seed=seed), folder / f"{one:g}-{seed}", progress
            )
            for seed in range(FILLS)
        ]
        for one in frictions
    ]
    # A hopper that jams has a small heap under it, whatever the friction. The quick form ends before all are empty.
    jammed = np.array([[not (quick or math.isfinite(heap.drained)) for heap in row] for row in heaps])
    height = Means.of(np.where(jammed, np.nan, [[heap.height for heap in row] for row in heaps]))
    width = Means.of(np.where(jammed, np.nan, [[heap.width for heap in row] for row in heaps]))
    rows = [
        Row(f"μs {one:g}: height / width", "a plot", f"{tall:.2f} / {wide:.2f}", "m")
        for one, tall, wide in zip(frictions, height.value, width.value, strict=True)
    ]
    rows.append(Row("standard error of a mean height / width", "–", f"{height.error:.2f} / {width.error:.2f}", "m"))
    if not quick:
        names = [f"{one:g}" for one, row in zip(frictions, jammed, strict=True) for it in row if it]
        rows.append(Row("μs of hoppers that jammed and do not count", "–", ", ".join(names) or "none", ""))
    judge = _changes if quick else _steeper
    rows += [judge("height", height, +1), judge("width", width, -1)]
    panels = [_panel("height", frictions, height), _panel("width", frictions, width)]
    figure = save_figure(draw_panels(panels), folder / "friction.png")
    caption = f"Height and width of the heap against friction: means of {FILLS} fills; band: their standard error."
    return StudyResult(tuple(rows), (Picture(figure, caption),), (NOTE,))


def _changes(name: str, means: Means, sign: int) -> Row:
    """A quantity changes with friction, in the right direction (sign)."""
    change = float(means.value[-1] - means.value[0])
    return Row(
        f"{name}: change from μs 0 to 0.5",
        "taller and narrower",
        f"{change:+.2f}",
        "m",
        passed=sign * change > 2.0 * means.error,
        criterion=f"{'grows' if sign > 0 else 'shrinks'} by over twice the error",
    )


def _steeper(name: str, means: Means, sign: int) -> Row:
    """A quantity changes more below the knee than above it, and in the right direction (sign)."""
    value, knee = sign * means.value, FRICTIONS.index(KNEE)
    below, above = value[knee] - value[0], value[-1] - value[knee]
    return Row(
        f"{name}: change from μs 0 to {KNEE:g}, and on to 0.5",
        "steep, then flatter",
        f"{sign * below:+.2f}, {sign * above:+.2f}",
        "m",
        passed=bool(below > 2.0 * means.error and below > above),
        criterion=f"{'grows' if sign > 0 else 'shrinks'} first by over twice the error, and by more than later",
    )


def _panel(name: str, frictions: Sequence[float], means: Means) -> Panel:
    low, high = means.value - means.error, means.value + means.error
    curves = [
        Curve(frictions, high, look="band", color=PALETTE[0], to=low),
        Curve(frictions, means.value, look="both", color=PALETTE[0]),
    ]
    return Panel("μs", f"{name} (m)", curves, f"{name.capitalize()} of the heap", from_zero=True)


STUDY = Study(
    "Y6",
    "Friction matters most while it is small",
    "Fig. 9: pile height and width against μs, 1575 grains: steep between 0 and 0.25, flatter from 0.25 to 0.5.",
    run,
    "150 grains for 7 s instead of 1575 for 60 s, μs 0 and 0.5, without the knee between them",
)
