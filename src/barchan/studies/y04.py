"""Y4: grains pack behind a slanted wall, avalanche when it goes, and break when a wall gives way (Yee 2009, Figure 7).

The paper counts in frames of 1/24 s. Of its box it shows a picture only; here it is 60 grains long and 14 deep, and the
slanted wall leans at 75° over the grains, which fill what it leaves them to a height of about eleven grains.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.draw.snapshots import draw_snapshots
from barchan.frame import Frame
from barchan.measures.motion import FractureSurface, fracture_surface, moving
from barchan.record.recording import Recording
from barchan.scene import Scene
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.piles import NOTE
from barchan.studies.yee import FRAME_RATE, SIZE, cubes, record, yee_scene

COUNT = 5157
LENGTH, DEPTH = 60.0 * SIZE, 14.0 * SIZE  # m, of the box, for COUNT grains; both go with the cube root of the number
FOOT = 26.0 * SIZE  # m, where the slanted wall meets the floor
SLANT = math.radians(75.0)
JITTER = 0.08 * SIZE  # m, of the lattice from which the grains fall
SCATTER = 4.0  # m/s, of the velocities at the start: a lattice of cubes would stand as it is
PULL = 1.0  # m/s, of the right wall
# The paper's frames: packed, slanted wall removed, at rest, right wall begins to move; and ours: it stops, the end.
PACKED, REMOVED, RESTED, PULLED, STOPPED, LAST = 300, 600, 1000, 1300, 1700, 2000
CREEP = 0.02 * SIZE  # m/s: what goes slower on average counts as still
FEW_HEAPS = 2  # of the quick form: one heap of 160 grains tells little, and figures are means
STILL = 0.95  # part of the grains that must be still where the paper speaks of rest
SURFACE = 0.9  # part of the grains that a fracture surface must tell right
NOTE_HEAPS = (
    "The paper's two collections after the avalanche are read as the core that never moved and the apron of grains "
    "that slid and came to rest in front of it."
)


@dataclass(frozen=True)
class Story:
    """When what happens, in frames, and how large it all is."""

    count: int = COUNT
    size: float = 1.0  # of the box, in parts of the full one
    pace: float = 1.0  # frames, in parts of the paper's

    def frame(self, paper: int) -> int:
        """The frame that stands for one of the paper."""
        return round(self.pace * paper)

    def tiers(self) -> list[dict[str, Any]]:
        """The grains, in tiers of two layers that follow the slanted wall upwards."""
        length, depth, foot = (self.size * part for part in (LENGTH, DEPTH, FOOT))
        spacing = 1.002 * SIZE + 2.0 * JITTER
        tall = 2.01 * spacing
        groups: list[dict[str, Any]] = []
        left = self.count
        while left:
            base = len(groups) * tall
            low = foot + 0.3 * SIZE + (base + tall) / math.tan(SLANT)
            region = {"kind": "box", "low": [low, 0.0, base], "high": [length, depth, base + tall]}
            fits = min(left, 2 * math.floor((length - low) / spacing) * math.floor(depth / spacing))
            fill = {"kind": "lattice", "region": region, "jitter": JITTER}
            groups.append(cubes(fits, fill, scatter=SCATTER, name=f"tier {len(groups) + 1}"))
            left -= fits
        return groups

    def scene(self, seed: int = 0) -> Scene:
        """The scene, filled in the way of `seed`."""
        length, depth, foot = (self.size * part for part in (LENGTH, DEPTH, FOOT))
        tall = 4.0 * depth
        lean = tall / math.tan(SLANT)

        def side(name: str, point: tuple[float, float, float], normal: tuple[float, float, float]) -> dict[str, object]:
            return {"name": name, "shape": "plane", "point": point, "normal": normal, "material": "hopper"}

        slanted = {
            "name": "slanted wall",
            "shape": "rectangle",
            "center": [foot + lean / 2, depth / 2, tall / 2],
            "normal": [math.sin(SLANT), 0.0, -math.cos(SLANT)],
            "edge": [0.0, 1.0, 0.0],
            "widths": [1.2 * depth, tall / math.sin(SLANT)],
            "material": "hopper",
            "vanishes": self.frame(REMOVED) / FRAME_RATE,
        }
        begin, end = (self.frame(paper) / FRAME_RATE for paper in (PULLED, STOPPED))
        way = PULL * math.sqrt(self.size) * (end - begin)
        pulled = {
            "kind": "keyframes",
            "keys": [{"time": end - begin, "position": [way, 0.0, 0.0]}],
            "ease": "linear",
            "start": begin,
        }
        return yee_scene(
            name=f"collapse of {self.count} grains",
            seed=seed,
            duration=self.frame(LAST) / FRAME_RATE,
            integrator={"kind": "verlet"},
            grains=self.tiers(),
            walls=[
                {"name": "floor", "shape": "plane", "material": "floor"},
                side("left", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
                {**side("right", (length, 0.0, 0.0), (-1.0, 0.0, 0.0)), "motion": pulled},
                side("front", (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
                side("back", (0.0, depth, 0.0), (0.0, -1.0, 0.0)),
                slanted,
            ],
        )


@dataclass(frozen=True)
class Collapse:
    """What the recording tells."""

    time: np.ndarray  # (S,) s
    active: np.ndarray  # (S,) part of the grains that move
    packed: float  # part of the grains that stay where they are from PACKED to REMOVED
    slid: float  # part of the grains that move by more than their size between REMOVED and RESTED
    rested: float  # part of the grains that stay where they are from RESTED to PULLED
    ended: float  # the same over the last frames
    avalanche: tuple[Frame, np.ndarray, FractureSurface]  # a frame soon after REMOVED, who moves, the surface between
    fracture: tuple[Frame, np.ndarray, FractureSurface]  # the same soon after PULLED
    snapshots: tuple[tuple[str, tuple[Frame, ...]], ...]


def told(recording: Recording, story: Story) -> Collapse:
    """Measure a recorded collapse."""

    def at(paper: float) -> Frame:
        return recording[min(round(story.pace * paper), len(recording) - 1)]

    def still(begin: float, end: float) -> float:
        return float(1.0 - moving(at(begin), at(end), threshold=CREEP).mean())

    def surface(begin: float, end: float) -> tuple[Frame, np.ndarray, FractureSurface]:
        # A grain that has gone a tenth of its size in between moves.
        before, after = at(begin), at(end)
        moves = moving(before, after, threshold=0.1 * SIZE / (after.time - before.time))
        return after, moves, fracture_surface(after, moves)

    steps = range(0, LAST, 20)
    rows = (
        ("packing", (0, 40, PACKED, REMOVED)),
        ("avalanche", (REMOVED + 15, REMOVED + 40, REMOVED + 80, RESTED)),
        ("giving way", (PULLED + 60, PULLED + 150, STOPPED, LAST)),
    )
    sliding = moving(at(REMOVED), at(RESTED), threshold=SIZE / (at(RESTED).time - at(REMOVED).time))
    return Collapse(
        time=np.array([at(step + 10).time for step in steps]),
        active=np.array([moving(at(step), at(step + 20), threshold=CREEP).mean() for step in steps]),
        packed=still(PACKED, REMOVED),
        slid=float(sliding.mean()),
        rested=still(RESTED, PULLED),
        ended=still((STOPPED + LAST) / 2, LAST),
        avalanche=surface(REMOVED + 20, REMOVED + 40),
        fracture=surface(PULLED + 40, PULLED + 80),
        snapshots=tuple((label, tuple(at(frame) for frame in frames)) for label, frames in rows),
    )


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Let the grains pack, take the slanted wall away, then pull the right one."""
    story = Story(count=160, size=0.32, pace=0.4) if quick else Story()
    found = []
    for seed in range(FEW_HEAPS if quick else 1):
        scene = story.scene(seed)
        with record(scene, folder / f"collapse-{seed}", progress) as recording:
            found.append(told(recording, story))
    slid = _mean([heap.slid for heap in found])
    rows = (
        _rest(f"at rest from frame {PACKED} to {REMOVED}", [heap.packed for heap in found]),
        Row(
            "grains that slide by more than their size when the slanted wall goes",
            "surface grains",
            f"{100 * slid:.0f}%",
            passed=0.02 < slid < 0.5,
            criterion="2% to 50%: an avalanche, with grains below it that stay",
        ),
        _separated("avalanche", [heap.avalanche for heap in found]),
        _rest(f"at rest from frame {RESTED} to {PULLED}: core and apron", [heap.rested for heap in found]),
        _separated("right wall moves", [heap.fracture for heap in found]),
        _rest("at rest in the end", [heap.ended for heap in found]),
    )
    return StudyResult(rows, _pictures(found[0], scene, folder), (NOTE_HEAPS, NOTE))


def _mean(parts: Sequence[float]) -> float:
    return float(np.mean(parts))


def _rest(name: str, parts: Sequence[float]) -> Row:
    part = _mean(parts)
    return Row(
        f"{name}: grains that stay",
        "stable",
        f"{100 * part:.1f}%",
        passed=part >= STILL,
        criterion=f"≥ {100 * STILL:.0f}% slower than {1e3 * CREEP:g} mm/s on average",
    )


def _separated(name: str, found: Sequence[tuple[Frame, np.ndarray, FractureSurface]]) -> Row:
    share = _mean([moves.mean() for _, moves, _ in found])
    purity = _mean([surface.purity for _, _, surface in found])
    clear = purity >= SURFACE and all(np.isfinite(surface.height).any() for _, _, surface in found)
    return Row(
        f"{name}: grains on the right side of the fracture surface (moving)",
        "a clear surface",
        f"{100 * purity:.0f}% ({100 * share:.0f}%)",
        passed=clear and 0.02 < share < 0.9,
        criterion=f"≥ {100 * SURFACE:.0f}%, and both still and moving grains",
    )


def _pictures(found: Collapse, scene: Scene, folder: Path) -> tuple[Picture, ...]:
    walls = [wall for wall in scene.walls if wall.name == "floor"]
    strip = save_figure(draw_snapshots(found.snapshots, walls, view="front", color="id"), folder / "snapshots.png")
    panels = [
        Panel("time (s)", "part of the grains that move", [Curve(found.time, found.active)], "Motion", from_zero=True),
        _map("Avalanche: still and moving grains", found.avalanche),
        _map("Right wall moves: still and moving grains", found.fracture),
    ]
    chart = save_figure(draw_panels(panels, columns=3), folder / "fracture.png")
    return (
        Picture(strip, "The collapse, seen from the front; the walls are not drawn."),
        Picture(chart, "How many grains move, and the fracture surface between still and moving ones."),
    )


def _map(title: str, found: tuple[Frame, np.ndarray, FractureSurface]) -> Panel:
    frame, moves, surface = found
    x, z = frame.position[:, 0], frame.position[:, 2]
    curves: Sequence[Curve] = [
        Curve(x[~moves], z[~moves], "still", "points", "#b9a88a"),
        Curve(x[moves], z[moves], "moving", "points", "#c0563b"),
        Curve(surface.x, surface.height, "fracture surface", "line", "#22303c"),
    ]
    return Panel("x (m)", "z (m)", curves, f"{title}, t = {frame.time:.1f} s", from_zero=True)


STUDY = Study(
    "Y4",
    "Granular collapse: packing, avalanche, fracture",
    "Fig. 7: 5157 grains pack behind a slanted wall by frame 300; it is removed at 600, rest by 1000; the right wall "
    "moves away from 1300: a fracture surface between still and moving grains.",
    run,
    f"{FEW_HEAPS} times 160 grains in a box 0.32 times as long, two fifths of the frames",
)
