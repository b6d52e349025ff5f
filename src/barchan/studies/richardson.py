"""What the studies of Richardson et al. (2011) share: the granular atmosphere, and runs of it."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

import numpy as np

from barchan.draw.charts import Curve, Panel, draw_panels
from barchan.draw.files import save_figure
from barchan.draw.palette import PALETTE
from barchan.draw.snapshots import draw_snapshots
from barchan.frame import Frame
from barchan.record.recording import Recording
from barchan.scene import Scene
from barchan.simulation.loop import run
from barchan.simulation.progress import Progress
from barchan.studies import Picture

MASSES = (1.0, 3.0, 10.0)  # kg
# The paper has 991 spheres "roughly equally divided"; these numbers give its expected scale heights.
COUNTS = (329, 327, 335)
RADIUS = 0.022  # m
GRAVITY = 2.5e9  # m/s²
HEIGHT = 1.0  # m, of the ball's centre, counted like all heights of a sphere from the floor to its lowest point
FALL = math.sqrt(2 * HEIGHT / GRAVITY)  # s
FRAMES = 200
COLORS = (PALETTE[4], PALETTE[1], PALETTE[0])  # of the masses, in the tones that grains have in snapshots
SHOWN = 2.5  # m, up to which snapshots show spheres, as the paper does
LOOKS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # shares of the run at which the paper takes its means


@dataclass(frozen=True)
class Atmosphere:
    """A packed ball of elastic spheres of three masses that falls into a cylinder."""

    radius: float = 1.0  # m, of the cylinder
    falls: float = 400.0  # duration, in times of the first fall
    seed: int = 1

    @property
    def duration(self) -> float:
        """In s."""
        return self.falls * FALL

    def scene(self) -> Scene:
        """The scene; the ball is a piece of a face-centred cubic lattice, masses at random."""
        places = _ball(sum(COUNTS)) + np.array([0.0, 0.0, HEIGHT + RADIUS])
        order = np.random.default_rng(self.seed).permutation(len(places))
        owners = np.split(order, np.cumsum(COUNTS)[:-1])
        volume = 4 / 3 * math.pi * RADIUS**3
        names = [f"mass {mass:g}" for mass in MASSES]
        return Scene.model_validate(
            {
                "name": "atmosphere",
                "description": "991 elastic spheres of masses 1, 3 and 10 in a cylinder.",
                "solver": "hard",
                "duration": self.duration,
                "frame_rate": FRAMES / self.duration,
                "sample_rate": FRAMES / self.duration,
                "gravity": (0.0, 0.0, -GRAVITY),
                "materials": {
                    name: {"density": mass / volume, "restitution": 1.0}
                    for name, mass in zip(names, MASSES, strict=True)
                },
                "grains": [
                    {
                        "name": name,
                        "material": name,
                        "size": 2 * RADIUS,
                        "fill": {"kind": "points", "positions": places[np.sort(rows)].tolist()},
                    }
                    for name, rows in zip(names, owners, strict=True)
                ],
                "walls": [
                    {"name": "floor", "shape": "plane", "material": names[0]},
                    {"name": "cylinder", "shape": "cylinder", "radius": self.radius, "material": names[0]},
                ],
            }
        )

    def run(self, folder: Path, progress: Progress) -> Equilibrium:
        """Run it, and read what the studies need."""
        result = run(self.scene(), folder, force=True, progress=progress)
        with result.recording as recording:
            return Equilibrium.of(recording, self)


def dense_heights(radius: float) -> list[float]:
    """Mean heights, m, in a cylinder of that radius, m, of spheres that take up room themselves.

    Hydrostatic equilibrium with Carnahan and Starling's chemical potential: n_i ∝ exp(−m_i g z/kT − μ(φ)/kT), φ the
    volume fraction of all spheres at that height. Energy is conserved: 3/2 N kT + Σ m_i g z_i is that of the fall.
    """
    mass, count = np.array(MASSES), np.array(COUNTS, float)
    energy = float((mass * count).sum()) * HEIGHT  # over g
    area, volume = math.pi * (radius - RADIUS) ** 2, 4 / 3 * math.pi * RADIUS**3
    z = np.linspace(0.0, 25.0, 20001)
    warmth, fraction, mean = energy / (2.5 * count.sum()), np.zeros(len(z)), np.zeros(3)
    for _ in range(600):
        excess = (8 * fraction - 9 * fraction**2 + 3 * fraction**3) / (1 - fraction) ** 3
        density = np.exp(-np.outer(mass, z) / warmth - excess)
        density *= (count / area / (density.sum(axis=1) * z[1]))[:, None]
        fraction += 0.3 * (density.sum(axis=0) * volume - fraction)
        mean = (density * z).sum(axis=1) / density.sum(axis=1)
        warmth += 0.1 * ((energy - (count * mass * mean).sum()) / (1.5 * count.sum()) - warmth)
    return [float(one) for one in mean]


def _ball(count: int) -> np.ndarray:
    """The `count` sites of a face-centred cubic lattice of touching spheres nearest to its centre, (count, 3) m."""
    edge = 2 * RADIUS * (1 + 1e-6) * math.sqrt(2)
    reach = math.ceil((3 * count / (16 * math.pi)) ** (1 / 3)) + 2
    grid = np.stack(np.meshgrid(*(np.arange(-reach, reach + 1),) * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    corners = np.array([(0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.5), (0, 0.5, 0.5)])
    sites = (grid[:, None, :] + corners[None]).reshape(-1, 3) * edge
    nearest = np.argsort(np.linalg.norm(sites - (0.11 * edge, 0.05 * edge, 0.02 * edge), axis=1), kind="stable")
    chosen = sites[nearest[:count]]
    return np.asarray(chosen - chosen.mean(axis=0))


def _low(frame: Frame) -> Frame:
    """The spheres of a frame that are not higher than what snapshots show."""
    low, shown = frame.position[:, 2] < SHOWN, copy.copy(frame)
    for field in fields(frame):
        array = getattr(frame, field.name)
        if isinstance(array, np.ndarray) and len(array) == len(low):
            setattr(shown, field.name, array[low])
    shown.sphere_grain = np.arange(int(low.sum()))
    return shown


@dataclass(frozen=True)
class Equilibrium:
    """What a run of the atmosphere shows."""

    atmosphere: Atmosphere
    times: np.ndarray  # (F,) s
    heights: list[list[np.ndarray]]  # by frame and mass: heights of the spheres' lowest points, m
    energy_error: float  # largest, over the energy that the ball has to give
    collisions: float
    frames: list[Frame]

    @classmethod
    def of(cls, recording: Recording, atmosphere: Atmosphere) -> Equilibrium:
        """Read from a recording."""
        heights, shown = [], []
        splash = max(1, int(np.searchsorted(recording.times, 1.5 * FALL)))
        for k, frame in enumerate(recording):
            lowest = frame.position[:, 2] - frame.radius
            heights.append([lowest[frame.group == kind] for kind in range(len(MASSES))])
            if k in (0, splash, len(recording) - 1):
                shown.append(_low(frame))
        series = recording.series
        given = sum(m * n for m, n in zip(MASSES, COUNTS, strict=True)) * GRAVITY * HEIGHT
        error = float(np.abs(series["energy_error"]).max()) / given
        return cls(atmosphere, recording.times.copy(), heights, error, float(series["collisions"][-1]), shown)

    @cached_property
    def expected(self) -> list[float]:
        """Scale heights, m, of an ideal gas at rest: h = kT/(m g) with 5/2 kT for each of N spheres."""
        given = sum(m * n for m, n in zip(MASSES, COUNTS, strict=True)) * HEIGHT
        return [given / (2.5 * sum(COUNTS) * mass) for mass in MASSES]

    @cached_property
    def dense(self) -> list[float]:
        """Mean heights, m, expected of spheres that take up room themselves."""
        return dense_heights(self.atmosphere.radius)

    @cached_property
    def means(self) -> np.ndarray:
        """Mean height of each mass against time, (F, 3) m."""
        return np.array([[kind.mean() for kind in frame] for frame in self.heights])

    @cached_property
    def looks(self) -> list[int]:
        """The frames at which means are taken, as in the paper."""
        return [round(share * (len(self.times) - 1)) for share in LOOKS]

    @cached_property
    def scale_heights(self) -> np.ndarray:
        """Mean over the second half of the run, and the deviation of the paper's six looks, (3, 2) m."""
        half = self.means[self.looks[0] :]
        return np.column_stack([half.mean(axis=0), self.means[self.looks].std(axis=0, ddof=1)])

    def probability(self, frame: int, kind: int) -> float:
        """That heights come from the exponential with their own mean, cut at the highest: Kolmogorov and Smirnov."""
        from scipy.stats import kstest

        z = self.heights[frame][kind]
        mean, top = z.mean(), z.max()
        return float(kstest(z, lambda x: np.expm1(-np.minimum(x, top) / mean) / np.expm1(-top / mean)).pvalue)

    @cached_property
    def probabilities(self) -> np.ndarray:
        """Mean and deviation over the six looks, (3, 2)."""
        found = np.array([[self.probability(frame, kind) for kind in range(3)] for frame in self.looks])
        return np.column_stack([found.mean(axis=0), found.std(axis=0, ddof=1)])

    def pictures(self, folder: Path) -> tuple[Picture, ...]:
        """Figures 4, 5 and 6 of the paper."""
        share = self.times / FALL
        names = [f"mass {mass:g}" for mass in MASSES]
        curves = []
        for k, name in enumerate(names):
            curves.append(Curve(share, self.means[:, k], name, color=COLORS[k]))
            curves.append(Curve(share[[0, -1]], [self.dense[k]] * 2, "", "dashed", COLORS[k]))
        evolution = Panel(
            "time / time of the first fall", "mean height (m)", curves, "Dashed: in equilibrium", from_zero=True
        )
        last = self.heights[-1]
        compared = []
        for k, name in enumerate(names):
            z = np.sort(last[k])
            compared.append(Curve(z / z.mean(), (np.arange(len(z)) + 0.5) / len(z), name, color=COLORS[k]))
        z = np.linspace(0, max(float(np.max(kind) / kind.mean()) for kind in last), 200)
        compared.append(Curve(z, -np.expm1(-z), "exponential", "dashed", "#444444"))
        spread = Panel("height / mean height", "share of spheres below", compared, "At the end", from_zero=True)
        figure = save_figure(draw_panels([evolution, spread]), folder / "heights.png")
        shots = draw_snapshots([("", self.frames)], self.atmosphere.scene().walls, view="front")
        for axes, frame in zip(shots.axes, self.frames, strict=True):
            bar = axes.get_title().partition("; ")[2]
            axes.set_title(f"t = {1e3 * frame.time:.3g} ms" + (f"; {bar}" if bar else ""), fontsize=8, pad=2)
        return (
            Picture(figure, "Left: mean heights against time. Right: distribution of heights at the end."),
            Picture(
                save_figure(shots, folder / "snapshots.png"),
                "At the start, in the splash, and at the end; the lowest 2.5 m. The first fall takes 0.028 ms. Sand, "
                "slate and brick: masses 1, 3 and 10.",
            ),
        )
