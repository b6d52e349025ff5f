"""Scenes and comparisons for tests of the GPU; run as a program, it compares the CPU with numba's CUDA simulator."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from barchan import solvers
from barchan.model.build import build
from barchan.solvers.soft.solver import SoftSolver
from solvers import lab
from solvers.inside import peek
from solvers.soft.test_meshes import mesh, sheet

STATE = (
    "id", "image", "position", "velocity", "orientation", "angular", "turn", "motion", "force", "torque", "held",
    "place", "origin", "near_origin", "near_second", "first", "second", "memory", "wall_piece", "wall_memory", "pose",
    "strayed",
)  # fmt: skip
FLYING = ((0.1, 0.2, 0.45), (0.4, 0.1, 0.15))  # m


def gas(across: int, length: float, *, speed: float = 3.0) -> lab.Scene:
    """Spheres, 0.1 m across, on a cubic lattice in a periodic box of that length, m; switches as in `sphere_scene`."""
    spots = np.stack(np.meshgrid(*(np.arange(across),) * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    rng, spacing = np.random.default_rng(4), length / across
    return lab.boxed((spots + 0.5) * spacing + rng.uniform(-0.002, 0.002, spots.shape), length, speed)


def flight() -> lab.Scene:
    """Spheres in planes that rise together: nobody meets, however often they go round the box, 0.6 m long."""
    groups = [
        {"name": f"g{k}", **lab.grain(at, velocity=v)}
        for k, (at, v) in enumerate(zip(FLYING, ((3100.0, -5300.0, 3e3), (-4200.0, 2900.0, 3e3)), strict=True))
    ]
    return lab.Scene.model_validate({**lab.boxed(np.array(FLYING), 0.6, 0.0).to_dict(), "grains": groups})


def across_sides() -> lab.Scene:
    """Three pairs of spheres; each touches through another side of the box, and nowhere else."""
    spots = np.repeat((0.15, 0.3, 0.45), 6).reshape(6, 3)
    for axis in range(3):
        spots[2 * axis : 2 * axis + 2, axis] = 0.03, 0.576
    return lab.boxed(spots, 0.6, 0.5)


def shaken() -> lab.Scene:
    """Three spheres of two materials on a shaking floor, with everything that the laboratory's kitchen has."""
    floor = {**lab.FLOOR, "motion": {"kind": "oscillate", "amplitude": 2e-3, "frequency": 30.0}}
    a, b = (lab.material(rolling_friction=1e-3, friction=mu) for mu in (0.5, 0.3))
    groups = [
        lab.grains([(0.0, 0.0, 0.0505), (0.3, 0.1, 0.0505)], velocity=(0.5, 0.8, -2.0)),
        lab.grains([(0.01, 0.02, 0.1495)], material="b", velocity=(0.1, 0.0, -4.0)),
    ]
    return lab.kitchen(groups, [floor], a=a, materials={"b": b}, gravity=(0.0, 0.0, -lab.GRAVITY))


def meshed() -> lab.Scene:
    """Three spheres on a floor of triangles, two of them upon each other."""
    groups = [
        lab.grains([(0.0, 0.0, 0.0505), (0.3, 0.1, 0.0505)], velocity=(0.5, 0.8, -2.0)),
        lab.grains([(0.01, 0.02, 0.1495)], velocity=(0.1, 0.0, -4.0)),
    ]
    return lab.kitchen(groups, [mesh(*sheet(3))], gravity=(0.0, 0.0, -lab.GRAVITY))


def grooved() -> lab.Scene:
    """A sphere that passes through a face of the box, along a groove of triangles of which the bottom is in that face,
    and another one that lies there.
    """
    points = [(x, y, 0.5 - abs(y)) for x in (-1, 1) for y in (-0.5, 0, 0.5)]
    triangles = [(0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4)]
    groups = [
        lab.grain((0.3, 0.499, 0.0695), velocity=(20.0, 2.0, -0.5)),
        lab.grain((0.0, -0.499, 0.0695)),
    ]
    return lab.kitchen(groups, [mesh(points, triangles)], gravity=(0.0, 0.0, -lab.GRAVITY))


def sunk() -> lab.Scene:
    """Three spheres above a floor that absorbs them: two arrive soon, one has farther to go."""
    groups = [lab.grains([(0.0, 0.0, 0.0505), (0.3, 0.1, 0.052), (0.01, 0.02, 0.3)], velocity=(0.5, 0.8, -2.0))]
    return lab.kitchen(groups, [{**lab.FLOOR, "absorbing": True}], gravity=(0.0, 0.0, -lab.GRAVITY))


def few_grains(law: str) -> lab.Scene:
    """64 spheres that fly together, no walls."""
    spots = np.stack(np.meshgrid(*(np.arange(4),) * 3, indexing="ij"), axis=-1).reshape(-1, 3) * 0.11
    return lab.scene(law, [lab.grains(spots, velocity_scatter=2.0, spin=(3.0, -2.0, 5.0))])


def differing(one: SoftSolver, other: SoftSolver, names: tuple[str, ...] = STATE) -> list[str]:
    """The arrays that are not the same to the last bit."""
    return [name for name in names if not np.array_equal(peek(one, name), peek(other, name))]


def compared(
    scene: lab.Scene, steps: int, *, clumped: bool = False, changes: bool = False, one_by_one: bool = False
) -> dict[str, Any]:
    """The CPU and the simulator after so many steps of a scene; one_by_one: those of the first half.

    changes: halfway gravity sets in, a grain is taken away, and after two more steps another one comes in its place.
    """
    machines = []
    for where in ({}, {"device": "cuda"}):
        model, made = build(scene)
        if clumped:
            made.sphere_offset[0, 0] += 1e-300
        machine = solvers.create(replace(model, gates=("gate", *model.gates)), made, 4e-5, **where)
        for part in [1] * (steps // 2) if one_by_one else [steps // 2]:
            machine.advance(part)
        if changes:
            machine.change_gravity((0.0, 0.0, -lab.GRAVITY))
            new = made.take(np.array([0]))
            new.position[:], new.velocity[:] = machine.frame().position[0], 0.0
            machine.remove(np.arange(len(machine)) == 0, "gate")
            machine.advance(2)
            machine.insert(new, "gate")
        machine.advance(steps - steps // 2)
        machines.append(machine)
    cpu, gpu = machines
    ledger, ours = cpu.frame().ledger, gpu.frame().ledger
    return {
        "differing": differing(cpu, gpu),
        "ledger": max(abs(ledger[name] - ours[name]) for name in ledger) / ledger["kinetic_energy"],
        "overlap": abs(gpu.worst_overlap / cpu.worst_overlap - 1) if cpu.worst_overlap else 0.0,
        "left": len(gpu),
        "image": gpu.frame().image.tolist(),
        "unwrapped": gpu.frame().unwrapped.tolist(),
        "touching": len(cpu.frame().contacts.first),
        "rebuilds": gpu.lists.rebuilds,
        "searches": gpu.lists.searches,
    }


SCENES: dict[str, Callable[[], dict[str, Any]]] = {
    "gas": lambda: compared(gas(2, 0.22, speed=30.0), 14),
    "changes": lambda: compared(gas(2, 0.22, speed=30.0), 14, changes=True),
    "floor": lambda: compared(shaken(), 14, clumped=True),
    "flight": lambda: compared(flight(), 30),
    "sides": lambda: compared(across_sides(), 12),
    "mesh": lambda: compared(meshed(), 30),
    "groove": lambda: compared(grooved(), 30),
    "sink": lambda: compared(sunk(), 40, clumped=True),
    "sink, step by step": lambda: compared(sunk(), 40, clumped=True, one_by_one=True),
}

if __name__ == "__main__":
    print(json.dumps({name: SCENES[name]() for name in sys.argv[1:]}))
