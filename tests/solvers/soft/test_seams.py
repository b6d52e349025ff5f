"""Walls in a periodic box, which repeats them as it repeats grains: where one ends at a face, its image goes on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from barchan.solvers.soft import checks
from solvers import hard_lab, lab
from solvers.inside import peek

RADIUS = 0.05  # m
GROUND = [(-1, -0.5, 0), (1, -0.5, 0), (1, 0.5, 0), (-1, 0.5, 0)]
FLOORS: dict[str, dict[str, Any]] = {  # level at z = 0, from one face of the box (y = −0.5 and 0.5) to the other
    "rectangle": {"shape": "rectangle", "widths": (2.0, 1.0)},
    "rectangle that reaches beyond": {"shape": "rectangle", "widths": (2.0, 1.07)},
    "face of a box": {"shape": "box", "low": (-1, -0.5, 0), "high": (1, 0.5, 1), "open": ("-y", "+y", "+z")},
    "block": {"shape": "box", "low": (-1, -0.5, -1), "high": (1, 0.5, 0), "side": "outside"},
    "tube": {"shape": "cylinder", "point": (0, -0.5, 1), "axis": (0, 1, 0), "radius": 1.0, "length": 1.0},
    "mesh": {"shape": "mesh", "vertices": GROUND, "triangles": [(0, 1, 2), (0, 2, 3)]},
}
OTHERS: dict[str, dict[str, Any]] = {
    "disk": {"shape": "disk", "radius": 1.0},
    "sphere": {"shape": "sphere", "radius": 1.0},
}


def machine(wall: dict[str, Any], groups: list[dict[str, Any]], **options: Any) -> lab.SoftSolver:
    """A solver for grains at a wall, y periodic."""
    return lab.solver(described([{"name": "wall", **wall}], groups, **options), 1e-4)


def described(walls: list[dict[str, Any]], groups: list[dict[str, Any]], **options: Any) -> Any:
    """Grains at walls, y periodic."""
    box = {"low": (-1e3, -0.5, -1e3), "high": (1e3, 0.5, 1e3)}
    return lab.walled(groups, [{**one, "material": "a"} for one in walls], **{"box": box, **options})


def sunk(weight: float, radius: float = RADIUS) -> float:
    """How deep, m, a weight (N) presses a ball into a wall: k ξ^(3/2) = weight."""
    return (weight / lab.hertz_stiffness(radius)) ** (2 / 3)


@pytest.mark.parametrize("floor", FLOORS)
def test_a_ball_glides_over_the_seam_of_a_floor(floor: str) -> None:
    """A ball that a floor bears, and that slides on it without friction, keeps its height, R less the depth at which
    Hertz's force is its weight, and its speed: over the seams too, of which it passes three, to round-off.
    """
    weight = lab.ball_mass(RADIUS) * lab.GRAVITY
    height = RADIUS - sunk(weight)
    ball = lab.grain((0.0, 0.45, height), velocity=(0.0, 2.0, 0.0))
    slick = lab.material(friction=0.0)
    solver = machine(FLOORS[floor], [ball], a=slick, gravity=(0.0, 0.0, -lab.GRAVITY))
    for _ in range(150):
        solver.advance(100)
        seen = solver.frame()
        assert abs(seen.position[0, 2] - height) < 1e-12
        assert np.abs(seen.velocity[0] - (0.0, 2.0, 0.0)).max() < 1e-9
        along = 0.45 + 2.0 * solver.time
        assert seen.position[0, 1] == pytest.approx((along + 0.5) % 1.0 - 0.5, abs=1e-9)


@pytest.mark.parametrize("floor", ["rectangle", "mesh"])
def test_a_clump_lies_across_the_seam_of_a_floor(floor: str) -> None:
    """Two equal balls, stuck together 0.08 m apart along y, lie with one on either side of the face. Each bears half of
    the weight, so each is as deep as half the weight presses it, and nothing turns.
    """
    solver = machine(FLOORS[floor], [_twin(0.02)], a=lab.material(friction=0.0), gravity=(0.0, 0.0, -lab.GRAVITY))
    depth = sunk(0.5 * float(solver.frame().mass[0]) * lab.GRAVITY)
    solver = machine(FLOORS[floor], [_twin(depth)], a=lab.material(friction=0.0), gravity=(0.0, 0.0, -lab.GRAVITY))
    solver.advance(2000)
    seen = solver.frame()
    assert np.abs(seen.sphere_position[:, 2] - (RADIUS - depth)).max() < 1e-11
    assert np.abs(seen.velocity).max() < 1e-9 and np.abs(seen.spin).max() < 1e-8


def _twin(depth: float) -> dict[str, Any]:
    shape = [{"position": (0.0, y, 0.0), "radius": RADIUS} for y in (-0.04, 0.04)]
    return lab.grain((0.0, 0.49, RADIUS - depth), shape=shape)


@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize("rise", [-1.0, 1.0], ids=["groove", "ridge"])
def test_a_groove_and_a_ridge_at_a_face_are_whole(rise: float, side: float) -> None:
    """Two slopes of 45° meet in the face, one at either end of the box. A ball beside the face touches both sides of a
    groove, each by its distance from that slope: with its centre off the bottom by (y, h), R − (h ± y)/√2. It touches a
    ridge once, by R less its distance, along the line from the ridge to its centre.
    """
    low, high = (-0.5, 0.0) if rise > 0 else (0.0, -0.5)
    points = [(-1, -0.5, high), (1, -0.5, high), (1, 0, low), (-1, 0, low), (1, 0.5, high), (-1, 0.5, high)]
    triangles = [(0, 1, 2), (0, 2, 3), (3, 2, 4), (3, 4, 5)]
    y, h = side * 0.001, 0.069 if rise < 0 else 0.049
    ball = lab.grain((0.0, y - side * 0.5, high + h))
    seen = machine({"shape": "mesh", "vertices": points, "triangles": triangles}, [ball]).frame()
    if rise < 0:
        expected = [(0.0, s / math.sqrt(2), 1 / math.sqrt(2), RADIUS - (h + s * y) / math.sqrt(2)) for s in (-1, 1)]
    else:
        away = math.hypot(y, h)
        expected = [(0.0, y / away, h / away, RADIUS - away)]
    forces = seen.contacts.force[np.argsort(seen.contacts.force[:, 1])]
    stiffness = lab.hertz_stiffness(RADIUS)
    assert forces == pytest.approx(np.array([np.array(e[:3]) * stiffness * e[3] ** 1.5 for e in expected]), rel=1e-9)


def test_a_ball_rolls_up_a_slope_through_a_face_as_up_a_plane() -> None:
    """A slope of 30° rises through the face: its lower part lies at one end of the box, its upper part at the other.
    Velocity, spin and the displacement that friction remembers are those on a plane, to round-off. Gravity is taken
    along the slope's normal, so that the ball goes on.
    """
    angle = math.radians(30.0)
    points = [(x, y, math.tan(angle) * (y - 0.5)) for x in (-1, 1) for y in (0.3, 0.5)]
    points += [(x, y, math.tan(angle) * (y + 0.5)) for x in (-1, 1) for y in (-0.5, -0.3)]
    sheet = {"shape": "mesh", "vertices": points, "triangles": [(0, 1, 3), (0, 3, 2), (4, 5, 7), (4, 7, 6)]}
    normal = np.array([0.0, -math.sin(angle), math.cos(angle)])
    foot, seen = np.array([0.0, 0.4, -0.1 * math.tan(angle)]), []
    for wall in (sheet, {"shape": "plane", "point": tuple(foot), "normal": tuple(normal)}):
        ball = lab.grain(foot + (RADIUS - 1e-4) * normal, velocity=(0.2, 2.0 * math.cos(angle), 2.0 * math.sin(angle)))
        long = {} if wall is sheet else {"box": {"low": (-1e3, -10.0, -1e3), "high": (1e3, 10.0, 1e3)}}
        solver = machine(wall, [ball], gravity=tuple(-lab.GRAVITY * normal), **long)
        solver.advance(2000)
        now = solver.frame()
        memory = peek(solver, "wall_memory").reshape(-1, solver.lists.wall_memory, 16).sum(axis=(0, 2))
        memory[3] /= 5e4  # N/m: the stiffness that the load gave a step before
        seen.append(np.concatenate([now.velocity[0], now.spin[0], now.orientation[0], memory]))
        assert now.position[0, 1] == pytest.approx(-0.32 if wall is sheet else 0.68, abs=0.05)
    assert np.allclose(seen[0], seen[1], rtol=0, atol=1e-9)


def test_what_turns_on_the_other_side_of_a_face_drags_a_ball() -> None:
    """A roller, round and 3 cm in radius, lies 3 cm from the upper face and turns about x at ω. A ball at the lower
    face touches it through the face, 1 mm deep, and is pushed along the line of centres n. The surface moves by ω × r,
    with r from the middle of the roller's image, so the ball is dragged along e = x × n. While it slides, friction is
    μ times the push: of the speed that it gains along e, at most μ times that along n, it gains nearly all.
    """
    middle, rate, friction = np.array([0.0, 0.44, 0.0]), 50.0, 0.2
    roller = {"shape": "sphere", "center": tuple(middle), "radius": 0.03}
    roller |= {"motion": {"kind": "rotate", "rate": rate, "axis": (1, 0, 0), "center": tuple(middle)}}
    n = np.array([0.0, 0.96, 0.28])
    ball = lab.grain(middle - (0.0, 1.0, 0.0) + (0.03 + RADIUS - 1e-3) * n)
    solver = machine(roller, [ball], a=lab.material(friction=friction))
    force = solver.frame().contacts.force
    push = lab.hertz_stiffness(RADIUS) * 1e-3**1.5
    assert len(force) == 1 and force[0] @ n == pytest.approx(push, rel=1e-9)
    solver.advance(100)
    velocity = solver.frame().velocity[0]
    pushed, dragged = velocity @ n, velocity @ np.cross((1, 0, 0), n)
    assert pushed > 0.01 and 0.8 * friction * pushed < dragged < 1.01 * friction * pushed


def test_a_hard_ball_bounces_along_a_rectangle_as_along_a_plane() -> None:
    """Hard spheres are in the box at every moment: rough ones bounce over a seam as they do elsewhere."""
    seen = []
    for wall in ({"shape": "plane"}, {"shape": "rectangle", "widths": (2.0, 1.0)}):
        ball = hard_lab.grain((0.0, 0.3, 0.06), velocity=(0.0, 1.0, 0.0))
        solver = hard_lab.solver(
            hard_lab.scene(
                [ball], [wall], restitution=0.9, tangential=0.5, gravity=(0.0, 0.0, -lab.GRAVITY),
                periodic=(False, True, False), box={"low": (-1, -0.5, -1), "high": (1, 0.5, 1)},
            )
        )  # fmt: skip
        solver.advance_to(3.0)
        now = solver.frame()
        bounces = solver.statistics()["wall_collisions"]
        seen.append(np.concatenate([now.position[0], now.velocity[0], now.spin[0], [bounces]]))
    assert np.allclose(seen[0], seen[1], rtol=0, atol=1e-9)
    assert seen[0][-1] > 20


POSTS: dict[str, dict[str, Any]] = {
    "beyond": {"shape": "sphere", "center": (0, 0.5, 0), "radius": 0.2},
    "in the face": {"shape": "rectangle", "center": (0, 0.5, 0), "normal": (0, 1, 0), "widths": (1, 1)},
}


@pytest.mark.parametrize("kind", POSTS)
def test_a_wall_that_a_face_cuts_off_is_told_and_its_twin_is_the_remedy(kind: str) -> None:
    """What lies beyond a face is not repeated, so a ball that comes from the other end passes into such a wall. It is
    told before the run; with the same wall a period further nothing is told, and the ball bounces back, elastically.
    """
    post = {**POSTS[kind], "name": "post"}
    ball = lab.grain((0.0, 0.1, 0.0), velocity=(0.0, -1.0, 0.0))
    elastic = lab.material(restitution=1.0)

    def cut_off(scene: Any) -> list[str]:
        return [one.what for one in checks.check(*lab.prepared(scene)) if "'post'" in one.what or "'twin'" in one.what]

    (told,) = cut_off(described([post], [ball], a=elastic))
    assert "the periodic face y = 0.5 m" in told
    both = described([post, {**post, "name": "twin", "center": (0, -0.5, 0)}], [ball], a=elastic)
    assert not cut_off(both)
    solver = lab.solver(both, 1e-4)
    solver.advance_to(0.7)
    assert solver.frame().velocity[0, 1] == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("floor", FLOORS)
def test_floors_from_face_to_face_are_not_told_of(floor: str) -> None:
    """They are whole where the box repeats them, and where they reach beyond both faces nothing is missing."""
    solver = machine(FLOORS[floor], [lab.grain((0.0, 0.0, 0.06))])
    assert not [one for one in checks.check(*lab.prepared(solver.model.scene)) if "'wall'" in one.what]
