"""The adaptive integrators: their order, Yee's rule for accepting a step, and what a rejected step must not do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from barchan.geometry import rotation_about
from barchan.model import timestep
from barchan.model.build import build
from solvers import lab
from solvers.inside import peek

STIFFNESS = 1e4  # N/m
RADIUS = 0.05  # m
OVERLAP = 1e-3  # m
MASS = 2000 * 4 / 3 * math.pi * RADIUS**3  # kg
OMEGA = math.sqrt(STIFFNESS / MASS)  # rad/s


def oscillator(
    time_step: float, velocity: float = 0.0, overlap: float = OVERLAP, spin: tuple[float, ...] = (0.0, 0.0, 0.0),
    **integrator: Any,
) -> lab.SoftSolver:  # fmt: skip
    """A sphere pressed into a plane by `overlap`, without gravity, friction or damping: a harmonic oscillator."""
    ball = lab.grain((0, 0, RADIUS - overlap), velocity=(0, 0, velocity), spin=spin, material="ideal")
    scene = lab.scene(
        {"law": "linear", "stiffness": STIFFNESS}, [ball], [{**lab.FLOOR, "material": "ideal"}], integrator=integrator,
        materials={"ideal": {"density": 2000, "restitution": 1, "friction": 0}},
    )  # fmt: skip
    return lab.solver(scene, time_step)


@pytest.mark.parametrize(("kind", "near"), [("rkf45", 1e-8), ("bogacki-shampine", 1e-4)])
def test_a_free_sphere_turns_about_its_spin(kind: str, near: float) -> None:
    """Without a torque it has turned by |ω| t about ω: 1.3 rad about an axis with all three components, in 26 steps.

    Its quaternion obeys q' = ω q/2. A formula of order p leaves out (|ω| h/2)^(p+1)/(p+1)! a step and what follows:
    2e-9 in 26 steps for p = 4, and 7e-5 for p = 2.
    """
    spin, end = (3.0, -4.0, 12.0), 0.1
    h = end / 26
    solver = oscillator(h, overlap=-RADIUS, spin=spin, kind=kind, shortest=h, longest=h)
    solver.advance_to(end)
    frame = solver.frame()
    assert frame.orientation[0] == pytest.approx(rotation_about(np.array(spin), 1.3), abs=near)
    assert frame.spin[0] == pytest.approx(spin, abs=1e-12)


@pytest.mark.parametrize(("kind", "order"), [("rkf45", 4), ("bogacki-shampine", 2)])
def test_order_on_a_smooth_contact(kind: str, order: int) -> None:
    """While it is pressed in, the overlap is OVERLAP cos ωt. With steps of fixed length (the shortest and the longest
    allowed) the error at ωt = 1.2 falls as h to the order of the formula that advances; between 8 and 16 steps the
    next term is still of relative size h, so the measured order may be off by a fifth of one.
    """
    end, errors = 1.2 / OMEGA, []
    for steps in (8, 16):
        h = end / steps
        solver = oscillator(h, kind=kind, shortest=h, longest=h)
        solver.advance_to(end)
        assert solver.statistics()["steps_accepted"] == steps
        exact = RADIUS - OVERLAP * math.cos(OMEGA * end)
        errors.append(abs(float(solver.frame().position[0, 2]) - exact))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)


@pytest.mark.parametrize(("share", "accepted"), [(1.6, True), (0.80, True), (0.70, False)])
def test_rule_of_acceptance(share: float, accepted: bool) -> None:
    """For y' = A y Fehlberg's two formulas are the polynomials Σ z^k/k! up to 4 with z^5/104, and up to 5 with z^6/2080
    (Hairer, Nørsett and Wanner, II.4), so on the oscillator they differ by A^5 h^5 (1/120 − 1/104) + A^6 h^6/2080,
    applied to the state, with A = [[0, 1], [−ω², 0]]. The tolerance is chosen such that the controller's
    h (ε h/(2 difference))^(1/4) is `share` of h: the step must be accepted where that is at least 0.75, and the next
    one must have this length.
    """
    h, speed = 0.4 / OMEGA, -0.3 * OVERLAP * OMEGA
    matrix = np.array([[0.0, 1.0], [-(OMEGA**2), 0.0]])
    power = np.linalg.matrix_power
    gap = power(matrix, 5) * h**5 * (1 / 120 - 1 / 104) + power(matrix, 6) * h**6 / 2080
    difference = abs((gap @ [-OVERLAP, speed])[0])
    tolerance = share**4 * 2 * difference / h
    solver = oscillator(h, speed, kind="rkf45", tolerance=tolerance, shortest=1e-9, longest=1.0)
    solver.advance_to(h)
    found = solver.statistics()
    if accepted:
        assert (found["steps_accepted"], found["steps_rejected"]) == (1, 0)
        assert float(peek(solver, "clock")[1]) == pytest.approx(share * h, rel=1e-6)
    else:
        # The rest of the time is filled with whole steps no longer than share · h: two of them, one at least accepted.
        assert found["steps_rejected"] >= 1
        assert found["steps_accepted"] >= 2


@pytest.mark.parametrize("part", np.linspace(0.05, 0.95, 10).round(2))
def test_a_contact_that_begins_within_a_step_is_not_overlooked(part: float) -> None:
    """In free flight both formulas agree and the step grows to the longest there is, longer than a whole collision.

    The sphere meets the floor after `part` of such a step at v = 0.5 m/s. Half a cycle of the oscillator later it
    leaves again; meanwhile it is v/ω deep at most. A force seen at a quarter of the step only has no weight in the
    positions of either of Fehlberg's formulas: judged by these alone the sphere goes on for up to the rest of the step,
    up to four times as deep as it may, and leaves as much faster. A collision in so few steps remains a rough one.
    """
    speed, longest = 0.5, 0.04
    solver = oscillator(longest, -speed, -part * longest * speed, kind="rkf45", longest=longest)
    solver.advance_to(3 * longest)
    deepest = solver.worst_overlap * RADIUS
    assert deepest < 1.1 * speed / OMEGA
    assert 0.6 * speed < solver.frame().velocity[0, 2] < 1.3 * speed


def test_shortest_step_is_always_accepted() -> None:
    """A tolerance that no step can keep must not stall the run: steps of the shortest length go through."""
    h = 0.05 / OMEGA
    solver = oscillator(h, kind="rkf45", tolerance=1e-30, shortest=h, longest=h)
    solver.advance_to(10 * h)
    assert solver.statistics()["steps_accepted"] == 10
    assert solver.statistics()["steps_rejected"] == 0


def test_energy_ledger_has_the_order_of_the_method() -> None:
    """Work is integrated with the weights of the method, so the balance of the oscillator's energy closes to fourth
    order: halving the step divides the error by 2^4 or more.
    """
    errors = []
    for steps in (8, 16):
        h = 1.2 / OMEGA / steps
        solver = oscillator(h, kind="rkf45", shortest=h, longest=h)
        solver.advance_to(steps * h)
        errors.append(abs(solver.frame().ledger["energy_error"]))
    assert errors[0] / errors[1] > 2**3.7


@pytest.mark.parametrize("incremental", [False, True])
def test_friction_remembers_accepted_steps_only(incremental: bool) -> None:
    """A sphere that cannot turn slides along a floor at constant speed v, held by a spring too soft to be felt (it
    takes kt v t²/2 m, 1e-13 of the speed), so after t its contact has slipped v t, however many steps were tried.
    Rejections come from a second ball that bounces far away from it.
    """
    speed, end = 0.5, 0.25
    resting = lab.ball_mass(RADIUS) * lab.GRAVITY / STIFFNESS
    groups = [
        lab.grain((0, 0, RADIUS - resting), velocity=(speed, 0, 0)),
        lab.grain((0, 5, 0.2)),
    ]
    scene = lab.scene(
        {"law": "linear", "stiffness": STIFFNESS, "tangential": 1e-16}, groups, [lab.FLOOR], rotation=False,
        a=lab.material(restitution=1.0), gravity=(0.0, 0.0, -lab.GRAVITY),
        integrator={"kind": "rkf45", "tolerance": 1e-4, "incremental": incremental},
    )  # fmt: skip
    solver = lab.solver(scene, 1e-3)
    solver.advance_to(end)
    assert solver.statistics()["steps_rejected"] > 0
    assert lab.wall_history(solver, 0)[0] == pytest.approx(-speed * end, rel=1e-9)  # of the floor against it


@pytest.mark.parametrize("kind", ["rkf45", "bogacki-shampine"])
def test_nothing_flies_through_a_thin_wall(kind: str) -> None:
    """In free flight any step is exact, so the controller would make it as long as it may be: at 3 m/s 12 cm, and a
    grain of 2 mm would be on the other side of a sheet without having been seen in it. Dropped from heights that differ
    by less than a step's way, all bounce: with the restitution e they rise to e² of their height again, by default to
    half a percent.
    """
    heights = np.linspace(0.42, 0.5, 9)
    scene = lab.dressed(
        name="sheet", duration=1.0, integrator=kind, frame_rate=10.0,
        materials={"a": {"density": 2500.0, "young": 5e7, "restitution": 0.9}},
        grains=[{"name": "g", "material": "a", "size": 2e-3,
                 "fill": {"kind": "points", "positions": [(0.1 * k, 0.0, z) for k, z in enumerate(heights)]}}],
        walls=[{"name": "sheet", "material": "a", "shape": "rectangle", "center": (0.4, 0, 0), "widths": (2, 2)}],
    )  # fmt: skip
    solver = lab.solver(scene, timestep.choose(*build(scene)).value)
    solver.advance_to(0.45)
    frame = solver.frame()
    place, speed = frame.position[:, 2], frame.velocity[:, 2]
    assert np.all(place > 0) and np.all(speed > 0)
    rises = place + speed**2 / (2 * 9.81) - 1e-3
    assert rises / (heights - 1e-3) == pytest.approx(np.full(9, 0.81), rel=5e-3)


def test_the_tolerance_goes_with_the_scene_unless_it_is_stated() -> None:
    """Default controls follow the fastest impact and the shortest collision, and are Yee's 0.01 m/s and 1e-5 s at most;
    what an integrator states is taken; a checkpoint keeps what a run began with.
    """

    def controls(**more: Any) -> np.ndarray:
        fields = {"name": "g", "material": "a", "size": 2e-3, "velocity": (3.0, 0.0, 0.0)}
        fill = {"kind": "points", "positions": [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0)]}
        scene = lab.dressed(
            name="two", duration=1.0, integrator={"kind": "rkf45", **more}, gravity=(0.0, 0.0, 0.0),
            materials={"a": {"density": 2500.0, "young": 5e7, "restitution": 0.9}}, grains=[{**fields, "fill": fill}],
        )  # fmt: skip
        model, grains = build(scene)
        solver = lab.solver(scene, timestep.choose(model, grains).value)
        again = lab.SoftSolver.restored(model, *solver.state())
        assert np.array_equal(again.stepper.controls, solver.stepper.controls)
        return solver.stepper.controls

    tolerance, shortest, longest = controls()[:3]
    assert tolerance == pytest.approx(1e-4 * 3.0)
    assert 1e-7 < shortest < 1e-5 and longest == 1 / 24
    assert controls(tolerance=0.5, shortest=5e-5)[:3].tolist() == [0.5, 5e-5, 1 / 24]


@pytest.mark.parametrize("speed", [1.0, 10.0, 30.0])
@pytest.mark.parametrize("kind", ["rkf45", "bogacki-shampine"])
def test_no_moving_plate_passes_through_grains_at_rest(kind: str, speed: float) -> None:
    """Three weightless grains at rest allow any step. A thin plate that comes at v must meet each all the same, and an
    elastic one sends it off at 2 v, to 1%.
    """
    places = [(0.35 * k, 0.4 * k, 0.0) for k in range(3)]
    plate = {"name": "plate", "material": "a", "shape": "rectangle", "center": (-1, 0, 0), "normal": (1, 0, 0),
             "widths": (4, 4), "motion": {"kind": "translate", "velocity": (speed, 0, 0)}}  # fmt: skip
    scene = lab.dressed(
        name="plate", duration=10.0, integrator=kind, gravity=(0.0, 0.0, 0.0), walls=[plate],
        materials={"a": {"density": 2500.0, "young": 1e8, "restitution": 1.0, "friction": 0.0}},
        grains=[{"name": "g", "material": "a", "size": 0.1, "fill": {"kind": "points", "positions": places}}],
    )  # fmt: skip
    solver = lab.solver(scene, timestep.choose(*build(scene)).value)
    for k in range(10):
        solver.advance_to((k + 1) * 0.2 / speed)
        solver.watch()
    assert solver.frame().velocity[:, 0] == pytest.approx(np.full(3, 2 * speed), rel=0.01)


@pytest.mark.parametrize("gap", [0.0, 0.0005, -0.0005])
def test_grains_that_rest_are_no_error_of_energy(gap: float) -> None:
    """Two spheres lie on a floor, or all but. What is left of motion there is as slow as the tolerance lets it be: no
    error of energy, whatever it is a large part of.
    """
    places = [(0.1 * k, 0.0, 5e-3 * (1 + gap)) for k in range(2)]
    scene = lab.dressed(
        name="rest", duration=10.0, integrator="rkf45", walls=[{"name": "floor", "shape": "plane", "material": "a"}],
        materials={"a": {"density": 2500.0, "young": 1e7, "restitution": 0.5, "friction": 0.0}},
        grains=[{"name": "g", "material": "a", "size": 1e-2, "fill": {"kind": "points", "positions": places}}],
    )  # fmt: skip
    solver = lab.solver(scene, timestep.choose(*build(scene)).value)
    for k in range(40):
        solver.advance_to((k + 1) / 24)
        solver.watch()
    assert solver.fastest() < 1e-3


def test_a_hop_goes_by_the_smallest_sphere() -> None:
    """A clump of spheres of 2 and 5 mm flies at 3 m/s towards walls that come at 1 m/s, another grain, of 1 mm, is at
    rest. A fifth of 2 mm is gone in 0.1 ms. If the nearest wall is 8 mm away, nine tenths of that are gone in 1.8 ms,
    if the nearest grain 12 mm, in 3.6 ms, as far as no wall counts; where both are nearer than that, 2 mm may be gone
    towards the grain, in 0.67 ms. What the clump has moved since then, 3 mm, is taken off.
    """
    spheres = [{"position": (0, 0, 0), "radius": 5e-3}, {"position": (0, 0, 6e-3), "radius": 2e-3}]
    shape = {"kind": "clump", "spheres": spheres}
    flies = {"name": "a", "material": "a", "shape": shape, "velocity": (0.0, 3.0, 0.0),
             "fill": {"kind": "points", "positions": [(0.0, 0.0, 0.0)]}}  # fmt: skip
    rests = {"name": "b", "material": "a", "size": 2e-3, "fill": {"kind": "points", "positions": [(0.1, 0.0, 0.0)]}}
    scene = lab.dressed(
        name="hop", duration=1.0, integrator="rkf45", gravity=(0.0, 0.0, 0.0), grains=[flies, rests],
        materials={"a": {"density": 2500.0, "young": 5e7, "restitution": 0.9}},
    )  # fmt: skip
    solver = lab.solver(scene, 1e-5)

    def longest(wall: float, grain: float, share: float = 0.2, moved: float = 0.0) -> float:
        c = solver.packed()
        free = np.array([[wall, grain], [1.0, 1.0]])
        return float(solver.kernels.longest_step(
            1.0, share, 1.0, 0.0, c.grains, c.start, c.offset, c.place, c.place[:, :3] - [0.0, moved, 0.0], free,
            c.velocity, c.motion, c.wall_start, c.wall_piece, c.frame, c.pose, c.kind, c.shape_table,
        ))  # fmt: skip

    far, none = 1.0, math.inf
    assert longest(0.0, far) == pytest.approx(0.2 * 2e-3 / 4.0)
    assert longest(8e-3, far) == pytest.approx(0.9 * 8e-3 / 4.0)
    assert longest(11e-3, far, moved=3e-3) == pytest.approx(0.9 * 8e-3 / 4.0)
    assert longest(0.0, 12e-3, none) == pytest.approx(0.9 * 12e-3 / 3.0)
    assert longest(0.0, 15e-3, none, moved=3e-3) == pytest.approx(0.9 * 12e-3 / 3.0)
    assert longest(0.0, 0.0, none) == pytest.approx(2e-3 / 3.0)
