"""Walls of triangles and beams that forces move: plates and paddles against mechanics on paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from barchan.errors import RunError, SceneError
from barchan.model.build import build
from barchan.solvers.beams import checks, ledger
from barchan.solvers.beams.solver import BeamSolver
from solvers import beams_lab as lab
from solvers.inside import peek

STEP = 2e-6
PLATES: dict[str, dict[str, Any]] = {  # a half-plane is smooth, a line is a strip of triangles
    "plane": {"shape": "plane", "point": (2e-3, 0, 0), "normal": (-1, 0, 0)},
    "line": {"shape": "line", "start": (2.5e-3, 0, -3e-3), "end": (2.5e-3, 0, 3e-3)},
}


def machine(wall: dict[str, Any], servo: dict[str, Any], **options: Any) -> BeamSolver:
    """A square of 2 mm at the origin, and a wall that a servo moves."""
    moved = {"name": "plate", "material": "a", "motion": {"kind": "servo", **servo}, **wall}
    beams = {"integrator": "verlet", "contact": "exact", "damping": 0.0}
    grain = lab.grain(0.0, 3e-4, velocity=options.pop("velocity", (0.0, 0.0, 0.0)))
    return lab.solver(lab.scene([grain], beams=beams, walls=[moved], **options), STEP)


def way(solver: BeamSolver) -> tuple[float, float]:
    """How far the plate is (m or rad) and how fast."""
    return float(peek(solver, "motion_table")[0, 7]), float(peek(solver, "servo")[0, 0])


@pytest.mark.parametrize("plate", PLATES)
def test_a_plate_alone_is_accelerated_by_its_drive(plate: str) -> None:
    """F t²/(2 M), exact for velocity Verlet; at the end of its travel it stops dead, and the ledger knows."""
    force, mass, t = 3e-2, 2e-3, 4e-3
    solver = machine(PLATES[plate], {"axis": (1, 0, 0), "force": force, "mass": mass})
    solver.advance_to(t)
    assert way(solver) == pytest.approx((force * t**2 / (2 * mass), force * t / mass), rel=1e-9)
    book = solver.frame().ledger
    assert book["kinetic_energy"] == pytest.approx(force * way(solver)[0], rel=1e-9)
    assert abs(book["energy_error"]) < 1e-9 * book["kinetic_energy"]
    limited = machine(PLATES[plate], {"axis": (1, 0, 0), "force": force, "mass": mass, "travel": (0.0, 5e-5)})
    limited.advance_to(t)
    assert way(limited) == (5e-5, 0.0)
    assert abs(limited.frame().ledger["energy_error"]) < 0.02 * force * 5e-5  # the last step of the way


@pytest.mark.parametrize("plate", PLATES)
def test_a_plate_that_flies_off_stops_the_run(plate: str) -> None:
    """Pulled away from the only grain at 1e7 m/s² it is faster than anything in this scene, 10 km/s, after a ms."""
    solver = machine(PLATES[plate], {"axis": (1, 0, 0), "force": 20.0, "mass": 2e-6})
    solver.watch()
    solver.advance_to(1e-3)
    with pytest.raises(RunError, match=r"t = 0.001 s: wall 'plate' (has gone|moves at)"):
        solver.watch()


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("plate", PLATES)
def test_a_grain_and_a_free_plate_share_momentum(plate: str, friction: float) -> None:
    """What the grain loses of its momentum across the plate, the plate has: to round-off. And the ledger closes."""
    mass, speed = 5e-5, 0.5
    solver = machine(
        PLATES[plate], {"axis": (1, 0, 0), "force": 0.0, "mass": mass}, velocity=(speed, 0.0, 0.2), friction=friction
    )
    before = lab.momenta(solver)[0]
    solver.advance_to(12e-3)
    _, fast = way(solver)
    assert fast > 0.1 * speed
    assert lab.momenta(solver)[0] + mass * fast == pytest.approx(before, rel=1e-12)
    book = solver.frame().ledger
    for line in ("energy_error", "dissipated_normal"):
        assert abs(book[line]) < 1e-4 * 0.5 * before * speed
    assert (book["dissipated_friction"] > 1e-3 * before * speed) == (friction > 0)


@pytest.mark.parametrize("plate", PLATES)
def test_friction_drags_a_plate_along_its_own_surface(plate: str) -> None:
    """A plate that may slide along z only: what a grain loses of its momentum along z, the plate has, to round-off."""
    mass = 5e-5
    solver = machine(
        PLATES[plate], {"axis": (0, 0, 1), "force": 0.0, "mass": mass}, velocity=(0.5, 0.0, 0.4), friction=0.5
    )
    before = lab.momenta(solver)[1]
    solver.advance_to(8e-3)
    _, fast = way(solver)
    assert fast > 0.01
    assert lab.momenta(solver)[1] + mass * fast == pytest.approx(before, rel=1e-12)
    book = solver.frame().ledger
    assert book["dissipated_friction"] > 0.0
    for line in ("energy_error", "dissipated_normal"):
        assert abs(book[line]) < 1e-4 * book["kinetic_energy"]


def test_a_grain_turns_a_paddle() -> None:
    """Angular momentum about the paddle's axis goes from the grain to the paddle, to round-off."""
    inertia, pivot = 5e-10, np.array([2.5e-3, -3e-3])
    wall = {"shape": "line", "start": (2.5e-3, 0, -2.9e-3), "end": (2.5e-3, 0, 3e-3)}
    servo = {"axis": (0, 1, 0), "center": (pivot[0], 0, pivot[1]), "torque": 0.0, "inertia": inertia}
    solver = machine(wall, servo, velocity=(0.5, 0.0, 0.0))

    def about_pivot() -> float:
        momentum = lab.momenta(solver)
        return float(momentum[2] - pivot[0] * momentum[1] + pivot[1] * momentum[0])

    before = about_pivot()
    solver.advance_to(9e-3)
    angle, rate = way(solver)
    assert angle > 0.05 and rate > 5.0  # pushed to the right above its axis: about +y
    assert about_pivot() - inertia * rate == pytest.approx(before, rel=1e-11)
    for line in ("energy_error", "dissipated_normal"):
        assert abs(solver.frame().ledger[line]) < 1e-4 * 0.5 * inertia * rate**2
    pose = ledger.wall_poses(solver)[0]
    assert 2 * np.arctan2(pose[5], pose[3]) == pytest.approx(angle, rel=1e-9)
    tip = peek(solver, "state")[solver.triangle_count :, :2, 0]
    assert tip[:, 0].max() == pytest.approx(
        pivot[0] + 5.9e-3 * np.sin(angle), abs=1.5e-3
    )  # it stands where it is drawn


def test_a_plate_that_forces_move_goes_on_from_a_checkpoint_with_the_same_bits() -> None:
    """Half of a collision, then on from the state, against the whole in one go."""
    solvers = [
        machine(PLATES["line"], {"axis": (1, 0, 0), "force": -1e-2, "mass": 1e-4}, velocity=(0.5, 0, 0))
        for _ in range(2)
    ]
    for solver in solvers:
        solver.advance_to(3e-3)
    solvers[1] = BeamSolver.restored(solvers[1].model, *solvers[1].state())
    for solver in solvers:
        solver.advance_to(6e-3)
    assert way(solvers[0])[0] != 0.0
    for name in ("state", "servo", "motion_table", "work"):
        assert np.array_equal(peek(solvers[0], name), peek(solvers[1], name))


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"beams": {"integrator": "gear"}}, "walls[0].motion"),
        ({"axis": (0, 1, 0)}, "walls[0].motion.axis"),
        ({"more": {"kind": "translate", "velocity": (1, 0, 0)}}, "walls[0].motion"),
    ],
)
def test_what_a_servo_cannot_do_is_refused_by_name(change: dict[str, Any], where: str) -> None:
    """With Gear's scheme, out of the plane, on top of another motion."""
    servo = {"kind": "servo", "axis": change.get("axis", (1, 0, 0)), "force": 1.0, "mass": 1.0}
    motions = [change["more"], servo] if "more" in change else servo
    wall = {"name": "plate", "material": "a", "motion": motions, **PLATES["plane"]}
    scene = lab.scene([lab.grain(0.0, 0.0)], beams=change.get("beams", {"integrator": "verlet"}), walls=[wall])
    with pytest.raises(SceneError) as caught:
        checks.check(*build(scene))
    assert caught.value.findings[0].where == where


def test_a_light_plate_shortens_the_step() -> None:
    """The period of a plate on a contact's stiffness goes as the root of its mass: twice as long for four times it."""
    steps = []
    for mass in (1e-8, 4e-8, 1.0):
        motion = {"kind": "servo", "axis": (1, 0, 0), "force": 1e-3, "mass": mass}
        wall = {"name": "plate", "material": "a", "motion": motion, **PLATES["plane"]}
        grain = lab.grain(0.0, 0.0, velocity=(0.5, 0.0, 0.0))
        scene = lab.scene([grain], beams={"integrator": "verlet"}, walls=[wall])
        steps.append(checks.choose(*build(scene)).value)
    assert steps[1] / steps[0] == pytest.approx(2.0, rel=0.01)
    assert steps[2] > 3 * steps[1]  # which the grain's own vibrations set
