"""Hard spheres in a periodic box: energy goes on where a place begins anew, and what walls hold is met across it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solvers.hard_lab import GRAVITY, grain, scene, solver

RADIUS = 0.05
BOX = {"low": (-0.5, -0.6, -0.7), "high": (0.5, 0.6, 0.7)}


def test_energy_of_a_flight_round_a_periodic_box() -> None:
    """Gravity askew to three periodic axes: after a time t the grain has gone s = v t + g t²/2, through several faces
    upwards and downwards. Its potential energy is that of the place it would have without a box, −m g·(x + s), its
    kinetic energy m (v + g t)²/2, and the books close.
    """
    gravity, start, throw = np.array([1.0, -2.0, -9.81]), np.array([0.1, 0.2, 0.3]), np.array([-3.0, 4.0, 5.0])
    machine = solver(
        scene([grain(start, velocity=tuple(throw))], gravity=tuple(gravity), periodic=(True, True, True), box=BOX)
    )
    low, length = np.array(BOX["low"]), np.subtract(BOX["high"], BOX["low"])
    mass, passed = float(machine.frame().mass[0]), set()
    for t in np.linspace(0.1, 2.0, 20):
        machine.advance_to(float(t))
        whole = start + throw * t + 0.5 * gravity * t * t
        turns = np.floor((whole - low) / length)
        passed |= {(axis, int(turns[axis])) for axis in range(3)}
        book = machine.frame().ledger
        assert machine.positions()[0] == pytest.approx(whole - turns * length, abs=1e-11)
        assert book["potential_energy"] == pytest.approx(-mass * float(gravity @ whole), rel=1e-9, abs=1e-9)
        assert book["kinetic_energy"] == pytest.approx(0.5 * mass * float(np.sum((throw + gravity * t) ** 2)), rel=1e-9)
        assert abs(book["energy_error"]) < 1e-10 * book["kinetic_energy"]
    assert {(0, -1), (1, 1), (2, 1), (2, -1)} <= passed, "it has gone round, up and down"


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_held_grain_is_met_through_a_face(side: float) -> None:
    """A grain is glued to the floor 2 cm from one face, another falls 3 cm from the opposite one: their centres are
    5 cm apart through the face. They touch when the upper one is √(4R² − 0.05²) higher, after t = √(2 drop/g), and it
    leaves along n, the line of centres, with the speed of its fall along n turned round.
    """
    floor = {"shape": "plane", "sticky": True}
    high = 0.4
    groups = [grain((side * 0.48, 0.0, RADIUS)), grain((-side * 0.47, 0.0, high))]
    machine = solver(
        scene(
            groups,
            [floor],
            gravity=(0, 0, -GRAVITY),
            periodic=(True, True, False),
            box={**BOX, "low": (-0.5, -0.6, -1)},
        )
    )
    n = np.array([side * 0.05, 0.0, math.sqrt(4 * RADIUS**2 - 0.05**2)]) / (2 * RADIUS)
    moment = math.sqrt(2 * (high - RADIUS - 2 * RADIUS * n[2]) / GRAVITY)
    machine.advance_to(moment - 1e-10)
    assert machine.step == 0
    fall = np.array([0.0, 0.0, -GRAVITY * moment])
    machine.advance_to(moment + 1e-10)
    assert machine.step == 1
    assert machine.frame().velocity[1] == pytest.approx(fall - 2 * (fall @ n) * n, abs=1e-8)
