"""Tethers against the mechanics of a spring: one grain, no contact. The kernels are those of the scene `conveyor`."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan import load, solvers
from barchan.errors import SceneError
from barchan.model import encounters
from barchan.model.build import build
from barchan.solvers.soft.solver import SoftSolver
from solvers import lab

MASS, STIFFNESS = 0.05, 20.0  # kg, N/m
RATE = math.sqrt(STIFFNESS / MASS)  # 20 rad/s
FREE = ("gravity=[0, 0, 0]", "dimensions=3", "tethers[0].stiffness=20")


def machine(time_step: float, *changes: str, height: float = 1.0) -> SoftSolver:
    """The sphere of `conveyor` in mid-air, on a tether of 20 N/m to the origin of a frame 1 m up, at rest at first."""
    place = f"grains[0].fill.positions=[[0.1, 0.05, {height}]]"
    still = "grains[0].velocity=[0, 0, 0]", "tethers[0].point=[0, 0, 1]"
    return solvers.create(*build(load("conveyor", [place, *still, *FREE, *changes])), time_step)


def test_a_tether_of_no_length_is_a_harmonic_oscillator_in_space() -> None:
    """x = x0 cos ωt along every axis, with ω = √(k/m), and energy goes to and fro between spring and motion. Velocity
    Verlet's phase lags by (ω dt)²/24 of ωt: 1e-7 here.
    """
    swing = machine(1e-4, "grains[0].velocity=[0, 0, 0.4]")
    swing.advance_to(1.3)
    angle = RATE * 1.3
    expected = (0.1 * math.cos(angle), 0.05 * math.cos(angle), 1 + 0.4 / RATE * math.sin(angle))
    np.testing.assert_allclose(swing.frame().position[0], expected, rtol=0, atol=1e-6)
    book = swing.frame().ledger
    start = 0.5 * STIFFNESS * (0.1**2 + 0.05**2) + 0.5 * MASS * 0.4**2
    assert book["tether_energy"] + book["kinetic_energy"] == pytest.approx(start, rel=1e-6)
    assert book["tether_energy"] == pytest.approx(
        0.5 * STIFFNESS * np.sum((np.array(expected) - (0, 0, 1)) ** 2), rel=1e-4
    )
    assert book["dissipated_tethers"] == 0.0


def test_a_tether_with_a_length_carries_a_conical_pendulum() -> None:
    """A grain on a circle of radius r, on a tether of length L at rest: k (l − L) = m ω² l with l = r where there is no
    gravity. With k = 20 N/m, L = 0.1 m and l = 0.125 m the speed is √(k (l − L) l/m) = 1.118 m/s, for ever.
    """
    speed = math.sqrt(STIFFNESS * 0.025 * 0.125 / MASS)
    place = "grains[0].fill.positions=[[0.125, 0, 1]]"
    swing = machine(1e-4, place, f"grains[0].velocity=[0, {speed}, 0]", "tethers[0].length=0.1")
    for _ in range(5):
        swing.advance_to(swing.time + 0.2)
        seen = swing.frame()
        assert np.linalg.norm(seen.position[0] - (0, 0, 1)) == pytest.approx(0.125, rel=1e-5)
        assert np.linalg.norm(seen.velocity[0]) == pytest.approx(speed, rel=1e-5)


def test_a_damped_tether_loses_what_the_books_say() -> None:
    """Along a line, m ẍ = −k x − c ẋ: with x = x0 at rest, x = x0 e^(−δt) (cos Ωt + δ/Ω sin Ωt), δ = c/2m. What is
    missing at the end is in the books, and these close with the square of the step.
    """
    errors = []
    for step in (4e-4, 2e-4, 1e-4):
        swing = machine(step, "grains[0].fill.positions=[[0.1, 0, 1]]", "tethers[0].damping=0.2")
        swing.advance_to(0.4)
        book = swing.frame().ledger
        errors.append(book["energy_error"])
    fall, turn = 2.0, math.sqrt(RATE**2 - 4.0)
    expected = 0.1 * math.exp(-fall * 0.4) * (math.cos(turn * 0.4) + fall / turn * math.sin(turn * 0.4))
    assert swing.frame().position[0, 0] == pytest.approx(expected, abs=1e-6)
    assert book["dissipated_tethers"] == pytest.approx(0.1 - book["kinetic_energy"] - book["tether_energy"], rel=1e-5)
    assert lab.order_of(errors) > 1.8


def test_without_a_point_a_grain_hangs_where_it_began() -> None:
    """It sinks to m g/k below, and swings about there: between 0 and 2 m g/k."""
    changes = [change for change in FREE if "gravity" not in change]
    swing = solvers.create(*build(load("conveyor", ["grains[0].fill.positions=[[0, 0, 3]]", *changes])), 1e-4)
    swing.advance_to(math.pi / RATE)
    assert swing.frame().position[0, 2] == pytest.approx(3 - 2 * MASS * lab.GRAVITY / STIFFNESS, abs=1e-6)


def test_a_grain_that_is_taken_away_takes_its_tether_along() -> None:
    """Energy in the spring leaves with the grain; what its dashpot had taken stays in the books."""
    sink = 'sinks=[{name = "hole", region = {kind = "box", low = [-9, -9, -9], high = [-8, -8, -8]}}]'
    swing = machine(1e-4, sink, "tethers[0].damping=0.2")
    swing.advance_to(0.05)
    before = swing.frame().ledger
    swing.remove(np.array([True]), "hole")
    swing.advance(10)
    book = swing.frame().ledger
    assert book["tether_energy"] == 0.0 < before["tether_energy"]
    assert book["outflow_energy"] == pytest.approx(
        before["kinetic_energy"] + before["potential_energy"] + before["tether_energy"], rel=1e-12
    )
    assert book["dissipated_tethers"] == pytest.approx(before["dissipated_tethers"], rel=1e-12)
    assert book["energy_error"] == pytest.approx(before["energy_error"], abs=1e-12)


def test_a_stiff_tether_shortens_the_time_step() -> None:
    """The step must resolve half a period of the tethered grain, π √(m/k)."""
    for stiffness in (1e9, 4e9):
        model, grains = build(load("conveyor", [f"tethers[0].stiffness={stiffness}"]))
        assert encounters.contact_time(model, grains, 0.1) == pytest.approx(math.pi * math.sqrt(MASS / stiffness))
    model, grains = build(load("conveyor", ["tethers[0].damping=1e7"]))
    assert encounters.damping_time(model, grains, 0.1) < 1e-7


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("tethers[0].group=sphre", r"tethers\[0\].group.*'sphre' is not among the grains; known: sphere"),
        ("tethers[0].stiffness=-1", r"tethers\[0\].stiffness.*must be > 0"),
        ("tethers[0].length='-1 mm'", r"tethers\[0\].length.*must be ≥ 0"),
        ("periodic=[true, false, false]", r"tethers\[0\].*a tether in a periodic scene"),
        ("tethers[0].knot=1", r"tethers\[0\].knot.*unknown field"),
    ],
)
def test_a_wrong_tether_is_refused(change: str, told: str) -> None:
    with pytest.raises(SceneError, match=told):
        load("conveyor", [change])
