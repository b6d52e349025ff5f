"""Drums of flat grains that are turned slowly or fast, and what is measured in them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from barchan.frame import Frame
from barchan.model.build import build
from barchan.record.schema import FIRST, OPTIONAL, frame_arrays, frame_from
from barchan.record.whole import replaced
from barchan.scene import Scene, dumps
from barchan.solvers.beams import ledger
from barchan.solvers.beams.solver import BeamSolver

SAMPLE = 0.01  # s
SLOW_SHARE = 0.3  # of the mean energy in the drum's frame: below it the grains rest in the drum
TILT = 0.5  # rad
DOT = 1e-6  # m: a line so short is a square, as large as it is thick
COLUMNS = 8  # of the bed's middle, across which its surface is sought
LAYER = 0.025  # of the drum's radius: the columns are cut into layers so high
DEEP = 0.2  # of the drum's radius, below the centre of mass: there a column is as dense as within the bed
SPELLS = 6  # into which the time is cut to see how far its parts differ


@dataclass(frozen=True)
class Box:
    """A part of the drum, m, that is filled with so many grains."""

    low: tuple[float, float]
    high: tuple[float, float]
    count: int


@dataclass(frozen=True)
class Drum:
    """A drum with grains of `smallest` to `largest` m across, which turns for `lasts` s, and by `turn` rad at least.

    Grains are squares, or have `corners` corners and no two are alike. The wall has fins, or is made of squares that
    are turned at random. The boxes are filled at first. Each of `more` is filled above grains that have fallen for so
    many s before.
    """

    radius: float
    smallest: float
    largest: float
    boxes: tuple[Box, ...]
    inertia: float  # m³, of the beams' section
    step: float  # s
    lasts: float
    turn: float = 0.0  # rad
    fin: float = 1e-3  # m, height of the fins that stand on the wall; 0: it is made of squares
    pitch: float = 2.5e-3  # m, between fins, or the squares' middles
    thickness: float = 6e-4  # m, of fins, or the squares' side
    corners: int = 4
    friction: float = 0.0  # between grains
    wall_friction: float = 1.0
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
    def angular(cls, friction: float) -> Drum:
        """The same with grains of five corners as in P2, in a ring of squares like grains of middling size."""
        return replace(
            cls.full(), inertia=5e-12, step=8e-6, turn=2.0, fin=0.0, pitch=1.25e-3, thickness=1.06e-3, corners=5,
            friction=friction, wall_friction=friction,
        )  # fmt: skip

    @classmethod
    def small(cls) -> Drum:
        """20 grains, for seconds."""
        box = Box((-9.7e-3, -9.7e-3), (9.7e-3, 9.7e-3), 20)
        return cls(0.0145, 3.2e-3, 4.2e-3, (box,), 1e-10, 2.5e-5, 1.5, pitch=7.5e-3, thickness=9e-4)

    def ends(self, rate: float) -> float:
        """How long, s, it turns at `rate` (rad/s)."""
        return max(self.lasts, self.turn / rate)

    def filled(self, rate: float, seed: int) -> BeamSolver:
        """The drum at `rate` (rad/s), at the moment when the last of its grains are let in and it begins to turn."""
        lying = None
        for times, (falls, _) in enumerate(self.more):
            solver = self._solver(0.0, seed, times, lying)
            solver.advance_to(falls)
            lying = solver.frame()
        return self._solver(rate, seed, len(self.more), lying)

    def _solver(self, rate: float, seed: int, times: int, lying: Frame | None) -> BeamSolver:
        """The drum filled so many times more, with grains that lie in it as in that frame."""
        model, grains = build(self.scene(rate, seed, times, lying))
        if lying is not None:
            grains.position[: len(lying.id)], grains.orientation[: len(lying.id)] = lying.position, lying.orientation
        return BeamSolver(model, grains, self.step)

    def scene(self, rate: float, seed: int, times: int = 0, lying: Frame | None = None) -> Scene:
        """The drum at `rate` (rad/s), filled at random in the way of `seed`, and so many times more, above grains that
        lie as in that frame.
        """
        square = self.corners == 4
        shape = "square" if square else {"kind": "irregular", "corners": self.corners}
        wide = math.sqrt(2) if square else 1.0  # across, over what the scene calls size
        size = {"kind": "uniform", "low": self.smallest / wide, "high": self.largest / wide}
        groups = []
        for k, box in enumerate((*self.boxes, *(box for _, box in self.more[:times]))):
            corners = {"low": (box.low[0], 0.0, box.low[1]), "high": (box.high[0], 0.0, box.high[1])}
            group = {"name": f"grains {k}", "material": "grain", "shape": shape, "orientation": "random"}
            rest: dict[str, Any] = {
                "count": box.count,
                "fill": {"kind": "random", "region": {"kind": "box", **corners}},
            }
            if lying is not None and (mine := lying.group == k).any():
                rest = {"fill": {"kind": "points", "positions": lying.position[mine].tolist()}}
            groups.append({**group, "size": size, **rest})
        wall = {
            "name": "drum", "shape": "cylinder", "axis": (0, 1, 0), "radius": self.radius, "material": "drum",
            "motion": {"kind": "rotate", "axis": (0, 1, 0), "rate": rate},
        }  # fmt: skip
        rough = [
            {"name": f"{self.roughness} {k}", "shape": "line", "start": (x0, 0.0, z0), "end": (x1, 0.0, z1),
             "material": "drum", "motion": wall["motion"]}
            for k, ((x0, z0), (x1, z1)) in enumerate(self.lines(seed).tolist())
        ]  # fmt: skip
        material = {"density": 1000.0, "young": 2e6, "friction": self.friction}
        return Scene.model_validate({
            "name": "drum", "solver": "beams", "dimensions": 2, "duration": 1.0, "frame_rate": 100.0, "seed": seed,
            "materials": {"grain": material, "drum": material},
            "beams": {
                "integrator": "verlet", "inertia": self.inertia, "wall_thickness": self.thickness, "grip": 0.0,
            },
            "pairs": [{"between": ("grain", "drum"), "friction": self.wall_friction}], "grains": groups,
            "walls": [wall, *rough],
        })  # fmt: skip

    @property
    def roughness(self) -> str:
        """What makes the wall rough."""
        return "fin" if self.fin else "square"

    def lines(self, seed: int) -> np.ndarray:
        """(n, 2, 2) m: x and z of both ends of the fins, or of lines as short as a DOT, which make squares."""
        count = round(2 * math.pi * self.radius / self.pitch)
        angle = 2 * math.pi * np.arange(count) / count
        outwards = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        if self.fin:
            foot = self.radius - 1e-4
            return np.stack([foot * outwards, (foot - self.fin) * outwards], axis=1)
        angle = np.random.default_rng(seed).uniform(0.0, math.pi / 2, count)
        half = 0.5 * DOT * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return np.stack([self.radius * outwards - half, self.radius * outwards + half], axis=1)


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


def leaning(place: np.ndarray, mass: np.ndarray) -> float:
    """By how much, rad, the line from the axis, at (0, 0), to the centre of mass of grains at place (N, 2) leans."""
    x, z = np.average(place, axis=0, weights=mass)
    return float(np.arctan2(-x, -z))


def energy_in_drum(place: np.ndarray, velocity: np.ndarray, mass: np.ndarray, rate: float) -> float:
    """Kinetic energy, J, as one sees it who turns with the drum, at `rate` (rad/s) about y, which takes z to x."""
    u, w = velocity[:, 0] - rate * place[:, 1], velocity[:, 1] + rate * place[:, 0]
    return float(0.5 * np.sum(mass * (u**2 + w**2)))


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
    for k in range(round(drum.ends(rate) / SAMPLE)):
        solver.advance_to((k + 1) * SAMPLE)
        body = ledger.bodies(solver)
        place = body.position[:, [0, 2]]
        energy = energy_in_drum(place, body.velocity[:, [0, 2]], body.mass, rate)
        rows.append((solver.time, np.degrees(leaning(place, body.mass)), energy))
        places.append(solver.arrays["state"][:count, :2, 0].copy())
    table = np.array(rows)
    kept = np.array(places)[settled(table[:, 0], rate)]
    mean, scatter = surface(kept, solver.arrays["area"][:count], drum.radius)
    return Tumbling(
        rate, table[:, 0], table[:, 1], table[:, 2], mean, scatter, solver.worst_overlap, solver.frame(),
        solver.model.scene,
    )  # fmt: skip


def turned(task: tuple[Turn, Path]) -> Tumbling:
    """A drum that was turned before, as it is kept in a file, or else turned now and kept there: each takes minutes."""
    turn, path = task
    found = kept(turn, path)
    if found is None:
        found = tumble(turn)
        keep(turn, found, path)
    return found


def _name(turn: Turn) -> str:
    """All that a drum and what is measured in it depend on."""
    measure = (SAMPLE, TILT, COLUMNS, LAYER, DEEP, SPELLS)
    return f"{turn} {measure} {dumps(_scene(turn))}"


def _scene(turn: Turn) -> Scene:
    return turn.drum.scene(turn.rate, turn.seed, len(turn.drum.more))


def keep(turn: Turn, found: Tumbling, path: Path) -> None:
    """Write what a drum has done to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, Any] = {f"frame {name}": array for name, array in frame_arrays(found.frame).items()}
    arrays |= {"time": found.time, "lean": found.lean, "energy": found.energy, "name": np.array(_name(turn))}
    arrays |= {
        "numbers": (found.inclination, found.scatter, found.overlap),
        "moment": (found.frame.time, found.frame.step),
    }
    with replaced(path) as draft, draft.open("wb") as file:
        np.savez(file, **arrays)


def kept(turn: Turn, path: Path) -> Tumbling | None:
    """What is kept of a drum; nothing where the file is missing, cut short or of another drum."""
    try:
        with np.load(path) as file:
            if str(file["name"]) != _name(turn):
                return None
            there = [per for per in OPTIONAL if f"frame {FIRST[per]}" in file]
            time, step = file["moment"].tolist()
            frame = frame_from(time, int(step), there, lambda field: file[f"frame {field.name}"])
            slope, scatter, overlap = file["numbers"].tolist()
            return Tumbling(
                turn.rate, file["time"], file["lean"], file["energy"], slope, scatter, overlap, frame, _scene(turn)
            )
    except (OSError, EOFError, ValueError, KeyError, BadZipFile):
        return None


def surface(places: np.ndarray, area: np.ndarray, radius: float) -> tuple[float, float]:
    """Inclination of the mean surface of triangles at places (S, T, 2) m, and its standard error, degrees."""

    def of(part: np.ndarray) -> float:
        return inclination(part.reshape(-1, 2), np.tile(area, len(part)), radius)

    spells = [of(part) for part in np.array_split(places, SPELLS)]
    return of(places), float(np.std(spells, ddof=1) / math.sqrt(SPELLS))
