"""Friction and rolling resistance against textbook mechanics: one grain and a floor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from barchan import registry
from solvers import lab
from solvers.inside import peek
from solvers.plain import bindings

LAWS = tuple(registry.parts("laws"))
SPRINGS = ("displacement", "hertz", "linear", "stick-slip")  # laws that remember a displacement
RADIUS = 0.05
STIFF = 1e9  # Pa: overlaps stay below a thousandth of the radius
SKATES = {"viscous": {"law": "viscous", "creep_speed": 1e-4}}  # its friction is to be Coulomb's almost at once


def on_floor(
    law: str, gravity: tuple[float, float, float], time_step: float, solver: Any = lab.solver, **options: object
) -> Any:
    """A sphere of 0.1 m that has come to rest in its own dent, and is then thrown along x with `speed`, m/s."""
    a = lab.material(**{"restitution": 0.2, **options.pop("a", {})})
    speed, spin = float(options.pop("speed", 0.0)), float(options.pop("spin", 0.0))
    height = RADIUS
    for thrown in (False, True):
        group = lab.grain(
            (0.0, 0.0, height), velocity=(speed * thrown, 0.0, 0.0), spin=(0.0, spin * thrown, 0.0)
        )  # fmt: skip
        described = lab.scene(
            SKATES.get(law, law),
            [group],
            [lab.FLOOR],
            a=a,
            gravity=gravity if thrown else (0.0, 0.0, gravity[2]),
            **options,
        )
        machine = solver(described, time_step)
        if not thrown:
            machine.advance(4000)
            height = float(machine.frame().position[0, 2])
    return machine


@pytest.mark.parametrize(("law", "solver"), bindings(LAWS))
def test_oblique_impact_that_slides_throughout(law: str, solver: Any) -> None:
    """Coulomb's friction throughout an impact: the tangential impulse is μ times the normal one, m (1 + e) v_n, so
    Δv_t = −μ (1 + e) v_n and the sphere leaves with the spin 5 μ (1 + e) v_n/(2 R) (moment of inertia 2/5 m R²). It
    slides throughout where v_t > 7/2 μ (1 + e) v_n. Friction acts in the middle of the overlap, not at R: at most
    half a percent of R here.
    """
    friction, speed, normal_speed = 0.3, 4.0, 0.5
    start = lab.grain((0.0, 0.0, RADIUS), velocity=(speed, 0.0, -normal_speed))
    a = lab.material(friction=friction, young=STIFF)
    machine = solver(lab.scene(SKATES.get(law, law), [start], [lab.FLOOR], a=a), 1e-6)
    machine.advance(50)
    while len(machine.frame().contacts.first):
        machine.advance(50)
    seen = machine.frame()
    vx, vy, vz = seen.velocity[0]
    assert vy == 0.0
    assert (speed - vx) / (vz + normal_speed) == pytest.approx(friction, rel=2e-3)
    kick = (vz + normal_speed) / normal_speed  # 1 + e
    assert seen.spin[0, 1] == pytest.approx(5 * friction * kick * normal_speed / (2 * RADIUS), rel=5e-3)
    assert abs(seen.spin[0, [0, 2]]).max() < 1e-12


@pytest.mark.parametrize(("law", "solver"), bindings(SPRINGS))
def test_block_on_a_slope_sticks_below_the_angle_of_friction(law: str, solver: Any) -> None:
    """A grain that cannot turn is a block: on a slope with tan θ = 0.9 μ it comes to rest and stays where it is.

    The slope comes of a sudden, so that the friction spring overshoots and the block slides a little first.
    """
    machine = on_floor(law, lab.tilted(math.atan(0.9 * 0.5)), 2e-5, solver, rotation=False)
    machine.advance(10000)
    before = machine.frame().position[0].copy()
    machine.advance(10000)
    after = machine.frame()
    assert abs(before[0]) < 0.03 * RADIUS
    assert abs(after.position[0] - before).max() < 1e-9 * RADIUS
    assert abs(after.velocity).max() < 1e-9


@pytest.mark.parametrize(("law", "solver"), bindings(LAWS))
def test_block_on_a_steep_slope_accelerates(law: str, solver: Any) -> None:
    """Above the angle of friction a block accelerates at g (sin θ − μ cos θ), μ being 0.5 and tan θ = 1.2 μ."""
    angle = math.atan(1.2 * 0.5)
    machine = on_floor(law, lab.tilted(angle), 2e-5, solver, rotation=False)
    machine.advance(5000)
    start, begin = machine.frame().velocity[0, 0], machine.time
    machine.advance(10000)
    gained = (machine.frame().velocity[0, 0] - start) / (machine.time - begin)
    assert gained == pytest.approx(lab.GRAVITY * (math.sin(angle) - 0.5 * math.cos(angle)), rel=1e-3)


@pytest.mark.parametrize(("law", "solver"), bindings(LAWS))
def test_sphere_thrown_along_a_floor_ends_rolling(law: str, solver: Any) -> None:
    """While it slides, v = v0 − μ g t and ω = 5 μ g t/(2 R). The two meet in rolling, v = ω R, at t = 2 v0/(7 μ g) with
    v = 5/7 v0, and stay there: the angular momentum about the line of contact has never changed. Overlaps are
    below 1e-3 R, so 0.5 % is safe in the end. At first a loaded friction spring rings at ω = √(7/2 k/m), with
    μ g/ω: about 1 % of v0 here.
    """
    friction, speed = 0.5, 1.0
    rolls_after = 2 * speed / (7 * friction * lab.GRAVITY)
    machine = on_floor(law, (0.0, 0.0, -lab.GRAVITY), 1e-5, solver, speed=speed, a={"young": 1e8})
    machine.advance_to(0.5 * rolls_after)
    assert machine.frame().velocity[0, 0] == pytest.approx(speed * 6 / 7, rel=5e-3)
    machine.advance_to(rolls_after)
    assert machine.frame().velocity[0, 0] == pytest.approx(speed * 5 / 7, rel=1.5e-2)
    for _ in range(2):
        machine.advance_to(machine.time + rolls_after)
        seen = machine.frame()
        assert seen.velocity[0, 0] == pytest.approx(speed * 5 / 7, rel=5e-3)
        assert seen.spin[0, 1] * RADIUS == pytest.approx(seen.velocity[0, 0], rel=5e-3)


@pytest.mark.parametrize("law", ["hertz", "linear"])
def test_rolling_resistance_stops_a_rolling_sphere_and_no_more(law: str) -> None:
    """The torque μr N against the spin acts about the line of contact, where the moment of inertia is 7/5 m R²: a
    rolling sphere slows down at R · μr m g/(7/5 m R²) = 5/7 · g μr/R. When it stops, it does not turn back.
    """
    length, speed = 0.01 * RADIUS, 0.05
    deceleration = 5 / 7 * lab.GRAVITY * length / RADIUS
    a = {"rolling_friction": length, "young": 1e8}
    machine = on_floor(law, (0.0, 0.0, -lab.GRAVITY), 1e-5, speed=speed, spin=speed / RADIUS, a=a)
    stops = speed / deceleration
    machine.advance_to(0.1 * stops)
    start, begin = machine.frame().velocity[0, 0], machine.time
    machine.advance_to(0.9 * stops)
    slowed = (start - machine.frame().velocity[0, 0]) / (machine.time - begin)
    assert slowed == pytest.approx(deceleration, rel=5e-3)
    for _ in range(40):
        machine.advance_to(machine.time + 0.01 * stops)
        assert machine.frame().spin[0, 1] > -1e-3 * speed / RADIUS
    assert abs(machine.frame().velocity[0, 0]) < 1e-3 * speed


def test_rolling_viscosity_slows_a_spin_exponentially() -> None:
    """A frictionless ball spins on the spot, carried by N = m g. The torque −μτ N ω on the moment (2/5) m R² makes the
    spin fall as exp(−μτ g t/(0.4 R²)): with μτ = 1 mm s and R = 5 cm at 9.81 1/s. It rests where Hertz's force
    (4/3) E* √R ξ^(3/2) is its weight; half a percent is left for the settling of what that is off by.
    """
    radius, end = 0.05, 0.1
    weight = lab.ball_mass(radius) * 9.81
    overlap = (weight / (4 / 3 * lab.young_effective() * math.sqrt(radius))) ** (2 / 3)
    ball = lab.grain((0.0, 0.0, radius - overlap), spin=(3.0, 0.0, 0.0))
    smooth = lab.material(friction=0.0, rolling_viscosity=1e-3)
    machine = lab.solver(lab.scene("hertz", [ball], [lab.FLOOR], a=smooth, gravity=(0.0, 0.0, -9.81)), 2e-5)
    machine.advance_to(end)
    assert machine.frame().spin[0, 0] == pytest.approx(3.0 * math.exp(-9.81 * end), rel=5e-3)


def test_rolling_resistance_stops_no_clump_within_a_step() -> None:
    """However strong, each contact brakes a spin by at most a torque of I ω/(8 dt), with the mean I of the grain's
    moments. Two balls stuck together lie on a smooth floor and spin about the vertical axis, round which their moment J
    is another one: two contacts take k = I/(4 J) of the spin in a step, so it falls as exp(−k) to second order in k.
    """
    shape = [{"position": (0.0, y, 0.0), "radius": RADIUS} for y in (-0.04, 0.04)]
    a = lab.material(friction=0.0, rolling_friction=1e3)
    group = lab.grain((0.0, 0.0, RADIUS - 1e-4), shape=shape, spin=(0.0, 0.0, 2.0))
    machine = lab.solver(lab.scene("hertz", [group], [lab.FLOOR], a=a), 1e-6)
    moments = np.sort(peek(machine, "inertia")[0])
    k = moments.mean() / (4 * moments[-1])
    assert moments[0] < 0.6 * moments[-1]
    machine.advance(1)
    spin = machine.frame().spin[0]
    assert spin[2] == pytest.approx(2.0 * math.exp(-k), rel=k**3 / 4)
    assert abs(spin[:2]).max() < 1e-6
