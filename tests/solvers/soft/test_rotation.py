"""Grains that turn freely: Euler's top."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan import solvers
from barchan.geometry import conjugate, rotate
from barchan.kernels import threads
from barchan.model.build import build
from solvers import lab
from solvers.inside import peek

GAS = {
    "name": "gas",
    "duration": 1.0,
    "contact": "hertz",
    "gravity": (0.0, 0.0, 0.0),
    "periodic": (True, True, True),
    "box": {"low": (-0.06, -0.06, -0.06), "high": (0.3, 0.3, 0.3)},
}

LOPSIDED = [
    {"position": (0.0, 0.0, 0.0), "radius": 0.05},
    {"position": (0.06, 0.0, 0.0), "radius": 0.03},
    {"position": (0.0, 0.05, 0.02), "radius": 0.02},
]
BRICK = [{"position": (x, y, 0.0), "radius": 0.03} for x in (-0.06, 0.0, 0.06) for y in (-0.02, 0.02)]


def top(spin: tuple[float, float, float], time_step: float, **options: object) -> lab.SoftSolver:
    """One clump that turns in free space."""
    return lab.solver(lab.scene("hertz", [lab.grain((0.0, 0.0, 0.0), spin=spin, **options)]), time_step)


def body_spin(machine: lab.SoftSolver) -> np.ndarray:
    """Angular velocity (3,), rad/s, in the grain's own frame."""
    seen = machine.frame()
    return rotate(conjugate(seen.orientation), seen.spin)[0]


def test_asymmetric_clump_keeps_its_angular_momentum_and_energy() -> None:
    """Without torque the angular momentum is constant, here to the last bit, while the spin wanders; the energy, which
    follows from the orientation, has an error of the order of the method.
    """
    drift = []
    for time_step in (1e-3, 5e-4, 2.5e-4):
        machine = top((5.0, 9.0, -4.0), time_step, shape=LOPSIDED)
        before, spin = lab.own_angular_momentum(machine).copy(), machine.frame().spin.copy()
        energy = machine.frame().ledger["kinetic_energy"]
        machine.advance_to(1.0)
        assert np.array_equal(lab.own_angular_momentum(machine), before)
        assert np.abs(machine.frame().spin - spin).max() > 0.5
        assert np.linalg.norm(machine.frame().orientation) == pytest.approx(1.0, abs=1e-14)
        drift.append(abs(machine.frame().ledger["kinetic_energy"] / energy - 1))
    assert drift[0] < 1e-4
    assert lab.order_of(drift) > 1.8


def test_symmetric_top_precesses() -> None:
    """The axis of a free symmetric top goes round its angular momentum L at the rate |L|/I1 and a constant angle to it,
    I1 being the moment across the axis (Landau and Lifshitz, Mechanics § 33). In the top's own frame the spin goes
    round the axis at ω3 (I3 − I1)/I1.
    """
    machine = top((3.0, 0.0, 8.0), 1e-4, shape="dimer")
    across, about = peek(machine, "inertia")[0, 0], peek(machine, "inertia")[0, 2]
    momentum = lab.own_angular_momentum(machine)[0]
    axis = np.array([0.0, 0.0, 1.0])
    np.testing.assert_allclose(momentum, (3.0 * across, 0.0, 8.0 * about), rtol=1e-12)
    duration = 0.7
    machine.advance_to(duration)
    along = momentum / np.linalg.norm(momentum)
    angle = np.linalg.norm(momentum) / across * duration
    across_part = axis - (axis @ along) * along
    turned = (axis @ along) * along + math.cos(angle) * across_part + math.sin(angle) * np.cross(along, across_part)
    np.testing.assert_allclose(rotate(machine.frame().orientation[0], axis), turned, atol=1e-5)
    inner = 8.0 * (about - across) / across * duration
    np.testing.assert_allclose(body_spin(machine), (3 * math.cos(inner), 3 * math.sin(inner), 8.0), atol=1e-4)


def test_intermediate_axis_is_unstable() -> None:
    """About the axes of the largest and the smallest moment of inertia a body turns on steadily; about the middle one a
    disturbance grows as exp(ω √((I2 − I1)(I3 − I2)/(I1 I3)) t) and the body turns over.
    """
    order = np.argsort(peek(top((1.0, 0.0, 0.0), 1e-3, shape=BRICK), "inertia")[0])
    turned_over = []
    for axis in order:
        machine = top(tuple(20.0 * np.eye(3)[axis] + 0.2), 5e-4, shape=BRICK)
        lowest = 20.0
        for _ in range(80):
            machine.advance(50)
            lowest = min(lowest, body_spin(machine)[axis])
        turned_over.append(bool(lowest < -18.0))
        assert turned_over[-1] or lowest > 19.5
    assert turned_over == [False, True, False]


def test_orientation_of_spheres_follows_their_spin() -> None:
    """Rotations about different axes do not commute: a quarter turn about x and then one about y is not a turn about
    their sum. So an orientation must follow the spin from step to step, however long the stretch of steps between
    two looks. Here collisions change the axes; the orientation after one long stretch is compared with that after
    many short ones.
    """
    rng = np.random.default_rng(2)
    places = np.stack(np.meshgrid(*(np.arange(3),) * 3, indexing="ij"), axis=-1).reshape(-1, 3) * 0.12
    group = {**lab.grains(places), "name": "g", "velocity_scatter": 2.0, "spin": tuple(rng.normal(0, 30, 3))}
    described = lab.Scene.model_validate(
        {**GAS, "materials": {"a": lab.material(friction=1.0)}, "grains": [group]},
    )
    ends = []
    for stretch in (2000, 20):
        threads.use(1)
        machine = solvers.create(*build(described), 4e-5)
        while machine.step < 2000:
            machine.advance(stretch)
        ends.append(machine.frame().orientation)
    cosines = np.abs(np.sum(ends[0] * ends[1], axis=1))
    assert np.degrees(2 * np.arccos(np.minimum(cosines, 1.0))).max() < 1.0
