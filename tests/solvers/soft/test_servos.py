"""Walls that forces move, against mechanics on paper; and walls that go from pose to pose."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from barchan import solvers
from barchan.errors import RunError, SceneError
from barchan.kernels import threads
from barchan.model.build import build
from solvers import lab
from solvers.inside import peek

RADIUS, YOUNG = 0.05, 1e7  # m, Pa, of the laboratory's balls
ELASTIC = lab.material(friction=0.0, restitution=1.0)


def piston(**options: Any) -> dict[str, Any]:
    """A plane that faces down at z = 2 R and slides along z."""
    motion = {"kind": "servo", "force": -100.0, "mass": 20.0, **options}
    return {"name": "piston", "shape": "plane", "point": (0, 0, 2 * RADIUS), "normal": (0, 0, -1), "material": "a",
            "motion": motion}  # fmt: skip


def paddle(**options: Any) -> dict[str, Any]:
    """A square that turns about the z axis through the origin."""
    motion = {"kind": "servo", "torque": 3.0, "inertia": 1.5, **options}
    return {"name": "paddle", "shape": "rectangle", "center": (0.5, 0.0, 0.0), "normal": (0, 1, 0), "edge": (1, 0, 0),
            "widths": (1.0, 1.0), "material": "a", "motion": motion}  # fmt: skip


POSES = {
    "kind": "keyframes",
    "keys": [
        {"time": 0.1, "position": (0.0, 0.0, 0.05), "rotation": (0.0, 0.1, 0.0)},
        {"time": 0.3, "position": (0.1, 0.0, 0.0)},
    ],
}


def servo(machine: lab.SoftSolver, wall: int = 1) -> tuple[float, float]:
    """Way and velocity of a servo (m or rad, and per s); the first is the spare paddle."""
    row = machine.model.walls.servo_row[wall]
    return float(peek(machine, "motion_table")[row, 7]), float(peek(machine, "servo")[wall, 0])


def test_a_piston_swings_about_its_balance_as_on_paper() -> None:
    """A piston of mass M on a light ball between it and the floor: both overlaps carry F = k ξ^(3/2), and small swings
    about that depth have the frequency of M on two springs 3/2 k √ξ in a row. The energy ledger closes.
    """
    force, mass = 200.0, 500.0
    stiffness = lab.hertz_stiffness(RADIUS)
    depth = (force / stiffness) ** (2 / 3)
    spring = 1.5 * stiffness * math.sqrt(depth) / 2
    start = 2 * RADIUS - 2 * depth * 1.02
    wall = {**piston(force=-force, mass=mass), "point": (0, 0, start)}
    machine = lab.solver(lab.walled([lab.grain((0, 0, start / 2))], [lab.FLOOR, wall], a=ELASTIC), 2e-5)
    period = 2 * math.pi * math.sqrt(mass / spring)
    ways = []
    for k in range(1, 101):
        machine.advance_to(k * 1.5 * period / 100)
        ways.append(servo(machine)[0])
    times = 1.5 * period / 100 * np.arange(1, 101)
    highest = times[np.argmax(ways[:66])]
    assert highest == pytest.approx(period / 2, rel=0.03)
    assert max(ways) == pytest.approx(2 * 2 * depth * 0.02, rel=0.02)
    fit = np.polyfit(np.cos(2 * math.pi / period * times), ways, 1)
    assert fit == pytest.approx([-0.04 * depth, 0.04 * depth], rel=0.02)
    ledger = machine.frame().ledger
    assert abs(ledger["energy_error"]) < 1e-4 * abs(ledger["wall_work"]) + 1e-9


def test_a_damped_piston_rests_on_the_force_it_is_given() -> None:
    """It ends where both contacts carry the force; what the drive has done is stored or lost."""
    wall = piston(force=-300.0, mass=20.0, damping="2000 N*s/m")
    described = lab.walled([lab.grain((0, 0, RADIUS))], [lab.FLOOR, wall], a=lab.material(friction=0.0))
    machine = lab.solver(described, 2e-5)
    machine.advance_to(1.0)
    moment = machine.frame()
    assert abs(servo(machine)[1]) < 1e-9
    assert np.abs(moment.contacts.force[:, 2]) == pytest.approx([300.0, 300.0], rel=1e-6)
    assert moment.contacts.overlap == pytest.approx([(300.0 / lab.hertz_stiffness(RADIUS)) ** (2 / 3)] * 2, rel=1e-6)
    assert moment.ledger["energy_error"] == pytest.approx(0.0, abs=1e-4 * moment.ledger["stored_energy"])
    frame = machine.frame()
    assert frame.wall_pose[-1, 2] == pytest.approx(-2 * moment.contacts.overlap[0], rel=1e-6)


def test_momentum_is_shared_by_ball_and_piston() -> None:
    """A ball hits a free piston: momentum and, without damping, kinetic energy are those of two bodies that collide."""
    mass, heavy, speed = lab.ball_mass(RADIUS), 2.0, 1.5
    ball = lab.grain((0, 0, RADIUS - 0.01), velocity=(0, 0, speed))
    machine = lab.solver(lab.walled([ball], [piston(force=0.0, mass=heavy)], a=ELASTIC), 1e-6)
    machine.advance_to(0.02)
    velocity = machine.frame().velocity[0, 2]
    assert servo(machine)[1] == pytest.approx(2 * mass * speed / (mass + heavy), rel=1e-4)
    assert mass * velocity + heavy * servo(machine)[1] == pytest.approx(mass * speed, rel=1e-12)
    ledger = machine.frame().ledger
    assert ledger["kinetic_energy"] == pytest.approx(0.5 * mass * speed**2, rel=1e-4)
    assert ledger["wall_work"] == pytest.approx(0.0, abs=1e-12)


def test_a_piston_that_flies_off_stops_the_run() -> None:
    """Pulled away from the only ball by 1e5 N it goes at 5000 m/s², and within 13 ms faster than sound in the ball."""
    wall = {**piston(force=1e5), "point": (0, 0, 3 * RADIUS)}
    machine = lab.solver(lab.walled([lab.grain((0, 0, RADIUS))], [lab.FLOOR, wall], a=ELASTIC), 2e-5)
    machine.watch()
    machine.advance_to(5e-3)
    machine.watch()
    machine.advance_to(2e-2)
    with pytest.raises(RunError, match=r"t = 0.02 s: wall 'piston' moves at 100 m/s; .*up to 63.2 m/s"):
        machine.watch()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_paddle_gathers_speed_as_torque_over_inertia(axis: int) -> None:
    """Alone it turns by ½ τ/I t²; when it has met a rough ball, angular momentum is the torque's impulse, and the
    ledger closes, whichever axis it turns about.
    """

    def along(*vector: float) -> tuple[float, ...]:  # from axes of which the third is the paddle's
        return tuple(np.roll(vector, axis - 2).tolist())

    wall = paddle(axis=along(0, 0, 1)) | {"center": along(0.5, 0, 0), "normal": along(0, 1, 0), "edge": along(1, 0, 0)}
    machine = lab.solver(lab.walled([lab.grain(along(0.8, 0.3, 0.0))], [wall]), 1e-5)
    machine.advance_to(0.25)
    assert servo(machine) == pytest.approx((0.5 * 2.0 * 0.25**2, 2.0 * 0.25), rel=1e-9)
    machine.advance_to(0.6)
    assert np.linalg.norm(machine.frame().velocity) > 0.3
    turning = lab.angular_momentum(machine)[axis] + 1.5 * servo(machine)[1]
    assert turning == pytest.approx(3.0 * 0.6, rel=1e-10)
    ledger = machine.frame().ledger
    assert abs(ledger["energy_error"]) < 1e-5 * ledger["wall_work"]


def test_a_ball_turns_a_paddle_through_a_periodic_face() -> None:
    """A paddle without a drive ends 1 cm before the upper face of the box along x. A ball at the lower face, pressed
    against that end through the face and a little aside, springs away. No torque acts about the paddle's axis, so
    what the paddle gains the ball has with the opposite sign, its place being that of its image beyond the upper face.
    """
    walls = [paddle(torque=0.0)]
    ball = lab.grain((-0.99, 0.035, 0.0))
    box = {"low": (-1.01, -1e3, -1e3), "high": (1.01, 1e3, 1e3)}
    machine = lab.solver(lab.walled([ball], walls, a=ELASTIC, periodic=(True, False, False), box=box), 1e-5)
    machine.advance(200)
    seen, spin = machine.frame(), servo(machine)[1]
    place = seen.position[0] + (2.02, 0.0, 0.0)
    assert abs(spin) > 0.1
    assert 1.5 * spin == pytest.approx(-seen.mass[0] * np.cross(place, seen.velocity[0])[2], rel=1e-9)


def test_it_is_held_before_its_start_after_its_end_and_at_its_limits() -> None:
    wall = paddle(start=0.1, end=0.3)
    limited = {**paddle(swing=("-10 deg", "10 deg")), "name": "limited"}
    machine = lab.solver(lab.walled([lab.grain((9, 9, 9))], [wall, limited]), 1e-4)
    machine.advance_to(0.0999)
    assert servo(machine, 1) == (0.0, 0.0)
    machine.advance_to(0.5)
    assert servo(machine, 1) == (pytest.approx(0.5 * 2.0 * 0.2**2, rel=1e-2), 0.0)
    assert servo(machine, 2) == (pytest.approx(math.radians(10.0)), 0.0)
    ledger = machine.frame().ledger
    assert ledger["kinetic_energy"] == pytest.approx(0.0, abs=1e-12)
    assert abs(ledger["energy_error"]) < 1e-3


def test_events_start_it_take_it_away_and_bring_it_back() -> None:
    """A paddle waits for an event at 0.2 s, and its own start counts from there: it turns by ½ τ/I t² from 0.3 s on.
    Other changes meanwhile leave its books alone. Taken away it stops where it is, and goes on when it is back.
    """
    go = {"name": "go", "when": {"kind": "time", "at": 0.2}, "do": {"kind": "start_motion", "wall": "paddle"}}
    described = lab.walled([lab.grain((9, 9, 9))], [paddle(start=0.1)], events=[go])
    machine = lab.solver(described, 1e-4)
    machine.advance_to(0.2)
    machine.start_motion("paddle")
    machine.advance_to(0.2998)
    assert servo(machine) == (0.0, 0.0)
    machine.advance_to(0.4)
    for _ in range(50):
        machine.change_gravity((0.0, 0.0, 0.0))
    machine.advance_to(0.5)
    assert servo(machine) == (pytest.approx(0.5 * 2.0 * 0.2**2, rel=2e-3), pytest.approx(2.0 * 0.2, rel=1e-3))
    assert machine.frame().wall_pose[-1, 6] == pytest.approx(math.sin(0.5 * servo(machine)[0]))
    ledger = machine.frame().ledger
    assert ledger["wall_work"] == pytest.approx(0.5 * 1.5 * 0.4**2, rel=2e-3)
    assert abs(ledger["energy_error"]) < 1e-4 * ledger["wall_work"]
    machine.remove_wall("paddle")
    way = servo(machine)[0]
    arrays, meta = machine.state()
    machine = solvers.restore(machine.model, arrays, json.loads(json.dumps(meta)))
    machine.advance_to(0.6)
    assert servo(machine) == (way, 0.0)
    ledger = machine.frame().ledger
    assert ledger["wall_work"] == pytest.approx(0.0, abs=1e-5) and abs(ledger["energy_error"]) < 1e-5
    machine.add_wall("paddle")
    machine.advance_to(0.7)
    assert servo(machine) == (pytest.approx(way + 0.5 * 2.0 * 0.1**2, rel=1e-3), pytest.approx(0.2, rel=2e-3))


def test_keyframes_count_from_the_event_that_starts_them() -> None:
    """All frames of a wall wait together, and frames say where it is."""
    go = {"name": "go", "when": {"kind": "time", "at": 0.2}, "do": {"kind": "start_motion", "wall": "floor"}}
    machine = lab.solver(lab.walled([lab.grain((9, 9, 9))], [{**lab.FLOOR, "motion": POSES}], events=[go]), 1e-4)
    machine.advance_to(0.2)
    assert machine.frame().wall_pose[-1] == pytest.approx((0, 0, 0, 1, 0, 0, 0))
    machine.start_motion("floor")
    machine.advance_to(0.3)
    assert machine.frame().wall_pose[-1, :3] == pytest.approx((0.0, 0.0, 0.05), abs=1e-9)
    assert peek(machine, "pose")[-1, :3] == pytest.approx((0.0, 0.0, 0.05), abs=1e-9)


def test_bits_do_not_depend_on_threads_or_interruptions() -> None:
    places = np.stack(np.meshgrid(np.arange(3), np.arange(3), np.arange(2)), -1).reshape(-1, 3) * 0.12 + (-0.1, 0.06, 0)
    groups = [lab.grains(places, velocity_scatter=0.5, shape="dimer")]
    walls = [lab.FLOOR | {"point": (0, 0, -0.1)}, {**piston(), "point": (0, 0, 0.3)}, paddle()]
    described, hashes = lab.walled(groups, walls, gravity=(0, 0, -9.81)), []
    for count in (1, min(2, threads.most())):
        threads.use(count)
        machine = solvers.create(*build(described), 4e-5)
        machine.advance(1200)
        hashes.append((lab.fingerprint(machine), servo(machine)))
    threads.use(1)
    machine = solvers.create(*build(described), 4e-5)
    for part in (1, 500):
        machine.advance(part)
        arrays, meta = machine.state()
        machine = solvers.restore(machine.model, arrays, json.loads(json.dumps(meta)))
    machine.advance(1200 - machine.step)
    assert {*hashes, (lab.fingerprint(machine), servo(machine))} == {hashes[0]}
    assert abs(servo(machine)[0]) > 1e-3


def test_keyframes_do_the_work_that_the_ledger_tells() -> None:
    """A floor rises and tilts, then sinks and slides: it lifts balls and shoves them, and the ledger closes. At the end
    it lies where the last key says.
    """
    balls = [lab.grain((0.0, 0.0, RADIUS)), lab.grain((0.3, 0.0, 0.06))]
    described = lab.walled(balls, [{**lab.FLOOR, "motion": POSES}], gravity=(0.0, 0.0, -lab.GRAVITY))
    machine = lab.solver(described, 2e-5)
    machine.advance_to(0.4)
    ledger = machine.frame().ledger
    assert ledger["wall_work"] > 0.5
    assert abs(ledger["energy_error"]) < 1e-5 * ledger["wall_work"]
    assert machine.frame().wall_pose[-1] == pytest.approx((0.1, 0, 0, 1, 0, 0, 0), abs=1e-15)


@pytest.mark.parametrize(
    ("motion", "options", "complaint"),
    [
        ([piston()["motion"], {"kind": "rotate", "rate": 1.0}], {}, "must be the last"),
        (piston()["motion"], {"integrator": {"kind": "rkf45"}}, "needs fixed steps"),
        (piston()["motion"], {"stiction": {}}, "stiction knows walls of given motion"),
    ],
)
def test_what_a_servo_cannot_do_is_told(motion: Any, options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SceneError, match=complaint):
        build(lab.scene("hertz", [lab.grain((0, 0, 0))], [{**lab.FLOOR, "motion": motion}], **options))
