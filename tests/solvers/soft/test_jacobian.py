"""The Jacobian of the equations of motion, against cases whose answer is known and against itself without groups."""

from __future__ import annotations

import numpy as np
import pytest

from barchan.solvers.soft import jacobian
from solvers import lab
from solvers.inside import every, peek

STEP = 1e-4  # s


def row(count: int) -> lab.SoftSolver:
    """Spheres of 0.1 m in a row, overlapping by 0.2 mm, with a little motion."""
    places = [(0.0998 * k, 0.0, 0.0) for k in range(count)]
    machine = lab.solver(lab.scene("viscous", [lab.grains(places)], gravity=(0.0, 0.0, 0.0)), 1e-5)
    peek(machine, "velocity")[:] = 0.01 * np.random.default_rng(1).normal(size=(count, 3))
    peek(machine, "motion")[:count, :3] = peek(machine, "velocity")
    return machine


def test_grouped_columns_are_the_columns() -> None:
    machine = row(9)
    together, few = jacobian.jacobian(machine, STEP)
    alone, many = jacobian.jacobian(machine, STEP, grouped=False)
    np.testing.assert_allclose(together, alone, rtol=1e-9, atol=1e-9 * abs(alone).max())
    assert few == 1 + 13 * 3  # in a row every third grain can be changed at once
    assert many == 1 + 13 * 9


def test_groups_share_no_neighbour() -> None:
    rng = np.random.default_rng(0)
    graph = np.eye(30, dtype=bool)
    for a, b in rng.integers(30, size=(40, 2)):
        graph[a, b] = graph[b, a] = True
    sets = jacobian.groups(graph)
    assert sorted(np.concatenate(sets)) == list(range(30))
    for together in sets:
        assert graph[together].sum(axis=0).max() <= 1


def test_the_solver_is_left_as_it_was() -> None:
    machine = row(4)
    before = {name: array.copy() for name, array in every(machine).items()}
    jacobian.jacobian(machine, STEP)
    for name in ("position", "velocity", "orientation", "angular", "place", "memory", "work", "force", "pair_force"):
        np.testing.assert_array_equal(peek(machine, name), before[name], err_msg=name)


def test_free_flight_moves_positions_only() -> None:
    """dx/dt = v: the only entries of a lone grain without spin are those of x by v, and of the quaternion by l."""
    machine = lab.solver(lab.scene("viscous", [lab.grains([(0.0, 0.0, 0.0)])]), 1e-5)
    matrix, _ = jacobian.jacobian(machine, STEP)
    np.testing.assert_allclose(matrix[0:3, 3:6], np.eye(3), atol=1e-9)
    np.testing.assert_allclose(matrix[3:6], 0.0, atol=1e-9)
    inertia = peek(machine, "inertia")[0, 0]
    np.testing.assert_allclose(matrix[7:10, 10:13], 0.5 / inertia * np.eye(3), rtol=1e-4, atol=1e-6)


def test_two_spheres_ring_at_hertz_frequency() -> None:
    """Two equal spheres that overlap by ξ swing along their line with ω² = (3/2) kα √ξ/m*."""
    machine = row(2)
    peek(machine, "velocity")[:] = 0.0
    peek(machine, "motion")[:2, :3] = 0.0
    matrix, _ = jacobian.jacobian(machine, STEP)
    values = np.linalg.eigvals(matrix)
    mass = lab.effective(lab.ball_mass(0.05), lab.ball_mass(0.05))
    omega = np.sqrt(1.5 * lab.hertz_stiffness(0.025) * np.sqrt(0.0002) / mass)
    ringing = values[np.argmax(abs(values.imag))]
    assert abs(ringing) == pytest.approx(omega, rel=0.01)
    assert ringing.real < 0
