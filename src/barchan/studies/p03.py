"""P3: avalanches in a slow drum, steady flow in a fast one (Pöschel and Buchholtz 1995, Figs. 18 and 19)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import curve_fit

from barchan.draw.charts import Curve, Panel, blank_figure, draw_panels
from barchan.draw.files import save_figure
from barchan.draw.picture import draw_scene
from barchan.model.build import build
from barchan.record.frame import Frame
from barchan.run.progress import Progress
from barchan.scene import Scene
from barchan.solvers import beams_ledger
from barchan.solvers.beams import BeamSolver
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.cores import side_by_side

SAMPLE = 0.01  # s
SLOW_SHARE = 0.3  # of the mean energy in the drum's frame: below it the grains rest in the drum
STEADY = 0.05  # share of the time below which grains rest in a drum that flows steadily
TILT = 0.5  # rad
COLUMNS = 8  # of the bed's middle, across which its surface is sought
LAYER = 0.025  # of the drum's radius: the columns are cut into layers so high
DEEP = 0.2  # of the drum's radius, below the centre of mass: there a column is as dense as within the bed
SPELLS = 6  # into which the time is cut to see how far its parts differ
POWER, NEAR = 2.0, 0.4
FEWEST = 4  # rates in steady flow: the law has three numbers
# Angular velocities (rad/s), and seeds of the fillings. The law that is sought is one of the faster drums, and of these
# the two ends and the middle tell its power best. Where a seed is missing the grains find no room.
SEEDS = {
    0.25: [2, 3], 0.5: [2, 3], 1.0: [2, 3], 2.0: [2, 3, 4, 5, 6, 8, 10, 11, 12, 13],
    3.0: [2, 3, 4, 5, 6, 8, 10, 11, 12, 13, 15, 17], 4.0: [2, 3, 4, 5], 5.0: [2, 3, 4, 5, 6, 8, 10, 11, 12, 13],
    6.0: [2, 3, 4, 5, 6, 8, 10, 11], 7.0: [2, 3, 4, 5], 8.0: [2, 3, 4, 5, 6, 8, 10, 11],
}  # fmt: skip


@dataclass(frozen=True)
class Box:
    """A part of the drum, m, that is filled with so many grains."""

    low: tuple[float, float]
    high: tuple[float, float]
    count: int


@dataclass(frozen=True)
class Drum:
    """A drum with squares of `smallest` to `largest` m from corner to corner, which turns for `lasts` s.

    The boxes are filled at first. Each of `more` is filled above grains that have fallen for so many s before.
    """

    radius: float
    smallest: float
    largest: float
    boxes: tuple[Box, ...]
    inertia: float  # m³, of the beams' section
    step: float  # s
    lasts: float
    fin: float = 1e-3  # m, height of the fins that stand on the wall
    pitch: float = 2.5e-3  # m, between them
    thickness: float = 6e-4  # m
    more: tuple[tuple[float, Box], ...] = ()

    @classmethod
    def full(cls) -> Drum:
        """4 cm across, with 500 grains of 1 to 2 mm. At random 360 find room; when they have fallen, some more do."""
        inside = 0.02 - 1e-3 - 1.5e-4
        half, far, wide = inside / math.sqrt(2), (1 / math.sqrt(2) + 0.21) * inside, 0.4 * inside
        boxes = (
            Box((-half, -half), (half, half), 280), Box((-far, -wide), (-half, wide), 20),
            Box((half, -wide), (far, wide), 20), Box((-wide, -far), (wide, -half), 20),
            Box((-wide, half), (wide, far), 20),
        )  # fmt: skip
        more = (
            (0.2, Box((-13.5e-3, 3.5e-3), (13.5e-3, 12.8e-3), 75)),
            (0.15, Box((-11.5e-3, 5.2e-3), (11.5e-3, 14.8e-3), 65)),
        )
        return cls(0.02, 1e-3, 2e-3, boxes, 1e-11, 1e-5, 3.2, more=more)

    @classmethod
    def small(cls) -> Drum:
        """20 grains, for seconds."""
        box = Box((-9.7e-3, -9.7e-3), (9.7e-3, 9.7e-3), 20)
        return cls(0.0145, 3.2e-3, 4.2e-3, (box,), 1e-10, 2.5e-5, 1.5, pitch=7.5e-3, thickness=9e-4)

    def filled(self, rate: float, seed: int) -> BeamSolver:
        """The drum at `rate` (rad/s), at the moment when the last of its grains are let in and it begins to turn."""
        lying = None
        for times, (falls, _) in enumerate(self.more):
            solver = self._solver(0.0, seed, times, lying)
            solver.advance_to(falls)
            lying = solver.snapshot()
        return self._solver(rate, seed, len(self.more), lying)

    def _solver(self, rate: float, seed: int, times: int, lying: Frame | None) -> BeamSolver:
        """The drum filled so many times more, with grains that lie in it as in that frame."""
        model, grains = build(self.scene(rate, seed, times))
        if lying is not None:
            grains.position[: len(lying.id)], grains.orientation[: len(lying.id)] = lying.position, lying.orientation
        return BeamSolver(model, grains, self.step)

    def scene(self, rate: float, seed: int, times: int = 0) -> Scene:
        """The drum at `rate` (rad/s), filled at random in the way of `seed`, and so many times more."""
        size = {"kind": "uniform", "low": self.smallest / math.sqrt(2), "high": self.largest / math.sqrt(2)}
        groups = []
        for k, box in enumerate((*self.boxes, *(box for _, box in self.more[:times]))):
            corners = {"low": (box.low[0], 0.0, box.low[1]), "high": (box.high[0], 0.0, box.high[1])}
            group = {"name": f"grains {k}", "material": "grain", "shape": "square", "orientation": "random"}
            fill = {"kind": "random", "region": {"kind": "box", **corners}}
            groups.append({**group, "count": box.count, "size": size, "fill": fill})
        wall = {
            "name": "drum", "shape": "cylinder", "axis": (0, 1, 0), "radius": self.radius, "material": "drum",
            "motion": {"kind": "rotate", "axis": (0, 1, 0), "rate": rate},
        }  # fmt: skip
        fins = []
        for k in range(count := round(2 * math.pi * self.radius / self.pitch)):
            across = np.array([math.cos(2 * math.pi * k / count), 0.0, math.sin(2 * math.pi * k / count)])
            ends = [tuple((far * across).tolist()) for far in (self.radius - 1e-4, self.radius - 1e-4 - self.fin)]
            line = {"shape": "line", "start": ends[0], "end": ends[1]}
            fins.append({**line, "name": f"fin {k}", "material": "drum", "motion": wall["motion"]})
        material = {"density": 1000.0, "young": 2e6, "friction": 0.0}
        return Scene.model_validate({
            "name": "drum", "solver": "beams", "dimensions": 2, "duration": 1.0, "frame_rate": 100.0, "seed": seed,
            "materials": {"grain": material, "drum": material},
            "beams": {"integrator": "verlet", "inertia": self.inertia, "wall_thickness": self.thickness},
            "pairs": [{"between": ("grain", "drum"), "friction": 1.0}], "grains": groups, "walls": [wall, *fins],
        })  # fmt: skip


class Turn(NamedTuple):
    """A drum, how fast it turns (rad/s), and the seed of its filling."""

    drum: Drum
    rate: float
    seed: int


@dataclass(frozen=True)
class Tumbling:
    """What a drum does at one rate; S samples."""

    rate: float  # rad/s
    time: np.ndarray  # (S,) s
    lean: np.ndarray  # (S,) degrees, by which the line from the axis to the centre of mass leans
    energy: np.ndarray  # (S,) J, kinetic, in the drum's frame
    inclination: float  # degrees, of the surface, once it has settled
    scatter: float  # degrees, standard error of that, from spells of the time
    overlap: float  # the deepest, as a share of a triangle
    frame: Frame
    scene: Scene

    @property
    def rest(self) -> float:
        """The share of the time in which grains rest in the drum."""
        energy = self.energy[settled(self.time, self.rate)]
        return float(np.mean(energy < SLOW_SHARE * energy.mean()))


def settled(time: np.ndarray, rate: float) -> np.ndarray:
    """Times after the first third, and after a turn by TILT: until then the bed settles and tilts."""
    return time > max(time[-1] / 3, TILT / rate)


def law(rate: np.ndarray, repose: float, factor: float, power: float) -> np.ndarray:
    """Inclination, degrees, at an angular velocity in rad/s."""
    return repose + factor * rate**power


def leaning(place: np.ndarray, mass: np.ndarray) -> float:
    """By how much, rad, the line from the axis, at (0, 0), to the centre of mass of grains at place (N, 2) leans."""
    x, z = np.average(place, axis=0, weights=mass)
    return float(np.arctan2(-x, -z))


def energy_in_drum(place: np.ndarray, velocity: np.ndarray, mass: np.ndarray, rate: float) -> float:
    """Kinetic energy, J, as one sees it who turns with the drum, at `rate` (rad/s) about y, which takes z to x."""
    u, w = velocity[:, 0] - rate * place[:, 1], velocity[:, 1] + rate * place[:, 0]
    return float(0.5 * np.sum(mass * (u**2 + w**2)))


def fit_law(rate: np.ndarray, lean: np.ndarray, many: np.ndarray) -> tuple[np.ndarray, float]:
    """`law` for means of so many drums each: its three numbers, and the standard error of the power."""
    start, bounds = (lean.min(), 0.1, POWER), ([0.0, 1e-3, 0.2], [60.0, 60.0, 6.0])
    fit, spread = curve_fit(law, rate, lean, p0=start, sigma=1 / np.sqrt(many), bounds=bounds)
    return fit, math.sqrt(spread[2, 2])


def inclination(place: np.ndarray, area: np.ndarray, radius: float) -> float:
    """The slope, degrees, of the surface of what has been at place (N, 2) m, with these areas, in a drum about (0, 0).

    Seen along the line from the centre of mass to the axis, the middle of the bed, as wide as the drum's radius, is
    cut into COLUMNS. The surface of each is where it is half as dense as in the bed, and a straight line is laid
    through them. Of places at many times that is the mean surface; what flies above it hardly counts.
    """
    lean = leaning(place, area)
    up, along = np.array([np.sin(lean), np.cos(lean)]), np.array([np.cos(lean), -np.sin(lean)])
    height, column = place @ up / radius, np.floor((place @ along / radius + 0.5) * COLUMNS).astype(int)
    edges = np.arange(-1.0, 1.0 + LAYER, LAYER)
    middle, top = 0.5 * (edges[1:] + edges[:-1]), np.average(height, weights=area)
    found = []
    for k in range(COLUMNS):
        dense, _ = np.histogram(height[column == k], edges, weights=area[column == k])
        half = 0.5 * dense[(middle < top) & (middle > top - DEEP)].mean()
        if half > 0.0:
            at = min(int(np.flatnonzero(dense > half)[-1]), len(middle) - 2)
            found.append((k, middle[at] + LAYER * (dense[at] - half) / (dense[at] - dense[at + 1])))
    if len(found) < 3:
        return float(np.degrees(lean))
    at, tops = np.array(found).T
    return float(np.degrees(lean - np.arctan(np.polyfit(at, tops, 1)[0] * COLUMNS)))


def tumble(turn: Turn) -> Tumbling:
    """Turn the drum, and look every SAMPLE."""
    drum, rate, seed = turn
    solver = drum.filled(rate, seed)
    count = solver.triangle_count
    rows, places = [], []
    for k in range(round(drum.lasts / SAMPLE)):
        solver.advance_to((k + 1) * SAMPLE)
        body = beams_ledger.bodies(solver)
        place = body.position[:, [0, 2]]
        energy = energy_in_drum(place, body.velocity[:, [0, 2]], body.mass, rate)
        rows.append((solver.time, np.degrees(leaning(place, body.mass)), energy))
        places.append(solver.arrays["state"][:count, :2, 0].copy())
    table = np.array(rows)
    kept = np.array(places)[settled(table[:, 0], rate)]
    mean, scatter = surface(kept, solver.arrays["area"][:count], drum.radius)
    return Tumbling(
        rate, table[:, 0], table[:, 1], table[:, 2], mean, scatter, solver.worst_overlap, solver.snapshot(),
        solver.model.scene,
    )  # fmt: skip


def surface(places: np.ndarray, area: np.ndarray, radius: float) -> tuple[float, float]:
    """Inclination of the mean surface of triangles at places (S, T, 2) m, and its standard error, degrees."""

    def of(part: np.ndarray) -> float:
        return inclination(part.reshape(-1, 2), np.tile(area, len(part)), radius)

    spells = [of(part) for part in np.array_split(places, SPELLS)]
    return of(places), float(np.std(spells, ddof=1) / math.sqrt(SPELLS))


def scatter_of_power(rate: np.ndarray, leans: Sequence[np.ndarray], fit: np.ndarray) -> float:
    """The standard error of the power in `fit` from what drums of one rate differ by, the law taken for granted.

    leans: for each rate the inclinations of its drums, two of them at least somewhere.
    """
    many = np.array([len(several) for several in leans])
    square = sum(np.sum((several - several.mean()) ** 2) for several in leans) / np.sum(many - 1)
    _, factor, power = fit
    slopes = np.column_stack([np.ones(len(rate)), rate**power, factor * rate**power * np.log(rate)])
    return math.sqrt(square * np.linalg.inv(slopes.T @ (many[:, None] * slopes))[2, 2])


def judge_power(rate: np.ndarray, leans: Sequence[np.ndarray], rest: np.ndarray) -> tuple[list[Row], np.ndarray | None]:
    """What is found for the power of Ω in steady flow, and the law's three numbers, where there is enough of it.

    leans: for each rate the inclinations of its drums. rest: for each rate the share of time at rest. Steady flow is
    from the rate on from which that is below STEADY.
    """
    lean, many = np.array([several.mean() for several in leans]), np.array([len(several) for several in leans])
    first = int(np.flatnonzero(rest >= STEADY).max(initial=-1)) + 1
    name, bound = "power of Ω in inclination − that of repose, steady flow", f"within {NEAR:g}"
    if len(rate) - first < FEWEST:
        few = f"not fitted: {len(rate) - first} rates, fewer than {FEWEST}"
        return [Row(name, f"{POWER:g}", few, "", False, bound)], None

    def told(fit: np.ndarray, error: float, begin: int) -> str:
        scatter = scatter_of_power(rate[begin:], leans[begin:], fit)
        return f"{fit[2]:.2f} ± {error:.2f} (fillings ± {scatter:.2f}), above {fit[0]:.1f}°"

    steady, error = fit_law(rate[first:], lean[first:], many[first:])
    rows = [Row(f"{name}, from {rate[first]:g} rad/s on", f"{POWER:g}", told(steady, error, first), "",
                bool(abs(steady[2] - POWER) < NEAR), bound)]  # fmt: skip
    for begin in sorted({max(first - 1, 0), 0} - {first}, reverse=True):
        why = f"from {rate[begin]:g} rad/s on, where grains rest for {rest[begin]:.0%} of the time"
        rows.append(Row(f"the same {why}", "–", told(*fit_law(rate[begin:], lean[begin:], many[begin:]), begin)))
    return rows, steady


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Turn drums at several rates."""
    drum, workers = (Drum.small(), 1) if quick else (Drum.full(), None)
    seeds = {0.7: [2], 8.0: [2]} if quick else SEEDS
    turns = [Turn(drum, rate, seed) for rate, several in seeds.items() for seed in several]
    progress.status(f"{len(turns)} drums", "side by side")
    found = side_by_side(tumble, turns, workers)
    by_rate = {rate: [one for one in found if one.rate == rate] for rate in seeds}
    slow, fast = found[0], found[-1]
    rest = np.array([np.mean([one.rest for one in several]) for several in by_rate.values()])
    rate = np.array(list(by_rate))
    lean = np.array([np.mean([one.inclination for one in several]) for several in by_rate.values()])
    rows = [
        Row(f"share of time at rest in the drum at {slow.rate:g} rad/s", "most of it", f"{rest[0]:.2f}", "",
            bool(rest[0] > 0.25), "above 0.25"),
        Row(f"the same at {fast.rate:g} rad/s", "steady flow", f"{rest[-1]:.2f}", "", bool(rest[-1] < STEADY),
            f"below {STEADY:g}"),
        Row("inclination, slow and fast", "grows", f"{lean[0]:.0f}, {lean[-1]:.0f}", "°",
            bool(lean[-1] > lean[0]), "fast above slow"),
        Row("deepest overlap of all drums", "–", f"{max(one.overlap for one in found):.2f}", "of a triangle"),
    ]  # fmt: skip
    curves = [Curve(rate, lean, "" if quick else "mean", "points")]
    if not quick:
        leans = [np.array([one.inclination for one in several]) for several in by_rate.values()]
        judged, fit = judge_power(rate, leans, rest)
        rows += judged
        if fit is not None:
            fine = np.linspace(0.0, rate[-1], 100)
            curves.append(Curve(fine, law(fine, *fit), f"{fit[0]:.1f}° + {fit[1]:.2g}° Ω^{fit[2]:.2f}", "dashed"))
    panels = [
        Panel("time (s)", "kinetic energy in the drum's frame (nJ)", [
            Curve(one.time, 1e9 * one.energy, f"{one.rate:g} rad/s") for one in (slow, fast)
        ], log_y=True),
        Panel("time (s)", "lean of the centre of mass (°)", [
            Curve(one.time, one.lean, f"{one.rate:g} rad/s") for one in (slow, fast)
        ]),
        Panel("angular velocity (rad/s)", "inclination of the surface (°)", curves),
    ]  # fmt: skip
    shots = blank_figure(11.0, 4.6)
    for place, one in enumerate((slow, fast), start=1):
        axes = shots.add_subplot(1, 2, place)
        draw_scene(one.frame, one.scene.walls, ax=axes, color="speed")
        axes.set_title(f"{one.rate:g} rad/s", fontsize=9)
    told = ", ".join(
        f"{at:g}: " + " ".join(f"{one.inclination:.1f} ± {one.scatter:.1f}" for one in several)
        for at, several in by_rate.items()
    )
    return StudyResult(
        tuple(rows),
        (
            Picture(save_figure(shots, folder / "drums.png"), "Grains in a slow and in a fast drum (Fig. 18)."),
            Picture(save_figure(draw_panels(panels, columns=3), folder / "inclination.png"),
                    "Motion in the drum over time, and its inclination against the angular velocity (Fig. 19)."),
        ),
        ("Grains are squares without friction; the drum's wall has fins and μ = 1, the paper's its own grains.",
         f"Inclination (°) of each drum by angular velocity (rad/s): {told}.",
         f"The law is of steady flow (Rajchenbach 1990): drums that rest for {STEADY:.0%} of the time do not count."),
    )  # fmt: skip


STUDY = Study(
    "P3", "Avalanches in a slow drum, steady flow in a fast one",
    "stick–slip when slow, steady when fast; inclination minus that of repose ∝ Ω² (Figs. 18, 19)", run,
    "20 squares and two rates, 1.5 s each, instead of 500 and ten; the power is fitted at full size only",
)  # fmt: skip
