"""Lists with a skin: no contact is missed, and no contact forgets, when they are made anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from barchan.solvers.soft import lists
from solvers import lab
from solvers.inside import by_id, every, peek


def mixture(seed: int, speed: float, time_step: float, **options: Any) -> lab.SoftSolver:
    """Fast spheres, dimers and cubes of very different sizes in a box that is periodic along x and z, over a floor."""
    rng = np.random.default_rng(seed)
    places = np.stack(np.meshgrid(*(np.arange(4),) * 3, indexing="ij"), axis=-1).reshape(-1, 3) * 0.25 + 0.125
    places = rng.permutation(places + rng.uniform(-0.02, 0.02, places.shape))
    shapes = ({"size": 0.2}, {"size": 0.08}, {"size": 0.18, "shape": "dimer"}, {"size": 0.12, "shape": "cube"})
    groups = [
        lab.grains(places[k::4], orientation="random", velocity_scatter=speed, spin=(9.0, 0.0, 5.0), **shape)
        for k, shape in enumerate(shapes)
    ]
    sides = [
        {"name": name, "shape": "plane", "point": (0.0, y, 0.0), "normal": (0.0, up, 0.0), "material": "a"}
        for name, y, up in (("near", 0.0, 1.0), ("far", 1.0, -1.0))
    ]
    box = {"low": (0.0, -10.0, 0.0), "high": (1.0, 10.0, 1.0)}
    described = lab.kitchen(groups, sides, periodic=(True, False, True), box=box, a=lab.material(young=1e6), **options)
    return lab.solver(described, time_step)


def near(machine: lab.SoftSolver, leeway: np.ndarray | None = None, *, grains: bool = False) -> set[frozenset[int]]:
    """Pairs of spheres of different grains, or of grains within their bounding spheres, that touch, or would if both
    were larger by their grain's leeway (N,) m: by brute force over nearest images.
    """
    seen = machine.frame()
    if grains:
        place, reach, owner = (
            seen.position,
            by_id(machine, "bound"),
            np.arange(len(seen)),
        )
    else:
        place, reach, owner = seen.sphere_position, seen.sphere_radius, seen.sphere_grain
    if leeway is not None:
        reach = reach + leeway[owner]
    apart = place[:, None] - place[None]
    length = np.where(machine.model.periodic, machine.model.box, np.inf)
    apart = apart - np.where(machine.model.periodic, machine.model.box, 0.0) * np.round(apart / length)
    close = np.linalg.norm(apart, axis=-1) < reach[:, None] + reach[None]
    close &= owner[:, None] != owner[None]
    return {frozenset((int(i), int(j))) for i, j in np.argwhere(close) if i < j}


def listed(machine: lab.SoftSolver, *, grains: bool = False) -> list[frozenset[int]]:
    """The list of spheres, or that of grains, numbered as in a snapshot: grain by grain in the order of ids."""
    a = every(machine)
    order = np.argsort(a["id"])
    place = np.argsort(np.concatenate([np.arange(a["start"][g], a["start"][g + 1]) for g in order]))
    first, second = a["first"][: machine.lists.pairs], a["second"][: machine.lists.pairs]
    if grains:
        first, second = np.repeat(np.arange(len(a["near_start"]) - 1), np.diff(a["near_start"])), a["near_second"]
        place = np.argsort(order)
    ends = np.stack([first, second], axis=1).astype(np.int64)
    return [frozenset(pair) for pair in place[ends].tolist()]


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_near_grains_are_near_in_memory_whichever_way_a_bed_is_long(axis: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """3 × 4 × 60 spheres on a lattice in any order, the 60 along each axis in turn. In cells that are counted along the
    longest axis last, two that touch are at most two layers of cells apart in memory: a cell is a sphere wide and some,
    so that it holds one or two layers of twelve spheres. Counted otherwise, some would be 60 · 3 apart and more.
    """
    monkeypatch.setattr(lists, "MANY", 0)
    rng = np.random.default_rng(axis)
    places = np.stack(np.meshgrid(np.arange(60), np.arange(4), np.arange(3), indexing="ij"), axis=-1).reshape(-1, 3)
    spots = 0.0999 * np.roll(rng.permutation(places), axis, 1)
    machine = lab.solver(lab.scene("hertz", [lab.grains(spots, size=0.1)]), 1e-5)
    first, second = (peek(machine, name)[: machine.lists.pairs].astype(int) for name in ("first", "second"))
    assert len(first) == 60 * 4 * 2 + 60 * 3 * 3 + 59 * 12
    assert (second - first).max() < 4 * 12


@pytest.mark.parametrize("cells", [1, 2, 3, 6])
@pytest.mark.parametrize("periodic", [(False, False, False), (True, False, True), (True, True, True)])
def test_list_holds_exactly_the_near_pairs(cells: int, periodic: tuple[bool, bool, bool]) -> None:
    """Spheres and dimers of many sizes at random, in boxes of one to six cells, with a grain far away where an axis is
    open: both lists and brute force over all pairs agree, and no pair is listed twice. Every other grain is fast and
    has a longer leeway.
    """
    for seed in range(4):
        rng = np.random.default_rng(seed)
        box = cells * 0.21 * rng.uniform(1.0, 1.3, 3)
        low = rng.normal(size=3)
        places = low + box * rng.uniform(0.0, 1.0, (24 * cells, 3))
        open_axes = np.flatnonzero(~np.array(periodic))
        places[1, open_axes] += rng.choice([-1, 1]) * 10.0 ** rng.uniform(1, 8)
        groups = [
            lab.grains(places[::2], size={"kind": "uniform", "low": 0.1, "high": 0.2}, velocity=(0.0, 20.0, 0.0)),
            lab.grains(places[1::2], size={"kind": "uniform", "low": 0.15, "high": 0.3}, shape="dimer"),
        ]
        if any(periodic):
            far = np.where(periodic, 0.0, 1e9)
            described = lab.kitchen(groups, periodic=periodic, box={"low": low - far, "high": low + box + far})
        else:
            described = lab.scene("hertz", groups)
        machine = lab.solver(described, 1e-5)
        order = np.argsort(peek(machine, "id"))
        assert np.ptp(peek(machine, "wear")) > 0
        for grains, leeway in ((True, peek(machine, "farther")), (False, peek(machine, "wear") ** -0.5)):
            pairs = listed(machine, grains=grains)
            assert len(set(pairs)) == len(pairs)
            assert set(pairs) == near(machine, leeway[order], grains=grains)


@pytest.mark.parametrize("distance", [1e6, -1e6])
def test_a_grain_far_away_costs_nothing(distance: float) -> None:
    """A grain that has fallen off the world must not spoil the cells of the others: they stay a few per grain, and no
    cell holds many. If one cell held them all, all would be compared with all.
    """
    places = 0.02 * np.stack(np.meshgrid(*(np.arange(20),) * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    most = {}
    for z in (1.0, distance):
        group = lab.grains([*places, (0.0, 0.0, z)], size=0.01)
        machine = lab.solver(lab.scene("hertz", [group]), 1e-4)
        number, cells = machine.lists._cells(len(machine), np.zeros(len(machine)))
        assert np.prod(cells) < 10 * len(places)
        most[z] = np.bincount(number).max()
    assert most[distance] <= 8 * most[1.0]


@pytest.mark.parametrize("integrator", ["verlet", pytest.param("rkf45", marks=pytest.mark.validate)])
def test_no_contact_is_missed(integrator: str) -> None:
    """Between two rebuilds the list must hold every pair that touches: as many contacts as brute force finds, at every
    look, and with the same grains.
    """
    machine = mixture(0, 4.0, 1e-4, integrator=integrator)
    found = 0
    for _ in range(60):
        machine.advance(7)
        seen = machine.frame("contacts")
        expected = near(machine)
        grains = np.stack([seen.contacts.first, seen.contacts.second], axis=1)[seen.contacts.second >= 0]
        assert len(grains) == len(expected)
        assert {frozenset(pair) for pair in grains.tolist()} == {
            frozenset(seen.sphere_grain[list(pair)].tolist()) for pair in expected
        }
        found += len(expected)
    assert found > 200
    assert machine.lists.rebuilds - 20 > machine.lists.searches > 20


def test_lists_do_not_change_the_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    """With hardly any skin the lists are made anew in every step, which cannot miss anything. The motion is the same
    but for the order of additions, round-off that collisions of round grains multiply: 1e-9 after a few of them.
    """
    usual = mixture(1, 3.0, 1e-4)
    usual.advance(250)
    monkeypatch.setattr(lists, "SKIN_LEAST", 1e-6)
    monkeypatch.setattr(lists, "SKIN_MOST", 1e-6)
    monkeypatch.setattr(lists, "FARTHEST", 1e-6)
    thin = mixture(1, 3.0, 1e-4)
    thin.advance(250)
    assert thin.lists.searches > 240 > 4 * usual.lists.searches
    one, other = usual.frame(), thin.frame()
    assert usual.frame().ledger["dissipated_friction"] > 0.1
    np.testing.assert_allclose(one.position, other.position, rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.spin, other.spin, rtol=0, atol=1e-6)


@pytest.mark.parametrize("integrator", ["verlet", "rkf45"])
def test_a_wall_that_moves_finds_grains_at_rest(integrator: str) -> None:
    """An undamped plate of endless mass that comes from far at v throws a sphere at rest away at 2 v. The sphere stands
    still, so that only the way of the wall can wear the lists out, first the narrow and then the wide one.
    """
    plate = {
        "name": "plate", "shape": "plane", "material": "a",
        "motion": [{"kind": "translate", "velocity": (0.0, 0.0, 2.0)}],
    }  # fmt: skip
    described = lab.scene(
        "linear", [lab.grain((0.0, 0.0, 0.2), size=0.1)], [plate], integrator=integrator,
        a=lab.material(friction=0.0, restitution=1.0),
    )  # fmt: skip
    machine = lab.solver(described, 1e-5)
    for t in np.linspace(0.0, 0.12, 49)[1:]:
        machine.advance_to(float(t))
    assert machine.lists.rebuilds > machine.lists.searches > 2
    np.testing.assert_allclose(machine.frame().velocity, [[0.0, 0.0, 4.0]], atol=0.04)


@pytest.mark.parametrize("law", ["linear", "hertz"])
def test_memory_survives_rebuilds_and_sorting(law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two grains pressed together and sheared, in flight past a row of others, in a frame where they rest and in one
    where they move (Galilei): all relative quantities are equal. In the moving frame the list is made anew and
    sorted many times and the two change sides in it, so that a friction that forgot, or changed its sign, would show.
    """
    monkeypatch.setattr(lists, "SORT_EVERY", 1)
    frames = []
    for drift in (0.0, 1000.0):
        pair = [
            lab.grain((0.3, 0.1, 0.0), velocity=(drift, 0.0, 0.0)),
            lab.grain((0.33, 0.006, 0.0), velocity=(drift + 0.1, 0.12, 0.05)),
        ]
        row = lab.grains([(0.15 * k, -0.4, 0.0) for k in range(40)])
        machine = lab.solver(lab.scene(law, [*pair, row], a=lab.material(friction=1.0)), 1e-5)
        orders, forces = set(), []
        for _ in range(150):
            machine.advance(1)
            at = peek(machine, "id").tolist()
            orders.add(at.index(0) < at.index(1))
            contacts = machine.frame("contacts").contacts
            assert len(contacts.force) == 1
            forces.append(contacts.force[0] if contacts.first[0] == 0 else -contacts.force[0])
        frames.append((machine, np.array(forces), orders))
    (rest, still, _), (moving, flying, orders) = frames
    assert moving.lists.rebuilds > 20 + rest.lists.rebuilds
    assert orders == {True, False}
    assert np.linalg.norm(still[-1]) > 0
    np.testing.assert_allclose(flying, still, rtol=0, atol=1e-6 * np.abs(still).max())
    one, other = rest.frame().spin[:2], moving.frame().spin[:2]
    np.testing.assert_allclose(other, one, rtol=0, atol=1e-6 * np.abs(one).max())


def test_overlaps_are_told_by_the_smaller_radius() -> None:
    """Spheres of radius 50 and 10 mm, pressed 1 mm into each other and let go at rest, move apart: the deepest overlap
    is that of the beginning, a tenth of the smaller radius.
    """
    groups = [lab.grains([(0.0, 0.0, 0.0)]), lab.grains([(0.059, 0.0, 0.0)], size=0.02)]
    machine = lab.solver(lab.scene("hertz", groups), 1e-6)
    machine.advance(50)
    assert machine.worst_overlap == pytest.approx(0.1, rel=1e-6)
