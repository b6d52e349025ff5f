"""Sticky walls: what they hold is a part of them, moves with them and is infinitely heavy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from barchan.errors import SceneError
from barchan.geometry import multiply, rotation_about
from barchan.simulation.plan import Plan
from solvers.hard_lab import GRAVITY, grain, grains, scene, solver

RADIUS = 0.05


def test_a_held_grain_stays_and_throws_others_back():
    """The first grain to reach a sticky floor is held there; one dropped on its top bounces as from a wall.

    Centres are then 2R apart: it falls h − 2R from rest, and after an elastic collision rises to where it came from.
    """
    floor = {"name": "glue", "shape": "plane", "sticky": True}
    low, high = grain((0, 0, 0.1)), grain((0, 0, 0.5))
    machine = solver(scene([low, high], [floor], gravity=(0, 0, -GRAVITY)))
    machine.advance_to(0.2)
    assert machine.frame().position[0] == pytest.approx((0, 0, RADIUS))
    assert not machine.frame().velocity[0].any()
    fall = math.sqrt(2 * (0.5 - 3 * RADIUS) / GRAVITY)
    machine.advance_to(2 * fall)
    seen = machine.frame()
    assert seen.position[0] == pytest.approx((0, 0, RADIUS))
    assert seen.position[1] == pytest.approx((0, 0, 0.5), abs=1e-12)
    book = machine.frame().ledger
    assert book["dissipated_normal"] == pytest.approx(seen.mass[0] * GRAVITY * 0.05, rel=1e-9)
    assert abs(book["energy_error"]) < 1e-12


def test_a_grain_held_by_a_turning_drum_goes_round_and_hits_what_is_in_its_way():
    """Held at the angle 0 of a drum of 1 m, it moves on a circle of a = 1 − R; a grain waits at 40°, b from the axis.

    They touch when the centres are 2R apart, at an angle φ between them: a² + b² − 2ab cos φ = 4R². Elastic, smooth:
    the free grain leaves along the line of centres with twice the held one's speed along it.
    """
    rate = 2.0
    drum = {"shape": "cylinder", "radius": 1.0, "axis": (0, 1, 0), "sticky": True}
    drum |= {"motion": {"kind": "rotate", "axis": (0, -1, 0), "rate": rate, "start": 1.0}}
    first = grain((0.9, 0, 0), velocity=(1, 0, 0))
    arm, angle = 1 - RADIUS, math.radians(40)
    inner = 0.9
    machine = solver(scene([first, grain((inner * math.cos(angle), 0, inner * math.sin(angle)))], [drum]))
    machine.advance_to(1.0)
    assert machine.frame().position[0] == pytest.approx((arm, 0, 0))
    apart = math.acos((arm**2 + inner**2 - 4 * RADIUS**2) / (2 * arm * inner))
    meets = 1.0 + (angle - apart) / rate
    machine.advance_to(meets - 1e-10)
    assert machine.step == 0
    turned = rate * (machine.time - 1)
    seen = machine.frame()
    assert seen.position[0] == pytest.approx((arm * math.cos(turned), 0, arm * math.sin(turned)), abs=1e-12)
    assert seen.velocity[0] == pytest.approx(
        (-rate * arm * math.sin(turned), 0, rate * arm * math.cos(turned)), abs=1e-9
    )
    assert seen.spin[0] == pytest.approx((0, -rate, 0))
    line = seen.position[1] - seen.position[0]
    line /= np.linalg.norm(line)
    machine.advance_to(meets + 1e-10)
    assert machine.step == 1
    assert machine.frame().velocity[1] == pytest.approx(2 * (seen.velocity[0] @ line) * line, abs=1e-7)
    book = machine.frame().ledger
    assert book["wall_work"] == pytest.approx(machine.kinetic_energy(), rel=1e-9)
    assert abs(book["energy_error"]) < 1e-10


def test_a_held_grain_keeps_its_side_to_the_drum():
    """A grain spins about z at 3 rad/s and reaches a drum after 0.1 s, which has turned by then. It is held as it is:
    from then on its orientation is what it was at that moment, 0.3 rad about z, turned further with the drum alone.
    """
    rate = 2.0
    drum = {"shape": "cylinder", "radius": 1.0, "axis": (0, 1, 0), "sticky": True}
    drum |= {"motion": {"kind": "rotate", "axis": (0, -1, 0), "rate": rate}}
    machine = solver(scene([grain((1 - RADIUS - 0.1, 0, 0), velocity=(1, 0, 0), spin=(0, 0, 3.0))], [drum]))
    machine.advance_to(0.6)
    seen = machine.frame()
    assert seen.spin[0] == pytest.approx((0, -rate, 0))
    caught = rotation_about((0, 0, 1), 0.3)
    expected = multiply(rotation_about((0, -1, 0), rate * 0.5), caught)
    assert seen.orientation[0] * np.sign(seen.orientation[0] @ expected) == pytest.approx(expected, abs=1e-9)


def test_a_plate_carries_what_it_holds_to_where_others_are():
    """A sticky plate moves along x at 2 m/s with a grain on it, past many cells, towards one that rests 2 cm higher.

    They touch when the centres are 2R apart, √(4R² − 0.02²) along x, and the free one leaves along the line of centres
    n with twice the plate's speed along it.
    """
    plate = {"shape": "disk", "radius": 5.0, "sticky": True, "motion": {"kind": "translate", "velocity": (2.0, 0, 0)}}
    held, free = grain((0, 0, RADIUS)), grain((3.0, 0, RADIUS + 0.02))
    others = grains([(0.3 * k, 2.0, 1.0) for k in range(12)])  # make room for cells
    machine = solver(scene([held, free, others], [plate]))
    n = np.array([math.sqrt(4 * RADIUS**2 - 0.02**2), 0, 0.02]) / (2 * RADIUS)
    moment = (3.0 - 2 * RADIUS * n[0]) / 2.0
    machine.advance_to(moment - 1e-10)
    assert machine.step == 0
    machine.advance_to(moment + 1e-10)
    assert machine.step == 1
    assert machine.frame().velocity[1] == pytest.approx(2 * (2.0 * n[0]) * n, abs=1e-9)


def test_a_held_grain_meets_a_falling_one_on_its_curved_path():
    """Against the root of the true distance, found by bracketing: a circle and a parabola, not two straight lines."""
    rate = 3.0
    drum = {"shape": "cylinder", "radius": 1.0, "axis": (0, 1, 0), "sticky": True}
    drum |= {"motion": {"kind": "rotate", "axis": (0, -1, 0), "rate": rate}}
    first, start = grain((0.949, 0, 0), velocity=(1, 0, 0)), np.array([0.3, 0.0, 0.2])
    throw = np.array([0.97, 0.0, 3.28])  # towards where the held one is after 0.3 s
    machine = solver(scene([first, grain(start, velocity=throw)], [drum], gravity=(0, 0, -GRAVITY)))
    machine.advance_to(0.05)
    spot = machine.frame().position[0]
    phase = math.atan2(spot[2], spot[0]) - rate * 0.05
    radius = math.hypot(spot[0], spot[2])

    def gap(t):
        held = radius * np.array([math.cos(phase + rate * t), 0, math.sin(phase + rate * t)])
        free = start + throw * t + np.array([0, 0, -GRAVITY / 2 * t * t])
        return np.linalg.norm(held - free) - 2 * RADIUS

    times = np.linspace(0.05, 1.0, 5001)
    below = next(k for k, t in enumerate(times) if gap(t) < 0)
    moment = brentq(gap, times[below - 1], times[below], xtol=1e-14)
    machine.advance_to(moment - 1e-10)
    assert machine.step == 0
    machine.advance_to(moment + 1e-10)
    assert machine.step == 1


def test_a_turning_drum_lined_with_held_grains_lets_none_through():
    """A heap in a sticky drum: tens of thousands of collisions, many with what the drum holds, and no overlap.

    Held grains go from cell to cell as the drum turns, while others keep colliding with them.
    """
    drum = {"shape": "cylinder", "radius": 0.5, "axis": (0, 1, 0), "sticky": True}
    drum |= {"motion": {"kind": "rotate", "axis": (0, 1, 0), "rate": 3.0}}
    ends = [{"shape": "plane", "normal": (0, 1, 0)}, {"shape": "plane", "point": (0, 0.21, 0), "normal": (0, -1, 0)}]
    spots = [
        (x, y, z) for x in np.arange(-0.3, 0.31, 0.105) for y in (0.053, 0.157) for z in np.arange(-0.3, 0.3, 0.105)
    ]
    machine = solver(
        scene(
            [grains(spots)], [drum, *ends], gravity=(0, 0, -GRAVITY), restitution=0.64, tangential=0.8,
            hard={"contact_time": 3e-3},
        )
    )  # fmt: skip
    machine.advance_to(1.5)
    told = machine.statistics()
    assert told["collisions"] > 20_000
    assert told["overlaps"] == 0
    seen = machine.frame()
    assert np.all(np.hypot(seen.position[:, 0], seen.position[:, 2]) <= 0.45 + 1e-9)
    held = np.abs(np.hypot(seen.position[:, 0], seen.position[:, 2]) - 0.45) < 1e-9
    assert held.sum() > 10
    book = machine.frame().ledger
    assert abs(book["energy_error"]) < 1e-10 * (book["dissipated_normal"] + abs(book["wall_work"]))


def test_a_falling_grain_meets_one_that_has_just_been_held():
    """Both fall side by side at the same speed, the lower one a little ahead: they would never meet but for the glue.

    The upper one lies 0.03 aside, so that it touches when √(4R² − 0.03²) above the held one.
    """
    floor = {"name": "glue", "shape": "disk", "radius": 1.0, "sticky": True}
    start, high = 0.06, 0.19
    machine = solver(scene([grain((0, 0, start)), grain((0.03, 0, high))], [floor], gravity=(0, 0, -GRAVITY)))
    drop = high - RADIUS - math.sqrt(4 * RADIUS**2 - 0.03**2)
    moment = math.sqrt(2 * drop / GRAVITY)
    machine.advance_to(moment - 1e-10)
    assert machine.step == 0
    machine.advance_to(moment + 1e-10)
    assert machine.step == 1


def test_grains_are_let_go_with_the_wall_that_held_them():
    """A sticky plate that moves up and vanishes leaves what it held with its own velocity."""
    plate = {"shape": "disk", "radius": 1.0, "sticky": True, "vanishes": 0.5}
    plate |= {"motion": {"kind": "translate", "velocity": (0, 0, 2.0)}}
    machine = solver(scene([grains([(0, 0, 0.1), (0.3, 0, 0.2)])], [plate], gravity=(0, 0, -GRAVITY)))
    machine.advance_to(0.5)
    assert np.allclose(machine.frame().velocity, (0, 0, 2.0))
    machine.meet_walls()
    machine.advance_to(0.6)
    seen = machine.frame()
    assert np.allclose(seen.velocity, (0, 0, 2.0 - GRAVITY * 0.1))
    assert np.allclose(seen.position[:, 2], 1.0 + RADIUS + 0.2 - GRAVITY * 0.005)
    assert abs(machine.frame().ledger["energy_error"]) < 1e-11


def test_soft_spheres_are_not_held():
    described = scene([grain((0, 0, 1))], [{"shape": "plane", "sticky": True}]).model_copy(update={"solver": "soft"})
    with pytest.raises(SceneError, match=r'sticky.*Use solver = "hard"'):
        Plan.of(described)


def test_what_touches_a_sticky_wall_at_the_start_is_held_by_it():
    """A grain that touches a sticky ceiling from the first moment on does not fall; one a hair lower does.

    So a run that begins with the last frame of another one keeps what was stuck there.
    """
    ceiling = {"shape": "plane", "point": (0, 0, 1), "normal": (0, 0, -1), "sticky": True}
    touching, lower = grain((0, 0, 1 - RADIUS)), grain((1, 0, 1 - RADIUS - 1e-6))
    machine = solver(scene([touching, lower], [ceiling], gravity=(0, 0, -GRAVITY)))
    machine.advance_to(0.1)
    seen = machine.frame()
    assert seen.position[0] == pytest.approx((0, 0, 1 - RADIUS), abs=1e-15)
    assert seen.position[1, 2] == pytest.approx(1 - RADIUS - 1e-6 - 0.5 * GRAVITY * 0.01)
    assert abs(machine.frame().ledger["energy_error"]) < 1e-13
