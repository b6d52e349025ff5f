"""Y11: an object is pushed through a pile, and shapes are traced in sand (Yee 2009, Appendix A, Figures 12 to 14).

The paper gives neither the object nor the shapes. Here a thick upright post cuts the pile in two, and two thinner ones
that come in from the sides of a low bed, which nothing confines, draw a circle and a square.
"""

from __future__ import annotations

import itertools
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
from barchan.measures.terrain import HeightMap, height_map
from barchan.parts.wall_shapes.plane import Plane
from barchan.record.recording import Recording
from barchan.scene import Scene
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.piles import NOTE
from barchan.studies.yee import FRAME_RATE, LAWS, SIZE, cubes, record, yee_scene

PILE_LAYERS = 13  # of the pyramid that falls: 819 grains
DRAG = 1.0  # kt of law 1, N s/m, as in Y1
TRACED = 10411  # grains of the bed
DEEP = 3  # layers of the bed
POST = 1.2 * SIZE  # m, radius of the posts that trace
PLOUGH = 2.5 * SIZE  # m, radius of the plough
JITTER = 0.05 * SIZE
CELL = SIZE / 4.0  # m, of the height maps
FEW_HEAPS = 3  # of the quick form: what stands of one so small varies by a tenth and more
PUDDLE = 0.6  # law 1's two halves are lower than this part of law 3's
CONTRAST = 0.4  # how much lower the sand must be on the traced line, in parts of its height beside it
KEPT = 0.9  # part of that contrast that must still be there after a while


def post(name: str, place: tuple[float, float], radius: float, motion: dict[str, Any]) -> dict[str, Any]:
    """An upright post without end at (x, y), m."""
    return {
        "name": name,
        "shape": "cylinder",
        "point": [*place, 0.0],
        "radius": radius,
        "side": "outside",
        "material": "hopper",
        "motion": motion,
    }


# ---------------------------------------------------------------- the pile and the plough


@dataclass(frozen=True)
class Push:
    """A plough that goes through a pile."""

    law: int
    layers: int = PILE_LAYERS
    settle: float = 9.0  # s before the plough comes
    crossing: float = 18.0  # s that it takes
    wait: float = 6.0  # s after it has gone
    seed: int = 0

    @property
    def duration(self) -> float:
        """Of the whole, s."""
        return self.settle + self.crossing + self.wait

    def scene(self) -> Scene:
        """The scene."""
        count = sum(n * n for n in range(1, self.layers + 1))
        start = -(1.5 * self.layers + 6.0) * SIZE
        keys = [{"time": self.crossing, "position": [-2.0 * start, 0.0, 0.0]}]
        motion = {"kind": "keyframes", "keys": keys, "ease": "linear", "start": self.settle}
        plough = post("plough", (start, 0.0), PLOUGH, motion)
        return yee_scene(
            name=f"plough through {count} grains, law {self.law}",
            duration=self.duration,
            seed=self.seed,
            contact={"law": LAWS[self.law], **({"drag": DRAG} if self.law == 1 else {})},
            friction=0.5,
            rolling=0.00025,
            integrator={"kind": "verlet"},
            grains=cubes(count, {"kind": "pyramid", "base": [0, 0, 0.5 * SIZE], "spacing": 1.1 * SIZE}, scatter=1.0),
            walls=[{"name": "floor", "shape": "plane", "material": "floor"}, plough],
        )


@dataclass(frozen=True)
class Halves:
    """What the plough leaves."""

    scene: Scene
    before: float  # m, height of the pile that the plough meets
    height: float  # m, of what is left on either side, the mean of both
    furrow: float  # m, mean height of what lies on the way of the plough
    across: np.ndarray  # (k,) m, y
    profile: np.ndarray  # (k,) m, mean height of the middle third over y
    snapshots: tuple[Frame, ...]


def halves(push: Push, folder: Path, progress: Progress) -> Halves:
    """Push the plough through a pile and measure both halves."""
    scene = push.scene()
    with record(scene, folder, progress) as recording:
        times = [0.0, push.settle, push.settle + 0.5 * push.crossing, push.duration]
        shots = tuple(recording[min(round(t * FRAME_RATE), len(recording) - 1)] for t in times)
    first, last = (_surface(frame, 2.0 * push.layers * SIZE) for frame in (shots[1], shots[-1]))
    middle = np.abs(last.x) < push.layers * SIZE / 4
    profile = last.height[:, middle].mean(axis=1)
    beside = [last.height[(sign * last.y > PLOUGH)].max() for sign in (1.0, -1.0)]
    way = np.abs(last.y) < PLOUGH - SIZE
    return Halves(
        scene=scene,
        before=float(first.height.max()),
        height=float(np.mean(beside)),
        furrow=float(profile[way].mean()),
        across=last.y,
        profile=profile,
        snapshots=shots,
    )


def _surface(frame: Frame, reach: float) -> HeightMap:
    cells = math.ceil(2.0 * reach / CELL)
    return height_map(frame, (-reach, -reach), (cells, cells), CELL)


# ---------------------------------------------------------------- tracing


@dataclass(frozen=True)
class Trace:
    """Posts that draw a circle and a square in a bed of grains, each from its own side."""

    count: int = TRACED
    pace: float = 3.0  # m/s, of the posts
    settle: float = 3.0  # s
    wait: float = 4.0  # s after the last stroke
    shapes: tuple[str, ...] = ("circle", "square")

    @property
    def size(self) -> tuple[float, float]:
        """Of the bed, m, along x and y: a square for each shape."""
        across = math.ceil(math.sqrt(self.count / DEEP / len(self.shapes)))
        spacing = 1.002 * SIZE + 2.0 * JITTER
        return len(self.shapes) * across * spacing + 0.1 * SIZE, across * spacing + 0.1 * SIZE

    @property
    def strokes(self) -> dict[str, np.ndarray]:
        """A line (k, 2) in m for each shape: from outside the bed to the shape, and once around it."""
        length, width = self.size
        outside = length / 2 + 2.0 * POST
        turn = np.linspace(0.0, 2.0 * math.pi, 33)
        middle = 0.25 * length if len(self.shapes) > 1 else 0.0
        reach = 0.27 * width
        circle = np.stack([-middle - reach * np.cos(turn), reach * np.sin(turn)], axis=1)
        corners = reach * np.array([[1, 0], [1, 1], [-1, 1], [-1, -1], [1, -1], [1, 0]], float)
        lines = {
            "circle": np.concatenate([[[-outside, 0.0]], circle]),
            "square": np.concatenate([[[outside, 0.0]], corners + np.array([middle, 0.0])]),
        }
        return {shape: lines[shape] for shape in self.shapes}

    def keys(self, line: np.ndarray) -> list[dict[str, Any]]:
        """The way of a post along a line, from its first point."""
        at = np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1)) / self.pace
        way = line[1:] - line[0]
        return [{"time": float(t), "position": [*place.tolist(), 0.0]} for t, place in zip(at, way, strict=True)]

    @property
    def done(self) -> float:
        """When the last post has come to its end and is taken away, s."""
        return self.settle + max(float(self.keys(line)[-1]["time"]) for line in self.strokes.values())

    def scene(self) -> Scene:
        """The scene."""
        length, width = self.size
        posts = [
            {
                **post(
                    shape,
                    (float(line[0, 0]), float(line[0, 1])),
                    POST,
                    {"kind": "keyframes", "keys": self.keys(line), "ease": "linear", "start": self.settle},
                ),
                "vanishes": self.done,
            }
            for shape, line in self.strokes.items()
        ]
        region = {
            "kind": "box",
            "low": [-length / 2, -width / 2, 0.0],
            "high": [length / 2, width / 2, (DEEP + 2) * 1.2 * SIZE],
        }
        return yee_scene(
            name=f"shapes traced in {self.count} grains",
            duration=self.done + self.wait,
            integrator={"kind": "verlet"},
            grains=cubes(self.count, {"kind": "lattice", "region": region, "jitter": JITTER}, scatter=0.5),
            walls=[{"name": "floor", "shape": "plane", "material": "floor"}, *posts],
        )


@dataclass(frozen=True)
class Drawing:
    """What the post has drawn."""

    scene: Scene
    fresh: float  # contrast between the traced lines and the sand beside them, when the post has left
    late: float  # the same after a while
    surface: HeightMap
    distance: np.ndarray  # (k,) m, from the line
    height: np.ndarray  # (k,) m, mean height at that distance
    snapshots: tuple[Frame, ...]


def drawing(trace: Trace, folder: Path, progress: Progress) -> Drawing:
    """Trace the shapes and measure how well they can be read."""
    scene = trace.scene()
    with record(scene, folder, progress) as recording:
        done = round(trace.done * FRAME_RATE)
        parts = np.linspace(trace.settle * FRAME_RATE, done, 5).round().astype(int)
        shots = tuple(recording[int(k)] for k in parts)
        fresh, late = _bed(recording, done, trace.size), _bed(recording, len(recording) - 1, trace.size)
        shots = (*shots, recording[len(recording) - 1])
    away = from_lines(late, list(trace.strokes.values()))
    edges = np.arange(0.0, 8.0 * SIZE, 0.5 * SIZE)
    ring = [(away >= low) & (away < low + 0.5 * SIZE) for low in edges]
    return Drawing(
        scene=scene,
        fresh=_contrast(fresh, away),
        late=_contrast(late, away),
        surface=late,
        distance=edges + 0.25 * SIZE,
        height=np.array([late.height[one].mean() if one.any() else np.nan for one in ring]),
        snapshots=shots,
    )


def _bed(recording: Recording, frame: int, size: tuple[float, float]) -> HeightMap:
    inner = [one - 2.0 * SIZE for one in size]
    cells = (math.floor(inner[0] / CELL), math.floor(inner[1] / CELL))
    return height_map(recording[frame], (-inner[0] / 2, -inner[1] / 2), cells, CELL)


def from_lines(surface: HeightMap, lines: Sequence[np.ndarray]) -> np.ndarray:
    """(rows, columns) m: how far each point of a map is from the nearest of these lines."""
    x, y = surface.points
    nearest = np.full(x.shape, np.inf)
    for line in lines:
        for a, b in itertools.pairwise(line):
            along = b - a
            part = np.clip(((x - a[0]) * along[0] + (y - a[1]) * along[1]) / float(along @ along), 0.0, 1.0)
            nearest = np.minimum(nearest, np.hypot(x - a[0] - part * along[0], y - a[1] - part * along[1]))
    return nearest


def _contrast(surface: HeightMap, away: np.ndarray) -> float:
    """How much lower the sand is on the lines than away from them, in parts of the latter."""
    on, off = surface.height[away < 0.5 * SIZE].mean(), surface.height[away > 2.5 * POST].mean()
    return float((off - on) / off)


# ---------------------------------------------------------------- the study


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Push the plough with laws 1 and 3, and trace."""
    seeds = range(FEW_HEAPS if quick else 1)
    size: dict[str, Any] = {"layers": 5, "settle": 3.0, "crossing": 4.0, "wait": 2.0} if quick else {}
    several = {
        law: [halves(Push(law=law, seed=seed, **size), _place(folder, law, seed), progress) for seed in seeds]
        for law in (1, 3)
    }
    found = {law: ones[0] for law, ones in several.items()}
    trace = Trace(count=300, pace=4.0, settle=1.0, wait=1.5, shapes=("circle",)) if quick else Trace()
    drawn = drawing(trace, folder / "trace", progress)
    low, high = (float(np.mean([one.height for one in several[law]])) for law in (1, 3))
    ratio = low / high
    rows = [
        Row(
            f"law {law}: height before / beside the furrow / in it",
            "two puddles" if law == 1 else "two piles",
            f"{one.before:.1f} / {one.height:.1f} / {one.furrow:.1f}",
            "m",
        )
        for law, one in found.items()
    ]
    rows += [
        Row(
            "height of the halves, law 1 over law 3" + (f", of {FEW_HEAPS} heaps each" if quick else ""),
            "no significant piling",
            f"{ratio:.2f}",
            passed=ratio < (1.0 if quick else PUDDLE),
            criterion=f"< {1.0 if quick else PUDDLE:g}",
        ),
        Row(
            "law 3: furrow over what stands beside it",
            "the pile is divided",
            f"{found[3].furrow / found[3].height:.2f}",
            passed=found[3].furrow < 0.5 * found[3].height,
            criterion="< 0.5",
        ),
        Row(
            "trace: how much lower the sand is on the lines",
            "readable",
            f"{100 * drawn.late:.0f}%",
            passed=drawn.late > CONTRAST,
            criterion=f"> {100 * CONTRAST:.0f}% of its height beside them",
        ),
        Row(
            f"trace: part of that contrast that is left after {trace.wait:g} s",
            "stays",
            f"{drawn.late / drawn.fresh:.2f}",
            passed=drawn.late > KEPT * drawn.fresh,
            criterion=f"> {KEPT:g}",
        ),
    ]
    return StudyResult(tuple(rows), _pictures(found, drawn, folder), (NOTE,))


def _place(folder: Path, law: int, seed: int) -> Path:
    return folder / (f"law-{law}" if seed == 0 else f"law-{law}-seed-{seed}")


def _pictures(found: dict[int, Halves], drawn: Drawing, folder: Path) -> tuple[Picture, ...]:
    rows = [(f"law {law}, {LAWS[law]}", one.snapshots) for law, one in found.items()]
    plough = save_figure(draw_snapshots(rows, found[3].scene.walls, view="iso", color="id"), folder / "plough.png")
    shots = drawn.snapshots
    traced = draw_snapshots([("tracing", shots[:3]), ("and after", shots[3:])], [Plane()], view="top", color="group")
    trace = save_figure(traced, folder / "trace.png")
    panels = [
        Panel(
            "y across the furrow (m)",
            "height, mean over the middle (m)",
            [Curve(one.across, one.profile, f"law {law}") for law, one in found.items()],
            "What the plough leaves",
            from_zero=True,
        ),
        Panel(
            "distance from the traced line (m)",
            "mean height (m)",
            [Curve(drawn.distance, drawn.height, look="both")],
            "The trace",
            from_zero=True,
        ),
    ]
    chart = save_figure(draw_panels(panels), folder / "profiles.png")
    return (
        Picture(plough, "A plough goes through a pile, with law 1 and with law 3."),
        Picture(trace, "Shapes traced in sand, seen from above."),
        Picture(chart, "Profiles across the furrow and across the trace."),
    )


STUDY = Study(
    "Y11",
    "An object pushed through a pile, and shapes traced in sand",
    "App. A, Fig. 12–14: law 1 leaves two puddles, law 3 two piles; a trace in 10411 grains can be read.",
    run,
    "three piles of 55 grains, not one of 819, a circle in 300 grains instead of 10411; law 1 only lower than law 3",
)
