"""A small run of each method, with a frame after every step or two, on kernels of `combinations.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan import load
from barchan.scene import Scene
from simulation import test_story
from solvers import beams_lab, hard_lab, lab, relax_lab

STEP = 2e-5  # s
ALL = ["packing", "stress", "centre", "cell", "steps"]
KITE = ((-1e-3, -0.9e-3), (1e-3, -0.9e-3), (0.4e-3, 0.9e-3), (-0.4e-3, 0.9e-3))  # m, of triangles of unlike areas
EVERY: dict[str, Any] = {"observables": ALL, "record": {"contacts": True}}


def stepped(steps: int, step: float = STEP) -> dict[str, Any]:
    """A run of so many steps, with a frame after each."""
    return {**EVERY, "time_step": step, "frame_rate": 1 / step, "duration": steps * step}


def crowd(origin: Any = (0.0, 0.0, 0.0), *, flat: bool = False, material: dict[str, Any] | None = None) -> Scene:
    """Balls of two sizes that jostle in a box with a slope, and a piston that comes down on them."""
    rng, at = np.random.default_rng(5), np.array(origin, float)
    counts = (3, 1 if flat else 3, 3)
    spots = np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"), axis=-1).reshape(-1, 3) * 0.0996
    spots = spots + rng.normal(scale=2e-4, size=spots.shape) * ([1, 0, 1] if flat else 1) + at
    big, small = lab.grains(spots[::2], velocity_scatter=0.5), lab.grains(spots[1::2], velocity_scatter=0.5, size=0.099)
    aside = 1.0 if flat else 0.0495
    low, high = np.array([-0.0495, -aside, -0.0495]), np.array([0.2487, 0.1992 + aside, 0.6])
    slope = np.array([1.0, 0.0, 0.3])
    walls = [
        {"name": "box", "shape": "box", "low": low + at, "high": high + at, "open": ["+z"], "material": "a"},
        {
            "name": "slope", "shape": "plane", "point": at - 0.0497 * slope / np.linalg.norm(slope), "normal": slope,
            "material": "a",
        },
        {
            "name": "piston", "shape": "plane", "point": np.array([0, 0, 0.2487]) + at, "normal": (0, 0, -1),
            "material": "a", "motion": {"kind": "translate", "velocity": (0.1, 0.0, -0.4)},
        },
    ]  # fmt: skip
    return Scene.model_validate({
        "name": "crowd", "materials": {"a": material or lab.material()}, "walls": plain(walls), "seed": 3,
        "grains": [{"name": "big", "spin": (0, 5.0, 0), **big}, {"name": "small", **small}],
        "dimensions": 2 if flat else 3, **stepped(100),
    })  # fmt: skip


def plain(value: Any) -> Any:
    """Arrays as lists, all the way down."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def clumps() -> Scene:
    """Cubes, dimers and balls that spin and collide on a floor that moves, within a cylinder."""
    rng = np.random.default_rng(4)
    spots = np.stack(np.meshgrid([-0.065, 0.065], [-0.065, 0.065], [0.067, 0.197], indexing="ij"), axis=-1).reshape(
        -1, 3
    )
    spots = spots + rng.normal(scale=1e-3, size=spots.shape)
    moving: dict[str, Any] = {"velocity": (0.3, 0.1, -1.5), "velocity_scatter": 0.5, "orientation": "random"}
    groups = [
        lab.grains(spots[:5], shape="cube", spin=(3.0, -5.0, 8.0), **moving),
        lab.grains(spots[5:7], shape="dimer", **moving),
        lab.grains(spots[7:], **moving),
    ]
    walls = [
        {**lab.FLOOR, "motion": {"kind": "translate", "velocity": (0.2, 0.0, 0.3)}},
        {"name": "tube", "shape": "cylinder", "radius": 0.16, "material": "a"},
    ]
    return lab.scene("hertz", groups, walls, gravity=(0.5, 0.0, -lab.GRAVITY), seed=4, **stepped(150))


def periodic() -> Scene:
    """Cubes and balls that cross the faces of a periodic box while they touch each other and a floor, with stiction."""
    spots = [(0.0, 0.4993, 0.0499), (0.0, -0.4995, 0.1495), (0.13, -0.4990, 0.0499), (0.13, 0.4015, 0.0497)]
    balls = [(0.3, 0.4992, 0.0499), (0.3, 0.4990, 0.1496), (0.4, -0.4992, 0.0499), (0.399, 0.3, 0.05)]
    groups = [
        lab.grains(spots, shape="cube", velocity=(0.02, 0.6, 0.0), velocity_scatter=0.05),
        lab.grains(balls, velocity=(-0.1, 0.5, 0.0), velocity_scatter=0.2),
        lab.grains([(0.0, -0.2, 0.0499), (0.3, -0.2, 0.0499)], shape="cube"),
    ]
    more = {"gravity": lab.tilted(0.2), "seed": 2, **stepped(150)}
    return lab.kitchen(groups, [lab.FLOOR], **more)


def drifting() -> Scene:
    """Balls of two sizes, far from the origin, that collide and go through all faces of a box that repeats."""
    low = np.array([120.0, -35.0, 60.0])
    spots = np.stack(np.meshgrid(*(np.arange(3),) * 3, indexing="ij"), axis=-1).reshape(-1, 3) * 0.1
    spots = spots + np.random.default_rng(7).normal(scale=1e-4, size=spots.shape) + low + [6e-4, 0.0994, 0.0997]
    moving: dict[str, Any] = {"velocity": (-1.0, 0.9, 0.7), "velocity_scatter": 0.3, "spin": (4.0, -3.0, 2.0)}
    return Scene.model_validate({
        "name": "drifting", "materials": {"a": lab.material(restitution=0.7)}, "gravity": (0, 0, 0), "seed": 6,
        "grains": [
            {"name": "large", **lab.grains(spots[::2], size=0.1004, **moving)},
            {"name": "small", **lab.grains(spots[1::2], size=0.099, **moving)},
        ],
        "periodic": (True, True, True), "box": plain({"low": low, "high": low + 0.3}), **stepped(60),
    })  # fmt: skip


def deforming() -> Scene:
    """Discs in a periodic square that is sheared, some of them about to cross its faces."""
    line = (np.arange(6) + 0.02) / 6
    x, z = np.meshgrid(line + 0.5, line + 1.5, indexing="ij")
    place = np.stack([x.ravel(), np.zeros(36), z.ravel()], axis=1)
    place = place + np.random.default_rng(3).uniform(-0.004, 0.004, (36, 3)) * (1, 0, 1)
    group = {"name": "discs", **lab.grains(place, size=0.168, velocity=(-0.3, 0, -0.2), velocity_scatter=0.5)}
    return Scene.model_validate({
        "name": "deforming", "contact": {"law": "linear", "stiffness": 1000.0}, "dimensions": 2, "gravity": (0, 0, 0),
        "materials": {"a": lab.material(friction=0.0, restitution=0.5)}, "grains": [plain(group)],
        "periodic": (True, False, True), "box": {"low": (0.5, 0, 1.5), "high": (1.5, 0, 2.5)}, "drag": 0.5,
        "deformation": {"kind": "pure-shear", "strain": 0.05}, **stepped(150, 2e-4),
    })  # fmt: skip


def pouring() -> Scene:
    """A source pours on to balls; a wall absorbs some of what falls, and a sink takes what flies off."""
    below = [(0.0, 0.0, 0.0498), (0.0998, 0.0, 0.0498), (0.0, 0.0998, 0.0498)]
    leaving = [(1.0, 0.0, 0.049), (1.2, 0.0, 0.0505), (2.9995, 0.0, 0.5), (2.9985, 0.3, 0.5)]
    source = {
        "name": "spout", "material": "a", "size": 0.06, "rate": 2000.0, "velocity": (0.0, 0.0, -2.0),
        "region": {"kind": "box", "low": (-0.2, -0.2, 0.101), "high": (0.3, 0.3, 0.165)}, "spin": (0.0, 30.0, 0.0),
    }  # fmt: skip
    gone = {"name": "gone", "region": {"kind": "box", "low": (3.0, -1, 0), "high": (4, 1, 1)}}
    walls = [
        {"name": "floor", "shape": "box", "low": (-0.5, -0.5, 0.0), "high": (0.5, 0.5, 2.0), "open": ["+z"]},
        {"name": "drain", "shape": "plane", "point": (0, 0, -2e-3), "absorbing": True},
    ]
    groups = [lab.grains(below), lab.grains(leaving, velocity=(1.0, 0.0, -1.0))]
    return Scene.model_validate({
        "name": "pouring", "materials": {"a": lab.material()}, "walls": [{"material": "a", **wall} for wall in walls],
        "grains": [{"name": f"g{k}", **one} for k, one in enumerate(groups)], "sources": [source], "sinks": [gone],
        **stepped(200),
    })  # fmt: skip


def story() -> Scene:
    """Grains are poured on to a floor that is taken away, gravity leans, and a wall and a sink take what falls."""
    return test_story.pouring(**{**EVERY, "frame_rate": 500.0})


def tray() -> Scene:
    """Balls in the corner of a tray of triangles, of which two make a face."""
    spots = np.stack(np.meshgrid([0.0], [0.0, 0.0999, 0.1998], [0.0, 0.0999], indexing="ij"), axis=-1).reshape(-1, 3)
    corners = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
    triangles = [(0, 4, 6), (0, 6, 2), (0, 1, 5), (0, 5, 4), (0, 2, 3), (0, 3, 1)]  # floor, front and left
    wall = {"name": "tray", "shape": "mesh", "material": "a", "vertices": corners, "triangles": triangles}
    balls = lab.grains(spots + 0.0498, velocity_scatter=0.1)
    return lab.walled([balls], [wall], gravity=(-3.0, -3.0, -9.81), **stepped(60))


def tilted() -> Scene:
    """Discs at rest in a box that leans until its image above is as near on the other side."""
    shear = {"kind": "simple-shear", "strain": 0.7}
    return relax_lab.flat_scene(60, seed=3, deformation=shear, **EVERY, frame_rate=8.0)


def squeezed() -> Scene:
    """Discs at rest in a square that shrinks."""
    return relax_lab.flat_scene(40, deformation={"kind": "compression", "to": 0.9}, **EVERY, frame_rate=6.0)


def heavy() -> Scene:
    """Balls that lie on a floor under their own weight, in a box that repeats sideways."""
    floor = {"name": "floor", "shape": "plane", "material": "a", "point": (0.0, 0.0, 0.0)}
    return relax_lab.round_scene(
        60, fraction=None, gravity=(0.0, 0.0, -9.81), periodic=(True, True, False), walls=[floor], **EVERY,
        box={"low": (0, 0, 0), "high": (0.4, 0.4, 1.0)},
    )  # fmt: skip


def triangles() -> Scene:
    """A square on a smooth floor and at a post of triangles, a kite on it, and a square through a periodic face."""
    walls = [
        {"name": "floor", "shape": "plane", "material": "a"},
        {"name": "post", "shape": "line", "start": (9.4e-5, 0, 5e-4), "end": (9.4e-5, 0, 1.5e-3), "material": "a"},
    ]
    grains = [
        beams_lab.grain(-1e-3, 0.99e-3, velocity=(0.1, 0, -0.1)), beams_lab.polygon(-1.2e-3, 2.75e-3, *KITE),
        beams_lab.grain(8.99e-3, 5e-3, velocity=(1.0, 0, 0.5), spin=(0.0, 20.0, 0.0)),
    ]  # fmt: skip
    return beams_lab.scene(
        grains, walls=walls, friction=0.3, gravity=(0.0, 0.0, -9.81), beams={"wall_thickness": 2e-4}, **EVERY,
        duration=2e-3, frame_rate=5e4, periodic=(True, False, False),
        box={"low": (-0.009, 0, -1), "high": (0.009, 0, 1)},
    )  # fmt: skip


def hard() -> Scene:
    """Hard spheres that collide and lose energy in a box that repeats sideways, over a floor."""
    spots = np.stack(np.meshgrid(*(np.arange(4),) * 3, indexing="ij"), axis=-1).reshape(-1, 3) * 0.15 + 0.075
    group = hard_lab.grains(spots, velocity_scatter=1.0, spin=(1.0, -2.0, 3.0))
    return hard_lab.scene(
        [group], [hard_lab.FLOOR], restitution=0.8, tangential=0.3, gravity=(0.0, 0.0, -9.81), duration=0.1,
        frame_rate=2000.0, periodic=(True, True, False), box={"low": (0, 0, -1), "high": (0.6, 0.6, 2)},
        observables=ALL,
    )  # fmt: skip


def conveyor() -> Scene:
    """The ball on a belt of the library, whose contact sticks, and slips when the spring pulls."""
    found = load("conveyor").to_dict(full=False)
    return Scene.model_validate({**found, **EVERY, "observables": [*ALL, "modes"], "frame_rate": 1e4})


SMOOTH = {"density": 2500.0, "young": 1e7, "friction": 0.0, "restitution": 1.0}
SCENES = {
    "spheres": crowd,
    "elastic": lambda: crowd(material=SMOOTH),
    "flat": lambda: crowd(flat=True),
    "far": lambda: crowd((400.0, -300.0, 250.0)),
    "clumps": clumps,
    "periodic": periodic,
    "drifting": drifting,
    "deforming": deforming,
    "pouring": pouring,
    "story": story,
    "tray": tray,
    "tilted": tilted,
    "squeezed": squeezed,
    "heavy": heavy,
    "triangles": triangles,
    "hard": hard,
    "conveyor": conveyor,
}
