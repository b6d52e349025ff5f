"""Hard spheres at walls that move: none is missed, whatever the motions, and with the leapfrog none is taken twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from barchan.geometry import conjugate, rotate
from barchan.model.build import build
from barchan.solvers.hard import HardSolver
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
        assert machine.snapshot().velocity[0, 2] == pytest.approx(2.0, rel=1e-9)


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
    assert gate.mass == pytest.approx(4 * float(machine.snapshot().mass[0]))
    machine.watch()
    machine.advance_to(1.0)
    assert (len(machine), machine.gates()["drain"].number) == (0, 12)
    machine.watch()
