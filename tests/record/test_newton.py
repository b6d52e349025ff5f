"""Newton's law on recorded frames: the forces that a frame holds are those that move its grains, in every method."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan.frame import Frame
from solvers import beams_lab, hard_lab, lab, relax_lab


def pushed(frame: Frame) -> np.ndarray:
    """(N, 3) N: the recorded forces on each grain, added up; the second grain of a contact feels the opposite."""
    assert frame.has("contacts")
    total = np.zeros((len(frame), 3))
    np.add.at(total, np.searchsorted(frame.id, frame.contacts.first), frame.contacts.force)
    pair = frame.contacts.second >= 0
    np.add.at(total, np.searchsorted(frame.id, frame.contacts.second[pair]), -frame.contacts.force[pair])
    return total


def test_what_stiction_holds_is_held_by_recorded_forces() -> None:
    """Three cubes rest on a floor tilted to 0.6 of Coulomb's angle, one on two: weight and recorded forces are in
    balance for each, to 1e-5 of a weight. Without stiction's force the slope's part of it, m g sin θ, is missing.
    """
    gravity = lab.tilted(math.atan(0.6 * 0.5))
    cubes = lab.grains([(0.0, 0.0, 0.0499), (0.15, 0.0, 0.0499), (0.4, 0.0, 0.0499)], shape="cube")
    machine = lab.solver(lab.kitchen([cubes], [lab.FLOOR], gravity=gravity), 2e-5)
    machine.advance_to(0.5)
    frame = machine.frame("contacts")
    assert np.abs(frame.velocity).max() < 1e-5
    weight = frame.mass[:, None] * np.array(gravity)
    assert pushed(frame) == pytest.approx(-weight, abs=1e-5 * np.linalg.norm(weight[0]))


def test_recorded_forces_move_soft_grains() -> None:
    """Clumps that collide with each other and a floor, between two frames a step apart: velocity Verlet gives
    m (v₂ − v₁) = h (F₁ + F₂)/2 + h m g to round-off of the velocities.
    """
    rng = np.random.default_rng(4)
    spots = np.stack(np.meshgrid([0.0, 0.12], [-0.1, 0.05], [0.06, 0.17], indexing="ij"), axis=-1).reshape(-1, 3)
    cubes = lab.grains(spots, shape="cube", velocity=(0.3, 0.1, -1.0), orientation="random")
    other = lab.grains([(0.3, 0.02, 0.08)], velocity=(-1.0, 0.0, 0.0))
    gravity, step = (0.5, 0.0, -lab.GRAVITY), 2e-5
    machine = lab.solver(
        lab.scene("hertz", [cubes, other], [lab.FLOOR], gravity=gravity, seed=int(rng.integers(99))), step
    )
    machine.advance_to(0.03)
    touched = 0
    for _ in range(5):
        one = machine.frame("contacts")
        machine.advance(1)
        two = machine.frame("contacts")
        gained = one.mass[:, None] * ((two.velocity - one.velocity) / step - np.array(gravity))
        forces = 0.5 * (pushed(one) + pushed(two))
        touched += np.count_nonzero(forces)
        assert gained == pytest.approx(forces, abs=1e-8 * np.abs(forces).max())
        machine.advance(100)
    assert touched > 20


def test_recorded_forces_hold_a_packing() -> None:
    """A packing under its own weight in a box that repeats along x and y, on a floor: forces and weights balance to
    1e-9 of the mean weight, beside what the minimiser leaves.
    """
    machine = relax_lab.relaxed(relax_lab.flat_scene(100, seed=3))
    frame = machine.frame("contacts")
    assert frame.has("contacts") and len(frame.contacts.force) > 100
    scale = np.linalg.norm(frame.contacts.force, axis=1).mean()
    assert pushed(frame) == pytest.approx(np.zeros((len(frame), 3)), abs=1e-9 * scale)


def test_recorded_forces_move_triangles() -> None:
    """Squares that fall on a smooth floor, a strip and each other: between two frames a step apart the momenta of the
    grains change by the mean of the recorded forces, within 1% for the step's error (forces of beams are inside).
    """
    walls = [
        {"name": "floor", "shape": "plane", "material": "a"},
        {"name": "post", "shape": "line", "start": (8e-5, 0, 5e-4), "end": (8e-5, 0, 1.5e-3), "material": "a"},
    ]
    grains = [beams_lab.grain(-1e-3, 0.99e-3, velocity=(0.1, 0, -0.1)), beams_lab.grain(-1.2e-3, 2.98e-3)]
    gravity, thin = (0.0, 0.0, -9.81), {"wall_thickness": 2e-4}
    machine = beams_lab.solver(beams_lab.scene(grains, walls=walls, friction=0.3, gravity=gravity, beams=thin))
    machine.advance(3)
    one = machine.frame("contacts")
    machine.advance(1)
    two = machine.frame("contacts")
    assert one.has("contacts") and set(one.contacts.second.tolist()) == {-1, -2, 1}
    gained = one.mass[:, None] * ((two.velocity - one.velocity) / machine.dt - np.array(gravity))
    forces = 0.5 * (pushed(one) + pushed(two))
    assert gained[:, [0, 2]] == pytest.approx(forces[:, [0, 2]], abs=1e-2 * np.abs(forces).max())


def test_nothing_pushes_hard_spheres_between_collisions() -> None:
    """Frames of a flight: v₂ − v₁ = g t and x₂ − x₁ = (v₁ + v₂) t/2, to round-off."""
    gravity = (0.3, 0.0, -hard_lab.GRAVITY)
    machine = hard_lab.solver(hard_lab.scene([hard_lab.grain((0, 0, 9.0), velocity=(1, 2, 3))], gravity=gravity))
    machine.advance_to(0.2)
    one = machine.frame()
    machine.advance_to(0.5)
    two = machine.frame()
    assert two.velocity - one.velocity == pytest.approx(0.3 * np.array([gravity]))
    assert two.position - one.position == pytest.approx(0.15 * (one.velocity + two.velocity))
