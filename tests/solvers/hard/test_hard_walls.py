"""Hard spheres at walls of every shape and motion: when they meet, from either side, and that nothing gets through."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from solvers.hard_lab import FLOOR, GRAVITY, grain, grains, scene, solver

DOWN = (0.0, 0.0, -GRAVITY)
RADIUS = 0.05  # m, of the laboratory's grains


def first_hit(machine, until: float = 10.0) -> float:
    """When the first collision comes, s, to a part in 1e12 of `until`."""
    low, high = 0.0, until
    state = machine.state()
    while high - low > 1e-12 * until:
        middle = 0.5 * (low + high)
        trial = type(machine).restored(machine.model, *_copy(state))
        trial.advance_to(middle)
        low, high = (low, middle) if trial.step else (middle, high)
    return high


def _copy(state):
    arrays, numbers = state
    return {name: array.copy() for name, array in arrays.items()}, dict(numbers)


def hit_time(wall: dict, position, velocity, gravity=(0.0, 0.0, 0.0)) -> float:
    """When a grain on that path meets the wall; infinite where it does not within 10 s."""
    machine = solver(scene([grain(position, velocity=velocity)], [wall], gravity=gravity))
    machine.advance_to(10.0)
    return first_hit(solver(machine.model.scene)) if machine.step else math.inf


def test_a_ball_bounces_on_a_floor_at_the_times_of_the_parabola():
    """Dropped from rest at height h it lands at √(2h/g), rises to e² h, and lands again after 2e √(2h/g) each time."""
    h, e = 0.8, 0.7
    machine = solver(scene([grain((0, 0, RADIUS + h))], [FLOOR], gravity=DOWN, restitution=e))
    fall = math.sqrt(2 * h / GRAVITY)
    moments = [fall, fall * (1 + 2 * e), fall * (1 + 2 * e + 2 * e**2)]
    for count, t in enumerate(moments):
        machine.advance_to(t * (1 - 1e-12))
        assert machine.step == count
        machine.advance_to(t * (1 + 1e-12))
        assert machine.step == count + 1
    machine.advance_to(fall * (1 + e))
    top = solver(machine.model.scene)
    top.advance_to(fall * (1 + e))
    assert top.frame().position[0, 2] == pytest.approx(RADIUS + e**2 * h, rel=1e-12)


SHAPES = [
    # shape, start, velocity, gravity, moment of impact
    ({"shape": "plane", "normal": (1, 0, 1)}, (0, 0, 1), (0, 0, -1), (0, 0, 0), 1 - RADIUS * math.sqrt(2)),
    ({"shape": "plane", "sides": "both"}, (0, 0, -1), (0, 0, 2), (0, 0, 0), (1 - RADIUS) / 2),
    ({"shape": "disk", "radius": 0.5}, (0.2, 0.1, -1), (0, 0, 1), (0, 0, 0), 1 - RADIUS),
    # over the rim by 0.03: the sphere's lower part meets the edge, √(R² − 0.03²) below its centre
    ({"shape": "disk", "radius": 0.5}, (0.53, 0, 1), (0, 0, -1), (0, 0, 0), 1 - 0.04),
    ({"shape": "disk", "radius": 0.5}, (0.5500001, 0, 1), (0, 0, -1), (0, 0, 0), math.inf),
    ({"shape": "disk", "radius": 0.5, "hole": 0.2}, (0, 0, 1), (0, 0, -1), (0, 0, 0), math.inf),
    ({"shape": "cylinder", "radius": 1.0}, (0, 0, 0), (3, 4, 7), (0, 0, 0), (1 - RADIUS) / 5),
    ({"shape": "cylinder", "radius": 1.0, "side": "outside"}, (3, 0, 0), (-1, 0, 5), (0, 0, 0), 2 - RADIUS),
    ({"shape": "cylinder", "radius": 1.0, "length": 1.0}, (0, 0, 0.5), (1, 0, 0), (0, 0, 0), 1 - RADIUS),
    # past the end by 0.03: it meets the rim
    ({"shape": "cylinder", "radius": 1.0, "length": 1.0}, (0, 0, 1.03), (1, 0, 0), (0, 0, 0), 1 - 0.04),
    ({"shape": "cylinder", "radius": 1.0, "length": 1.0}, (0, 0, 1.06), (1, 0, 0), (0, 0, 0), math.inf),
    ({"shape": "ring", "radius": 0.03}, (0, 0, 1), (0, 0, -1), (0, 0, 0), 1 - 0.04),  # on the axis: all round at once
    ({"shape": "ring", "radius": 1.0}, (0, 0, 0), (1, 0, 0), (0, 0, 0), 1 - RADIUS),
    ({"shape": "ring", "radius": 1.0}, (0.5, 0, 1), (0, 0, -1), (0, 0, 0), math.inf),
    ({"shape": "line", "start": (0, -1, 0), "end": (0, 1, 0)}, (0.03, 0, 1), (0, 0, -1), (0, 0, 0), 1 - 0.04),
    ({"shape": "line", "start": (0, 0.03, 0), "end": (0, 1, 0)}, (0, 0, 1), (0, 0, -1), (0, 0, 0), 1 - 0.04),
    ({"shape": "point", "position": (0, 0.03, 0)}, (0, 0, 1), (0, 0, -1), (0, 0, 0), 1 - 0.04),
    ({"shape": "sphere", "radius": 1.0, "side": "inside"}, (0, 0, 0), (0, 3, 4), (0, 0, 0), (1 - RADIUS) / 5),
    # falls 0.95 m to the bottom of a lying cylinder: √(2 · 0.95/g)
    ({"shape": "cylinder", "radius": 1.0, "axis": (0, 1, 0)}, (0, 0, 0), (0, 1, 0), DOWN, math.sqrt(1.9 / GRAVITY)),
    ({"shape": "point", "position": (0, 0, 0)}, (0, 0, 1), (0, 0, 0), DOWN, math.sqrt(1.9 / GRAVITY)),
]


@pytest.mark.parametrize(("wall", "start", "velocity", "gravity", "moment"), SHAPES)
def test_the_moment_of_impact(wall, start, velocity, gravity, moment):
    """Each moment is elementary geometry: the centre is then RADIUS from the surface's nearest point."""
    assert hit_time(wall, start, velocity, gravity) == pytest.approx(moment, rel=1e-10)


def test_grazing_paths_hit_or_miss_on_either_side_of_touching():
    """A sphere that passes a wire ring's outer side at RADIUS (1 ∓ 1e-9): one touches, the other goes by.

    The gap has a double root there. A ring of 1 m in the x–y plane; the path runs along y at x = 1 + RADIUS (1 ∓ 1e-9).
    """
    for share, hits in ((1 - 1e-9, True), (1 + 1e-9, False)):
        x = 1 + RADIUS * share
        moment = hit_time({"shape": "ring", "radius": 1.0}, (x, -2.0, 0.0), (0, 1.0, 0))
        assert math.isfinite(moment) == hits
        if hits:  # a chord of half length √((1 + R)² − x²)
            assert moment == pytest.approx(2.0 - math.sqrt((1 + RADIUS) ** 2 - x**2), rel=1e-9)


def test_a_parabola_that_only_just_touches_the_ceiling():
    """Thrown up at v it rises to v²/2g; a plate at that height ∓ 1e-10 m is hit or not."""
    speed = 2.0
    top = speed**2 / 2 / GRAVITY + RADIUS
    for height, hits in ((top - 1e-10, 1), (top + 1e-10, 0)):
        plate = {"shape": "disk", "center": (0, 0, height), "radius": 0.5}
        machine = solver(scene([grain((0, 0, 0), velocity=(0.5, 0, speed))], [plate], gravity=DOWN))
        machine.advance_to(0.5)
        assert machine.step == hits


def test_a_shaken_plate_is_met_where_it_really_is():
    """The plate is at A sin(ωt): the moment is the first root of z(t) − R − A sin(ωt), found here by bracketing.

    After the elastic collision the grain leaves at 2 V − v, V = A ω cos(ωt) the plate's own velocity then.
    """
    amplitude, omega = 0.02, 40.0
    plate = {
        "shape": "disk",
        "radius": 1.0,
        "motion": {"kind": "oscillate", "amplitude": amplitude, "angular_frequency": omega},
    }
    for height, speed in ((0.3, 0.0), (0.08, -0.3), (0.071, 0.4)):
        machine = solver(scene([grain((0, 0, height), velocity=(0, 0, speed))], [plate], gravity=DOWN))

        def gap(t, height=height, speed=speed):
            return height + speed * t - GRAVITY / 2 * t * t - RADIUS - amplitude * math.sin(omega * t)

        times = np.linspace(0, 1, 200001)
        below = np.flatnonzero(gap_values(gap, times) < 0)[0]
        t = brentq(gap, times[below - 1], times[below], xtol=1e-15)
        machine.advance_to(t - 1e-11)
        assert machine.step == 0
        machine.advance_to(t + 1e-11)
        assert machine.step == 1
        arrives, plate_speed = speed - GRAVITY * t, amplitude * omega * math.cos(omega * t)
        assert machine.frame().velocity[0, 2] == pytest.approx(2 * plate_speed - arrives, rel=1e-8)
        book = machine.frame().ledger
        assert abs(book["energy_error"]) < 1e-12


def gap_values(gap, times):
    return np.array([gap(t) for t in times])


def test_a_piston_that_starts_and_stops_moves_grains_only_meanwhile():
    """A wall moves at 1 m/s from 0.5 s to 1.5 s. A grain at rest 0.2 m ahead is met 0.2 s after the start: 2 m/s."""
    piston = {
        "shape": "plane",
        "normal": (1, 0, 0),
        "motion": {"kind": "translate", "velocity": (1, 0, 0), "start": 0.5, "end": 1.5},
    }
    machine = solver(scene([grain((0.2 + RADIUS, 0, 0))], [piston]))
    machine.advance_to(0.7 - 1e-12)
    assert machine.step == 0
    machine.advance_to(0.7 + 1e-12)
    assert machine.step == 1
    machine.advance_to(3.0)
    assert machine.step == 1
    assert machine.frame().velocity[0, 0] == pytest.approx(2.0)
    assert machine.frame().ledger["wall_work"] == pytest.approx(machine.kinetic_energy(), rel=1e-12)


def test_a_rotating_drum_drags_what_it_touches():
    """A drum of radius 1 m turning at Ω touched by a grain: with εt = 0 the contact point then moves with the wall.

    u = −ΩR at the contact; the grain gains 2/7 of it and a spin of 5/7 · ΩR/s, so that its surface has the wall's
    speed.
    """
    drum = {
        "shape": "cylinder",
        "radius": 1.0,
        "axis": (0, 1, 0),
        "motion": {"kind": "rotate", "axis": (0, 1, 0), "rate": 3.0},
    }
    machine = solver(scene([grain((0, 0, -0.9), velocity=(0, 0, -1.0))], [drum], tangential=0.0))
    machine.advance_to(0.06)
    seen = machine.frame()
    assert machine.step == 1
    wall = np.cross((0, 3.0, 0), (0, 0, -1.0))  # velocity of the wall at its lowest point
    assert np.allclose(seen.velocity[0], (2 / 7 * wall[0], 0, 1.0))
    surface = seen.velocity[0] + np.cross(seen.spin[0], (0, 0, -RADIUS))
    assert surface[0] == pytest.approx(wall[0], rel=1e-12)
    book = machine.frame().ledger
    assert abs(book["energy_error"]) < 1e-13


def test_seams_of_a_mesh_do_not_deflect():
    """A flat mesh of many triangles: a ball hopping across in shallow bounces keeps its horizontal velocity."""
    n = 6
    vertices = [(x / n - 0.5, y / n - 0.5, 0.0) for x in range(n + 1) for y in range(n + 1)]
    quads = [(x * (n + 1) + y, (x + 1) * (n + 1) + y) for x in range(n) for y in range(n)]
    triangles = [t for a, b in quads for t in ((a, b, a + 1), (b, b + 1, a + 1))]
    mesh = {"shape": "mesh", "vertices": vertices, "triangles": triangles}
    machine = solver(scene([grain((-0.4, -0.31, RADIUS + 1e-3), velocity=(0.37, 0.29, 0))], [mesh], gravity=DOWN))
    machine.advance_to(1.8)
    assert machine.step > 50
    assert np.allclose(machine.frame().velocity[0, :2], (0.37, 0.29), atol=1e-6)


CONTAINER = [
    {"shape": "disk", "radius": 0.31, "motion": {"kind": "oscillate", "amplitude": 0.01, "frequency": 12.0}},
    {"shape": "cylinder", "radius": 0.3, "motion": {"kind": "rotate", "rate": 8.0}},
    {"shape": "disk", "center": (0, 0, 0.6), "radius": 0.31},
]


def closed_container(restitution: float = 0.9, tangential: float = 0.5):
    """Grains of two sizes in a turning cylinder on a shaken disk, with a lid."""
    spots = [(x, y, z) for x in (-0.1, 0.0, 0.1) for y in (-0.1, 0.0, 0.1) for z in (0.1, 0.2, 0.3, 0.4, 0.5)]
    groups = [grains(spots, size=0.05, velocity_scatter=1.0), grains(np.array(spots) + 0.05, size=0.02)]
    return solver(scene(groups, CONTAINER, gravity=DOWN, restitution=restitution, tangential=tangential))


def test_nothing_leaves_a_closed_container_with_moving_walls():
    """A hundred thousand collisions; a million and more are as quiet, but take longer."""
    machine = closed_container()
    while machine.step < 100_000:
        machine.advance_to(machine.time + 0.5)
        seen = machine.frame()
        floor = 0.01 * math.sin(2 * math.pi * 12 * machine.time)
        assert np.all(np.hypot(*seen.position[:, :2].T) <= 0.3 - seen.radius * (1 - 1e-9))
        assert np.all(seen.position[:, 2] - seen.radius >= floor - 1e-9)
        assert np.all(seen.position[:, 2] + seen.radius <= 0.6 + 1e-9)
    machine.watch()
    assert machine.worst_overlap < 1e-6


def test_an_absorbing_wall_takes_grains_at_the_moment_they_touch_it():
    """Three grains fall on it one after another; the books have their energy as it was there."""
    sink = {"name": "sink", "shape": "plane", "absorbing": True}
    heights = (0.2, 0.5, 0.9)
    machine = solver(scene([grains([(0.3 * k, 0, h + RADIUS) for k, h in enumerate(heights)])], [sink], gravity=DOWN))
    machine.advance_to(math.sqrt(2 * 0.5 / GRAVITY) + 1e-9)
    assert len(machine) == 1
    gate = machine.gates()["sink"]
    mass = machine.frame().mass[0]
    assert gate.number == 2
    assert gate.energy == pytest.approx(sum(mass * GRAVITY * (h + RADIUS) for h in heights[:2]), rel=1e-12)
    machine.advance_to(1.0)
    assert len(machine) == 0
    assert abs(machine.frame().ledger["energy_error"]) < 1e-12
