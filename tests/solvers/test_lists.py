"""Lists with a skin: no contact is missed, and no contact forgets, when they are made anew."""

from __future__ import annotations

import numpy as np
import pytest
from solvers import lab

from barchan.solvers import soft_lists


def mixture(seed: int, speed: float, time_step: float) -> lab.SoftSolver:
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
    described = lab.kitchen(groups, sides, periodic=(True, False, True), box=box, a=lab.material(young=1e6))
    return lab.solver(described, time_step)


def touching(machine: lab.SoftSolver) -> set[tuple[int, int]]:
    """Pairs of spheres of different grains that overlap, by brute force over nearest images."""
    seen = machine.snapshot()
    apart = seen.sphere_position[:, None] - seen.sphere_position[None]
    length = np.where(machine.model.periodic, machine.model.box, np.inf)
    apart = apart - np.where(machine.model.periodic, machine.model.box, 0.0) * np.round(apart / length)
    close = np.linalg.norm(apart, axis=-1) < seen.sphere_radius[:, None] + seen.sphere_radius[None]
    close &= seen.sphere_grain[:, None] != seen.sphere_grain[None]
    return {(int(i), int(j)) for i, j in np.argwhere(close) if i < j}


def test_no_contact_is_missed() -> None:
    """Between two rebuilds the list must hold every pair that touches: as many contacts as brute force finds, at every
    look, and with the same grains.
    """
    machine = mixture(0, 4.0, 1e-4)
    found = 0
    for _ in range(60):
        machine.advance(7)
        seen = machine.snapshot(contacts=True)
        expected = touching(machine)
        listed = seen.contacts.second >= 0
        assert np.count_nonzero(listed) == len(expected)
        pairs = {
            frozenset(pair) for pair in zip(seen.contacts.first[listed], seen.contacts.second[listed], strict=True)
        }
        assert pairs == {frozenset((seen.sphere_grain[i], seen.sphere_grain[j])) for i, j in expected}
        found += len(expected)
    assert found > 200
    assert machine.lists.rebuilds > 25


def test_lists_do_not_change_the_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    """With hardly any skin the lists are made anew in every step, which cannot miss anything. The motion is the same
    but for the order of additions, round-off that collisions of round grains multiply: 1e-9 after a few of them.
    """
    usual = mixture(1, 3.0, 1e-4)
    usual.advance(250)
    monkeypatch.setattr(soft_lists, "SKIN_LEAST", 1e-6)
    monkeypatch.setattr(soft_lists, "SKIN_MOST", 1e-6)
    thin = mixture(1, 3.0, 1e-4)
    thin.advance(250)
    assert thin.lists.rebuilds > 240 > 4 * usual.lists.rebuilds
    one, other = usual.snapshot(), thin.snapshot()
    assert usual.moment().ledger["dissipated_friction"] > 0.1
    np.testing.assert_allclose(one.position, other.position, rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.spin, other.spin, rtol=0, atol=1e-6)


@pytest.mark.parametrize("law", ["linear", "hertz", "displacement", "path"])
def test_memory_survives_rebuilds_and_sorting(law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two grains pressed together and sheared, in flight past a row of others, in a frame where they rest and in one
    where they move (Galilei): all relative quantities are equal. In the moving frame the list is made anew and
    sorted many times and the two change sides in it, so that a friction that forgot, or changed its sign, would show.
    """
    monkeypatch.setattr(soft_lists, "SORT_EVERY", 1)
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
            at = machine.arrays["id"].tolist()
            orders.add(at.index(0) < at.index(1))
            contacts = machine.snapshot(contacts=True).contacts
            assert len(contacts.force) == 1
            forces.append(contacts.force[0] if contacts.first[0] == 0 else -contacts.force[0])
        frames.append((machine, np.array(forces), orders))
    (rest, still, _), (moving, flying, orders) = frames
    assert moving.lists.rebuilds > 20 + rest.lists.rebuilds
    assert orders == {True, False}
    assert np.linalg.norm(still[-1]) > 0
    np.testing.assert_allclose(flying, still, rtol=0, atol=1e-6 * np.abs(still).max())
    one, other = rest.snapshot().spin[:2], moving.snapshot().spin[:2]
    np.testing.assert_allclose(other, one, rtol=0, atol=1e-6 * np.abs(one).max())
