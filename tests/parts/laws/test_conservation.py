"""What no contact law may break, tested on every law there is: momentum, angular momentum, energy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.integrate

from barchan import registry
from barchan.model.build import build_model
from barchan.solvers.soft import checks
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
    seen = machine.frame()
    pushes = np.sum(seen.mass * np.linalg.norm(seen.velocity, axis=1))
    points = [(0.0, 0.0, 0.0), (1.0, -2.0, 3.0)]
    before = lab.momentum(machine), [lab.angular_momentum(machine, point) for point in points]
    touched = 0
    for _ in range(10):
        machine.advance(200)
        touched += len(machine.frame().contacts.first)
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
    start = book = machine.frame().ledger
    scale = start["kinetic_energy"]
    least, taken = scale + start["stored_energy"], dict.fromkeys(DISSIPATED, 0.0)
    for _ in range(60):
        machine.advance(25)
        book = machine.frame().ledger
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


def test_springs_without_loss_give_everything_back() -> None:
    """Two rough grains that never slide and have no damping: normal and tangential springs of constant stiffness are
    all there is, so nothing is lost. The normal part closes to the order of the method.
    """
    machine = oblique("linear", 1.0, 0.5, 1e-5)
    start = machine.frame().ledger["kinetic_energy"]
    while len(machine.frame().contacts.first) or not machine.step:
        machine.advance(20)
    book = machine.frame().ledger
    assert abs(book["energy_error"]) < 1e-5 * start
    assert abs(book["dissipated_normal"]) < 1e-4 * start
    assert abs(book["dissipated_friction"]) < 1e-3 * start
    assert abs(book["kinetic_energy"] - start) < 1e-3 * start


def oblique(law: str, speed: float, slip: float, time_step: float) -> lab.SoftSolver:
    """Two equal grains of 0.1 m that touch, approach at `speed` and slip at `slip`, m/s: rough, without damping."""
    a = lab.material(restitution=1.0, friction=1e6)
    groups = [lab.grain((0.0, 0.0, 0.0)), lab.grain((0.1, 0.0, 0.0), velocity=(-speed, slip, 0.0))]
    return lab.solver(lab.scene(law, groups, a=a), time_step)


def share_lost_without_slip(poisson: float) -> float:
    """What an elastic oblique impact that never slips loses of ½ m* Vt², by integrating its equations in time.

    With lengths and times such that m*, the impact speed and k are 1: x'' = −x^(3/2), Vt' = −(7/2) Ft, for two solid
    spheres turn as they slip, and Sn = (3/2) √x, kt = (4 G*/E*) Sn = 2 (1 − ν)/(2 − ν) Sn. Until the deepest point
    Ft' = kt Vt; from there on Ft = kt δ, δ' = Vt. Of ½ m* Vt² slip can be stopped of 2/7 only: the rest is rolling.
    """

    def stiffness(x: float) -> float:
        return 2 * (1 - poisson) / (2 - poisson) * 1.5 * math.sqrt(max(x, 0.0))

    def pressed(_: float, y: np.ndarray) -> list[float]:
        return [y[1], -(max(y[0], 0.0) ** 1.5), stiffness(y[0]) * y[3], -3.5 * y[2]]

    def released(_: float, y: np.ndarray) -> list[float]:
        return [y[1], -(max(y[0], 0.0) ** 1.5), y[3], -3.5 * stiffness(y[0]) * y[2]]

    deepest = (5 / 4) ** 0.4  # where ½ = (2/5) x^(5/2), after 1.4716 times as long as it takes at the first speed
    half = deepest * scipy.integrate.quad(lambda s: 2 * s / math.sqrt(1 - (1 - s * s) ** 2.5), 0, 1)[0]
    top = scipy.integrate.solve_ivp(pressed, (0.0, half), (0.0, 1.0, 0.0, 1.0), rtol=1e-9, atol=1e-12).y[:, -1]
    top[2] /= stiffness(top[0])  # from force to stretch
    y = scipy.integrate.solve_ivp(released, (0.0, half), top, rtol=1e-9, atol=1e-12).y[:, -1]
    return 2 / 7 * (1 - y[3] ** 2)


def test_hertz_loses_a_fifth_of_the_slip_of_an_impact() -> None:
    """The spring of `hertz` keeps its force while the load grows, and falls with the load: an elastic oblique impact in
    which nothing slides loses 0.209 of ½ m* Vt² at ν = 0.3, and at no moment does friction give anything back. The
    overlap, 1/600 of the radius, and 240 steps a collision make 0.5% of that. Before, δ stayed while the load grew:
    the impact lost nothing, and another one gave.
    """
    mass, speed, slip = lab.ball_mass(0.05) / 2, 0.01, 0.005
    lasts = 2.943 * (mass**2 / ((16 / 15 * lab.young_effective() * math.sqrt(0.025)) ** 2 * speed)) ** 0.2
    machine, taken = oblique("hertz", speed, slip, lasts / 240), 0.0
    while len(machine.frame().contacts.first) or not machine.step:
        machine.advance(4)
        book = machine.frame().ledger
        assert book["dissipated_friction"] >= taken - 1e-12 * mass * slip**2
        taken = book["dissipated_friction"]
    assert taken / (0.5 * mass * slip**2) == pytest.approx(share_lost_without_slip(0.3), rel=0.01)
    assert abs(book["energy_error"]) < 1e-4 * taken


def test_nothing_is_dissipated_before_the_start() -> None:
    """A scene may start with overlaps, as a settled bed does. Their energy is stored, not dissipated with a minus."""
    groups = [lab.grain((0.0, 0.0, 0.0)), lab.grain((0.098, 0.0, 0.0))]
    book = lab.solver(lab.scene("hertz", groups), 1e-5).frame().ledger
    assert book["stored_energy"] > 0
    assert book["dissipated_normal"] == pytest.approx(0.0, abs=1e-12 * book["stored_energy"])


def test_check_names_laws_that_can_make_energy() -> None:
    """A law that gives more energy than it got on some paths is told before the run, and once where walls have it too:
    a user took its ledger's silence for a promise.
    """

    def told(contact: dict[str, Any], **walls: Any) -> list[str]:
        described = lab.scene(contact, [lab.grain((0.0, 0.0, 0.1))], [lab.FLOOR], **walls)
        return [f"{one.where} {one.what}" for one in checks.giving(build_model(described))]

    assert told({"law": "hertz"}) == []
    assert told({"law": "hertz", "tangential": "mindlin"}) == ["contact.law 'hertz'"]
    assert told({"law": "displacement"}) == ["contact.law 'displacement'"]
    assert told({"law": "linear"}, wall_contact={"law": "displacement"}) == ["wall_contact.law 'displacement'"]
