"""What the studies of heaps share: a hopper's run, and its heap against time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel
from barchan.draw.files import save_figure
from barchan.draw.snapshots import draw_snapshots
from barchan.frame import Frame
from barchan.measures.flow import Flow, flow_through
from barchan.measures.pile import pile_height, pile_width
from barchan.parts.wall_shapes.plane import Plane
from barchan.record.recording import Recording
from barchan.simulation.plan import Plan
from barchan.simulation.progress import Progress
from barchan.studies import Picture
from barchan.studies.yee import Hopper, record

NOTE = (
    "Heaps are computed with velocity Verlet. RKF45 at TOL 0.01 takes steps near the limit of its stability and keeps "
    "a resting heap in a jitter of some cm/s, in which friction of any kind creeps."
)
SAMPLES = 60  # moments at which a heap is measured
SNAPSHOTS = 5
LAST = 0.2  # part of the run, at its end, over which creep is measured and heights are averaged


@dataclass(frozen=True)
class Heap:
    """The heap under a hopper against time."""

    time: np.ndarray  # (S,) s
    heights: np.ndarray  # (S,) m
    widths: np.ndarray  # (S,) m, holding 95 % of the mass
    creep: float  # m/s, median speed of the grains over the last part of the run, by their displacement
    flow: Flow  # through the hopper's mouth
    snapshots: tuple[Frame, ...]

    @property
    def height(self) -> float:
        """Height, m, averaged over the last part of the run."""
        return float(self.heights[self.time >= (1 - LAST) * self.time[-1]].mean())

    @property
    def width(self) -> float:
        """Width, m, averaged over the last part of the run."""
        return float(self.widths[self.time >= (1 - LAST) * self.time[-1]].mean())

    @property
    def drained(self) -> float:
        """Time, s, at which nine tenths of the grains had left the hopper; infinite where they never did."""
        enough = np.flatnonzero(self.flow.count >= 0.9 * self.flow.total)
        return float(self.flow.time[enough[0]]) if len(enough) else np.inf


def heap_under(hopper: Hopper, folder: Path, progress: Progress, *, finer: float = 1.0) -> Heap:
    """Run a hopper with velocity Verlet, recorded in `folder`, and measure its heap.

    finer: how many times shorter the time step is than the one that would be chosen.
    """
    scene = replace(hopper, integrator="verlet").scene()
    if finer > 1.0:
        scene = scene.model_copy(update={"time_step": Plan.of(scene).time_step.value / finer})
    with record(scene, folder, progress) as recording:
        return measured(recording, hopper.mouth)


def measured(recording: Recording, mouth: float) -> Heap:
    """The heap of a recorded hopper with its mouth at this height, m."""
    last = len(recording) - 1
    chosen = np.unique(np.linspace(0, last, min(SAMPLES, last + 1)).round().astype(int))
    frames = [recording[int(k)] for k in chosen]
    before, after = recording[round((1 - LAST) * last)], recording[last]
    went = np.linalg.norm(after.position - before.position, axis=1)
    return Heap(
        time=np.array([frame.time for frame in frames]),
        heights=np.array([pile_height(frame, floor=0.0, below=mouth) for frame in frames]),
        widths=np.array([pile_width(frame, floor=0.0, below=mouth) for frame in frames]),
        creep=float(np.median(went)) / (after.time - before.time),
        flow=flow_through(recording, mouth),
        snapshots=tuple(recording[round(part * last)] for part in np.linspace(0.1, 1.0, SNAPSHOTS)),
    )


def panels(heaps: Mapping[str, Heap]) -> list[Panel]:
    """Height, width and what has left the hopper against time, one curve a heap."""
    return [
        Panel("time (s)", "height (m)", _curves(heaps, "heights"), "Height of the heap", from_zero=True),
        Panel("time (s)", "width (m)", _curves(heaps, "widths"), "Width of the heap", from_zero=True),
        Panel(
            "time (s)",
            "grains below the mouth",
            [Curve(heap.flow.time, heap.flow.count, label) for label, heap in heaps.items()],
            "Outflow",
            from_zero=True,
        ),
    ]


def snapshot_picture(heaps: Mapping[str, Heap], folder: Path) -> Picture:
    """Snapshots in rows, one row a heap on the floor z = 0, the hopper left out as in the paper."""
    rows: Sequence[tuple[str, Sequence[Frame]]] = [(label, heap.snapshots) for label, heap in heaps.items()]
    path = save_figure(draw_snapshots(rows, [Plane()], view="front", color="id"), folder / "snapshots.png")
    return Picture(path, "Snapshots at the same times, seen from the front; the hopper is not drawn.")


def _curves(heaps: Mapping[str, Heap], name: str) -> list[Curve]:
    return [Curve(heap.time, getattr(heap, name), label) for label, heap in heaps.items()]
