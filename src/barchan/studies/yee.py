"""What all studies of Yee (2009) share: one grain, one set of materials, one hopper.

The paper gives neither the size nor the density of its grains. Its steps of 5 to 40 ms at E = 100 MPa ask for large and
heavy ones: cubes of eight spheres, 1 m across and of 2500 kg/m³, in every study. Its damping kβ = 50 N s/m^(3/2) is
next to nothing for such grains (1.3 t: a restitution above 0.99, so the heap would be a gas); a restitution of 0.3 at
1 m/s stands in for it. Everything else is the paper's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from barchan import solvers
from barchan.measures.pile import pile_height
from barchan.measures.steps import StepStatistics, step_statistics
from barchan.parts.observables.steps import Steps
from barchan.record.recording import Recording
from barchan.scene import Scene
from barchan.simulation.plan import Plan
from barchan.simulation.progress import Progress
from barchan.studies.runs import recorded

SIZE = 1.0  # m, edge of a cube grain
DENSITY = 2500.0  # kg/m³
YOUNG, WALL_YOUNG = 1e8, 2e8  # Pa
RESTITUTION = 0.3  # at 1 m/s
WALL_DRAG = 1.0  # kq, N s/m: next to nothing, so that it is stiction that brings grains to rest, as in the paper
FRAME_RATE = 24.0  # 1/s, the paper's frames
OUTLET_HEIGHT, BIN_RADIUS = (
    8.4,
    6.4,
)  # m, of the mouth above the floor, and of the bin, for FEW grains; see Hopper.scale
FEW = 397
PITCH, JITTER = 1.24 * SIZE, 0.1 * SIZE  # m, of the lattice that grains begin in
STEEPNESS = 2.6 / 1.9  # rise over run of the funnel
LAWS = {1: "viscous", 2: "path", 3: "displacement"}


@dataclass(frozen=True)
class Hopper:
    """Grains in a hopper above a bare floor: what the studies vary."""

    count: int = FEW
    law: int = 3  # the paper's number of the contact law between grains
    friction: float = 0.5  # μs
    rolling: float = 0.00025  # μr, m
    drag: float | None = None  # kt of law 1, N s/m; None: the law's own
    wall_friction: float = 0.0  # μq of the hopper; the floor's is always 1
    wall_rolling: float = 0.0  # μτ of the hopper, m s
    outlet: float = 2.6  # m, radius of the mouth
    duration: float = 10.0  # s
    integrator: str = "rkf45"
    tolerance: float = 0.01  # TOL, m/s
    shortest: float = 1e-5  # s, the shortest step
    seed: int = 0

    @property
    def scale(self) -> float:
        """By what the bin is wider than for FEW grains, and its mouth higher, above the tip of the larger heap."""
        return max(1.0, (self.count / FEW) ** (1 / 3))

    @property
    def mouth(self) -> float:
        """Height, m, of the mouth above the floor."""
        return OUTLET_HEIGHT * self.scale

    def scene(self) -> Scene:
        """The scene."""
        bin_radius = BIN_RADIUS * self.scale
        grains, height = self.few(bin_radius) if self.count <= FEW else self.many(bin_radius)
        return yee_scene(
            name=f"hopper of {self.count} grains, law {self.law}, μs = {self.friction:g}",
            duration=self.duration,
            contact={"law": LAWS[self.law], **({} if self.drag is None else {"drag": self.drag})},
            friction=self.friction,
            rolling=self.rolling,
            integrator=self.stepping(),
            seed=self.seed,
            wall_friction={"hopper": (self.wall_friction, self.wall_rolling)},
            grains=grains,
            walls=hopper_walls(self.outlet, bin_radius, height, mouth=self.mouth),
        )

    def few(self, bin_radius: float) -> tuple[dict[str, Any], float]:
        """Grains above the funnel, into which they fall, and the height of the bin around them, m."""
        layers = math.ceil(self.count * PITCH**2 / (math.pi * (bin_radius - SIZE) ** 2)) + 2
        region = {
            "kind": "cylinder",
            "base": [0, 0, self.mouth + STEEPNESS * (bin_radius - self.outlet)],
            "radius": bin_radius - 0.4 * SIZE,
            "height": layers * PITCH,
        }
        return cubes(self.count, {"kind": "lattice", "region": region, "jitter": JITTER}), layers * PITCH

    def many(self, bin_radius: float) -> tuple[dict[str, Any], float]:
        """Grains from the mouth of the funnel upwards: from above it they would fall so far as to go through others."""
        clear = (0.5 * math.sqrt(3) * SIZE + JITTER) * math.hypot(1.0, 1.0 / STEEPNESS)  # m, from the funnel's side
        rng, rows, height, left = np.random.default_rng(self.seed), [], 0.5 * PITCH, self.count
        along = PITCH * np.arange(-math.ceil(bin_radius / PITCH), math.ceil(bin_radius / PITCH) + 1)
        across = np.stack(np.meshgrid(along, along, indexing="ij"), axis=-1).reshape(-1, 2)
        while left > 0:
            reach = min(self.outlet + height / STEEPNESS, bin_radius) - clear
            layer = across[np.hypot(across[:, 0], across[:, 1]) <= reach][:left]
            rows.append(np.column_stack([layer, np.full(len(layer), self.mouth + height)]))
            height, left = height + PITCH, left - len(layer)
        places = np.concatenate(rows) + JITTER * rng.uniform(-1, 1, (self.count, 3))
        bin_height = max(height + PITCH - STEEPNESS * (bin_radius - self.outlet), PITCH)
        return cubes(None, {"kind": "points", "positions": places.round(4).tolist()}), bin_height

    def stepping(self) -> dict[str, Any]:
        """The integrator as a scene writes it."""
        if self.integrator == "verlet":
            return {"kind": "verlet"}
        return {"kind": self.integrator, "tolerance": self.tolerance, "shortest": self.shortest}


def cubes(count: int | None, fill: dict[str, Any], *, scatter: float = 0.0, name: str = "stones") -> dict[str, Any]:
    """The grains of all studies; scatter: of the velocities at the start, m/s, so that no lattice stands."""
    return {
        "name": name,
        "material": "stone",
        "shape": "cube",
        "size": SIZE,
        "count": count,
        "fill": fill,
        "velocity_scatter": scatter,
    }


def hopper_walls(
    outlet: float, bin_radius: float, bin_height: float, *, mouth: float = OUTLET_HEIGHT
) -> list[dict[str, Any]]:
    """A floor at which grains come to rest, and a hopper with its mouth above it; lengths in m."""
    height = STEEPNESS * (bin_radius - outlet)
    return [
        {"name": "floor", "shape": "plane", "material": "floor"},
        {
            "name": "funnel",
            "shape": "cone",
            "point": [0, 0, mouth],
            "bottom_radius": outlet,
            "top_radius": bin_radius,
            "height": height,
            "material": "hopper",
        },
        {
            "name": "bin",
            "shape": "cylinder",
            "point": [0, 0, mouth + height],
            "radius": bin_radius,
            "length": bin_height,
            "material": "hopper",
        },
    ]


def yee_scene(
    *,
    name: str,
    duration: float,
    grains: dict[str, Any] | Sequence[dict[str, Any]],
    walls: Sequence[dict[str, Any]],
    contact: dict[str, Any] | None = None,
    friction: float = 0.5,
    rolling: float = 0.00025,
    wall_friction: dict[str, tuple[float, float]] | None = None,
    integrator: dict[str, Any] | None = None,
    seed: int = 0,
) -> Scene:
    """A scene with the materials of all studies.

    wall_friction: μq and μτ (m s) of wall materials by name; `floor` has 1 and 0.0005, the paper's defaults, and the
    `hopper` is smooth.
    """
    surfaces = {"floor": (1.0, 0.0005), "hopper": (0.0, 0.0), **(wall_friction or {})}
    stone = {
        "density": DENSITY,
        "young": YOUNG,
        "friction": friction,
        "restitution": RESTITUTION,
        "rolling_friction": rolling,
    }
    fields = {
        "name": name,
        "duration": duration,
        "frame_rate": FRAME_RATE,
        "seed": seed,
        "contact": contact or {"law": LAWS[3]},
        "wall_contact": {"law": "viscous", "drag": WALL_DRAG},
        "stiction": {},
        "integrator": integrator or {"kind": "rkf45", "tolerance": 0.01},
        "materials": {"stone": stone, **{wall: {"density": 2500.0, "young": WALL_YOUNG} for wall in surfaces}},
        "pairs": [
            {
                "between": ["stone", wall],
                "friction": slide,
                "restitution": RESTITUTION,
                "rolling_viscosity": roll,
            }
            for wall, (slide, roll) in surfaces.items()
        ],
        "grains": [grains] if isinstance(grains, dict) else list(grains),
        "walls": list(walls),
    }
    return Scene.model_validate(fields)


def record(scene: Scene, folder: Path, progress: Progress) -> Recording:
    """Run a scene and record it in `folder`, steps counted; a run of the same scene that is there goes on."""
    return recorded(scene.model_copy(update={"observables": (Steps(),)}), folder, progress)


@dataclass(frozen=True)
class Stepped:
    """The time steps of a run that is not recorded, and how far its energy ledger is out at the end."""

    steps: StepStatistics
    energy_error: float  # gained (> 0) or lost (< 0), over the energy turned over
    height: float  # m, of the heap at the end


def stepped(scene: Scene, progress: Progress) -> Stepped:
    """Run a scene for its time steps alone, frame by frame.

    A loose tolerance may put more energy in than a recorded run would put up with: here it goes on, and the error is
    told instead.
    """
    plan = Plan.of(scene)
    solver = solvers.create(plan.model, plan.grains, plan.time_step.value)
    names = [name for name, _ in Steps.series]
    rows = [(0.0, *(float(solver.statistics()[name]) for name in names))]
    for frame in range(1, round(scene.duration * scene.frame_rate) + 1):
        progress.status(scene.name, f"t = {solver.time:.3g} of {scene.duration:g} s")
        solver.advance_to(frame / scene.frame_rate)
        rows.append((solver.time, *(float(solver.statistics()[name]) for name in names)))
    series = dict(zip(("time", *names), np.array(rows).T, strict=True))
    book = solver.frame().ledger
    spent = sum(abs(value) for name, value in book.items() if name.startswith("dissipated_"))
    turned = spent + book["kinetic_energy"] + book["stored_energy"]
    height = pile_height(solver.frame(), floor=0.0)
    return Stepped(step_statistics(series), book["energy_error"] / max(turned, 1e-300), height)
