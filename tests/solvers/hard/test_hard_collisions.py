"""Two hard spheres: what a collision does, when it comes, and what is refused."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from barchan.errors import SceneError
from barchan.simulation.plan import Plan
from solvers.hard_lab import angular_momentum, grain, momentum, scene, solver


def random_pair(seed: int, normal: float, tangential: float):
    """Two spheres of different sizes, spinning, on paths that meet off centre; and the solver."""
    rng = np.random.default_rng(seed)
    target, aim = rng.normal(size=3), rng.normal(size=3)
    aim /= np.linalg.norm(aim)
    offset = np.cross(aim, rng.normal(size=3))
    first = grain(target + 0.05 * offset / np.linalg.norm(offset) - 0.3 * aim, size=0.1, spin=rng.normal(size=3) * 20)
    second = grain(target + 0.3 * aim, size=0.16, spin=rng.normal(size=3) * 20)
    drift = rng.normal(size=3)
    return solver(
        scene(
            [first | {"velocity": drift + aim}, second | {"velocity": drift - aim}], restitution=normal,
            tangential=tangential,
        )
    )  # fmt: skip


@pytest.mark.parametrize(("normal", "tangential"), [(1.0, 1.0), (0.7, 1.0), (1.0, -1.0), (0.3, 0.0), (0.9, -0.4)])
def test_a_collision_conserves_momentum_and_angular_momentum_and_takes_what_it_should(normal, tangential):
    """Richardson's equations follow from both conservation laws and u' = −εn un + εt ut at the contact.

    With u the velocity of one surface relative to the other where they touch, the energy lost is
    ½ μ (1 − εn²) un² + ½ (2/7) μ (1 − εt²) ut²: the effective mass of two solid spheres against a tangential impulse is
    2/7 of the reduced mass, from 1/μ + R1²/I1 + R2²/I2 with I = 2/5 m R². All is computed from before and after.
    """
    for seed in range(12):
        machine = random_pair(seed, normal, tangential)
        before, energy = machine.frame(), machine.kinetic_energy()
        p, spin = momentum(machine), angular_momentum(machine)
        machine.advance_to(0.35)
        after = machine.frame()
        assert machine.step == 1
        assert np.allclose(momentum(machine), p, rtol=0, atol=4e-15 * np.abs(p).max())
        assert np.allclose(angular_momentum(machine), spin, rtol=0, atol=1e-14 * np.abs(spin).max())
        mass, radius = before.mass, before.radius
        impulse = mass[0] * (after.velocity[0] - before.velocity[0])
        gap = before.position[1] - before.position[0]
        closing = before.velocity[1] - before.velocity[0]
        # |gap + closing t| = sum of radii
        a, b, c = closing @ closing, gap @ closing, gap @ gap - radius.sum() ** 2
        t = (-b - math.sqrt(b * b - a * c)) / a
        n = (gap + closing * t) / radius.sum()

        def surface(seen, n=n, radius=radius):
            turn = np.cross(seen.spin[1], -radius[1] * n) - np.cross(seen.spin[0], radius[0] * n)
            u = seen.velocity[1] - seen.velocity[0] + turn
            return u @ n, u - (u @ n) * n

        (un, ut), (vn, vt) = surface(before), surface(after)
        assert vn == pytest.approx(-normal * un, rel=1e-12)
        assert np.allclose(vt, tangential * ut, atol=1e-12 * np.linalg.norm(ut))
        reduced = mass.prod() / mass.sum()
        lost = 0.5 * reduced * ((1 - normal**2) * un**2 + 2 / 7 * (1 - tangential**2) * (ut @ ut))
        assert energy - machine.kinetic_energy() == pytest.approx(lost, rel=1e-11, abs=1e-14 * energy)
        assert impulse @ n < 0
        book = machine.frame().ledger
        assert book["dissipated_normal"] + book["dissipated_friction"] == pytest.approx(lost, rel=1e-11, abs=1e-300)
        assert abs(book["energy_error"]) < 1e-13 * energy


def test_spheres_in_free_fall_meet_as_if_there_were_no_gravity():
    """Relative acceleration vanishes: heads on at 2 m/s over a gap of 0.3 m they meet after 0.15 s, falling alike."""
    left, right = grain((-0.2, 0, 0), velocity=(1, 0, 0)), grain((0.2, 0, 0), velocity=(-1, 0, 0))
    machine = solver(scene([left, right], gravity=(0, 0, -9.81)))
    machine.advance_to(0.15 - 1e-12)
    assert machine.step == 0
    machine.advance_to(0.15 + 1e-12)
    assert machine.step == 1
    machine.advance_to(0.4)
    seen = machine.frame()
    assert np.allclose(seen.position[:, 2], -0.5 * 9.81 * 0.16, rtol=1e-14)
    assert np.allclose(seen.position[:, 0], [-0.3, 0.3], atol=1e-14)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_collision_that_another_one_prevents_does_not_happen(order):
    """A grain at rest is in the way of a second one 1.5 cm beside it, which would come after 15 ms. A third one, as
    heavy and a hundred times as fast, takes its place after 4 ms and sends it off across. The second one then flies
    past both: nothing else happens, whichever of the two had the collision in its calendar. A foreseen collision that
    outlived the change would come all the same.
    """
    waits = grain((0, 0, 0))
    passes, pushes = grain((-0.11, 0.03, 0), velocity=(1, 0, 0)), grain((0, -0.5, 0), velocity=(0, 100, 0))
    groups = [waits, passes, pushes]
    machine = solver(scene([groups[k] for k in order]))
    machine.advance_to(0.104)
    assert machine.step == 1
    seen, where = machine.frame(), np.argsort(order)
    assert np.allclose(seen.velocity[where], [(0, 100, 0), (1, 0, 0), (0, 0, 0)], atol=1e-11)
    assert np.allclose(seen.position[where], [(0, 10, 0), (-0.006, 0.03, 0), (0, -0.1, 0)], atol=1e-11)


def test_grains_that_overlap_and_approach_collide_at_once_and_are_told():
    """Two spheres 3% of a radius inside each other: the collision comes at t = 0 and its depth is reported."""
    left, right = grain((-0.04925, 0, 0), velocity=(1, 0, 0)), grain((0.04925, 0, 0), velocity=(-1, 0, 0))
    machine = solver(scene([left, right]))
    machine.advance_to(1e-9)
    assert machine.step == 1
    seen = machine.frame()
    assert seen.steps["overlaps"] == 1
    assert seen.steps["deepest_overlap"] == pytest.approx(0.03, rel=1e-9)
    machine.advance_to(1.0)
    assert np.allclose(machine.frame().velocity[:, 0], [-1, 1])


def test_without_rotation_nothing_spins():
    machine = random_pair(3, 0.8, 0.0)
    turned_off = solver(machine.model.scene.model_copy(update={"rotation": False}))
    turned_off.advance_to(0.35)
    assert turned_off.step == 1
    assert not turned_off.frame().spin.any()


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"contact": {"law": "linear"}}, "contact"),
        ({"stiction": {}}, "stiction"),
        ({"integrator": "rkf45"}, "integrator"),
        ({"time_step": 1e-5}, "time_step"),
        ({"record": {"contacts": True}}, "record.contacts"),
        ({"observables": [{"kind": "stress", "region": {"low": (0, 0, 0), "high": (1, 1, 1)}}]}, r"observables\[0\]"),
        ({"materials": {"a": {"density": 1000.0}}}, "materials.a.restitution"),
        ({"materials": {"a": {"density": 1e3, "restitution": 0.5, "rolling_friction": 1e-3}}}, "materials.a"),
    ],
)
def test_what_hard_spheres_cannot_do_is_refused(changes, where):
    others = {
        "time_step": "leave it out",
        "materials.a.restitution": "give more than 0, up to 1, such as restitution = 0.9",
    }
    remedy = others.get(where, 'use solver = "soft"')
    with pytest.raises(SceneError, match=where) as error:
        Plan.of(scene([grain((0, 0, 0))], **changes))
    assert remedy in str(error.value).lower()


def test_a_contact_time_that_would_throw_grains_about_is_refused():
    """At rest grains leave at g t/4 and rise by g t²/32: by 0.1 m, their size, at 0.571 s."""
    falls = {"gravity": (0, 0, -9.81)}
    Plan.of(scene([grain((0, 0, 1))], hard={"contact_time": 0.57}, **falls))
    Plan.of(scene([grain((0, 0, 1))], hard={"contact_time": 100.0}))  # nothing falls
    with pytest.raises(SceneError, match=r"hard.contact_time: 0.575 s; must be at most 0.57 s"):
        Plan.of(scene([grain((0, 0, 1))], hard={"contact_time": 0.575}, **falls))


def test_clumps_and_servos_are_refused_with_the_solver_that_can():
    clump = {"material": "a", "shape": "dimer", "size": 0.1, "fill": {"kind": "points", "positions": [(0, 0, 1)]}}
    with pytest.raises(SceneError, match=r"grains\[0\].shape.*Use solver = \"soft\""):
        Plan.of(scene([clump]))
    servo = {"shape": "plane", "motion": {"kind": "servo", "axis": (0, 0, 1), "force": 1.0, "mass": 1.0}}
    with pytest.raises(SceneError, match=r'servo.*Use solver = "soft"'):
        Plan.of(scene([grain((0, 0, 1))], [servo]))


def test_a_period_shorter_than_three_grains_is_refused():
    box = {"low": (0, 0, 0), "high": (0.25, 1, 1)}
    with pytest.raises(SceneError, match=r"box \(x\)"):
        Plan.of(scene([grain((0.1, 0.5, 0.5))], periodic=(True, False, False), box=box))
