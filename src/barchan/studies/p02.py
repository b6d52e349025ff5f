"""P2: angular grains run out of a hopper irregularly, and clog it (Pöschel and Buchholtz 1995, Fig. 17).

The paper also tells, without figures, that vertical shaking at 40 to 60 Hz slows the flow down: what becomes of the
flow is measured here against frequency and acceleration, and told as found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, blank_figure, draw_panels
from barchan.draw.files import save_figure
from barchan.draw.palette import PALETTE
from barchan.draw.shots import Shot, draw_shots
from barchan.frame import Frame
from barchan.measures.flow import Flow, Jam, jams
from barchan.scene import Scene
from barchan.scene.beams_frame import Strips
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.runs import recorded

GRAVITY = 9.81  # m/s²
SIZES = 1.2e-3, 2.0e-3  # m, across a grain
RATE = 200.0  # frames/s
WINDOW = 0.05  # s, over which the flow is counted
LEAST = 0.1  # s without a grain that count as clogged; grains follow each other within some hundredths
SLICES = 40  # of the hopper's height, in the picture of densities
FREQUENCIES, ACCELERATIONS = (40.0, 50.0, 60.0), (1.0, 2.0)  # 1/s, and times gravity


@dataclass(frozen=True)
class Hopper:
    """A hopper of angular grains: what the study varies."""

    count: int
    mouth: float  # m, width between the middles of the walls
    half: float  # m, half the width of the bin
    duration: float  # s
    frequency: float = 0.0  # 1/s; 0: at rest
    acceleration: float = 0.0  # of the shaking, over gravity
    seed: int = 0

    @property
    def funnel(self) -> float:
        """Height, m, of the funnel."""
        return self.half - self.mouth / 2

    def scene(self) -> Scene:
        """The scene."""
        clear, high = 0.6 * SIZES[1], self.funnel + 1.6 * self.count * SIZES[1] ** 2 / (2 * self.half)
        fill = {"kind": "box", "low": (clear - self.half, 0, self.funnel), "high": (self.half - clear, 0, high)}
        sides = [
            {"name": name, "shape": "line", "start": (sign * (self.half + SIZES[1]), 0, self.funnel + SIZES[1]),
             "end": (sign * self.mouth / 2, 0, 0)}
            for name, sign in (("left", -1), ("right", 1))
        ]  # fmt: skip
        sides += [
            {"name": name, "shape": "plane", "point": (sign * self.half, 0, 0), "normal": (-sign, 0, 0)}
            for name, sign in (("west", -1), ("east", 1))
        ]
        shaken = {}
        if self.frequency:
            amplitude = self.acceleration * GRAVITY / (2 * math.pi * self.frequency) ** 2
            shaken = {"motion": {"kind": "oscillate", "amplitude": amplitude, "frequency": self.frequency}}
        return Scene.model_validate({
            "name": "hopper of angular grains", "solver": "beams", "dimensions": 2, "duration": self.duration,
            "frame_rate": RATE, "seed": self.seed, "time_step": 8e-6, "gravity": (0, 0, -GRAVITY),
            "materials": {"grain": {"density": 1000.0, "young": 2e6, "friction": 0.3}},
            "beams": {"inertia": 5e-12, "integrator": "verlet", "grip": 0.0},
            "grains": [{
                "name": "grains", "material": "grain", "shape": {"kind": "irregular", "corners": 5},
                "size": {"kind": "uniform", "low": SIZES[0], "high": SIZES[1]}, "orientation": "random",
                "count": self.count, "fill": {"kind": "random", "region": fill},
            }],
            "walls": [{**side, **shaken, "material": "grain"} for side in sides],
            "sinks": [{"name": "outlet", "region": {
                "kind": "box", "low": (-10 * self.half, 0, -1.0), "high": (10 * self.half, 0, -0.012),
            }}],
        })  # fmt: skip


@dataclass(frozen=True)
class Outflow:
    """What came out of a hopper, and how dense the grains in it were."""

    hopper: Hopper
    scene: Scene
    flow: Flow
    density: np.ndarray  # (F, SLICES) kg/m² in slices from the mouth upwards
    top: float  # m, upper end of the slices
    frames: list[Frame]

    @property
    def clear(self) -> float:
        """Width, m, of the mouth between the faces of its walls; their middles in a recording that has no faces."""
        made = self.frames[0].table(Strips)
        if made is None:
            return self.hopper.mouth
        return 2.0 * float(np.abs(made.strip_corners[:, ::2]).min())

    @property
    def clogs(self) -> list[Jam]:
        """Times in which nothing flowed although grains were waiting, since the first grain came out."""
        first = np.flatnonzero(self.flow.count > 0)
        return jams(self.flow, least=LEAST, since=float(self.flow.time[first[0]])) if len(first) else []

    @property
    def last(self) -> float:
        """Time, s, at which the last grain came out."""
        return float(self.flow.time[int(np.argmax(self.flow.count))])

    @property
    def rate(self) -> float:
        """Grains per second that came out after the first, until the last."""
        out = np.flatnonzero(self.flow.count > 0)
        if not len(out) or self.last <= self.flow.time[out[0]]:
            return 0.0
        return float((self.flow.count[-1] - self.flow.count[out[0]]) / (self.last - self.flow.time[out[0]]))

    @property
    def unevenness(self) -> float:
        """Standard deviation over mean of the grains that pass in a window, while the flow lasts."""
        first = np.flatnonzero(self.flow.count > 0)
        begin, end = (float(self.flow.time[first[0]]), self.last) if len(first) else (0.0, 0.0)
        edges = np.arange(begin, end, WINDOW)
        if len(edges) < 3:
            return math.nan
        passed = np.diff(np.interp(edges, self.flow.time, self.flow.count))
        return float(passed.std() / passed.mean())


def outflow(hopper: Hopper, folder: Path, progress: Progress) -> Outflow:
    """Run a hopper, and look at what leaves it: grains below the mouth, and those the sink has taken."""
    scene = hopper.scene()
    rows, density = [], []
    width = 2 * hopper.half
    with recorded(scene, folder, progress) as recording:
        top = float(recording[0].position[:, 2].max())
        total, whole = len(recording[0]), float(recording[0].mass.sum())
        edges = np.linspace(0.0, top, SLICES + 1)
        for frame in recording:
            height, mass = frame.position[:, 2], frame.mass
            above = height >= 0.0
            rows.append((frame.time, total - int(above.sum()), whole - float(mass[above].sum())))
            density.append(np.histogram(height, edges, weights=mass)[0] / (width * np.diff(edges)))
        time, count, mass = np.array(rows, float).T
        middle = int(np.argmax(count >= 0.5 * count[-1]))  # when half of what comes out has
        shown = [recording[middle], recording[len(recording) - 1]]
    return Outflow(hopper, scene, Flow(time, count.astype(int), mass, total), np.array(density), top, shown)


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Run a wide and a narrow mouth, and the wide one shaken."""
    size = sum(SIZES) / 2
    wide = Hopper(60, 4.0 * size, 0.008, 0.4) if quick else Hopper(400, 5.0 * size, 0.018, 2.0)
    found = {
        "wide": outflow(wide, folder / "wide", progress),
        "narrow": outflow(replace(wide, mouth=(1.8 if quick else 2.8) * size), folder / "narrow", progress),
    }
    shaken = [] if quick else [
        outflow(replace(wide, frequency=f, acceleration=a), folder / f"shaken-{f:g}-{a:g}", progress)
        for f in FREQUENCIES for a in ACCELERATIONS
    ]  # fmt: skip
    open_, shut = found["wide"], found["narrow"]
    left = shut.flow.total - int(shut.flow.count[-1])
    clogged = bool(shut.clogs) and shut.clogs[-1].end >= shut.flow.time[-1] - 1.5 / RATE
    rows = [
        Row(f"mouth of {1e3 * open_.clear:.1f} mm: grains through it", "flows",
            f"{open_.flow.count[-1]} of {open_.flow.total}", "", bool(open_.flow.count[-1] > 0.9 * open_.flow.total),
            "over nine tenths"),
        Row("the same: grains per second", "–", f"{open_.rate:.0f}", "1/s"),
        Row(f"mouth of {1e3 * shut.clear:.1f} mm: stops", "clogs",
            f"at {shut.clogs[-1].start:.2f} s with {left} waiting" if clogged else "no", "", clogged and left > 0,
            "clogged at the end"),
    ]  # fmt: skip
    if not quick:
        uneven = Row("unevenness of the flow through the wide mouth, σ over mean in 0.05 s", "irregular",
                     f"{open_.unevenness:.2f}", "", open_.unevenness > 0.1, "> 0.1")  # fmt: skip
        rows.append(uneven)
    rows += [
        Row(f"shaken at {one.hopper.frequency:g} Hz with {one.hopper.acceleration:g} g: grains per second, "
            "over that at rest", "slower, almost to a stop", f"{one.rate:.0f}, {one.rate / open_.rate:.2f}")
        for one in shaken
    ]  # fmt: skip
    pictures = [_snapshots(found, folder), _waves(found, folder)]
    if shaken:
        pictures.append(_shaking(open_, shaken, folder))
    return StudyResult(tuple(rows), tuple(pictures), (
        "The paper gives neither the hopper nor the grains' shape: these have five corners at random, 1.2 to 2 mm "
        "across, with μ = 0.3, and the shaking moves the hopper's walls.",
    ))  # fmt: skip


def _snapshots(found: dict[str, Outflow], folder: Path) -> Picture:
    """Hoppers in flow and at the end, grains in the colour of their speed."""
    shots = []
    for name, which in (("wide", 0), ("narrow", 0), ("narrow", 1)):
        one, frame = found[name], found[name].frames[which]
        h = one.hopper
        side = np.array([[h.half, h.funnel], [h.half, one.top]])
        lines = (side, side * [-1.0, 1.0])
        shots.append(Shot(frame, f"mouth of {1e3 * one.clear:.1f} mm, {frame.time:.2f} s", lines))
    hopper = found["wide"].hopper
    top = 1.2 * max(float(shot.frame.position[:, 2].max(initial=hopper.funnel)) for shot in shots)
    figure = draw_shots(
        shots, fastest=math.sqrt(2 * GRAVITY * hopper.mouth), across=(-1.1 * hopper.half, 1.1 * hopper.half),
        up=(-0.012, top),
    )  # fmt: skip
    return Picture(
        save_figure(figure, folder / "hoppers.png"), "Hoppers that flow, and one that has clogged (Fig. 17)."
    )


def _waves(found: dict[str, Outflow], folder: Path) -> Picture:
    """How many grains have come out, and how dense they are along the hopper, against time."""
    figure = blank_figure(11.0, 3.6)
    for place, (name, one) in enumerate(found.items(), start=1):
        axes = figure.add_subplot(1, 3, place)
        image = axes.imshow(
            one.density.T, origin="lower", aspect="auto", cmap="viridis", vmin=0.0,
            extent=(0.0, float(one.flow.time[-1]), 0.0, 1e3 * one.top),
        )  # fmt: skip
        figure.colorbar(image, ax=axes).set_label("mass over area (kg/m²)", fontsize=8)
        axes.set_xlabel("time (s)", fontsize=8)
        axes.set_ylabel("height above the mouth (mm)", fontsize=8)
        axes.tick_params(labelsize=7)
        axes.set_title(f"{name} mouth", fontsize=9)
    axes = figure.add_subplot(1, 3, 3)
    for k, (name, one) in enumerate(found.items()):
        axes.plot(one.flow.time, one.flow.count, label=name, color=PALETTE[k])
    axes.set_xlabel("time (s)", fontsize=8)
    axes.set_ylabel("grains that have come out", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.legend(fontsize=8, frameon=False)
    return Picture(save_figure(figure, folder / "waves.png"), "Density along the hopper over time, and the outflow.")


def _shaking(still: Outflow, shaken: Sequence[Outflow], folder: Path) -> Picture:
    curves = [
        Curve(
            [one.hopper.frequency for one in shaken if one.hopper.acceleration == a],
            [one.rate / still.rate for one in shaken if one.hopper.acceleration == a],
            f"{a:g} g", "both",
        )
        for a in ACCELERATIONS
    ]  # fmt: skip
    panel = Panel("frequency of the shaking (Hz)", "grains per second, over that at rest", curves, from_zero=True)
    return Picture(save_figure(draw_panels([panel]), folder / "shaking.png"), "Outflow of a hopper that is shaken.")


STUDY = Study(
    "P2", "Angular grains run out of a hopper irregularly, and clog it",
    "400 grains: irregular flow, density waves, clogging (Fig. 17); shaking at 40–60 Hz slows it, told without figures",
    run, "60 grains for 0.4 s in two hoppers instead of 400 for 2 s, and no shaking",
)  # fmt: skip
