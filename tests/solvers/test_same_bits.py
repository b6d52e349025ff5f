"""The same scene gives the same bits: on any number of threads, from run to run, and across a checkpoint."""

from __future__ import annotations

import json

import numpy as np
import pytest

from barchan import solvers
from barchan.kernels import threads
from barchan.model.build import build
from barchan.solvers.soft import SoftSolver
from solvers import lab

STEPS = 1500


def busy_scene() -> lab.Scene:
    """Cubes, dimers and spheres of two materials poured on to a shaking floor with stiction, periodic across."""
    rng = np.random.default_rng(3)
    places = np.stack(np.meshgrid(np.arange(4), np.arange(5), np.arange(4), indexing="ij"), axis=-1).reshape(-1, 3)
    places = places * (0.22, 0.2, 0.2) + (0.0, -0.4, 0.12) + rng.uniform(-0.01, 0.01, places.shape)
    shapes = ({"shape": "cube"}, {"size": 0.15}, {"shape": "dimer", "material": "b"})
    groups = [
        lab.grains(places[k::3], orientation="random", velocity=(0.5, 0.8, -3.0), velocity_scatter=0.5, **shape)
        for k, shape in enumerate(shapes)
    ]
    floor = {**lab.FLOOR, "motion": {"kind": "oscillate", "amplitude": 2e-3, "frequency": 30.0}}
    a, b = (lab.material(rolling_friction=1e-3, friction=mu) for mu in (0.5, 0.3))
    return lab.kitchen(groups, [floor], a=a, materials={"b": b}, gravity=(0.0, 0.0, -lab.GRAVITY))


def sphere_scene() -> lab.Scene:
    """Spheres of one material in a periodic box, without anything else: the leanest kernels there are."""
    rng = np.random.default_rng(4)
    places = np.stack(np.meshgrid(*(np.arange(8),) * 3, indexing="ij"), axis=-1).reshape(-1, 3) * 0.125 + 0.06
    return lab.boxed(places + rng.uniform(-0.01, 0.01, places.shape), 1.0, 3.0)


def solver(described: lab.Scene) -> SoftSolver:
    """The scene's solver, as a run makes it."""
    return solvers.create(*build(described), 4e-5)


@pytest.mark.parametrize("make", [busy_scene, sphere_scene])
def test_bits_do_not_depend_on_threads_or_interruptions(make: object) -> None:
    """Each grain adds up its contacts in a fixed order, so the number of threads changes nothing. A checkpoint holds
    every array and every number that decides what comes next, so a restored solver does the same additions. The
    numbers of the checkpoint go through JSON, as they do on disk.
    """
    described = make()
    hashes = []
    for count in (1, min(2, threads.most()), 1):
        threads.use(count)
        machine = solver(described)
        machine.advance(STEPS)
        hashes.append(lab.fingerprint(machine))
    assert len(machine.moment().contact_first) > 20
    assert machine.lists.rebuilds > 20
    threads.use(1)
    machine = solver(described)
    for piece in (1, 537, 400):
        machine.advance(piece)
        arrays, meta = machine.state()
        machine = solvers.restore(machine.model, arrays, json.loads(json.dumps(meta)))
    machine.advance(STEPS - machine.step)
    hashes.append(lab.fingerprint(machine))
    assert len(set(hashes)) == 1


def test_looking_changes_nothing() -> None:
    """Snapshots, measurements and checks between the steps leave the state as it is."""
    described = busy_scene()
    threads.use(1)
    quiet, watched = solver(described), solver(described)
    quiet.advance(300)
    for _ in range(30):
        watched.advance(10)
        watched.snapshot(contacts=True)
        watched.moment()
        watched.watch()
        watched.state()
    assert lab.fingerprint(quiet) == lab.fingerprint(watched)
