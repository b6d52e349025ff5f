"""The leapfrog of Richardson (2011): kicks at the ends of steps, collisions inside the drift."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan.model.build import build
from barchan.solvers.hard import checks
from barchan.solvers.hard.solver import HardSolver
from solvers.hard_lab import FLOOR, GRAVITY, grain, grains, scene

DOWN = (0.0, 0.0, -GRAVITY)


def leaping(described, step: float) -> HardSolver:
    described = described.model_copy(update={"hard": described.hard.model_copy(update={"mode": "leapfrog"})})
    return HardSolver(*build(described), step)


def test_free_flight_is_the_parabola_at_every_step():
    """Kick, drift, kick is exact in a uniform field, whatever the step."""
    machine = leaping(scene([grain((0, 0, 0), velocity=(1.0, 0, 3.0))], gravity=DOWN), 0.05)
    machine.advance_to(0.5)
    seen = machine.frame()
    assert seen.position[0] == pytest.approx((0.5, 0, 1.5 - GRAVITY / 8), rel=1e-13)
    assert seen.velocity[0] == pytest.approx((1.0, 0, 3.0 - GRAVITY / 2), rel=1e-13)


def test_the_error_of_a_bounce_falls_with_the_step():
    """Dropped from h on an elastic floor. The ball lands on a straight line, not a parabola: an error of first order.

    Against the exact solver, and its energy, which is mgh: ten times shorter steps leave about a tenth of the error.
    """
    h = 0.5
    errors = []
    for step in (1e-3, 1e-4):
        machine = leaping(scene([grain((0, 0, h + 0.05))], [FLOOR], gravity=DOWN), step)
        machine.advance_to(0.5)
        assert machine.step == 1
        book = machine.frame().ledger
        errors.append(abs(book["energy_error"]) / (book["energy_total"]))
        fall = math.sqrt(2 * h / GRAVITY)
        speed = GRAVITY * fall
        exact = 0.05 + speed * (0.5 - fall) - GRAVITY / 2 * (0.5 - fall) ** 2
        assert machine.frame().position[0, 2] == pytest.approx(exact, abs=2 * speed * step)
    assert errors[0] < GRAVITY * 1e-3 * math.sqrt(2 * GRAVITY * h) / (GRAVITY * h)  # half a kick at impact speed
    assert errors[1] < 0.3 * errors[0] or errors[1] < 1e-6


def test_it_is_restored_to_the_bit():
    spots = [(x, y, z) for x in (0, 0.15) for y in (0, 0.15) for z in (0.1, 0.25)]
    described = scene([grains(spots, velocity_scatter=0.3)], [FLOOR], gravity=DOWN, restitution=0.8, tangential=0.5)
    whole, part = leaping(described, 1e-3), leaping(described, 1e-3)
    part.advance_to(0.2)
    arrays, numbers = part.state()
    part = HardSolver.restored(part.model, {name: array.copy() for name, array in arrays.items()}, numbers)
    whole.advance_to(0.2)
    for machine in (whole, part):
        machine.advance_to(0.5)
    assert np.array_equal(whole.frame().position, part.frame().position)
    assert whole.frame().ledger == part.frame().ledger
    assert whole.step > 20


def test_the_step_is_chosen_from_gravity_and_size():
    described = scene([grain((0, 0, 1))], [FLOOR], gravity=DOWN, hard={"mode": "leapfrog"})
    chosen = checks.choose(*build(described)).value
    assert 0.5 < chosen / (0.003 * math.sqrt(0.1 / GRAVITY)) <= 1
    assert (1 / 24) / chosen == pytest.approx(round((1 / 24) / chosen))
