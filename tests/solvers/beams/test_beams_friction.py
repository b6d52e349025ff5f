"""Friction of flat grains that remembers: what it can hold stays where it is, and the rest slides as Coulomb says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from barchan.model.pour import Pourer
from barchan.solvers.beams import ledger
from barchan.solvers.beams.layout import DRAG_LOAD_X, DRAG_LOAD_Z
from barchan.solvers.beams.solver import BeamSolver
from solvers import beams_lab as lab
from solvers.inside import peek

GRAVITY = 9.81
SQUARE = 4e-5  # kg, of 2 mm
EDGE = 2e-3  # m
WIDE = 2e-3  # m, of strips
SUNK = 1e-7  # m: Y times the area under its edge, m g = 4e-4 N, carries the square; as deep in `exact` contact
PLANE: dict[str, Any] = {"name": "plane", "shape": "plane", "material": "a"}
LINE: dict[str, Any] = {
    "name": "line", "shape": "line", "start": (-0.03, 0, -WIDE / 2), "end": (0.03, 0, -WIDE / 2), "material": "a",
}  # fmt: skip
WALLS = pytest.mark.parametrize("wall", [PLANE, LINE], ids=["plane", "line"])
CONTACTS = pytest.mark.parametrize("contact", ["paper", "exact"])


def slope(angle: float) -> tuple[float, float, float]:
    """Gravity on a slope that goes down along x, seen with the slope level."""
    return (GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle))


def lying(
    wall: dict[str, Any], angle: float, mu: float, *, contact: str = "paper", others: Any = (), **options: Any
) -> BeamSolver:
    """A square on a slope, as deep in it as its weight presses it."""
    beams = {"contact": contact, "wall_thickness": WIDE, **options.pop("beams", {})}
    grains = [lab.grain(0.0, EDGE / 2 - SUNK), *others]
    gravity = options.pop("gravity", slope(angle))
    step = options.pop("step", None)
    walls = [*options.pop("before", ()), wall]
    return lab.solver(lab.scene(grains, beams=beams, walls=walls, friction=mu, gravity=gravity, **options), step)


def settle(machine: BeamSolver) -> None:
    """Take the energy out of what lies: contacts lose none of what swings as a whole, and would rock for long."""
    state = peek(machine, "state")
    for _ in range(300):
        machine.advance(round(1e-4 / machine.dt))
        state[: machine.triangle_count, :, 1:] *= 0.8
    lab.restart(machine)


def place(machine: BeamSolver) -> np.ndarray:
    """x and z (m) of every grain."""
    return ledger.bodies(machine).position[:, [0, 2]]


def drag(machine: BeamSolver) -> np.ndarray:
    """The friction (T, 2) N that every free triangle feels."""
    return ledger.present(machine).load[: machine.triangle_count][:, [DRAG_LOAD_X, DRAG_LOAD_Z]]


@WALLS
@pytest.mark.parametrize(
    ("contact", "integrator", "moves", "near"),
    [("paper", "verlet", 1e-12, 1e-6), ("paper", "gear", 1e-12, 1e-6), ("exact", "verlet", 3e-7, 0.03)],
)
def test_a_square_stays_on_a_slope_that_friction_can_hold(
    wall: dict[str, Any], contact: str, integrator: str, moves: float, near: float
) -> None:
    """tan α = 0.3 < μ = 0.5: it rests, and friction is m g sin α, what a body at rest needs and not what it could be.

    Friction without a memory would let it creep at slip_speed tan α/μ = 0.6 mm/s. `exact` contacts are soft where they
    begin, and the square has not come to rest on them when it is looked at.
    """
    angle = math.atan(0.3)
    machine = lying(wall, angle, 0.5, contact=contact, beams={"integrator": integrator, "damping": 0.05})
    settle(machine)
    before, begin = place(machine)[0], machine.time
    machine.advance_to(begin + 0.01)
    assert np.abs(place(machine)[0] - before).max() < moves  # 6e-6 m without a memory
    assert drag(machine)[:, 0].sum() == pytest.approx(-SQUARE * GRAVITY * math.sin(angle), rel=near)
    moment = machine.frame()
    mode = moment.contacts.mode[np.argmax(moment.contacts.depth)]
    assert mode == 1  # it holds


@WALLS
def test_a_square_slides_down_a_slope_that_is_too_steep(wall: dict[str, Any]) -> None:
    """tan α = 0.8 > μ = 0.3: it goes ½ g (sin α − μ cos α) t², within 1% for what it bounces when it is let down."""
    angle, t = math.atan(0.8), 0.05
    machine = lying(wall, angle, 0.3, beams={"damping": 0.05})
    machine.advance_to(t)
    expected = 0.5 * GRAVITY * (math.sin(angle) - 0.3 * math.cos(angle)) * t**2
    assert place(machine)[0, 0] == pytest.approx(expected, rel=0.01)
    assert np.abs(machine.frame().ledger["energy_error"]) < 1e-3 * SQUARE * GRAVITY * expected


def test_what_friction_holds_swings_as_on_a_damped_spring() -> None:
    """A slab of one triangle lies on a plane; gravity that is turned a little makes it swing about a new place.

    The spring is 0.1 Y √A as documents say, and 0.3 of critical damping: the swing's period is 2π/(ω √(1 − 0.3²)) with
    ω² = k/m, and from one turning point to the next the way to rest falls by exp(−π 0.3/√(1 − 0.3²)) = 0.37. The slab
    is flat, so that it hardly rocks: 0.2 mm high and 8 mm wide. At rest the spring holds k x²/2 with x = m a/k.
    """
    corners = (-4e-3, -0.2e-3 / 3), (4e-3, -0.2e-3 / 3), (0.0, 0.4e-3 / 3)
    slab = lab.polygon(0.0, 0.0, *corners, least_angle=1.0)
    area = 0.5 * 8e-3 * 0.2e-3
    mass, hold = 1000 * 0.01 * area, 0.1 * 2e6 * math.sqrt(area)
    machine = lab.solver(lab.scene([slab], walls=[PLANE], friction=10.0, gravity=(0, 0, -GRAVITY)), 2e-6)
    state = peek(machine, "state")
    state[0, 1, 0] = 0.2e-3 / 3 - mass * GRAVITY / (2e6 * 8e-3)  # Y times the area carries the weight
    machine.rebuild()
    machine.change_gravity((0.5, 0.0, -GRAVITY))
    rest = mass * 0.5 / hold
    lab.restart(machine)
    before = machine.frame().ledger["energy_error"]
    way = []
    for _ in range(400):
        machine.advance(2)
        way.append(state[0, 0, 0] - rest)
    way = np.array(way)
    turns = 1 + np.flatnonzero(np.diff(np.sign(np.diff(way))) != 0)
    share = 0.3 / math.sqrt(1 - 0.3**2)
    period = 2 * math.pi * math.sqrt(mass / hold) / math.sqrt(1 - 0.3**2)
    assert np.diff(turns[:3]) * 4e-6 == pytest.approx(period / 2, rel=0.03)
    assert way[turns[0]] == pytest.approx(rest * math.exp(-math.pi * share), rel=0.05)
    assert way[turns[1]] == pytest.approx(-rest * math.exp(-2 * math.pi * share), rel=0.08)
    held = 0.5 * hold * rest**2  # what the spring holds in the end; the books close with it
    assert ledger.present(machine).held == pytest.approx(held, rel=0.05)
    assert abs(machine.frame().ledger["energy_error"] - before) < 0.1 * held


@WALLS
def test_a_belt_takes_a_square_along(wall: dict[str, Any]) -> None:
    """Put on a belt of speed u it slides back by u²/(2 μ g) against it, and then rides along without slip.

    Friction has worked μ m g over that way: ½ m u² went into heat, and as much into the square's motion, so that the
    belt has worked m u². Within 2%, for how it rocks. In a hundredth of a second more it stays where it is on the belt,
    to 2 µm.
    """
    speed, mu = 0.05, 0.5
    belt = {**wall, "motion": {"kind": "translate", "velocity": (speed, 0.0, 0.0)}}
    machine = lying(belt, 0.0, mu, beams={"damping": 0.05})
    t = 0.05
    machine.advance_to(t)
    body = ledger.bodies(machine)
    assert body.velocity[0, 0] == pytest.approx(speed, rel=0.01)  # it rocks a little
    assert speed * machine.time - body.position[0, 0] == pytest.approx(speed**2 / (2 * mu * GRAVITY), rel=0.02)
    book = machine.frame().ledger
    assert book["dissipated_friction"] == pytest.approx(0.5 * SQUARE * speed**2, rel=0.02)
    assert book["wall_work"] == pytest.approx(SQUARE * speed**2, rel=0.02)
    machine.advance_to(t + 0.01)
    gone = place(machine)[0, 0] - body.position[0, 0]
    assert gone == pytest.approx(speed * 0.01, abs=2e-6)


@CONTACTS
def test_a_square_slides_over_the_joints_of_a_line_as_on_a_plane(contact: str) -> None:
    """What is remembered goes from triangle to triangle of the strip, and friction acts where it acts at a plane.

    At 0.2 m/s it goes 8 mm, over four joints, until friction stops it. Places and speeds agree to round-off, which
    bounces and rocking make a thousand times as large as it was.
    """
    found = []
    for wall in (PLANE, LINE):
        machine = lying(wall, 0.0, 0.25, contact=contact, step=2e-6)
        peek(machine, "state")[:4, 0, 1] = 0.2
        lab.restart(machine)
        machine.advance_to(0.1)
        found.append(np.concatenate([place(machine)[0], ledger.bodies(machine).velocity[0]]))
    assert 7.5e-3 < found[0][0] < 8.5e-3
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6, atol=1e-8)


@WALLS
def test_lists_that_are_made_anew_and_grains_that_come_and_go_change_no_friction(wall: dict[str, Any]) -> None:
    """A square lies on a slope while lists are made anew, others are poured far away, and one before it is taken away.

    Rows of triangles and of walls change their numbers; what friction holds must not change by a bit. The line is short
    and comes after another wall, so that rows which are out by a grain would be of that one.
    """
    post = {**LINE, "name": "post", "start": (0.02, 0, 0), "end": (0.02, 0, 0.01)}
    if wall is LINE:
        wall = {**LINE, "start": (-8.2e-3, 0, -WIDE / 2), "end": (2e-4, 0, -WIDE / 2)}
    source = {
        "name": "chute", "material": "a", "shape": "square", "size": EDGE, "rate": 1.0,
        "region": {"kind": "box", "low": (-0.01, 0.0, 0.02), "high": (0.01, 0.0, 0.03)},
    }  # fmt: skip
    sink = {"name": "away", "region": {"kind": "box", "low": (1, 0, 1), "high": (2, 0, 2)}}
    upper = lab.grain(0.0, 1.5 * EDGE - 2 * SUNK)  # on top of it: friction between grains as well
    machine = lying(
        wall, 0.2, 0.5, others=[upper, lab.grain(-8e-3, EDGE / 2 - SUNK)], sources=[source], sinks=[sink],
        beams={"damping": 0.05}, before=[post],
    )  # fmt: skip
    machine.advance_to(0.02)
    before = drag(machine)
    assert np.abs(before[:8, 0]).sum() > SQUARE * GRAVITY * math.sin(0.2)
    machine.rebuild()
    np.testing.assert_array_equal(drag(machine), before)
    poured = Pourer(machine.model.scene, 0)._grains(np.array([(8e-3, 0.0, 0.02)]), np.full(1, EDGE))
    machine.insert(poured, "chute")
    np.testing.assert_array_equal(drag(machine)[:12], before)
    taken = np.zeros(4, bool)
    taken[2] = True
    machine.remove(taken, "away")
    np.testing.assert_array_equal(drag(machine)[:8], before[:8])
    machine.watch()
    again = BeamSolver.restored(machine.model, *machine.state())
    for one in (machine, again):
        one.advance(200)
    np.testing.assert_array_equal(peek(again, "state"), peek(machine, "state"))
    np.testing.assert_array_equal(peek(again, "slip"), peek(machine, "slip"))


@WALLS
def test_a_contact_that_has_parted_is_forgotten(wall: dict[str, Any]) -> None:
    """Lifted off a slope and put back, the square begins anew: friction is nothing at first."""
    machine = lying(wall, 0.2, 0.5, beams={"damping": 0.05})
    machine.advance_to(0.02)
    assert abs(drag(machine)[:, 0].sum()) > 0.5 * SQUARE * GRAVITY * math.sin(0.2)
    state = peek(machine, "state")
    lain = state[:4].copy()
    state[:4, 1, 0] += 1e-4
    machine.advance(1)
    state[:4] = lain
    state[:4, :, 1:] = 0.0
    assert np.abs(drag(machine)).max() == 0.0


@pytest.mark.parametrize("angle", [0.05, 0.4, 0.8, 1.3])
@pytest.mark.parametrize("mu", [0.1, 0.5, 5.0])
def test_friction_never_creates_energy(angle: float, mu: float) -> None:
    """Undamped squares that meet at many angles: motion and all that is stored never exceed what there was.

    Contacts have an energy, and friction only takes: to 1e-5, of the steps. What it takes is what is missing after.
    """
    machine = lab.two_squares(0.5, angle, contact="exact", damping=0.0, integrator="verlet", friction=mu)
    before, most = lab.energy(machine), 0.0
    for _ in range(100):
        machine.advance(round(6e-5 / machine.dt))
        state = ledger.present(machine)
        most = max(most, lab.energy(machine) + state.held)
    assert most < before * (1 + 1e-5)
    assert sum(peek(machine, "seen")) > 100 and state.stored == state.held == 0.0
    book = ledger.energies(machine, state)
    assert book["dissipated_friction"] == pytest.approx(before - lab.energy(machine), abs=1e-5 * before)
    assert book["dissipated_friction"] > 0


@pytest.mark.parametrize(("grip", "stands"), [(0.1, True), (0.0, False)])
def test_a_wall_of_bricks_stands_on_a_slope(grip: float, stands: bool) -> None:
    """Six squares in three layers on a slope with tan α = 0.2, μ = 0.5: with a memory none moves by 1 µm in 20 ms.

    Without one all creep at slip_speed tan α/μ = 0.4 mm/s and faster, which is 8 µm and more.
    """
    bricks = [lab.grain(x, (k + 0.5) * EDGE - 2 * SUNK * (k + 1)) for k, row in enumerate(((-2.2e-3, 0.0, 2.2e-3),
              (-1.1e-3, 1.1e-3), (0.0,))) for x in row]  # fmt: skip
    scene = lab.scene(bricks, beams={"grip": grip, "damping": 0.05, "wall_thickness": WIDE}, walls=[LINE], friction=0.5,
                      gravity=slope(math.atan(0.2)))  # fmt: skip
    machine = lab.solver(scene)
    settle(machine)
    before, begin = place(machine), machine.time
    machine.advance_to(begin + 0.02)
    gone = (place(machine) - before)[:, 0]
    assert (np.abs(gone).max() < 1e-6) == stands
    assert stands or gone.min() > 6e-6
