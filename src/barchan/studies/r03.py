"""R3: a tumbler, from an avalanching heap to a centrifuged ring (Richardson 2011, §3.2, Figures 7 and 8)."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, blank_figure, draw_panel
from barchan.draw.files import save_figure
from barchan.draw.palette import PALETTE
from barchan.draw.snapshots import draw_snapshots
from barchan.draw.units import length_unit
from barchan.frame import Frame
from barchan.measures.pile import Angle
from barchan.measures.tumbling import carried_over, dynamic_angle, ring_layers, slope
from barchan.scene import Scene
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.runs import recorded
from barchan.studies.tumblers import Tumbler

FROUDE = (0.001, 0.01, 0.05, 0.1, 0.3, 0.5, 1.0, 1.5)
QUICK = (0.02, 0.3, 1.5)
FRAME_RATE = 50.0  # 1/s
TILT, FLOW = 0.5, 0.4  # rad that the drum turns, which tilts the heap to where it flows; s that it flows then
AVERAGED = 12  # frames at the end over which is averaged
OVER = 1.0  # layers like the glued one, carried over the top of the drum: centrifuging begins
RING = 0.5  # layers that stay at the rim past the top: it is under way
LEFT, GLUED, RIGHT = 0, 1, 2  # colours: where a grain began, or that it is stuck
NOT_STATED = "in a figure only"


@dataclass(frozen=True)
class Turned:
    """The end of a run at one Froude number."""

    froude: float
    scene: Scene
    angle: Angle  # over the last frames
    over: float  # layers that the drum carries over its top
    ring: float  # layers that stay at the rim past the top
    last: Frame  # coloured by where grains began
    line: tuple[float, float]  # rise, and height at the axis (m), of the surface in the last frame
    loose: int  # grains that are not glued

    @property
    def told(self) -> str:
        """What is seen, in a word or two."""
        if self.ring >= RING:
            return "centrifuges"
        return "goes over the top" if self.over >= OVER else f"{self.angle.degrees:.0f}°"


def duration(tumbler: Tumbler, froude: float) -> float:
    """How long a run is, s: until the heap has been tilted to where it flows, and a while of flow, in whole frames."""
    return float(np.ceil((TILT / tumbler.rate(froude) + FLOW) * FRAME_RATE) / FRAME_RATE)


def turn(tumbler: Tumbler, froude: float, filling: Path, folder: Path, progress: Progress) -> Turned:
    """Turn the drum from the filling on, and measure."""
    scene = tumbler.run(froude, duration(tumbler, froude), FRAME_RATE, str(filling.resolve()))
    with recorded(scene, folder, progress) as recording:
        first, frames = recording[0], [recording[k] for k in range(len(recording) - AVERAGED, len(recording))]
    glued = tumbler.glued(first)
    angle = dynamic_angle(frames, ~glued, tumbler.radius, tumbler.length)
    deviation = float(np.sqrt(len(frames))) * angle.error  # of single frames, as the paper has it
    angle = Angle(angle.value, deviation)
    late = frames[len(frames) // 2 :]
    over, ring = (measure(late, ~glued, tumbler.radius) for measure in (carried_over, ring_layers))
    colored = np.where(glued, GLUED, np.where(first.position[:, 0] < 0, LEFT, RIGHT)).astype(np.int32)
    last = dataclasses.replace(frames[-1], group=colored)
    line = slope(last, ~glued, tumbler.radius, tumbler.length)
    return Turned(froude, scene, angle, over, ring, last, line, int((~glued).sum()))


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Line and fill a drum once, and turn it at every Froude number."""
    tumbler = Tumbler.small() if quick else Tumbler()
    filling = folder / "filling"
    with recorded(tumbler.preparation(), filling, progress) as recording:
        end = recording[-1]
    runs = [
        turn(tumbler, froude, filling, folder / f"froude-{froude:g}", progress)
        for froude in (QUICK if quick else FROUDE)
    ]
    counted = f"{len(end)}, {tumbler.glued(end).sum()}"
    rows = [
        Row("spheres, glued ones of them", "6513, 568" if not quick else "–", counted),
        *_angles(runs),
        *_rings(runs),
    ]
    return StudyResult(tuple(rows), _pictures(tumbler, runs, folder))


def _angles(runs: Sequence[Turned]) -> list[Row]:
    """The angles below Fr = 1, and whether they rise."""
    below = [one for one in runs if one.froude < 1]
    rows = [Row(f"dynamic angle at Fr {one.froude:g}", NOT_STATED, str(one.angle)) for one in below]
    steps = [
        b.angle.value - a.angle.value + np.hypot(a.angle.error, b.angle.error) for a, b in itertools.pairwise(below)
    ]
    rise = below[-1].angle.degrees - below[0].angle.degrees
    error = float(np.degrees(np.hypot(below[0].angle.error, below[-1].angle.error)))
    rows.append(
        Row(
            "angle from the lowest to the highest Fr < 1", "rises", f"{rise:+.1f} ± {error:.1f}", "degrees",
            bool(rise > error and min(steps) > 0), "rises by more than the deviations, and no step falls by more",
        )
    )  # fmt: skip
    return rows


def _rings(runs: Sequence[Turned]) -> list[Row]:
    """Where the drum carries grains over its top, and where they stay at the rim past it."""
    rows = []
    for one in runs:
        fast = one.froude >= 1
        rows.append(
            Row(
                f"carried over the top at Fr {one.froude:g}", "centrifuging has begun" if fast else "tumbles",
                f"{one.over:.2f}", "layers", (one.over >= OVER) == fast,
                f"{'at least' if fast else 'less than'} {OVER:g}",
            )
        )  # fmt: skip
    for one in runs:
        if one.froude >= 1:
            judged = one.froude > 1  # at Fr = 1 the outermost grains weigh nothing at the top, and others fall
            rows.append(
                Row(
                    f"at the rim past the top at Fr {one.froude:g}", "a thin layer" if judged else "not stated",
                    f"{one.ring:.2f}", "layers", one.ring >= RING if judged else None,
                    f"at least {RING:g}" if judged else "",
                )
            )  # fmt: skip
    return rows


def _pictures(tumbler: Tumbler, runs: Sequence[Turned], folder: Path) -> tuple[Picture, ...]:
    """Figures 7 and 8 of the paper."""
    half = -(-len(runs) // 2) if len(runs) > 4 else len(runs)
    rows = [("", [one.last for one in runs[k : k + half]]) for k in range(0, len(runs), half)]
    shots = draw_snapshots(rows, runs[0].scene.walls[:1], view="front")  # the drum, without its ends
    _, factor = length_unit(2 * tumbler.outer)
    for axes, one in zip(shots.axes, runs, strict=True):
        bar = axes.get_title().partition("; ")[2]
        axes.set_title(f"Fr {one.froude:g}: {one.told}" + (f"; {bar}" if bar else ""), fontsize=8, pad=2)
        if one.over < OVER:
            reach = np.array([-0.85, 0.15]) * tumbler.radius
            axes.plot(factor * reach, factor * (one.line[1] - one.line[0] * reach), color="#ffd21f", linewidth=1.8)
    chart = blank_figure(5.6, 3.8)
    below = [one for one in runs if one.over < OVER]
    x, y = [one.froude for one in below], [one.angle.degrees for one in below]
    curve = Curve(x, y, "", "both", PALETTE[1])
    axes = chart.add_subplot()
    panel = Panel("Froude number Ω²R/g", "dynamic angle of repose (degrees)", [curve], log_x=True, from_zero=True)
    axes.errorbar(x, y, [one.angle.degrees_error for one in below], fmt="none", ecolor=PALETTE[1], capsize=3)
    draw_panel(panel, axes)
    axes.set_xticks(x, [f"{froude:g}" for froude in x])
    axes.set_xticks([], minor=True)
    return (
        Picture(
            save_figure(shots, folder / "snapshots.png"),
            "At the end of each run, seen along the axis; the drum turns clockwise. Slate: glued to the drum. Sand and "
            "brick: loose, and at the start left and right of the middle. Yellow: the line fitted to this frame; "
            "angles are means over the last frames.",
        ),
        Picture(
            save_figure(chart, folder / "angles.png"),
            "Dynamic angle of repose against the Froude number; bars are deviations of single frames.",
        ),
    )


STUDY = Study(
    "R3",
    "A tumbler, from an avalanching heap to a centrifuged ring",
    "A drum of 30 mm lined with glued spheres, 6513 spheres in all, 568 of them glued: the dynamic angle of repose "
    "rises with the Froude number from 0.001 to 0.5, and at 1 and above the grains centrifuge (Figures 7 and 8).",
    run,
    "a drum of 15 mm, 370 spheres of 2 mm, Froude numbers 0.02, 0.3 and 1.5",
)
