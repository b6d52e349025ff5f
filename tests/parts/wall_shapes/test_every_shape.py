"""What holds for every wall shape: the promises of their base, on random instances of all that are registered."""

from __future__ import annotations

import itertools
import math
import runpy
from pathlib import Path

import numba
import numpy as np
import pytest

from barchan import registry
from barchan.geometry import conjugate, rotate

sample = runpy.run_path(str(Path(__file__).parents[2] / "samples.py"))["sample"]

LOW, HIGH = (-12.0, -12.0, -12.0), (12.0, 12.0, 12.0)  # m, what infinite shapes are cut to
SAG = 1.5 * (1.0 - math.cos(math.pi / 64.0))  # m, of a drawn circle, whose radius is at most 1.5 m; a sphere sags twice


@pytest.fixture(params=registry.parts("shapes"))
def shapes(request):
    return sample(registry.part("shapes", request.param), 12)


@pytest.fixture
def pieces(shapes):
    """All of them; of those of a shape that is cut into many alike, some eight."""
    cut = (shape.pieces() for shape in shapes)
    return [piece for mine in cut for piece in mine[:: max(1, len(mine) // 8)]]


@pytest.fixture
def points():
    return np.random.default_rng(1).uniform(-2.5, 2.5, size=(80, 3))


def local(piece, point):
    return piece.gap(*point, *piece.parameters)


def placed(piece, point):
    """The gap at a point of the scene, the normal in the scene's frame."""
    distance, *normal = local(piece, rotate(conjugate(piece.orientation), point - np.asarray(piece.origin)))
    return distance, rotate(piece.orientation, normal)


def awkward_points(piece):
    """Points on axes, edges and corners of the piece's own frame, where a nearest point may not be singled out."""
    marks = {0.0, 0.7}
    for value in piece.parameters:
        if 0.0 < abs(value) < 1e6:
            marks |= {value, -value, value / 2.0, math.nextafter(value, 9.0), 1e-200, 5e-19, -2e-18}
    every = max(1, len(marks) ** 3 // 5000)  # of many thousands some 5000
    return itertools.islice(itertools.product(sorted(marks), repeat=3), 0, None, every if every == 1 else every | 1)


def to_segments(points, start, end):
    """Distances (points, segments)."""
    along = end - start
    length2 = np.maximum((along * along).sum(-1), 1e-300)
    s = np.clip(((points[:, None] - start) * along).sum(-1) / length2, 0.0, 1.0)
    return np.linalg.norm(points[:, None] - start - s[..., None] * along, axis=-1)


def to_triangles(points, corners):
    """Distances (points, triangles) from triangles (t, 3, 3)."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    nearest = np.minimum(np.minimum(to_segments(points, a, b), to_segments(points, b, c)), to_segments(points, c, a))
    normal = np.cross(b - a, c - a)
    size = np.linalg.norm(normal, axis=-1)
    normal = normal / np.maximum(size, 1e-300)[:, None]
    height = ((points[:, None] - a) * normal).sum(-1)
    foot = points[:, None] - height[..., None] * normal
    inside = np.broadcast_to(size > 1e-12, height.shape)
    for p, q in ((a, b), (b, c), (c, a)):
        inside = inside & ((np.cross(q - p, foot - p) * normal).sum(-1) >= 0.0)
    return np.where(inside, np.abs(height), nearest)


def test_it_has_pieces_and_plain_numbers(shapes):
    for shape in shapes:
        for piece in shape.pieces():
            values = [*piece.origin, *piece.orientation, *piece.parameters]
            assert all(type(value) is float and math.isfinite(value) for value in values)
            assert math.hypot(*piece.orientation) == pytest.approx(1.0, abs=1e-14)


def test_what_is_bounded_is_far_from_every_far_point(pieces):
    """A periodic box repeats bounded pieces: those that lie within a few metres, and that no grain is shut in by, so
    that a point far away along any axis is as far from them, in front of them.
    """
    far = [sign * axis for axis in 1e6 * np.eye(3) for sign in (-1.0, 1.0)]
    for piece in pieces:
        assert piece.bounded == all(local(piece, point)[0] > 0.9e6 for point in far)


def test_a_shape_is_remade_from_its_fields(shapes):
    for shape in shapes:
        assert type(shape).model_validate_json(shape.model_dump_json()) == shape


def test_the_normal_is_a_unit_vector_everywhere(pieces, points):
    """Of shapes with hundreds of facets, which are all alike, some forty are looked at."""
    for piece in pieces[:: max(1, len(pieces) // 40)]:
        for point in itertools.chain(points.tolist(), awkward_points(piece)):
            distance, *normal = local(piece, point)
            assert math.isfinite(distance)
            assert math.hypot(*normal) == pytest.approx(1.0, abs=1e-12), (piece, point)


def test_the_foot_of_the_normal_lies_on_the_surface(pieces, points):
    for piece in pieces:
        for point in points:
            distance, *normal = local(piece, point)
            assert abs(local(piece, point - distance * np.array(normal))[0]) < 1e-12


def test_the_normal_is_the_gradient_of_the_distance(pieces, points):
    step = 1e-6
    for piece in pieces:
        for point in points[:30]:
            normal = local(piece, point)[1:]
            slope = [
                (local(piece, point + shift)[0] - local(piece, point - shift)[0]) / (2.0 * step)
                for shift in step * np.eye(3)
            ]
            assert np.allclose(slope, normal, atol=1e-5), (piece, point)


def test_the_distance_changes_no_more_than_the_point_moves(pieces, points):
    for piece in pieces:
        for start, end in itertools.pairwise(points):
            for there in (end, start + 0.01 * (end - start)):
                change = abs(local(piece, there)[0] - local(piece, start)[0])
                assert change <= np.linalg.norm(there - start) + 1e-12


def test_the_distance_is_that_of_the_drawn_surface(shapes, points):
    """Brute force: the nearest of all triangles, or of all strokes for shapes without area."""
    points = points[:30]
    for shape in shapes:
        distances = np.array([min((placed(piece, p)[0] for piece in shape.pieces()), key=abs) for p in points])
        vertices, triangles = shape.surface(LOW, HIGH)
        if len(triangles):
            drawn = to_triangles(points, vertices[triangles]).min(axis=1)
        else:
            strokes = shape.outline(LOW, HIGH)
            start = np.concatenate([stroke[:-1] for stroke in strokes])
            end = np.concatenate([stroke[1:] for stroke in strokes])
            drawn = to_segments(points, start, end).min(axis=1)
        assert np.allclose(np.abs(distances), drawn, rtol=0.0, atol=2.02 * SAG), shape


def test_outline_and_surface_lie_on_the_shape(shapes):
    for shape in shapes:
        vertices, triangles = shape.surface(LOW, HIGH)
        strokes = shape.outline(LOW, HIGH)
        assert vertices.shape == (len(vertices), 3)
        assert triangles.shape == (len(triangles), 3)
        assert triangles.dtype.kind == "i"
        assert not len(triangles) or (triangles.min() >= 0 and triangles.max() < len(vertices))
        assert all(stroke.shape == (len(stroke), 3) and len(stroke) > 1 for stroke in strokes)
        drawn = np.concatenate([vertices, *strokes])
        pieces = shape.pieces()
        for point in drawn[:: max(1, len(drawn) // 50)]:
            assert min(abs(placed(piece, point)[0]) for piece in pieces) < 1e-12


def test_numba_compiles_the_same_gap(pieces, points):
    compiled = {}
    for piece in pieces:
        fast = compiled.setdefault(piece.gap, numba.njit(piece.gap))
        for point in itertools.chain(points.tolist(), itertools.islice(awkward_points(piece), 0, None, 7)):
            assert fast(*point, *piece.parameters) == local(piece, point)


def test_no_surface_comes_nearer_than_a_ball_that_touches_it(pieces, points):
    """d(x + w) ≥ d + n·w − w²/(2μ): the bound by which hard spheres step towards a wall without passing it.

    μ is how far the normal n goes on from x until it meets the axis of a round piece; endless for the others. Points in
    front of the surface only: no hard sphere's centre is ever behind it.
    """
    steps = np.random.default_rng(2).normal(size=(12, 3)) * np.logspace(-3, 0.3, 12)[:, None]
    for piece in pieces:
        for point in points[:40]:
            distance, *normal = local(piece, point)
            if distance <= 0:
                continue
            inward = -(normal[0] * point[0] + normal[1] * point[1])
            clear = (point[0] ** 2 + point[1] ** 2) / inward if piece.axial and inward > 0 else math.inf
            for step in steps:
                bound = distance + np.dot(normal, step) - np.dot(step, step) / (2 * clear)
                if bound > 0:
                    assert local(piece, point + step)[0] >= bound - 1e-12
