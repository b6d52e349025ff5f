"""Periodic boxes: there is no place like any other."""

from __future__ import annotations

import numpy as np
import pytest

from solvers import lab

BOX = {"low": (-1.0, -1.0, -1.0), "high": (1.0, 1.0, 1.0)}


SHAPES = {"sphere": {}, "dimer": {"shape": {"kind": "dimer", "roundness": 0.9}, "size": 0.11}}


def pair(shift: tuple[float, float, float], shape: str) -> lab.SoftSolver:
    """Two grains pressed together, sheared and drifting, at a place of a box that repeats along all axes."""
    groups = [
        lab.grain(shift, **SHAPES[shape], velocity=(2.0, 1.0, 3.0)),
        lab.grain(np.add(shift, (0.09, 0.03, 0.02)), velocity=(1.8, 1.1, 3.0), spin=(5.0, 0.0, 1.0)),
    ]
    return lab.solver(lab.kitchen(groups, periodic=(True, True, True), box=BOX), 1e-5)


@pytest.mark.parametrize("shape", SHAPES)
def test_contacts_go_on_across_the_boundary(shape: str) -> None:
    """The laws of motion are the same everywhere: a pair that crosses a corner of the box in the middle of its contact
    has the velocities and spins of one that does not come near the boundary.
    """
    inside, across = pair((0.0, 0.0, 0.0), shape), pair((0.997, 0.998, 0.996), shape)
    crossed = []
    for _ in range(60):
        inside.advance(10)
        across.advance(10)
        one, other = inside.frame("contacts"), across.frame("contacts")
        assert len(one.contacts.force) == len(other.contacts.force)
        np.testing.assert_allclose(other.velocity, one.velocity, rtol=0, atol=1e-9)
        np.testing.assert_allclose(other.spin, one.spin, rtol=0, atol=1e-7)
        assert np.all((other.position >= BOX["low"]) & (other.position < BOX["high"]))
        if len(other.contacts.force):
            crossed.append(tuple(other.position[0] < 0))
    assert {(False, False, False), (True, True, True)} <= set(crossed), "it has crossed, in contact"


def test_energy_of_a_fall_through_a_periodic_box() -> None:
    """Gravity along a periodic axis: a grain falls for ever, and what it gains comes from its potential energy, which
    goes on falling although its height starts anew. At constant acceleration velocity Verlet is exact.
    """
    described = lab.kitchen(
        [lab.grain((0.0, 0.0, 0.5))], periodic=(True, True, True), box=BOX, gravity=(0.0, 0.0, -lab.GRAVITY)
    )
    machine = lab.solver(described, 1e-3)
    mass = lab.ball_mass(0.05)
    for _ in range(20):
        machine.advance(100)
        book, fallen = machine.frame().ledger, 0.5 * lab.GRAVITY * machine.time**2
        assert book["kinetic_energy"] == pytest.approx(mass * lab.GRAVITY * fallen, rel=1e-9)
        assert book["potential_energy"] == pytest.approx(mass * lab.GRAVITY * (0.5 - fallen), rel=1e-9)
        assert abs(book["energy_error"]) < 1e-9 * book["kinetic_energy"]
        height = 0.5 - fallen
        assert machine.frame().position[0, 2] == pytest.approx((height + 1) % 2 - 1, abs=1e-9)
