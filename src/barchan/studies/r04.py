"""R4: three tests of features (Richardson 2011, §3): a tilted plane in a cylinder, a ring, a shaken disk."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.draw.snapshots import draw_snapshots
from barchan.record.recording import Recording
from barchan.scene import Scene, load
from barchan.simulation.loop import run as run_scene
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult

GRAVITY = 9.81  # m/s²
ROUND_OFF = 1e-9  # m
REST = 0.01  # m/s, slower than which a grain that only hops at its contact time is at rest


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Run the three scenes of the library."""
    rows: list[Row] = []
    panels, shots = [], []
    for name, seconds, judge in (
        ("tilted-cylinder", 1.5 if quick else 3.0, _tilted),
        ("ring-roll", 2.0 if quick else 10.0, _ring),
        ("vibrated-disk", 0.4 if quick else 4.0, _shaken),
    ):
        scene = load(name, [f"duration={seconds}"])
        with run_scene(scene, folder / name, force=True, progress=progress).recording as recording:
            found, panel = judge(scene, recording)
            rows += found
            panels.append(panel)
            taken = [recording[0], recording[len(recording) // 4], recording[-1]]
            figure = draw_snapshots([(name, taken)], scene.walls)
            shots.append(Picture(save_figure(figure, folder / f"{name}.png"), f"{name}: start, a quarter, end."))
    chart = save_figure(draw_panels(panels, columns=3), folder / "features.png")
    charts = Picture(chart, "What the three scenes show.")
    return StudyResult(tuple(rows), (charts, *shots))


def _tilted(scene: Scene, recording: Recording) -> tuple[list[Row], Panel]:
    """No grain leaves the cylinder or the plane, and all come to rest in the low corner."""
    normal, worst = np.array([-1.0, 0.0, 2.0]) / math.sqrt(5), 0.0
    for frame in recording:
        across = np.hypot(frame.position[:, 0], frame.position[:, 1]) + frame.radius - 0.05
        below = frame.radius - frame.position @ normal
        worst = max(worst, float(across.max()), float(below.max()))
    last = recording[-1]
    speed = float(np.median(np.linalg.norm(last.velocity, axis=1)))
    series = recording.series
    rows = [
        Row("tilted cylinder: deepest in a wall", "held", f"{worst:.1e}", "m", worst < ROUND_OFF, "round-off"),
        Row("tilted cylinder: median speed at the end", "rest", f"{speed:.4f}", "m/s", speed < REST, f"< {REST:g} m/s"),
        Row(
            "tilted cylinder: mean x at the end", "in the low corner", f"{last.position[:, 0].mean():.4f}", "m",
            float(last.position[:, 0].mean()) < -0.01, "1 cm below the axis, downhill",
        ),
    ]  # fmt: skip
    curve = Curve(series["time"], 1e3 * series["kinetic_energy"])
    return rows, Panel("time (s)", "kinetic energy (mJ)", [curve], "Tilted cylinder")


def _ring(scene: Scene, recording: Recording) -> tuple[list[Row], Panel]:
    """The ball swings in the ring's plane like a pendulum as long as the ring's radius less its own."""
    place = np.array([frame.position[0] for frame in recording])
    arm, angle = 0.09, np.arctan2(place[:, 0], -place[:, 2])
    period = _period(recording.times, angle)
    start = abs(angle[0])
    expected = 2 * math.pi * math.sqrt(arm / GRAVITY) * (1 + start**2 / 16)
    off = float(np.abs(place[:, 1]).max())
    far = float(np.abs(np.hypot(place[:, 0], place[:, 2]) - arm).max())
    rows = [
        Row("ring: out of its plane", "balanced", f"{off:.1e}", "m", off < ROUND_OFF, "round-off"),
        Row("ring: off the circle", "rolls on the ring", f"{far:.1e}", "m", far < 2e-3 * arm, f"< {2e-3 * arm:.1e} m"),
        Row(
            "ring: period", "not stated", f"{period:.4f}; pendulum {expected:.4f}", "s",
            abs(period / expected - 1) < 0.02, "within 2% of a pendulum",
        ),
    ]  # fmt: skip
    return rows, Panel("time (s)", "angle (degrees)", [Curve(recording.times, np.degrees(angle))], "Ring")


def _period(times: np.ndarray, angle: np.ndarray) -> float:
    """The mean time, s, between upward passages through zero, interpolated."""
    rising = np.flatnonzero((angle[:-1] < 0) & (angle[1:] >= 0))
    share = angle[rising] / (angle[rising] - angle[rising + 1])
    moments = times[rising] + share * (times[rising + 1] - times[rising])
    return float(np.diff(moments).mean())


def _shaken(scene: Scene, recording: Recording) -> tuple[list[Row], Panel]:
    """No grain leaves; the disk does work on the grains, which dissipate it; the books close."""
    worst = 0.0
    for frame in recording:
        disk = 2e-3 * math.sin(2 * math.pi * 25 * frame.time)
        across = np.hypot(frame.position[:, 0], frame.position[:, 1]) + frame.radius - 0.03
        worst = max(worst, float(across.max()), float((disk - frame.position[:, 2] + frame.radius).max()))
    series = recording.series
    work = series["wall_work"]
    error = float(np.abs(series["energy_error"]).max() / np.abs(work).max())
    rows = [
        Row("shaken disk: deepest in a wall", "held", f"{worst:.1e}", "m", worst < ROUND_OFF, "round-off"),
        Row("shaken disk: work of the disk", "agitates", f"{1e3 * work[-1]:.3f}", "mJ", bool(work[-1] > 0), "> 0"),
        Row("shaken disk: energy error over that work", "not stated", f"{error:.1e}", "", error < 1e-9, "< 1e-9"),
    ]
    curve = Curve(series["time"], 1e3 * work, "work of the disk")
    lost = Curve(series["time"], 1e3 * (series["dissipated_normal"] + series["dissipated_friction"]), "dissipated")
    return rows, Panel("time (s)", "energy (mJ)", [curve, lost], "Shaken disk")


STUDY = Study(
    "R4",
    "Features: a tilted plane in a cylinder, a ball in a ring, a shaken disk",
    "Spheres dropped into a cylinder cut by a tilted plane; a sphere balanced on the inside of a vertical ring; "
    "hundreds of spheres on an oscillating disk in a cylinder.",
    run,
    "1.5, 2 and 0.4 s instead of 3, 10 and 4 s",
)
