"""Small runs of every method, of which everything that a frame determines is computed again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import barchan as bc
from run.test_story import pouring
from solvers import beams_lab, hard_lab, lab, relax_lab
from solvers.test_deforming_box import discs, lattice

ASKED = ["stress", "packing", "centre", "cell"]
RECORD = {"observables": ASKED, "record": {"contacts": True}}
FAR = (120.0, -35.0, 60.0)  # m, far from the origin
KITE = ((-1e-3, -0.9e-3), (1e-3, -0.9e-3), (0.4e-3, 0.9e-3), (-0.4e-3, 0.9e-3))  # m, of triangles of unlike areas


@dataclass(frozen=True)
class Audited:
    """A scene, and what of it the frames determine beside what they always do."""

    scene: Callable[[], bc.Scene]
    law: str = ""  # of elastic contacts without friction, whose forces and energies overlaps determine
    stepped: bool = False  # a frame is a step of velocity Verlet: forces make the momenta
    rigid: bool = True  # grains do not bend: mass, velocity and spin make the kinetic energy


def _own(groups: list[dict[str, Any]], **fields: Any) -> bc.Scene:
    """A scene as users write them: spheres of one material."""
    named = [{"name": f"group {k}", **one} for k, one in enumerate(groups)]
    return bc.Scene.model_validate({"name": "audit", "contact": "hertz", "grains": named, **RECORD, **fields})


def spheres() -> bc.Scene:
    """Elastic spheres without friction that fall between planes far from the origin, a frame a step."""
    spots = np.stack(np.meshgrid(*(np.arange(3),) * 3, indexing="ij"), -1).reshape(-1, 3) * 0.0997 + FAR + 0.0497
    spots += np.array([0.02, 0.02, 0.0])
    planes = [
        {"name": "floor", "shape": "plane", "material": "a", "point": FAR},
        {"name": "left", "shape": "plane", "material": "a", "point": FAR, "normal": (1.0, 0.0, 0.0)},
        {"name": "back", "shape": "plane", "material": "a", "point": FAR, "normal": (0.3, 1.0, 0.0)},
    ]
    material = {"density": 2500.0, "young": 1e7, "friction": 0.0, "restitution": 1.0}
    return _own(
        [lab.grains(spots, velocity_scatter=0.1)], walls=planes, materials={"a": material},
        gravity=(0.5, 0.0, -9.81), duration=6e-3, time_step=1e-4, frame_rate=1e4,
    )  # fmt: skip


def clumps() -> bc.Scene:
    """Cubes of eight spheres with friction, on a floor and against a wall, a frame a step."""
    spots = np.stack(np.meshgrid(*(np.arange(2),) * 3, indexing="ij"), -1).reshape(-1, 3) * 0.0999 + 0.0499
    wall = {"name": "wall", "shape": "plane", "material": "a", "normal": (1.0, 0.0, 0.0)}
    return lab.scene(
        "hertz", [lab.grains(spots, shape="cube", velocity_scatter=0.2, spin=(1.0, 2.0, -1.0))], [lab.FLOOR, wall],
        gravity=(-1.0, 0.0, -9.81), duration=2e-3, time_step=4e-5, frame_rate=25_000.0, **RECORD,
    )  # fmt: skip


def periodic() -> bc.Scene:
    """Spheres of two sizes that collide and drift through the faces of a box that repeats, far from the origin."""
    spots = np.stack(np.meshgrid(*(np.arange(4),) * 3, indexing="ij"), -1).reshape(-1, 3) * 0.1 + FAR + 0.05
    low, high = FAR, tuple(float(one + 0.4) for one in FAR)
    large, small = lab.grains(spots[::2], size=0.102), lab.grains(spots[1::2], size=0.09)
    return _own(
        [{**one, "velocity": (1.3, 0.0, 0.4), "velocity_scatter": 0.3} for one in (large, small)], duration=0.05,
        gravity=(0.0, 0.0, 0.0), frame_rate=2000.0, periodic=(True, True, True), box={"low": low, "high": high},
        materials={"a": lab.material(restitution=0.7)},
    )  # fmt: skip


def flat() -> bc.Scene:
    """Discs with linear springs that drift through the faces of a square that is sheared."""
    place = lattice() + np.random.default_rng(3).uniform(-0.002, 0.002, (36, 3)) * (1, 0, 1)
    group = {"name": "discs", **lab.grains(place, size=0.168, velocity=(0.6, 0.0, 0.4))}
    return discs([], grains=[group], duration=0.4, frame_rate=200.0, **RECORD)


def tilted() -> bc.Scene:
    """Discs that are relaxed in a box that is sheared, by more than its image above is away."""
    shear = {"kind": "simple-shear", "strain": 0.7}
    return relax_lab.flat_scene(60, deformation=shear, frame_rate=8.0, **RECORD)


def poured() -> bc.Scene:
    """Grains are poured, fall through a floor that is taken away, and are absorbed."""
    return pouring(**RECORD)


def triangles() -> bc.Scene:
    """Squares on a smooth floor and at a strip, with friction, a frame a step."""
    walls = [
        {"name": "floor", "shape": "plane", "material": "a"},
        {"name": "post", "shape": "line", "start": (9.4e-5, 0, 5e-4), "end": (9.4e-5, 0, 1.5e-3), "material": "a"},
    ]
    grains = [beams_lab.grain(-1e-3, 0.99e-3, velocity=(0.1, 0, -0.1)), beams_lab.polygon(-1.2e-3, 2.75e-3, *KITE)]
    return beams_lab.scene(
        grains, walls=walls, friction=0.3, gravity=(0.0, 0.0, -9.81), beams={"wall_thickness": 2e-4}, duration=2e-3,
        frame_rate=1e4, **RECORD,
    )  # fmt: skip


def tray() -> bc.Scene:
    """Balls in the corner of a tray of triangles, of which two make a face."""
    spots = (
        np.stack(np.meshgrid([0.0], [0.0, 0.0999, 0.1998], [0.0, 0.0999], indexing="ij"), -1).reshape(-1, 3) + 0.0498
    )
    corners = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
    triangles = [(0, 4, 6), (0, 6, 2), (0, 1, 5), (0, 5, 4), (0, 2, 3), (0, 3, 1)]  # floor, front and left
    wall = {"name": "tray", "shape": "mesh", "material": "a", "vertices": corners, "triangles": triangles}
    return lab.walled(
        [lab.grains(spots)],
        [wall],
        gravity=(-3.0, -3.0, -9.81),
        duration=5e-3,
        time_step=5e-5,
        frame_rate=2e3,
        **RECORD,
    )


def hard() -> bc.Scene:
    """Hard spheres that collide inelastically over a floor, in a box that repeats sideways."""
    spots = np.stack(np.meshgrid(*(np.arange(4),) * 3, indexing="ij"), -1).reshape(-1, 3) * 0.15 + 0.075
    return hard_lab.scene(
        [hard_lab.grains(spots, velocity_scatter=1.0, spin=(1.0, -2.0, 3.0))], [hard_lab.FLOOR], restitution=0.8,
        gravity=(0.0, 0.0, -9.81), duration=0.3, frame_rate=20.0, periodic=(True, True, False),
        box={"low": (0.0, 0.0, -1.0), "high": (0.6, 0.6, 5.0)}, observables=ASKED,
    )  # fmt: skip


RUNS = {
    "spheres": Audited(spheres, "hertz", stepped=True), "clumps": Audited(clumps, stepped=True),
    "periodic": Audited(periodic), "flat": Audited(flat, "linear"), "tilted": Audited(tilted, "harmonic"),
    "poured": Audited(poured), "triangles": Audited(triangles, rigid=False), "hard": Audited(hard),
    "tray": Audited(tray),
}  # fmt: skip
