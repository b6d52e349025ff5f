"""A small laboratory for tests of physics: a few grains, placed by hand, and a solver that moves them.

Every combination of law and switches is compiled once, which takes far longer than any test here. So all scenes of
the laboratory use the same switches: a spare material makes them scenes of several materials with rolling resistance,
spare walls that never appear bring all shapes and motions that are used, and spheres count as clumps.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from barchan.kernels import threads
from barchan.model.build import Model, build
from barchan.model.grains import Grains
from barchan.record.schema import frame_arrays
from barchan.scene.scene import Scene
from barchan.solvers.soft.solver import SoftSolver
from solvers.inside import by_id, peek

GRAVITY = 9.81  # m/s²
SPARE = {"density": 1.0, "young": 1.0, "rolling_friction": 1.0}
NEVER = 1e9  # s
SPARE_WALLS = (
    {"name": "spare 1", "shape": "plane", "motion": {"kind": "translate", "velocity": (0.0, 0.0, 0.0)}},
    {"name": "spare 2", "shape": "cylinder", "radius": 1.0, "motion": {"kind": "rotate", "rate": 0.0}},
    {
        "name": "spare 3",
        "shape": "plane",
        "motion": {"kind": "oscillate", "amplitude": 1e-12, "angular_frequency": 1e-12},
    },
)
FLOOR = {"name": "floor", "shape": "plane", "material": "a"}


def grain(position: Sequence[float], **options: Any) -> dict[str, Any]:
    """A group of one grain: a sphere of material a, 0.1 m across, at rest, unless told otherwise."""
    return grains([position], **options)


def grains(positions: Any, **options: Any) -> dict[str, Any]:
    """A group with one grain at each of the positions (n, 3) m."""
    fill = {"kind": "points", "positions": np.asarray(positions, float).tolist()}
    size = {} if isinstance(options.get("shape"), list) else {"size": 0.1}
    return {"material": "a", **size, "fill": fill, **options}


def material(**options: Any) -> dict[str, Any]:
    """A soft material, so that collisions last for many microseconds."""
    return {"density": 2500.0, "young": 1e7, "friction": 0.5, "restitution": 0.5, **options}


def scene(
    law: str | dict[str, Any],
    groups: Iterable[dict[str, Any]],
    walls: Iterable[dict[str, Any]] = (),
    *,
    a: dict[str, Any] | None = None,
    materials: dict[str, Any] | None = None,
    gravity: Sequence[float] = (0.0, 0.0, 0.0),
    **options: Any,
) -> Scene:
    """A scene with the laboratory's switches; `a` is the material of that name."""
    named = [{"name": f"group {k}", **group} for k, group in enumerate(groups)]
    spare = [{"material": "spare", "appears": NEVER, **wall} for wall in SPARE_WALLS]
    return Scene.model_validate(
        {
            "name": "laboratory",
            "duration": 1.0,
            "contact": law,
            "materials": {"a": a or material(), **(materials or {}), "spare": SPARE},
            "grains": named,
            "walls": [*spare, *walls],
            "gravity": tuple(gravity),
            **options,
        }
    )


MORE_SPARE_WALLS = (
    {
        "name": "spare paddle", "shape": "rectangle", "center": (0.5, 0.0, 0.0), "normal": (0, 1, 0),
        "edge": (1, 0, 0), "widths": (1.0, 1.0), "motion": {"kind": "servo", "torque": 3.0, "inertia": 1.5},
    },
    {
        "name": "spare mesh", "shape": "mesh", "vertices": [(0, 0, 0), (1, 0, 0), (0, 1, 0)],
        "triangles": [(0, 1, 2)],
    },
)  # fmt: skip


def walled(groups: Iterable[dict[str, Any]], walls: Iterable[dict[str, Any]] = (), **options: Any) -> Scene:
    """A scene of `hertz` with all that walls may be: meshes, moved by forces, repeated by a box (y, 2 km long)."""
    spare = [{"material": "spare", "appears": NEVER, **wall} for wall in MORE_SPARE_WALLS]
    box = {"low": (-1e3, -1e3, -1e3), "high": (1e3, 1e3, 1e3)}
    return scene("hertz", groups, [*spare, *walls], **{"periodic": (False, True, False), "box": box, **options})


def dressed(*, contact: str = "hertz", **described: Any) -> Scene:
    """A scene of one's own with the laboratory's switches."""
    spare = [{"material": "spare", "appears": NEVER, **wall} for wall in SPARE_WALLS]
    materials, walls = {**described.pop("materials"), "spare": SPARE}, [*described.pop("walls", ()), *spare]
    return Scene.model_validate({"contact": contact, "materials": materials, "walls": walls, **described})


def solver(described: Scene, time_step: float) -> SoftSolver:
    """The scene's solver; spheres count as clumps. One thread: for a few grains more would wait for each other."""
    threads.use(1)
    return SoftSolver(*prepared(described), time_step)


def prepared(described: Scene) -> tuple[Model, Grains]:
    """What the scene is built to, with spheres that count as clumps."""
    model, made = build(described)
    made.sphere_offset[:1, 0] += 1e-300
    return model, made


def ball_mass(radius: float, density: float = 2500.0) -> float:
    """Mass, kg, of a sphere."""
    return density * 4 / 3 * math.pi * radius**3


def effective(one: float, other: float) -> float:
    """What two masses or radii are together."""
    return one * other / (one + other)


def young_effective(young: float = 1e7, poisson: float = 0.3) -> float:
    """E*, Pa, of two bodies of one material."""
    return young / (2 * (1 - poisson**2))


def hertz_stiffness(radius: float, young: float = 1e7) -> float:
    """k of F = k ξ^(3/2), N/m^(3/2), for an effective radius."""
    return 4 / 3 * young_effective(young) * math.sqrt(radius)


def tilted(angle: float) -> tuple[float, float, float]:
    """Gravity on a floor that goes down along +x at this angle, rad."""
    return GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle)


def momentum(machine: SoftSolver) -> np.ndarray:
    """Total momentum (3,), kg m/s."""
    seen = machine.frame()
    return (seen.mass[:, None] * seen.velocity).sum(axis=0)


def angular_momentum(machine: SoftSolver, point: Sequence[float] = (0.0, 0.0, 0.0)) -> np.ndarray:
    """Total angular momentum about a point (3,), kg m²/s."""
    seen = machine.frame()
    orbital = np.cross(seen.position - np.array(point), seen.mass[:, None] * seen.velocity)
    return (orbital + own_angular_momentum(machine)).sum(axis=0)


def own_angular_momentum(machine: SoftSolver) -> np.ndarray:
    """The grains' angular momenta about their centres (N, 3), kg m²/s, in the order of ids."""
    return by_id(machine, "angular")


def wall_history(machine: SoftSolver, grain: int) -> np.ndarray:
    """What the first contact of a grain of that id with a wall keeps."""
    a = {name: peek(machine, name) for name in ("id", "grain", "wall_sphere", "wall_memory")}
    owners = a["id"][a["grain"][a["wall_sphere"][: machine.lists.wall_contacts]]]
    k = int(np.flatnonzero(owners == grain)[0])
    return a["wall_memory"].reshape(-1, machine.lists.wall_memory, 16)[k // 16, :, k % 16]


def fingerprint(machine: SoftSolver) -> str:
    """A hash of everything that can be seen of a solver's state, contacts and energies included."""
    digest = hashlib.sha256()
    seen = machine.frame("contacts")
    for array in frame_arrays(seen).values():
        digest.update(array.tobytes())
    digest.update(repr(sorted(seen.ledger.items())).encode())
    return digest.hexdigest()


def order_of(errors: Sequence[float]) -> float:
    """The order of convergence of errors at steps h, h/2, h/4, …, by least squares."""
    return -float(np.polyfit(np.arange(len(errors)), np.log2(np.abs(errors)), 1)[0])


def boxed(spots: np.ndarray, length: float, speed: float, **options: Any) -> Scene:
    """Spheres, 0.1 m across, in a periodic cube of that length, m, with velocities of about that speed, m/s.

    options: of their material.
    """
    return Scene.model_validate(
        {
            "name": "gas",
            "duration": 1.0,
            "materials": {"a": material(**options)},
            "contact": "hertz",
            "gravity": (0.0, 0.0, 0.0),
            "periodic": (True, True, True),
            "box": {"low": (0.0, 0.0, 0.0), "high": (length, length, length)},
            "grains": [
                {**grains(spots), "name": "g", "velocity_scatter": speed},
            ],
        }
    )


def kitchen(
    groups: Iterable[dict[str, Any]], walls: Iterable[dict[str, Any]] = (), *, law: str = "displacement", **options: Any
) -> Scene:
    """A scene that has everything: a periodic axis (y, unless told otherwise, 1 m long) and stiction as well."""
    everything = {
        "stiction": {},
        "periodic": (False, True, False),
        "box": {"low": (-1e3, -0.5, -1e3), "high": (1e3, 0.5, 1e3)},
    }
    return scene(law, groups, walls, **{**everything, **options})
