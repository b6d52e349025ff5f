"""Y5: a box full of grains turns over: slow, then swift, then still (Yee 2009, Figure 8).

The paper shows its container, smooth and open on one side, but not its size, nor how fast it turns. Here it stands
above the floor and turns about its middle by a quarter turn within two seconds, until its open side looks down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.draw.snapshots import draw_snapshots
from barchan.frame import Frame
from barchan.measures.motion import moving
from barchan.measures.terrain import HeightMap, height_map
from barchan.record.recording import Recording
from barchan.scene import Scene
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.piles import NOTE
from barchan.studies.yee import FRAME_RATE, SIZE, cubes, record, yee_scene

COUNT = 6889
LENGTH, WIDTH, HEIGHT = 26.0 * SIZE, 20.0 * SIZE, 22.0 * SIZE  # m, of the container, for COUNT grains
LIFT = 22.0 * SIZE  # m, of the container's middle above the floor
TURNED = 200  # the paper's frame at which the container turns
TURN = 2.0  # s that a quarter turn takes
LAST = 700  # frames in all
SCATTER = 2.0  # m/s, of the velocities at the start: a lattice of cubes would stand as it is
JITTER = 0.05 * SIZE
CONTAINER_FRICTION = 0.1
CREEP = 0.02 * SIZE  # m/s: what goes slower counts as still
SWIFT = 1.0  # m/s
STILL, ALL_SWIFT = 0.95, 0.8  # parts of the grains that must be still in the end, and swift in between
QUICK_REST = 8.0  # s after the end of the turn, within which the grains come to rest


@dataclass(frozen=True)
class Turnover:
    """How large it all is, in parts of the full study, and how long it takes."""

    count: int = COUNT
    size: float = 1.0
    last: int = LAST

    @property
    def begin(self) -> float:
        """When the container begins to turn, s."""
        return math.sqrt(self.size) * TURNED / FRAME_RATE

    @property
    def end(self) -> float:
        """When it has turned, s."""
        return self.begin + math.sqrt(self.size) * TURN

    def walls(self) -> list[dict[str, Any]]:
        """The floor, and a container of a bottom and three sides."""
        length, width, height, lift = (self.size * part for part in (LENGTH, WIDTH, HEIGHT, LIFT))
        turn = {
            "kind": "keyframes",
            "keys": [{"time": self.end - self.begin, "rotation": [0.0, 0.5 * math.pi, 0.0]}],
            "ease": "linear",
            "center": [0.0, 0.0, lift],
            "start": self.begin,
        }
        sides = (
            ("bottom", (0.0, 0.0, lift - height / 2), (0.0, 0.0, 1.0), (length, width)),
            ("left", (-length / 2, 0.0, lift), (1.0, 0.0, 0.0), (height, width)),
            ("front", (0.0, -width / 2, lift), (0.0, 1.0, 0.0), (length, height)),
            ("back", (0.0, width / 2, lift), (0.0, -1.0, 0.0), (length, height)),
        )
        container = [
            {
                "name": name,
                "shape": "rectangle",
                "center": list(center),
                "normal": list(normal),
                "edge": [0.0, 0.0, 1.0] if name == "left" else [1.0, 0.0, 0.0],
                "widths": list(widths),
                "material": "hopper",
                "motion": turn,
            }
            for name, center, normal, widths in sides
        ]
        return [{"name": "floor", "shape": "plane", "material": "floor"}, *container]

    def scene(self) -> Scene:
        """The scene."""
        length, width, height, lift = (self.size * part for part in (LENGTH, WIDTH, HEIGHT, LIFT))
        low = [-length / 2, -width / 2, lift - height / 2]
        region = {"kind": "box", "low": low, "high": [length / 2, width / 2, lift + 1.5 * height]}
        return yee_scene(
            name=f"turnover of {self.count} grains",
            duration=self.last / FRAME_RATE,
            integrator={"kind": "verlet"},
            wall_friction={"hopper": (CONTAINER_FRICTION, 0.0)},
            grains=cubes(self.count, {"kind": "lattice", "region": region, "jitter": JITTER}, scatter=SCATTER),
            walls=self.walls(),
        )


@dataclass(frozen=True)
class Terrain:
    """What the recording tells."""

    time: np.ndarray  # (S,) s
    energy: np.ndarray  # (S,) J a grain, kinetic, of translation
    swift: np.ndarray  # (S,) part of the grains faster than SWIFT
    slow: np.ndarray  # (S,) part of the grains slower than CREEP
    fallen: float  # part of the grains that have left the container when it begins to turn
    stays: float  # part of the grains that stay where they are over the last fifth of the time after the turn
    maps: tuple[HeightMap, HeightMap]  # at the beginning and at the end of that last fifth
    snapshots: tuple[Frame, ...]

    def rest(self, since: float) -> float:
        """Time, s, after which STILL of the grains are slow for good; infinite where they never are."""
        awake = np.flatnonzero(self.slow < STILL)
        if len(awake) and awake[-1] + 1 >= len(self.time):
            return math.inf
        return float(self.time[awake[-1] + 1] - since) if len(awake) else 0.0


def told(recording: Recording, turnover: Turnover) -> Terrain:
    """Measure a recorded turnover."""
    last = len(recording) - 1
    turned = round(turnover.begin * FRAME_RATE)
    late = round(last - 0.2 * (last - turned))
    before, after = recording[late], recording[last]
    rows = []
    for k in range(0, last + 1, max(1, last // 240)):
        speed = np.linalg.norm(recording[k].velocity, axis=1)
        energy = 0.5 * float((recording[k].mass * speed**2).mean())
        rows.append((recording[k].time, energy, float((speed > SWIFT).mean()), float((speed < CREEP).mean())))
    time, energies, swift, slow = np.array(rows).T
    edge = turnover.size * (LIFT - HEIGHT / 2)
    reach = float(np.abs(after.position[:, :2]).max()) + SIZE
    cells = math.ceil(2 * reach / (SIZE / 4))
    low = (-reach, -reach)
    parts = (0.0, 0.9 * turned / last, *(np.linspace(turnover.begin + 0.5 * TURN, before.time, 4) * FRAME_RATE / last))
    return Terrain(
        time=time,
        energy=energies,
        swift=swift,
        slow=slow,
        fallen=float((recording[turned].position[:, 2] < edge).mean()),
        stays=float(1.0 - moving(before, after, threshold=CREEP).mean()),
        maps=(
            height_map(before, low, (cells, cells), SIZE / 4),
            height_map(after, low, (cells, cells), SIZE / 4),
        ),
        snapshots=tuple(recording[min(round(part * last), last)] for part in parts),
    )


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Let the box settle, turn it, and look at what lies on the floor."""
    turnover = Turnover(count=120, size=0.26, last=300) if quick else Turnover()
    scene = turnover.scene()
    with record(scene, folder / "turnover", progress) as recording:
        found = told(recording, turnover)
    after = found.time >= turnover.begin
    swift, rest = float(found.swift[after].max()), found.rest(turnover.end)
    first, second = found.maps
    both = first.covered & second.covered
    rough = float(np.std(second.height[second.covered]))
    drift = float(np.sqrt(np.mean((second.height[both] - first.height[both]) ** 2)))
    rows = (
        Row(
            "fallen off the open side before the turn",
            "some, gradually",
            f"{100 * found.fallen:.0f}%",
            passed=0.0 < found.fallen < 0.5,
            criterion="some, and less than half",
        ),
        Row(
            f"splash: grains faster than {SWIFT:g} m/s at a time",
            "liquid-like",
            f"{100 * swift:.0f}%",
            passed=swift >= ALL_SWIFT,
            criterion=f"≥ {100 * ALL_SWIFT:.0f}%",
        ),
        Row(
            f"from the turn until {100 * STILL:.0f}% are slower than {1e3 * CREEP:g} mm/s",
            "quickly",
            f"{rest:.1f}",
            "s",
            passed=rest <= QUICK_REST,
            criterion=f"≤ {QUICK_REST:g} s",
        ),
        Row(
            "terrain: grains that stay where they are",
            "stable",
            f"{100 * found.stays:.1f}%",
            passed=found.stays >= STILL,
            criterion=f"≥ {100 * STILL:.0f}% over the last fifth of the time",
        ),
        Row(
            "terrain: roughness of its surface, and its change over that time (rms)",
            "non-uniform",
            f"{rough:.2f}, {drift:.2f}",
            "m",
            passed=rough > 5.0 * drift and rough > 0.3 * SIZE,
            criterion=f"above {0.3 * SIZE:g} m, and 5 times the change",
        ),
    )
    return StudyResult(rows, _pictures(found, scene, folder), (NOTE,))


def _pictures(found: Terrain, scene: Scene, folder: Path) -> tuple[Picture, ...]:
    strip = save_figure(
        draw_snapshots(
            [("settling, turning", found.snapshots[:3]), ("splash, rest", found.snapshots[3:])],
            scene.walls,
            view="iso",
            color="id",
        ),
        folder / "snapshots.png",
    )
    surface = found.maps[1]
    middle = len(surface.y) // 2
    panels = [
        Panel("time (s)", "kinetic energy (kJ a grain)", [Curve(found.time, found.energy / 1e3)], from_zero=True),
        Panel(
            "time (s)",
            "part of the grains",
            [Curve(found.time, found.swift, f"faster than {SWIFT:g} m/s"), Curve(found.time, found.slow, "still")],
            from_zero=True,
        ),
        Panel(
            "x (m)",
            "height of the terrain at y = 0 (m)",
            [
                Curve(found.maps[0].x, found.maps[0].height[middle], f"t = {found.snapshots[-1].time:.1f} s"),
                Curve(surface.x, surface.height[middle], f"t = {found.time[-1]:.1f} s", "dashed"),
            ],
            from_zero=True,
        ),
    ]
    chart = save_figure(draw_panels(panels, columns=3), folder / "turnover.png")
    return (
        Picture(strip, "The container turns over."),
        Picture(chart, "Energy, motion and the terrain that is left."),
    )


STUDY = Study(
    "Y5",
    "A box turns over: splash, quick rest, a terrain that stays",
    "Fig. 8: 6889 grains in a three-sided box that turns abruptly at frame 200.",
    run,
    "120 grains in a box 0.26 times as long",
)
