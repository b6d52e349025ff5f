"""Stacks that stand, stacks that creep, and stiction at walls."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from solvers import lab
from solvers.plain import PlainSolver

UP = (0.0, 0.0, -lab.GRAVITY)


def pyramid(law: str, solver: Any = lab.solver) -> Any:
    """Four spheres of 1 m in a square and one on top of them, on a floor: E 1e7 Pa, μ 0.8."""
    base = [(x, y, 0.5) for x in (-0.505, 0.505) for y in (-0.505, 0.505)]
    top = (0.0, 0.0, 0.5 + math.sqrt(1 - 2 * 0.505**2))
    a = lab.material(friction=0.8)
    return solver(lab.scene(law, [lab.grains([*base, top], size=1.0)], [lab.FLOOR], a=a, gravity=UP), 5e-4)


@pytest.mark.parametrize(
    ("law", "solver"), [("displacement", PlainSolver), ("linear", lab.solver), ("hertz", lab.solver)]
)
def test_stack_stays_at_rest(law: str, solver: Any) -> None:
    """Lines of action through the upper and the lower contact of a base sphere ask for friction of tan 22.8° = 0.42 at
    either: with μ = 0.8 the stack can stand. With a friction that remembers, it does: in the last 5 s of 10 s no
    grain moves by 1e-4 of its diameter.
    """
    machine = pyramid(law, solver)
    machine.advance_to(5.0)
    before = machine.frame().position.copy()
    machine.advance_to(10.0)
    after = machine.frame()
    assert np.abs(after.position - before).max() < 1e-4
    assert after.position[4, 2] > 1.1
    assert np.abs(after.velocity).max() < 1e-6


def test_stack_creeps_without_memory() -> None:
    """A friction without memory only slows the base spheres down: they roll outwards and the stack is lost."""
    machine = pyramid("viscous")
    machine.advance_to(5.0)
    before = machine.frame().position.copy()
    machine.advance_to(10.0)
    after = machine.frame().position
    assert np.abs(after - before).max() > 1e-3
    assert after[4, 2] < before[4, 2] - 0.01


def on_tilted_floor(tilt: float, *, speed: float = 0.0, motion: object = (), **options: object) -> lab.SoftSolver:
    """A cube on a floor with stiction, μ 0.5, gravity tilted by `tilt` rad; on a floor of its own motion."""
    floor = {**lab.FLOOR, "motion": motion}
    cube = lab.grain((0.0, 0.0, 0.0499), shape="cube", velocity=(speed, 0.0, 0.0))
    return lab.solver(lab.kitchen([cube], [floor], gravity=lab.tilted(tilt), **options), 2e-5)


def test_stiction_holds_a_grain_below_the_coulomb_angle() -> None:
    """tan θ = 0.6 μ: a grain thrown down the slope comes to a stop, and then stays to the last digit but a few."""
    machine = on_tilted_floor(math.atan(0.6 * 0.5), speed=0.1)
    machine.advance_to(0.3)
    before = machine.frame().position.copy()
    machine.advance_to(0.6)
    after = machine.frame()
    assert 1e-5 < before[0, 0] < 0.02
    np.testing.assert_allclose(after.position, before, rtol=0, atol=1e-6 * 0.1)
    assert machine.frame().ledger["dissipated_stiction"] > 0


def test_stiction_does_not_hold_a_grain_above_the_coulomb_angle() -> None:
    """tan θ = 1.5 μ: the grain slides at g (sin θ − μ cos θ), as if there were no stiction."""
    angle = math.atan(1.5 * 0.5)
    machine = on_tilted_floor(angle, rotation=False)
    machine.advance_to(0.1)
    start = float(machine.frame().velocity[0, 0])
    machine.advance_to(0.3)
    gained = (float(machine.frame().velocity[0, 0]) - start) / 0.2
    assert gained == pytest.approx(lab.GRAVITY * (math.sin(angle) - 0.5 * math.cos(angle)), rel=5e-3)


def test_a_moving_wall_carries_a_held_grain_along() -> None:
    """Rest is rest at the wall: a conveyor takes the grain to its own speed, and the ledger knows who did the work."""
    machine = on_tilted_floor(0.0, motion={"kind": "translate", "velocity": (0.2, 0.0, 0.0)})
    machine.advance_to(0.5)
    seen, book = machine.frame(), machine.frame().ledger
    np.testing.assert_allclose(seen.velocity[0], (0.2, 0.0, 0.0), rtol=0, atol=1e-4)
    carried = 0.5 * float(seen.mass[0]) * 0.2**2
    assert book["kinetic_energy"] == pytest.approx(carried, rel=1e-3)
    assert book["wall_work"] > carried
    assert abs(book["energy_error"]) < 0.02 * book["wall_work"]


def test_the_ledger_closes_however_fast_stiction_stops_a_grain() -> None:
    """A plate pushes three cubes over a floor that holds them, and lets go of them, many times over.

    With tq of about one step stiction stops a grain within a step, so that the velocities a step begins with and those
    it leaves differ by all there is. What the plate has put in must still be found again. Booked with the velocities a
    step begins with, a tenth of it is not; the integrator's own error is below 1e-5 at this step.
    """
    plate = {
        **lab.FLOOR,
        "name": "plate",
        "point": (-0.12, 0.0, 0.0),
        "normal": (1.0, 0.0, 0.0),
        "motion": {"kind": "translate", "velocity": (0.3, 0.0, 0.0)},
    }
    row = [(x, 0.0, 0.0499) for x in (0.0, 0.11, 0.22)]
    cubes = lab.grains(row, shape="cube", size=0.1)
    machine = lab.solver(lab.kitchen([cubes], [lab.FLOOR, plate], stiction={"duration": 2e-5}, gravity=UP), 2e-5)
    machine.advance_to(0.8)
    book = machine.frame().ledger
    assert book["dissipated_stiction"] > 0.2 * book["wall_work"] > 0
    assert abs(book["energy_error"]) < 1e-4 * book["wall_work"]
