"""Scenes for the tests of triangles and beams: two squares, single triangles, chains."""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.model.build import build
from barchan.scene import Scene
from barchan.solvers.beams import checks, ledger
from barchan.solvers.beams.solver import BeamSolver
from solvers.inside import every, peek

STILL = {"gravity": (0.0, 0.0, 0.0)}


def scene(grains: list[dict[str, Any]], *, beams: dict[str, Any] | None = None, **options: Any) -> Scene:
    """Flat grains of a material with the paper's Young's modulus."""
    fields = {
        "name": "laboratory", "solver": "beams", "dimensions": 2, "duration": 0.01, "frame_rate": 1000.0,
        "materials": {"a": {"density": 1000.0, "young": 2e6, "friction": options.pop("friction", 0.0)}},
        "grains": [{"name": f"g{k}", "material": "a", **grain} for k, grain in enumerate(grains)],
        "beams": beams or {}, **STILL,
    }  # fmt: skip
    return Scene(**{**fields, **options})


def grain(x: float, z: float, shape: Any = "square", *, size: float | None = 2e-3, **more: Any) -> dict[str, Any]:
    """One grain at x, z (m)."""
    sized = {} if size is None else {"size": size}
    return {"shape": shape, "fill": {"kind": "points", "positions": [(x, 0.0, z)]}, **sized, **more}


def polygon(x: float, z: float, *points: tuple[float, float], **more: Any) -> dict[str, Any]:
    """A polygon with these corners (m) about its centre of mass at x, z."""
    return grain(x, z, {"kind": "polygon", "points": points, **more}, size=None)


def solver(described: Scene, step: float | None = None) -> BeamSolver:
    """The scene's solver at its start, with its own time step unless told."""
    model, grains = build(described)
    return BeamSolver(model, grains, checks.choose(model, grains).value if step is None else step)


def turn(machine: BeamSolver, rows: slice, angle: float) -> None:
    """Turn triangles about their common middle, rad."""
    state = peek(machine, "state")
    place = state[rows, :2, 0]
    middle = place.mean(axis=0)
    c, s = np.cos(angle), np.sin(angle)
    state[rows, :2, 0] = (place - middle) @ np.array([[c, s], [-s, c]]) + middle
    state[rows, 2, 0] += angle
    machine.rebuild()


def two_squares(
    speed: float, angle: float = 0.8, *, step: float | None = None, friction: float = 0.0, **beams: Any
) -> BeamSolver:
    """A square of 2 mm that flies at a resting one, which is turned by `angle`; corner meets side."""
    left = grain(-2.7e-3, 0.0, velocity=(speed, 0.0, 0.0))
    machine = solver(scene([left, grain(0.0, 3e-4)], beams=beams, friction=friction), step)
    turn(machine, slice(4, 8), angle)
    return machine


def energy(machine: BeamSolver) -> float:
    """Kinetic and elastic energy, J."""
    state = ledger.present(machine)
    return machine.kinetic_energy() + state.stored + state.beam_energy


def forces(machine: BeamSolver) -> np.ndarray:
    """Force x, z (N) and counter-clockwise torque (N m) on every free triangle, (T, 3), gravity included."""
    c = machine.packed()
    ledger.present(machine)
    weight = np.stack([c.mass, c.mass, c.inertia], axis=1)[: c.free]
    return machine.packed().acceleration[:, :3] * weight


def restart(machine: BeamSolver) -> None:
    """Let first accelerations belong to places and velocities that a test has changed."""
    c = machine.packed()
    machine.find_forces(c)
    peek(machine, "state")[: machine.triangle_count, :, 2] = c.acceleration


def momenta(machine: BeamSolver) -> np.ndarray:
    """Momentum x, z and angular momentum about the origin, (3,)."""
    a, n = every(machine), machine.triangle_count
    mass, state = a["mass"][:n], a["state"][:n]
    turning = mass * (state[:, 0, 0] * state[:, 1, 1] - state[:, 1, 0] * state[:, 0, 1])
    turning = turning + a["inertia"][:n] * state[:, 2, 1]
    return np.array([*(mass[:, None] * state[:, :2, 1]).sum(axis=0), turning.sum()])
