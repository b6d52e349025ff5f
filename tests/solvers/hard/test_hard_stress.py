"""The stress that hard spheres carry by their collisions and by their motion."""

from __future__ import annotations

import numpy as np
import pytest

from barchan.parts.observables.packing import Packing
from barchan.parts.observables.stress import Stress
from solvers.hard_lab import gas, grain, scene, solver

BOX = {"periodic": (True, True, True), "box": {"low": (0.0, 0.0, 0.0), "high": (1.0, 1.0, 1.0)}}


def test_a_collision_pushes_once_along_its_branch():
    """Two equal balls meet head-on through a face of the box at v and −v: the impulse on each is 2 m v, from centre to
    centre d, so that Σ impulse ⊗ branch is 2 m v d along x and nothing else. It counts over the time since the sample
    before, and once. Before, hard spheres measured no stress at all.
    """
    speed = 0.5
    groups = [
        grain((0.85, 0.5, 0.5), velocity=(speed, 0.0, 0.0)),
        grain((0.15, 0.5, 0.5), velocity=(-speed, 0.0, 0.0)),
    ]
    machine, mass = solver(scene(groups, **BOX)), 2500 * np.pi / 6 * 0.1**3
    machine.advance_to(0.1)
    assert Stress().measure(machine.frame())["pressure"] == 0.0
    machine.mark_flow()
    machine.advance_to(0.35)  # the gap of 0.2 m closes after 0.2 s
    seen = Stress().measure(machine.frame())
    assert machine.step == 1
    assert seen["stress_xx"] == pytest.approx(-2 * mass * speed * 0.1 / 0.25, rel=1e-12)
    assert max(abs(seen[f"stress_{c}"]) for c in ("yy", "zz", "xy", "xz", "yz")) < 1e-12 * mass
    assert seen["pressure"] == pytest.approx(-seen["stress_xx"] / 3)
    assert seen["kinetic_stress_xx"] == pytest.approx(-2 * mass * speed**2, rel=1e-12)
    assert seen["total_pressure"] == pytest.approx(seen["pressure"] + seen["kinetic_pressure"])
    packed = Packing().measure(machine.frame())
    assert packed["stress_isotropic"] == pytest.approx(seen["pressure"], rel=1e-12)
    machine.mark_flow()
    machine.advance_to(0.5)
    assert Stress().measure(machine.frame())["pressure"] == 0.0


def test_walls_push_on_what_bounces_between_them():
    """A ball of radius r goes to and fro at v between planes that are L apart: each is pushed by m v²/(L − 2 r) on
    average. Σ impulse ⊗ branch, from where it touches to its centre, is 2 m v² r/(L − 2 r) a second; with the motion's
    m v² that is the force times L, as it must be.
    """
    speed, radius, gap = 0.7, 0.05, 0.6
    walls = [
        {"shape": "plane", "point": (0.0, 0.0, 0.0), "normal": (1, 0, 0)},
        {"shape": "plane", "point": (gap, 0.0, 0.0), "normal": (-1, 0, 0)},
    ]
    machine = solver(scene([grain((0.3, 0.0, 0.0), velocity=(speed, 0.0, 0.0)), grain((0.3, 5.0, 0.0))], walls))
    mass, period = 2500 * np.pi / 6 * 0.1**3, 2 * (gap - 2 * radius) / speed
    machine.advance_to(10 * period)
    assert machine.step == 20
    seen = Stress(volume=2.0).measure(machine.frame())
    expected = 2 * mass * speed**2 * radius / (gap - 2 * radius) / 2.0
    assert -seen["stress_xx"] == pytest.approx(expected, rel=1e-9)
    assert -seen["kinetic_stress_xx"] == pytest.approx(0.5 * mass * speed**2 / 2.0)  # of two balls, about their mean


def test_a_restored_run_measures_the_same():
    """What collisions have pushed since the sample before is part of the state."""
    machine = gas(200, 0.3)
    machine.advance_to(1.0)
    machine.mark_flow()
    machine.advance_to(2.0)
    again = type(machine).restored(machine.model, *machine.state())
    for one in (machine, again):
        one.advance_to(3.0)
    one, other = (Stress().measure(made.frame()) for made in (machine, again))
    assert one == other
    assert one["pressure"] > 0.0


@pytest.mark.validate
@pytest.mark.parametrize("fraction", [0.05, 0.15, 0.25, 0.35, 0.45])
def test_the_pressure_of_a_gas_is_carnahan_and_starlings(fraction: float) -> None:
    """p V/(N T) = (1 + φ + φ² − φ³)/(1 − φ)³ to 1%, from 0.05 to 0.45: the equation itself is good to 0.3%, half a
    million collisions scatter by 0.2%, and N spheres with no net momentum have 3 (N − 1) free components.
    """
    count = 2000
    machine = gas(count, fraction)
    machine.advance_to(5.0 / fraction**0.5)
    machine.mark_flow()
    begun, first = machine.time, machine.step
    while machine.step < first + 500_000:
        machine.advance_to(machine.time + 2.0)
    assert machine.time > begun
    seen = Stress().measure(machine.frame())
    temperature = 2 * machine.kinetic_energy() / (3 * (count - 1))
    volume = count * np.pi / 6 / fraction
    expected = (1 + fraction + fraction**2 - fraction**3) / (1 - fraction) ** 3
    assert seen["kinetic_pressure"] * volume == pytest.approx((count - 1) * temperature, rel=1e-9)
    assert seen["total_pressure"] * volume / (count * temperature) == pytest.approx(expected, rel=0.01)
