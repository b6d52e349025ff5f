"""Grains and walls that come and go between two steps of the soft-sphere solver, and what the ledger says of it."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from barchan import solvers
from barchan.model.build import build
from barchan.model.grains import Grains
from barchan.model.pour import Pourer
from barchan.solvers.soft.checks import Start
from solvers import lab
from solvers.inside import peek

DOWN = (0.0, 0.0, -lab.GRAVITY)
FAR = {"kind": "box", "low": (20.0, 20.0, 20.0), "high": (22.0, 22.0, 22.0)}
SOURCE = {"name": "spout", "material": "a", "size": 0.1, "region": FAR, "count": 9}
SINK = {"name": "drain", "region": {"kind": "box", "low": (-9.0, -9.0, -9.0), "high": (9.0, 9.0, -8.0)}}


def grains_from(machine: lab.SoftSolver, count: int) -> Grains:
    """What the scene's first source pours at once."""
    source = machine.model.scene.sources[0].model_copy(update={"count": count})
    scene = machine.model.scene.model_copy(update={"sources": (source,)})
    return Pourer(scene, 0).pour(source.start, machine.room)


def stack(**options: Any) -> lab.SoftSolver:
    """Five spheres, one on top of another on a floor, pushed sideways a little, so that friction remembers."""
    places = [(0.0, 0.0, 0.0499 + 0.0998 * k) for k in range(5)]
    groups = [lab.grains(places, velocity=(0.02, 0.0, 0.0))]
    scene = lab.scene("hertz", groups, [lab.FLOOR], gravity=DOWN, sources=[SOURCE], sinks=[SINK], **options)
    return lab.solver(scene, 2e-5)


def test_what_comes_and_goes_far_away_changes_nothing_here() -> None:
    """Contacts of the others keep their memory, and forces and velocities stay what they were: the path differs from
    that of a stack left alone by round-off only, although rows move in memory.
    """
    quiet, busy = stack(), stack()
    for _ in range(40):
        quiet.advance(20)
    for look in range(40):
        busy.advance(20)
        if look % 4 == 0:
            busy.insert(grains_from(busy, 3), "spout")
        if look % 4 == 2:
            busy.remove(busy.positions()[:, 2] > 10, "drain")
    assert busy.gates()["spout"].number == 30 and len(busy) == 5
    one, other = quiet.frame("contacts"), busy.frame("contacts")
    np.testing.assert_allclose(other.position, one.position, atol=1e-13)
    np.testing.assert_allclose(other.velocity, one.velocity, atol=1e-11)
    assert one.has("contacts") and other.has("contacts")
    assert np.linalg.norm(one.contacts.force[:, :2], axis=1).max() > 1e-3
    np.testing.assert_allclose(other.contacts.force, one.contacts.force, atol=1e-7)


def test_taking_away_what_stiction_brakes_keeps_the_books() -> None:
    """A grain that slips on a floor and is being stopped by stiction is taken away in between. What stiction has taken
    from it up to then stays in the books, no more and no less, and its energy goes with it: nothing is lost or gained.
    """
    drain = {"name": "drain", "shape": "plane", "point": (0, 0, -50), "material": "a", "absorbing": True}
    groups = [lab.grain((0.0, 0.0, 0.0499), velocity=(0.02, 0.01, 0.0)), lab.grain((0.5, 0.0, 5.0))]
    machine = lab.solver(lab.kitchen(groups, [lab.FLOOR, drain], gravity=(0.0, 0.0, -lab.GRAVITY)), 1e-5)
    machine.advance(200)
    before = machine.frame().ledger
    assert before["dissipated_stiction"] > 1e-6
    machine.remove(machine.frame().id == 0, "drain")
    after = machine.frame().ledger
    assert len(machine) == 1
    for name in ("energy_error", "dissipated_stiction"):
        assert after[name] == pytest.approx(before[name], rel=0, abs=1e-12)


def test_ids_are_never_used_again() -> None:
    machine = stack()
    machine.insert(grains_from(machine, 3), "spout")
    machine.remove(np.arange(8) >= 6, "drain")
    machine.insert(grains_from(machine, 2), "spout")
    assert sorted(machine.frame().id) == [0, 1, 2, 3, 4, 5, 8, 9]
    assert machine.statistics()["grains_in"] == 10 and machine.statistics()["grains_out"] == 2


def test_room_is_where_neither_grain_nor_wall_is() -> None:
    """A sphere of 0.1 m fits beside the stack, not into it, not into the floor, and not where it was just put."""
    machine = stack()
    tried = grains_from(machine, 4)
    tried.position[:] = [(0.2, 0, 0.06), (0.05, 0, 0.1), (0.5, 0, 0.04), (0.0, 0.101, 0.05)]
    assert machine.room(tried).tolist() == [True, False, False, True]
    machine.insert(tried.take(np.array([0, 3])), "spout")
    assert machine.room(tried).tolist() == [False, False, False, False]
    assert Start.of(machine.model, tried).clear(tried, ["floor"]).tolist() == [True, True, False, True]


def test_an_absorbing_wall_takes_a_grain_when_it_touches() -> None:
    """Dropped from rest with its lowest point h above the wall it arrives with speed √(2 g h) after √(2 h/g): momentum
    m v, energy m g times the height it started from. It is gone within a step of that, and nothing has pushed it.
    """
    height, dt = 0.2, 1e-4
    wall = {**lab.FLOOR, "absorbing": True}
    scene = lab.scene("hertz", [lab.grain((0, 0, 0.05 + height)), lab.grain((0, 5, 3.0))], [wall], gravity=DOWN)
    machine = lab.solver(scene, dt)
    arrival = math.sqrt(2 * height / lab.GRAVITY)
    machine.advance_to(arrival - 2 * dt)
    assert len(machine) == 2
    machine.advance_to(arrival + 2 * dt)
    assert machine.frame().id.tolist() == [1]
    gate, mass = machine.gates()["floor"], lab.ball_mass(0.05)
    assert gate.number == 1 and gate.mass == pytest.approx(mass)
    assert gate.momentum[2] == pytest.approx(-mass * math.sqrt(2 * lab.GRAVITY * height), rel=2 * dt / arrival)
    assert gate.energy == pytest.approx(mass * lab.GRAVITY * (0.05 + height))
    ledger = machine.frame().ledger
    assert ledger["outflow_energy"] == pytest.approx(gate.energy)
    assert abs(ledger["energy_error"]) < 1e-12 * gate.energy


@pytest.mark.parametrize("integrator", ["verlet", "rkf45"])
def test_the_ledger_closes_across_all_changes(integrator: str) -> None:
    """A source pours on to a stack, a wall takes what rolls off, gravity turns, the floor goes and comes. Every change
    is booked; what is left is the error of the integrator, which is far below a thousandth of what is turned over.
    """
    region = {"kind": "box", "low": (-0.2, -0.2, 0.6), "high": (0.2, 0.2, 0.9)}
    places = [(0.0, 0.0, 0.0499 + 0.0998 * k) for k in range(5)]
    walls = [lab.FLOOR, {"name": "rim", "shape": "plane", "point": (0.3, 0, 0), "normal": (-1, 0, 0), "material": "a",
                         "absorbing": True}]  # fmt: skip
    source = {**SOURCE, "region": region, "count": 20, "rate": 100.0}
    scene = lab.scene(
        "hertz", [lab.grains(places)], walls, gravity=DOWN, sources=[source], sinks=[SINK],
        integrator={"kind": "rkf45", "tolerance": 1e-5} if integrator == "rkf45" else "verlet",
    )  # fmt: skip
    machine, spout = lab.solver(scene, 2e-5), Pourer(scene, 0)
    turned_over = 0.0
    for look in range(30):
        machine.advance_to(0.02 * (look + 1))
        machine.insert(spout.pour(0.02 * (look + 1), machine.room), "spout")
        if look == 12:
            machine.change_gravity((4.0, 0.0, -9.0))
        if look == 18:
            machine.remove_wall("floor")
        if look == 19:
            machine.add_wall("floor")
        book = machine.frame().ledger
        turned_over = max(turned_over, book["kinetic_energy"] + book["dissipated_normal"])
        assert abs(book["energy_error"]) < 2e-3 * (abs(book["inflow_energy"]) + turned_over), look
    gates = machine.gates()
    assert gates["spout"].number == 20 and gates["rim"].number > 0
    assert len(machine) == 5 + 20 - gates["rim"].number
    assert book["event_work"] != 0 and book["outflow_energy"] != 0


def test_a_wall_that_goes_takes_its_push_with_it() -> None:
    """A ball rests on a floor that is removed: from that step on it falls freely, z = z₁ + v₁ t − g t²/2, and velocity
    Verlet follows a parabola exactly. The energy stored in the contact is booked as work of the event.
    """
    scene = lab.scene("hertz", [lab.grain((0, 0, 0.0499))], [lab.FLOOR], a=lab.material(restitution=0.1), gravity=DOWN)
    machine = lab.solver(scene, 2e-5)
    machine.advance_to(0.5)
    before = machine.frame()
    book = machine.frame().ledger
    stored = book["stored_energy"]
    assert stored > 0 and abs(before.velocity[0, 2]) < 1e-6
    machine.remove_wall("floor")
    assert not machine.frame().wall_present[-1]
    machine.advance_to(0.7)
    time = machine.time - before.time
    height = before.position[0, 2] + before.velocity[0, 2] * time - lab.GRAVITY * time**2 / 2
    assert machine.frame().position[0, 2] == pytest.approx(height, abs=1e-13)
    after = machine.frame().ledger
    assert after["event_work"] == pytest.approx(-stored)
    assert after["dissipated_normal"] == pytest.approx(book["dissipated_normal"], abs=1e-6 * stored)
    assert after["energy_error"] == pytest.approx(book["energy_error"], abs=1e-6 * stored)


def test_gravity_that_turns_gives_two_parabolas() -> None:
    """x(t) = ½ g₂ₓ (t − t₁)², z(t) = z₀ − ½ g t₁² − g t₁ (t − t₁) + ½ g₂z (t − t₁)², exactly, because Verlet is exact
    under a constant force and the force is found anew at the turn.
    """
    machine = lab.solver(lab.scene("hertz", [lab.grain((0, 0, 10.0))], gravity=DOWN), 1e-3)
    machine.advance_to(0.2)
    machine.change_gravity((3.0, 0.0, 2.0))
    machine.advance_to(0.5)
    x, _, z = machine.frame().position[0]
    assert x == pytest.approx(3.0 * 0.3**2 / 2, abs=1e-13)
    assert z == pytest.approx(10 - 9.81 * 0.02 - 9.81 * 0.2 * 0.3 + 0.3**2, abs=1e-13)
    assert abs(machine.frame().ledger["energy_error"]) < 1e-11


def test_a_motion_that_waits_counts_from_its_start() -> None:
    """A floor that moves up at 0.5 m/s from 0.1 s after the event, at 0.2 s: at 0.5 s it has gone 0.1 m, and frames say
    so; the ball on it has gone with it.
    """
    lift = {**lab.FLOOR, "name": "lift", "motion": {"kind": "translate", "velocity": (0, 0, 0.5), "start": 0.1}}
    go = {"name": "go", "when": {"kind": "time", "at": 0.2}, "do": {"kind": "start_motion", "wall": "lift"}}
    scene = lab.scene("hertz", [lab.grain((0, 0, 0.0499))], [lift], events=[go], gravity=DOWN,
                      a=lab.material(restitution=0.1))  # fmt: skip
    machine = lab.solver(scene, 2e-5)
    machine.advance_to(0.2)
    assert machine.frame().wall_pose[-1, 2] == 0.0
    machine.start_motion("lift")
    machine.advance_to(0.5)
    assert machine.frame().wall_pose[-1, 2] == pytest.approx(0.1)
    assert peek(machine, "pose")[-1, 2] == pytest.approx(0.1)
    assert machine.frame().position[0, 2] == pytest.approx(0.15, abs=2e-3)


def test_a_hidden_wall_waits_for_its_event() -> None:
    scene = lab.scene("hertz", [lab.grain((0, 0, 1.0))], [{**lab.FLOOR, "present": False}], gravity=DOWN)
    machine = lab.solver(scene, 1e-3)
    assert not machine.frame().wall_present[-1]
    machine.add_wall("floor")
    assert machine.frame().wall_present[-1]


@pytest.mark.parametrize("integrator", ["verlet", "rkf45"])
def test_a_solver_restored_in_between_goes_on_with_the_same_bits(integrator: str) -> None:
    """All that events change is in the state: gravity, walls, motions, books, and the next id."""

    def changed(machine: lab.SoftSolver) -> lab.SoftSolver:
        machine.advance_to(0.01)
        machine.insert(grains_from(machine, 4), "spout")
        machine.change_gravity((1.0, 0.0, -9.0))
        machine.remove_wall("floor")
        machine.advance_to(0.02)
        return machine

    machine = changed(stack(integrator=integrator))
    arrays, meta = machine.state()
    other = solvers.restore(machine.model, arrays, json.loads(json.dumps(meta)))
    for one in (machine, other):
        one.insert(grains_from(one, 2), "spout")
        one.remove(one.frame().id == 2, "drain")
        one.advance_to(0.03)
    assert lab.fingerprint(machine) == lab.fingerprint(other)


def test_clumps_that_are_poured_later_decide_the_kernels() -> None:
    """A scene that starts with nothing, or with spheres, and pours dimers needs the kernels for clumps at once."""
    scene = lab.scene("hertz", [], sources=[{**SOURCE, "shape": "dimer"}], gravity=DOWN)
    machine = solvers.create(*build(scene), 1e-4)
    assert machine.clumped and len(machine) == 0 and len(machine.frame()) == 0
    machine.advance_to(0.05)
    machine.insert(grains_from(machine, 6), "spout")
    machine.advance_to(0.1)
    seen = machine.frame()
    assert len(seen) == 6 and len(seen.sphere_radius) == 12
    np.testing.assert_allclose(seen.velocity[:, 2], -lab.GRAVITY * 0.05)
    machine.remove(np.ones(6, bool), "spout")
    machine.advance_to(0.15)
    assert len(machine) == 0 and abs(machine.frame().ledger["energy_error"]) < 1e-9


def test_drag_is_booked_once_across_changes() -> None:
    """A grain that falls through a background: v = (m g/γ)(1 − exp(−γ t/m)), and the background takes ∫ γ v² dt of its
    energy, whether or not somebody states the same gravity again after every step. The ledger closes.
    """
    gamma, t = 2.0, 0.3
    scene = lab.scene("hertz", [lab.grain((0.0, 0.0, 10.0))], [], gravity=(0.0, 0.0, -9.81), drag=gamma)
    machine = lab.solver(scene, 1e-3)
    mass = float(machine.frame().mass[0])
    for _ in range(300):
        machine.advance(1)
        machine.change_gravity((0.0, 0.0, -9.81))
    book = machine.frame().ledger
    terminal, rate = mass * 9.81 / gamma, gamma / mass
    lost = gamma * terminal**2 * (t - 2 * (1 - np.exp(-rate * t)) / rate + (1 - np.exp(-2 * rate * t)) / (2 * rate))
    assert book["dissipated_drag"] == pytest.approx(lost, rel=1e-4)
    assert abs(book["energy_error"]) < 1e-4 * lost
