"""P3: avalanches in a slow drum, steady flow in a fast one (Pöschel and Buchholtz 1995, Figs. 18 and 19)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import curve_fit

from barchan.draw.charts import Curve, Panel, blank_figure, draw_panels
from barchan.draw.files import save_figure
from barchan.draw.picture import draw_scene
from barchan.model.build import build
from barchan.record.frame import Frame
from barchan.run.progress import Progress
from barchan.scene import Scene
from barchan.solvers import beams_ledger, beams_watch
from barchan.solvers.beams import BeamSolver
from barchan.studies import Picture, Row, Study, StudyResult

SAMPLE = 0.01  # s
SLOW_SHARE = 0.3  # of the mean energy in the drum's frame: below it the grains rest in the drum
TILT = 0.5  # rad
POWER, NEAR = 2.0, 0.4


@dataclass(frozen=True)
class Drum:
    """A drum with squares of up to `size` (m), turning for `turns` of a turn and at least for `least` s."""

    radius: float
    size: float
    count: int
    inertia: float  # m³, of the beams' section
    step: float  # s
    turns: float
    least: float
    fin: float  # m, height of the fins that stand on the wall, two and a half grains apart

    def scene(self, rate: float) -> Scene:
        """The drum at `rate` (rad/s)."""
        half = 0.67 * self.radius
        group = {
            "name": "grains", "material": "grain", "shape": "square", "orientation": "random", "count": self.count,
            "size": {"kind": "uniform", "low": 0.75 * self.size, "high": self.size},
            "fill": {"kind": "random", "region": {"kind": "box", "low": (-half, 0, -half), "high": (half, 0, half)}},
        }  # fmt: skip
        wall = {
            "name": "drum", "shape": "cylinder", "axis": (0, 1, 0), "radius": self.radius, "material": "drum",
            "motion": {"kind": "rotate", "axis": (0, 1, 0), "rate": rate},
        }  # fmt: skip
        fins = []
        for k in range(count := round(2 * math.pi * self.radius / (2.5 * self.size))):
            across = np.array([math.cos(2 * math.pi * k / count), 0.0, math.sin(2 * math.pi * k / count)])
            ends = [tuple((far * across).tolist()) for far in (self.radius - 1e-4, self.radius - 1e-4 - self.fin)]
            line = {"shape": "line", "start": ends[0], "end": ends[1]}
            fins.append({**line, "name": f"fin {k}", "material": "drum", "motion": wall["motion"]})
        material = {"density": 1000.0, "young": 2e6, "friction": 0.0}
        return Scene.model_validate({
            "name": "drum", "solver": "beams", "dimensions": 2, "duration": 1.0, "frame_rate": 100.0, "seed": 2,
            "materials": {"grain": material, "drum": material},
            "beams": {"integrator": "verlet", "inertia": self.inertia, "wall_thickness": 0.3 * self.size},
            "pairs": [{"between": ("grain", "drum"), "friction": 1.0}], "grains": [group], "walls": [wall, *fins],
        })  # fmt: skip


@dataclass(frozen=True)
class Tumbling:
    """What a drum does at one rate; S samples."""

    rate: float  # rad/s
    time: np.ndarray  # (S,) s
    angle: np.ndarray  # (S,) degrees: of the line from the axis to the centre of mass, against the vertical
    energy: np.ndarray  # (S,) J, kinetic, in the drum's frame
    frame: Frame
    scene: Scene

    @property
    def later(self) -> np.ndarray:
        """Samples after the first third, and after a turn by TILT: until then the bed settles and tilts."""
        return self.time > max(self.time[-1] / 3, TILT / self.rate)

    @property
    def rest(self) -> float:
        """The share of the time in which grains rest in the drum."""
        energy = self.energy[self.later]
        return float(np.mean(energy < SLOW_SHARE * energy.mean()))

    @property
    def inclination(self) -> float:
        """Mean inclination, degrees."""
        return float(self.angle[self.later].mean())


def law(rate: np.ndarray, repose: float, factor: float, power: float) -> np.ndarray:
    """Inclination, degrees, at an angular velocity in rad/s."""
    return repose + factor * rate**power


def tumble(drum: Drum, rate: float, progress: Progress) -> Tumbling:
    """Turn the drum, and look every SAMPLE."""
    scene = drum.scene(rate)
    solver = BeamSolver(*build(scene), drum.step)
    samples = round(max(drum.turns * 2 * np.pi / rate, drum.least) / SAMPLE)
    rows, frame = [], solver.snapshot()
    for k in range(samples):
        progress.status(f"drum at {rate:g} rad/s", f"{k} of {samples}")
        solver.advance_to((k + 1) * SAMPLE)
        body = beams_ledger.bodies(solver)
        middle = np.average(body.position, axis=0, weights=body.mass)
        u, w = body.velocity[:, 0] - rate * body.position[:, 2], body.velocity[:, 2] + rate * body.position[:, 0]
        rows.append(
            (solver.time, np.degrees(np.arctan2(-middle[0], -middle[2])), 0.5 * np.sum(body.mass * (u**2 + w**2)))
        )
        frame = solver.snapshot() if k == samples - 1 else frame
    beams_watch.check(solver)
    table = np.array(rows)
    return Tumbling(rate, table[:, 0], table[:, 1], table[:, 2], frame, scene)


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Turn drums at several rates."""
    rates: tuple[float, ...]
    if quick:
        drum, rates = Drum(0.0145, 3e-3, 20, 1e-10, 2.5e-5, 0.0, 1.5, 1e-3), (0.7, 8.0)
    else:
        drum, rates = Drum(0.02, 1e-3, 400, 5e-12, 1e-5, 0.25, 4.0, 1e-3), (0.25, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
    found = [tumble(drum, rate, progress) for rate in rates]
    slow, fast = found[0], found[-1]
    rows = [
        Row(f"share of time at rest in the drum at {slow.rate:g} rad/s", "most of it", f"{slow.rest:.2f}", "",
            slow.rest > 0.25, "above 0.25"),
        Row(f"the same at {fast.rate:g} rad/s", "steady flow", f"{fast.rest:.2f}", "", fast.rest < 0.1, "below 0.1"),
        Row("inclination, slow and fast", "grows", f"{slow.inclination:.0f}, {fast.inclination:.0f}", "°",
            fast.inclination > slow.inclination, "fast above slow"),
    ]  # fmt: skip
    rate = np.array([one.rate for one in found])
    lean = np.array([one.inclination for one in found])
    if not quick:
        (repose, _, power), spread = curve_fit(
            law, rate, lean, p0=(lean[0], 0.1, POWER), bounds=([0.0, 1e-3, 0.2], [60.0, 60.0, 6.0])
        )
        rows.append(Row("power of Ω in inclination − inclination at rest", f"{POWER:g}",
                        f"{power:.2f} ± {math.sqrt(spread[2, 2]):.2f}, above {repose:.1f}°", "",
                        abs(power - POWER) < NEAR, f"within {NEAR:g}"))  # fmt: skip
    panels = [
        Panel("time (s)", "kinetic energy in the drum's frame (nJ)", [
            Curve(one.time, 1e9 * one.energy, f"{one.rate:g} rad/s") for one in (slow, fast)
        ], log_y=True),
        Panel("time (s)", "inclination (°)", [
            Curve(one.time, one.angle, f"{one.rate:g} rad/s") for one in (slow, fast)
        ]),
        Panel("angular velocity (rad/s)", "inclination (°)", [Curve(rate, lean, "", "both")]),
    ]  # fmt: skip
    shots = blank_figure(11.0, 4.6)
    for place, one in enumerate((slow, fast), start=1):
        axes = shots.add_subplot(1, 2, place)
        draw_scene(one.frame, one.scene.walls, ax=axes, color="speed")
        axes.set_title(f"{one.rate:g} rad/s", fontsize=9)
    return StudyResult(
        tuple(rows),
        (
            Picture(save_figure(shots, folder / "drums.png"), "Grains in a slow and in a fast drum (Fig. 18)."),
            Picture(save_figure(draw_panels(panels, columns=3), folder / "inclination.png"),
                    "Motion in the drum over time, and its inclination against the angular velocity (Fig. 19)."),
        ),
        ("Grains are squares without friction; the drum's wall has fins and μ = 1, the paper's its own grains.",),
    )  # fmt: skip


STUDY = Study(
    "P3", "Avalanches in a slow drum, steady flow in a fast one",
    "stick–slip when slow, steady when fast; inclination minus that of repose ∝ Ω² (Figs. 18, 19)", run,
    "20 squares and two rates, 1.5 s each, instead of 400 and seven; the power is fitted at full size only",
)  # fmt: skip
