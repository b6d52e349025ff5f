"""Many hard spheres: kinetic theory, and energy over a million collisions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solvers.hard_lab import gas, momentum


def enskog_rate(count: int, fraction: float, temperature: float) -> float:
    """Collisions a second among `count` spheres of diameter 1 m and mass 1 kg: N/2 · 4 n d² χ √(π T/m).

    χ = (1 − φ/2)/(1 − φ)³, Carnahan and Starling's value of the pair distribution at contact, is good to a few parts in
    a thousand at φ = 0.2. `temperature` is the mean square of a velocity component, m²/s².
    """
    density = fraction * 6 / math.pi
    chi = (1 - fraction / 2) / (1 - fraction) ** 3
    return 2 * count * density * chi * math.sqrt(math.pi * temperature)


def test_an_elastic_fluid_collides_at_enskogs_rate_and_keeps_its_energy():
    """Over a million collisions the rate at φ = 0.2 is Enskog's to 1%, energy is kept to 1e-10 and momentum too.

    Collisions are not independent, but a million of them leave about 0.2% of scatter; a box of N spheres with no net
    momentum is off by some parts in N, 0.1% here.
    """
    machine = gas(2000, 0.2)
    energy = machine.kinetic_energy()
    machine.advance_to(2.0)
    first, began = machine.step, machine.time
    while machine.step < 1_000_000:
        machine.advance_to(machine.time + 10.0)
    rate = (machine.step - first) / (machine.time - began)
    assert rate == pytest.approx(enskog_rate(2000, 0.2, 2 * energy / 3 / 2000), rel=0.01)
    assert machine.kinetic_energy() == pytest.approx(energy, rel=1e-10)
    assert np.abs(momentum(machine)).max() < 1e-10
    assert machine.worst_overlap < 1e-9
    speeds = machine.frame().velocity.ravel() / math.sqrt(2 * energy / 3 / 2000)
    assert np.mean(speeds**4) == pytest.approx(3.0, abs=0.25)  # Maxwell's; 6000 components scatter by 0.13


def test_a_cooling_gas_follows_haffs_law():
    """√(T1/T2) = 1 + (t2 − t1)/τ, 1/τ = (1 − e²)(1 + 3a2/16) ω/6, ω the collisions of one grain a second at T1.

    Each collision takes ½ μ (1 − e²) un², and kinetic theory's mean gives dT/dt = −(1 − e²) ω T/3; a2 is van Noije and
    Ernst's correction for velocities that are no longer Maxwell's, 0.3% here. Over seven collisions a grain, in a box
    too small for vortices, the gas stays homogeneous. One run scatters by 1.2%, the mean of four by 0.6%.
    """
    e, fraction, count = 0.9, 0.05, 4000
    a2 = 16 * (1 - e) * (1 - 2 * e**2) / (81 - 17 * e + 30 * e**2 * (1 - e))
    shares = []
    for seed in range(4):
        machine = gas(count, fraction, e, seed=seed)
        machine.advance_to(3.0)
        hot = 2 * machine.kinetic_energy() / 3 / count
        machine.advance_to(14.0)
        cold = 2 * machine.kinetic_energy() / 3 / count
        omega = 2 * enskog_rate(count, fraction, hot) / count
        expected = (1 - e**2) * (1 + 3 * a2 / 16) * omega / 6
        shares.append((math.sqrt(hot / cold) - 1) / 11.0 / expected)
        assert hot / cold > 1.5  # it has cooled enough for the law to matter
        book = machine.frame().ledger
        assert abs(book["energy_error"]) < 1e-12 * book["energy_total"]
    assert np.mean(shares) == pytest.approx(1.0, abs=0.03)


def test_a_rough_gas_keeps_its_energy_when_surfaces_recoil():
    """εn = 1, εt = −1: perfectly rough spheres lose nothing, and spins take up three of six parts of the energy."""
    machine = gas(1000, 0.2, tangential=-1.0)
    energy = machine.kinetic_energy()
    machine.advance_to(15.0)
    assert machine.kinetic_energy() == pytest.approx(energy, rel=1e-12)
    seen = machine.frame()
    turning = 0.5 * np.sum(0.4 * seen.radius[:, None] ** 2 * seen.spin**2)
    assert turning / energy == pytest.approx(0.5, abs=0.05)
    assert np.allclose(np.linalg.norm(seen.orientation, axis=1), 1.0)
