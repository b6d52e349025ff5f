"""Hard spheres at walls that move: none is missed, whatever the motions, and with the leapfrog none is taken twice."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from barchan.geometry import conjugate, rotate, rotation_about
from barchan.model.build import build
from barchan.solvers.hard.solver import HardSolver
from solvers import hard_lab as lab

RADIUS = 0.05


def turning(rate: float, **more: Any) -> dict[str, Any]:
    return {"kind": "rotate", "rate": rate, "axis": (0, 1, 0), **more}


def keys(*several: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "keyframes", "ease": "linear", "keys": list(several)}


def shifting(*velocity: float) -> dict[str, Any]:
    return {"kind": "translate", "velocity": velocity}


RODS = {  # motion, ends of a rod, place of the grain, duration
    "one rotation": (turning(20.0), (0, 0, 0), (1.4, 0, 0), (1.2, 0, -0.6), 0.5),
    "two rotations": ([turning(20.0), turning(0.5, center=(1.5, 0, 0))], (0, 0, 0), (1.4, 0, 0), (1.2, 0, -0.6), 0.5),
    "a rotation that is carried": ([turning(30.0), shifting(10, 0, 0)], (-6, 0, 0), (0, 0, 0), (0, 0, -0.3), 1.0),
    "keys that shift and turn": (
        keys({"time": 1.0, "position": (10, 0, 0), "rotation": (0, 30.0, 0)}),
        (-12, 0, 0), (0, 0, 0), (0, 0, -0.3), 1.0,
    ),
    "keys that shift and later turn": (
        keys({"time": 0.1, "position": (0, 3.0, 0)}, {"time": 0.2}, {"time": 2.0, "rotation": (0, 3.0, 0)}),
        (0, 0, 0), (30, 0, 0), (20, 0, -15), 1.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RODS)
def test_a_rod_meets_a_grain_when_its_pose_says_so(name: str) -> None:
    """The first collision comes where a sphere's distance from the rod, looked at 20 000 times along the way of both,
    falls below its radius: to the time between two looks.
    """
    motion, begin, end, place, duration = RODS[name]
    drift = np.array([1e-3, 0.0, 0.0])
    wall = {"shape": "line", "start": begin, "end": end, "motion": motion}
    machine = lab.solver(lab.scene([lab.grain(place, velocity=tuple(drift))], [wall]))
    frame = int(machine.model.walls.frame[-1])
    rest = machine.model.walls.rest[frame]
    own = [rotate(conjugate(rest[3:7]), np.array(point, float) - rest[:3]) for point in (begin, end)]
    times, met = np.linspace(0.0, duration, 20001), None
    for t in times:
        origin, turn, _, _ = machine.frame_pose(frame, float(t))
        first, last = (origin + rotate(turn, point) for point in own)
        along, at = last - first, np.array(place) + t * drift
        share = np.clip((at - first) @ along / (along @ along), 0.0, 1.0)
        if np.linalg.norm(at - first - share * along) < RADIUS:
            met = float(t)
            break
    assert met is not None
    machine.advance_to(met - 2 * times[1])
    assert machine.statistics()["wall_collisions"] == 0
    machine.advance_to(met + 2 * times[1])
    assert machine.statistics()["wall_collisions"] >= 1


def test_a_grain_that_flies_outwards_is_met_by_a_turning_plate() -> None:
    """A plate in the plane y = 0 turns about z at Ω, a grain beside it flies outwards, at first away from the plate.

    Seen from the plate its height is h = y cos Ωt − x sin Ωt. Beside the centripetal part, −Ω² h, there is Coriolis's,
    −2Ω vx at first, thirty times as much: within four of its radii the grain turns back and meets the plate, where
    h = R, found by bracketing.
    """
    rate, place, throw = 2.0, np.array([0.1, RADIUS + 0.015, 0.0]), np.array([1.0, 0.25, 0.0])
    plate = {"shape": "rectangle", "widths": (4.0, 1.0), "normal": (0, 1, 0), "edge": (1, 0, 0)}
    plate |= {"motion": {"kind": "rotate", "rate": rate, "axis": (0, 0, 1)}}
    machine = lab.solver(lab.scene([lab.grain(place, velocity=tuple(throw))], [plate]))

    def room(t: float) -> float:
        x, y, _ = place + t * throw
        return float(y * math.cos(rate * t) - x * math.sin(rate * t)) - RADIUS

    assert room(0.01) > room(0.0), "away at first"
    meets = brentq(room, 0.05, 0.2, xtol=1e-14)
    machine.advance_to(meets - 1e-9)
    assert machine.statistics()["wall_collisions"] == 0
    machine.advance_to(meets + 1e-9)
    assert machine.statistics()["wall_collisions"] == 1


def test_motions_that_carry_each_other_add_up() -> None:
    """A wall turns at a about z through the point c, and that is carried by a turn at b about x through the origin.

    After a time t the first axis has become e = (0, −sin bt, cos bt) and its point R c, R being the turn about x. So
    the wall has the spin b x + a e, and its point X the velocity b x × X + a e × (X − R c). An oscillation before them,
    along x with velocity u(t), is carried by both: it adds R Q u, Q being the turn about z.
    """
    a, b, t, c = 1.7, -2.3, 0.4, np.array([0.2, 0.5, -0.3])
    turns = [{"kind": "rotate", "rate": a, "axis": (0, 0, 1), "center": tuple(c)}, turning(b) | {"axis": (1, 0, 0)}]
    shaking = {"kind": "oscillate", "amplitude": 0.1, "frequency": 2.0, "direction": (1, 0, 0)}
    along = rotation_about((1, 0, 0), b * t)
    x, e, point = (
        np.array([1.0, 0.0, 0.0]),
        np.array([0.0, -math.sin(b * t), math.cos(b * t)]),
        np.array([0.7, 0.1, 0.4]),
    )
    for motion, push in ((turns, 0.0), ([shaking, *turns], 0.1 * 4 * math.pi * math.cos(4 * math.pi * t))):
        machine = lab.solver(lab.scene([lab.grain((9, 9, 9))], [{"shape": "disk", "radius": 1.0, "motion": motion}]))
        _, _, velocity, spin = machine.frame_pose(int(machine.model.walls.frame[-1]), t)
        assert spin == pytest.approx(b * x + a * e, abs=1e-12)
        shaken = rotate(along, np.array([math.cos(a * t), math.sin(a * t), 0.0])) * push
        expected = b * np.cross(x, point) + a * np.cross(e, point - rotate(along, c)) + shaken
        assert velocity + np.cross(spin, point) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "wall", [
        {"shape": "plane"}, {"shape": "disk", "radius": 1.0}, {"shape": "point", "position": (0, 0, 0)},
        {"shape": "line", "start": (-1, 0, 0), "end": (1, 0, 0)}, {"shape": "rectangle", "widths": (2, 2)},
    ], ids=lambda wall: str(wall["shape"]),
)  # fmt: skip
@pytest.mark.parametrize(
    "motion", [shifting(0, 0, 1), {"kind": "keyframes", "keys": [{"time": 3.0, "position": (0, 0, 3)}]}]
)
def test_a_grain_at_rest_is_met_by_what_moves(wall: dict[str, Any], motion: dict[str, Any]) -> None:
    """Weightless and exactly at rest at z = 2, it is pushed ahead by a wall that comes from z = 0 at 1 m/s, or has gone
    3 m after 3 s: elastically at twice the wall's speed, in any case beyond the wall.
    """
    machine = lab.solver(lab.scene([lab.grain((0.0, 0.0, 2.0))], [{**wall, "motion": motion}]))
    machine.advance_to(3.0)
    assert machine.statistics()["wall_collisions"] >= 1
    assert machine.positions()[0, 2] > 3.0
    if motion["kind"] == "translate":
        assert machine.frame().velocity[0, 2] == pytest.approx(2.0, rel=1e-9)


def test_the_leapfrog_gives_every_grain_to_a_drain_once() -> None:
    """Twelve grains fall for 0.3 s; four of them, 0.3 m high, have touched by then. Each is counted once, with its
    mass, however many steps come between two looks; the ledger closes.
    """
    places = [(0.2 * i, 0.0, 0.3 + 0.02 * j) for i in range(4) for j in (0, 10, 20)]
    drain = {"shape": "plane", "absorbing": True, "name": "drain"}
    scene = lab.scene(
        [lab.grains(places)], [drain], gravity=(0.0, 0.0, -9.81), hard={"mode": "leapfrog"}, time_step=1e-3
    )  # fmt: skip
    machine = HardSolver(*build(scene), 1e-3)
    machine.advance_to(0.3)
    gate = machine.gates()["drain"]
    assert (len(machine), gate.number) == (8, 4)
    assert gate.mass == pytest.approx(4 * float(machine.frame().mass[0]))
    machine.watch()
    machine.advance_to(1.0)
    assert (len(machine), machine.gates()["drain"].number) == (0, 12)
    machine.watch()
