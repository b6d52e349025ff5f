"""Spheres at walls and inside of closed surfaces: found through balls in balls, as by asking every one of them."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from barchan import registry
from barchan.geometry import matrix
from barchan.model.build import Walls, build_model
from barchan.model.touching import frames_at, inside, touching, windings
from barchan.parts.wall_shapes import Shape
from barchan.scene.scene import Scene

sample = runpy.run_path(str(Path(__file__).parents[1] / "samples.py"))["sample"]


def walls_of(*shapes: dict[str, Any] | Shape, **options: Any) -> Walls:
    """The walls of a scene that has these."""
    fields = [shape if isinstance(shape, dict) else {"shape": shape} for shape in shapes]
    return build_model(Scene.model_validate({
        "name": "walls", "duration": 1.0, "materials": {"a": {"density": 1.0, "young": 1.0}},
        "grains": [{"name": "g", "material": "a", "size": 1.0, "fill": {"kind": "points", "positions": [(0, 0, 0)]}}],
        "walls": [{"name": f"{k}", "material": "a", **one} for k, one in enumerate(fields)], **options,
    })).walls  # fmt: skip


def spheres(count: int, rng: np.random.Generator, smallest: float = 1e-3, half: float = 2.5) -> np.ndarray:
    """Spheres (count, 4) m, from that radius up to half a metre, evenly over the sizes' logarithm."""
    radius = np.exp(rng.uniform(np.log(smallest), np.log(0.5), count))
    return np.column_stack([rng.uniform(-half, half, (count, 3)), radius])


def asked_of_all(walls: Walls, poses: np.ndarray, ball: np.ndarray) -> dict[tuple[int, int], float]:
    """Distances of all spheres that touch pieces, by sphere and piece: every gap is asked at every sphere."""
    found = {}
    for p in range(len(walls)):
        rest, pose = walls.rest[walls.frame[p]], poses[walls.wall[p]]
        gap = walls.gaps[walls.kind[p]]
        numbers = walls.shape_table[p, : gap.__code__.co_argcount - 3]
        at_rest = (ball[:, :3] - pose[:3]) @ matrix(pose[3:])
        own = (at_rest - rest[:3]) @ matrix(rest[3:])
        for i, point in enumerate(own):
            distance = gap(*point, *numbers)[0]
            if distance < ball[i, 3]:
                found[i, p] = distance
    return found


@pytest.mark.parametrize("key", registry.parts("shapes"))
def test_no_sphere_that_touches_is_passed_over(key: str) -> None:
    """All registered shapes, drawn from their fields, where a motion may have taken them, at spheres of which the
    largest are 500 times the smallest: the contacts are those that asking everywhere finds, at the same distances.

    Catches a bound that is too tight (a ball's reach without its spheres' radii, a facet's box in the wrong frame, a
    pose that is left out), which would let a scene with grains in a wall pass.
    """
    rng = np.random.default_rng(4)
    for shape in sample(registry.part("shapes", key), 4):
        walls = walls_of(shape)
        turn = rng.normal(size=4)
        poses = np.array([[*rng.uniform(-1.0, 1.0, 3), *(turn / np.linalg.norm(turn))]])
        ball = spheres(300 if len(walls) < 100 else 60, rng)
        found = touching(walls, frames_at(walls, poses), ball, np.arange(len(walls)))
        wanted = asked_of_all(walls, poses, ball)
        assert list(zip(found.sphere.tolist(), found.piece.tolist(), strict=True)) == sorted(wanted)
        assert found.distance == pytest.approx([wanted[key] for key in sorted(wanted)], abs=1e-13)
        foot = ball[found.sphere, :3] - found.distance[:, None] * found.normal
        points = np.column_stack([foot, np.full(len(foot), 1e-9)])
        again = touching(walls, frames_at(walls, poses), points, np.arange(len(walls)))
        assert {*range(len(foot))} <= {*again.sphere.tolist()}, "a foot lies on the surface"


def test_only_what_is_near_is_asked() -> None:
    """A floor under ten thousand spheres: catches a search that asks them all, which takes minutes for a million."""
    walls = walls_of({"shape": "plane"})
    asked, true = [], walls.gaps[walls.kind[0]]

    def gap(x: float, y: float, z: float, front: float) -> tuple[float, float, float, float]:
        asked.append(z)
        return true(x, y, z, front)

    walls.gaps[walls.kind[0]] = gap
    side = np.arange(22) + 0.4
    place = np.stack(np.meshgrid(side, side, side), axis=-1).reshape(-1, 3)
    found = touching(walls, walls.rest, np.column_stack([place, np.full(len(place), 0.5)]), np.arange(1))
    assert len(found.sphere) == 22 * 22
    assert len(asked) < 5 * 22 * 22  # of 22³


def test_a_box_repeats_what_is_bounded() -> None:
    """A block near a face of a periodic box is met by what sticks out of the other one, and a plane once. What of a
    block lies beyond the face is not repeated. Catches an image that is forgotten, or one of what lies outside.
    """
    box = {"low": (0.0, 0.0, 0.0), "high": (1.0, 1.0, 1.0)}
    block = {"shape": "box", "low": (0.8, 0.2, 0.2), "high": (0.98, 0.8, 0.8), "side": "outside"}
    walls = walls_of(block, {"shape": "plane"}, periodic=(True, True, False), box=box)
    frames = frames_at(walls, np.tile([0.0, 0, 0, 1, 0, 0, 0], (2, 1)))
    ball = np.array([(0.03, 0.5, 0.5, 0.1), (0.75, 0.5, 0.5, 0.1), (0.3, 0.5, 0.05, 0.1), (0.2, 0.5, 0.5, 0.1)])
    found = touching(walls, frames, ball, np.arange(2))
    assert list(zip(found.sphere.tolist(), found.piece.tolist(), strict=True)) == [(0, 0), (1, 0), (2, 1)]
    assert found.distance == pytest.approx([0.05, 0.05, 0.05])
    assert found.normal[0] == pytest.approx((1.0, 0.0, 0.0))
    assert touching(walls, frames, ball, np.arange(2), repeats=False).sphere.tolist() == [1, 2]
    beyond = walls_of({**block, "high": (1.1, 0.8, 0.8)}, periodic=(True, True, False), box=box)
    assert len(touching(beyond, frames[:1], np.array([(0.05, 0.5, 0.5, 0.1)]), np.arange(1)).sphere) == 0


def test_nothing_touches_nothing() -> None:
    walls = walls_of({"shape": "plane"})
    for ball, pieces in ((np.zeros((0, 4)), np.arange(1)), (np.ones((3, 4)), np.arange(0))):
        assert len(touching(walls, walls.rest, ball, pieces).sphere) == 0


def test_winding_tells_inside_from_outside() -> None:
    ball = trimesh.creation.icosphere(subdivisions=2)
    points = np.random.default_rng(3).uniform(-1.2, 1.2, (200, 3))
    turns = windings(points, np.asarray(ball.triangles))
    radius = np.linalg.norm(points, axis=1)
    assert np.allclose(turns[radius < 0.95], 1.0)
    assert np.allclose(turns[radius > 1.01], 0.0, atol=1e-12)


def test_balls_of_points_are_inside_as_a_whole() -> None:
    """Points in and about a ring with a hole, as the winding about each of them has it. Catches a ball that straddles
    the surface and is taken as a whole, and points that get their neighbours' answer.
    """
    corners = np.asarray(trimesh.creation.torus(1.0, 0.4, major_sections=24, minor_sections=12).triangles)
    points = np.random.default_rng(8).uniform(-1.6, 1.6, (3000, 3)) * (1.0, 1.0, 0.4)
    wanted = windings(points, corners) > 0.5
    assert 500 < wanted.sum() < 2500
    assert np.array_equal(inside(points, corners), wanted)
