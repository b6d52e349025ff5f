"""Y3: rough grains at a rough hopper jam (Yee 2009, section 3.2). The jam is found from the outflow alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.draw.snapshots import draw_snapshots
from barchan.frame import Frame
from barchan.measures.flow import Flow, Jam, flow_through, jams
from barchan.scene import Scene
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.piles import NOTE
from barchan.studies.yee import Hopper, record

ROLLING = 0.0005  # μr (m) of rough grains, and μτ (m s) of the rough hopper
OUTLET = 1.8  # m, radius of the mouth: 3.6 grains across
JAMMED = 50.0 / 120.0  # part of the run in which the paper's hopper is jammed
FEW_HOPPERS = 3  # rough ones of the quick form: a hundred grains tell little, and jams are a mean
LEAST = 1.0  # s without a grain that count as a jam
FRAMES = (0.05, 0.15, 0.5, 1.0)  # parts of the run that are shown
MOUTH_NOTE = (
    f"The paper does not give its hopper. The mouth here is {2 * OUTLET:g} m wide, narrower than in the other studies."
)


@dataclass(frozen=True)
class Outflow:
    """What came out of a hopper."""

    scene: Scene
    flow: Flow
    snapshots: list[Frame]

    @property
    def arrival(self) -> float:
        """Time, s, of the first grain below the mouth; infinite where there is none."""
        below = np.flatnonzero(self.flow.count > 0)
        return float(self.flow.time[below[0]]) if len(below) else np.inf


def outflow(hopper: Hopper, folder: Path, progress: Progress) -> Outflow:
    """Run a hopper and look at what comes out of it."""
    scene = hopper.scene()
    with record(scene, folder, progress) as recording:
        flow = flow_through(recording, hopper.mouth)
        shown = [recording[round(part * (len(recording) - 1))] for part in FRAMES]
    return Outflow(scene, flow, shown)


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Run the rough hopper, and a smooth one beside it."""
    count, duration = (100, 15.0) if quick else (1575, 120.0)

    def flowing(friction: float, seed: int, name: str) -> Outflow:
        hopper = Hopper(
            count=count,
            duration=duration,
            friction=friction,
            rolling=ROLLING * friction,
            wall_friction=friction,
            wall_rolling=ROLLING * friction,
            outlet=OUTLET,
            integrator="verlet",
            seed=seed,
        )
        return outflow(hopper, folder / name, progress)

    rough, smooth = flowing(1.0, 0, "rough"), flowing(0.0, 0, "smooth")
    found = {"rough": rough, "smooth": smooth}
    halts = {name: jams(one.flow, least=LEAST, since=smooth.arrival) for name, one in found.items()}
    others = [flowing(1.0, seed, f"rough-{seed}") for seed in range(1, FEW_HOPPERS if quick else 1)]
    every = [halts["rough"], *(jams(one.flow, least=LEAST, since=smooth.arrival) for one in others)]
    jammed = float(np.mean([sum(jam.duration for jam in several) for several in every]))
    intervals = ", ".join(f"{jam.start:.1f} to {jam.end:.1f} s, {jam.waiting} waiting" for jam in halts["rough"])
    rows = (
        Row("rough: jams", "one or more", intervals or "none"),
        Row(
            "rough: part of the run that is jammed",
            f"over {100 * JAMMED:.0f}",
            f"{100 * jammed / duration:.0f}",
            "%",
            jammed > JAMMED * duration,
            f"> {100 * JAMMED:.0f}%: 50 s of 120 s",
        ),
        Row("rough: grains through the mouth", "–", f"{rough.flow.count[-1]} of {rough.flow.total}"),
        Row(
            "smooth: jams",
            "none",
            str(len(halts["smooth"])),
            passed=not halts["smooth"] and bool(smooth.flow.count[-1] == smooth.flow.total),
            criterion="none, and all grains pass",
        ),
        Row("mean flow, rough / smooth", "–", f"{rough.flow.mean_rate:.0f} / {smooth.flow.mean_rate:.0f}", "kg/s"),
    )
    return StudyResult(rows, _pictures(found, halts["rough"], folder), (MOUTH_NOTE, NOTE))


def _pictures(found: dict[str, Outflow], halts: list[Jam], folder: Path) -> tuple[Picture, ...]:
    curves = [Curve(one.flow.time, one.flow.count, name) for name, one in found.items()]
    for jam in halts:
        top = [found["rough"].flow.total] * 2
        curves.append(Curve([jam.start, jam.end], top, f"jam, {jam.duration:.1f} s", "band", "#c0563b"))
    rates = [Curve(one.flow.time, np.maximum(one.flow.rate(1.0), 0.0) / 1e3, name) for name, one in found.items()]
    panels = [
        Panel("time (s)", "grains below the mouth", curves, "Outflow", from_zero=True),
        Panel("time (s)", "mass flow over 1 s (t/s)", rates, "Mass flow", from_zero=True),
    ]
    rows = [(name, one.snapshots) for name, one in found.items()]
    walls = found["rough"].scene.walls
    return (
        Picture(save_figure(draw_panels(panels), folder / "outflow.png"), "Outflow, with the jams found in it."),
        Picture(save_figure(draw_snapshots(rows, walls, color="id"), folder / "snapshots.png"), "The hoppers."),
    )


STUDY = Study(
    "Y3",
    "Rough grains jam at a rough hopper",
    "μs = μq = 1, μr = μτ = 5e-4 at the hopper: 1575 grains jam for over 50 s of 120 s.",
    run,
    f"100 grains for 15 s instead of 1575 for 120 s, in {FEW_HOPPERS} fillings of the rough hopper",
)
