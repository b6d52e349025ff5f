"""What no contact law may break, tested on every law there is: momentum, angular momentum, energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from barchan import registry
from solvers import lab
from solvers.inside import peek
from solvers.plain import PlainSolver, bindings

LAWS = tuple(registry.parts("laws"))
DISSIPATED = ("dissipated_normal", "dissipated_friction", "dissipated_rolling")


def cloud(
    law: str, restitution: float, time_step: float, rolling_friction: float = 1e-3, solver: Any = lab.solver
) -> Any:
    """Spheres of two sizes, dimers and cubes of two materials in free space, turning, on their way to the middle.

    Spheres alone, and every second one of them, for the solver that knows no clumps.
    """
    rng = np.random.default_rng(5)
    places = np.stack(np.meshgrid(*(np.arange(-1, 2),) * 3, indexing="ij"), axis=-1).reshape(-1, 3) * 0.15
    places = rng.permutation(places + rng.uniform(-0.005, 0.005, places.shape))
    shapes = ({"size": 0.1}, {"size": 0.07, "material": "b"}, {"shape": "dimer"}, {"shape": "cube", "material": "b"})
    if solver is PlainSolver:
        shapes, places = shapes[:2], places[::2]
    groups = [
        lab.grain(
            place,
            velocity=tuple(-15 * place + rng.normal(0, 0.3, 3)),
            spin=tuple(rng.normal(0, 10, 3)),
            orientation="random",
            **shapes[k % len(shapes)],
        )
        for k, place in enumerate(places)
    ]
    surface = {"restitution": restitution, "rolling_friction": rolling_friction}
    a, b = lab.material(**surface), lab.material(density=4000.0, friction=0.3, young=2e7, **surface)
    return solver(lab.scene(law, groups, a=a, materials={"b": b}), time_step)


@pytest.mark.parametrize("law", ["hertz", "linear"])
def test_momentum_and_angular_momentum(law: str) -> None:
    """Forces come in pairs, equal and opposite, at one common point. So Σ m v and, about any point, Σ r × m v + L are
    constant but for round-off: some 1e5 additions of 1e-16 each, 1e-12 of the sum of the magnitudes. The grains
    are sorted anew and the lists made anew on the way.
    """
    machine = cloud(law, 0.7, 2e-5)
    order, rebuilds = peek(machine, "id").copy(), machine.lists.rebuilds
    seen = machine.snapshot()
    pushes = np.sum(seen.mass * np.linalg.norm(seen.velocity, axis=1))
    points = [(0.0, 0.0, 0.0), (1.0, -2.0, 3.0)]
    before = lab.momentum(machine), [lab.angular_momentum(machine, point) for point in points]
    touched = 0
    for _ in range(10):
        machine.advance(200)
        touched += len(machine.moment().contact_first)
        np.testing.assert_allclose(lab.momentum(machine), before[0], rtol=0, atol=1e-12 * pushes)
        for point, spun in zip(points, before[1], strict=True):
            arm = 1 + float(np.linalg.norm(point))
            np.testing.assert_allclose(lab.angular_momentum(machine, point), spun, rtol=0, atol=1e-12 * pushes * arm)
    assert touched > 50
    assert machine.lists.rebuilds - rebuilds > 20
    assert np.any(peek(machine, "id") != order)


@pytest.mark.parametrize("restitution", [0.5, 1.0])
@pytest.mark.parametrize(("law", "solver"), bindings(LAWS))
def test_energy_never_grows(law: str, solver: Any, restitution: float) -> None:
    """Without gravity and moving walls, kinetic + stored energy can only fall, and what each kind of dissipation has
    taken can only grow. Velocity Verlet conserves the energy of a collision to about (π/N)²/6 for N steps: 1e-4 for
    the 120 steps that the shortest one has here; twenty-seven grains collide at once, so 1e-3 of the start is allowed.
    """
    machine = cloud(law, restitution, 2e-5, rolling_friction=0.0, solver=solver)
    start = book = machine.moment().ledger
    scale = start["kinetic_energy"]
    least, taken = scale + start["stored_energy"], dict.fromkeys(DISSIPATED, 0.0)
    for _ in range(60):
        machine.advance(25)
        book = machine.moment().ledger
        energy = book["kinetic_energy"] + book["stored_energy"]
        assert energy <= least + 1e-3 * scale
        least = min(least, energy)
        for name in DISSIPATED:
            assert book[name] >= taken[name] - 1e-3 * scale, name
            taken[name] = max(taken[name], book[name])
    assert abs(book["energy_error"]) < 1e-3 * scale
    assert book["dissipated_friction"] > 0.01 * scale
    if restitution < 1:
        assert book["dissipated_normal"] > 0.05 * scale


@pytest.mark.parametrize("law", ["linear", "hertz"])
def test_springs_without_loss_give_everything_back(law: str) -> None:
    """Two rough grains that never slide and have no damping: normal and tangential springs are all there is, so nothing
    is lost. The normal part closes to the order of the method. The tangential spring of `hertz` stiffens with the
    overlap, and so may keep or give a little: no more than 1 % of the energy at this obliqueness.
    """
    a = lab.material(restitution=1.0, friction=100.0)
    groups = [lab.grain((0.0, 0.0, 0.0)), lab.grain((0.1, 0.0, 0.0), velocity=(-1.0, 0.5, 0.0))]
    machine = lab.solver(lab.scene(law, groups, a=a), 1e-5)
    start = machine.moment().ledger["kinetic_energy"]
    while len(machine.moment().contact_first) or not machine.step:
        machine.advance(20)
    book = machine.moment().ledger
    assert abs(book["energy_error"]) < 1e-5 * start
    assert abs(book["dissipated_normal"]) < 1e-4 * start
    assert abs(book["dissipated_friction"]) < (1e-3 if law == "linear" else 1e-2) * start
    assert abs(book["kinetic_energy"] - start) < (1e-3 if law == "linear" else 1e-2) * start


def test_nothing_is_dissipated_before_the_start() -> None:
    """A scene may start with overlaps, as a settled bed does. Their energy is stored, not dissipated with a minus."""
    groups = [lab.grain((0.0, 0.0, 0.0)), lab.grain((0.098, 0.0, 0.0))]
    book = lab.solver(lab.scene("hertz", groups), 1e-5).moment().ledger
    assert book["stored_energy"] > 0
    assert book["dissipated_normal"] == pytest.approx(0.0, abs=1e-12 * book["stored_energy"])
