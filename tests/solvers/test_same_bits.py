"""The same scene gives the same bits: on any number of threads, from run to run, and across a checkpoint."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from barchan import solvers
from barchan.kernels import threads
from barchan.model.build import build
from barchan.solvers.soft import lists, rows
from barchan.solvers.soft.solver import SoftSolver
from solvers import lab
from solvers.inside import every, peek

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


def sphere_scene(speed: float = 3.0) -> lab.Scene:
    """Spheres of one material in a periodic box, without anything else: the leanest kernels there are. speed: m/s."""
    rng = np.random.default_rng(4)
    places = np.stack(np.meshgrid(*(np.arange(8),) * 3, indexing="ij"), axis=-1).reshape(-1, 3) * 0.125 + 0.06
    return lab.boxed(places + rng.uniform(-0.01, 0.01, places.shape), 1.0, speed)


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
    assert len(machine.frame().contacts.first) > 20
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


@pytest.mark.parametrize("rolling", [0.0, pytest.param(1e-3, marks=pytest.mark.validate)])
def test_bits_do_not_depend_on_where_pairs_leave_their_forces(rolling: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many pairs, those of each thread write into a ring of rows, over and over; of few, each into a row of its own.
    Grains add up the same numbers in the same order, on one thread or two, and what frames record is the same. Rolling
    resistance has rows of another kind.
    """
    described = crowded_scene(rolling)
    hashes = []
    for few, count in ((0, 1), (0, min(2, threads.most())), (rows.FEW, 1)):
        monkeypatch.setattr(rows, "FEW", few)
        threads.use(count)
        machine = solver(described)
        machine.advance(40)
        machine.advance(40)
        assert (machine.lists.mask < 0) == (few > 0)
        assert len(peek(machine, "late_grain")) > 0 or count == 1
        assert len(peek(machine, "far_pair")) > 0 or few > 0
        hashes.append(lab.fingerprint(machine))
    assert len(machine.frame().contacts.first) > 10_000
    assert machine.lists.rebuilds > 2
    assert len(set(hashes)) == 1


def crowded_scene(rolling: float = 0.0) -> lab.Scene:
    """8000 spheres in a periodic box that touch their neighbours."""
    places = np.stack(np.meshgrid(*(np.arange(20),) * 3, indexing="ij"), axis=-1).reshape(-1, 3) * 0.0995 + 0.04
    return lab.boxed(places, 1.99, 0.2, rolling_friction=rolling)


@pytest.mark.parametrize(("make", "count", "turns"), [(busy_scene, 1, 30), (crowded_scene, 2, 3)])
def test_looking_changes_nothing(make: Callable[[], lab.Scene], count: int, turns: int) -> None:
    """Snapshots, measurements and checks between the steps leave the state as it is, on any number of threads: with two
    there are grains that wait for the pairs of both, who must not be touched either.
    """
    described = make()
    threads.use(1)
    quiet = solver(described)
    quiet.advance(10 * turns)
    threads.use(min(count, threads.most()))
    watched = solver(described)
    for _ in range(turns):
        watched.advance(10)
        watched.frame("contacts")
        watched.frame()
        before = {name: array.copy() for name, array in every(watched).items()}
        watched.watch()
        watched.work_done()
        for name in ("force", "torque", "held", "velocity", "angular", "memory", "wall_memory", "pair_force"):
            assert np.array_equal(peek(watched, name), before[name]), name
        watched.state()
    assert lab.fingerprint(quiet) == lab.fingerprint(watched)


@pytest.mark.parametrize(("speed", "lasts"), [(3.0, lists.MARGIN_LASTS), (12.0, (0, 1))])
def test_bits_do_not_depend_on_when_somebody_looks_how_far_spheres_have_gone(
    speed: float, lasts: tuple[int, int]
) -> None:
    """Within a call that takes many steps nobody looks while the spheres, as fast as they go, cannot have used up their
    leeway; calls of a single step always look. The list of pairs wears out in the same step either way. Where it is
    to last for no step at all and spheres are fast, they use up their leeway in the very step in which nobody looked.
    """
    threads.use(1)
    whole, single = solver(sphere_scene(speed)), solver(sphere_scene(speed))
    whole.lists.margin_lasts = single.lists.margin_lasts = lasts
    whole.advance(600)
    for _ in range(600):
        single.advance(1)
    assert whole.lists.rebuilds == single.lists.rebuilds > 20
    assert lab.fingerprint(whole) == lab.fingerprint(single)


def test_bits_do_not_depend_on_one_block_that_stands_for_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of spheres that are all alike have the same reduced radius and mass, which are kept once; spheres of two
    sizes have their own.
    """
    threads.use(1)
    machines = [solver(sphere_scene())]
    monkeypatch.setattr(lists, "_alike", lambda numbers: False)
    machines.append(solver(sphere_scene()))
    hashes = []
    for machine, kept in zip(machines, (True, False), strict=True):
        monkeypatch.setattr(lists, "_alike", lambda numbers, kept=kept: kept)
        machine.advance(300)
        assert machine.lists.pairs > 16 and (len(peek(machine, "reduced")) == 3 * 16) == kept
        hashes.append(lab.fingerprint(machine))
    assert len(set(hashes)) == 1
    monkeypatch.undo()
    places = np.stack(np.meshgrid(np.arange(6), np.arange(6), indexing="ij"), axis=-1).reshape(-1, 2) * 0.0995
    for second, kept in (({}, True), ({"size": 0.0999}, False), ({"material": "b"}, False)):
        groups = [
            lab.grains([(x, y, height) for x, y in places], **more) for height, more in ((0.0, {}), (0.0995, second))
        ]
        machine = lab.solver(lab.scene("hertz", groups, materials={"b": lab.material(density=5000.0)}), 4e-5)
        assert machine.lists.pairs > 16 and (len(peek(machine, "reduced")) == 3 * 16) == kept, second


def heap_scene() -> lab.Scene:
    """Dimers and spheres that come to rest on a floor."""
    rng = np.random.default_rng(5)
    places = np.stack(np.meshgrid(np.arange(4), np.arange(4), np.arange(3), indexing="ij"), axis=-1).reshape(-1, 3)
    places = places * (0.2, 0.2, 0.2) + (0.0, -0.35, 0.12) + rng.uniform(-0.01, 0.01, places.shape)
    groups = [lab.grains(places[k::2], **shape) for k, shape in enumerate(({"size": 0.15}, {"shape": "dimer"}))]
    return lab.scene("hertz", groups, [lab.FLOOR], a=lab.material(restitution=0.1), gravity=(0.0, 0.0, -lab.GRAVITY))


@pytest.mark.parametrize(("make", "before"), [(heap_scene, 12_000), (sphere_scene, 0)])
def test_bits_do_not_depend_on_what_is_taken_for_granted_of_sliding(make: Callable[[], lab.Scene], before: int) -> None:
    """Blocks of pairs that all stick are computed in a quicker way, and a block in which one has slid is not tried
    again for a while. That only saves time: a solver that is told before every step that all may slide does the same.
    """
    threads.use(1)
    free, told = solver(make()), solver(make())
    free.advance(before)
    told.advance(before)
    quick = slow = 0
    for _ in range(600):
        free.advance(1)
        quick += int(np.count_nonzero(peek(free, "slid") == 0))
        peek(told, "slid")[:] = 200
        told.advance(1)
        slow += int(np.count_nonzero(peek(told, "slid")))  # but for those of a list that was made in this step
    assert quick > 100 and slow > 100
    assert lab.fingerprint(free) == lab.fingerprint(told)
