"""Meshes: files, distances, and what is said when they are no good."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from barchan.errors import FileError, SceneError
from barchan.geometry import conjugate, rotate
from barchan.parts.wall_shapes.mesh import Mesh, feature_edges, gap
from barchan.scene.toml import loads

trimesh = pytest.importorskip("trimesh")

SCENE = """
name = "m"
duration = 1
[materials.a]
density = 1000
[[walls]]
name = "w"
shape = "mesh"
path = "bar.KIND"
scale = 0.001
position = [0, 0, "5 cm"]
rotation = ["90 deg", 0, 0]
side = "outside"
material = "a"
[[grains]]
name = "g"
material = "a"
size = 0.01
fill = { kind = "points", positions = [[1, 0, 0]] }
"""
SQUARE = {"vertices": [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], "triangles": [(0, 1, 2), (0, 2, 3)]}


def distances(shape: Mesh, points: np.ndarray) -> np.ndarray:
    """The distance of every point from the nearest piece."""
    pieces = shape.pieces()
    local = rotate(conjugate(shape.orientation()), points - np.asarray(shape.position))
    return np.array([min(piece.gap(*p, *piece.parameters)[0] for piece in pieces) for p in local.tolist()])


def sampled(corners: np.ndarray, steps: int = 60) -> np.ndarray:
    """Points all over triangles (t, 3, 3)."""
    u, v = np.meshgrid(np.linspace(0, 1, steps), np.linspace(0, 1, steps))
    inside = u + v <= 1.0
    weights = np.stack([1 - u - v, u, v], -1)[inside]
    return np.einsum("wk,tkx->twx", weights, corners).reshape(-1, 3)


@pytest.mark.parametrize("kind", ["stl", "obj", "ply"])
def test_a_file_is_read_scaled_turned_and_placed(tmp_path: Path, kind: str) -> None:
    made = trimesh.creation.cylinder(radius=3.0, height=10.0, sections=24)
    made.export(tmp_path / f"bar.{kind}")
    shape = loads(SCENE.replace("KIND", kind), folder=tmp_path).walls[0].shape
    vertices, triangles = shape.surface((0, 0, 0), (1, 1, 1))
    assert len(triangles) == len(made.faces) == len(shape.pieces())
    assert np.ptp(vertices, axis=0) == pytest.approx((0.006, 0.01, 0.006), rel=1e-2)
    assert vertices.mean(axis=0) == pytest.approx((0, 0, 0.05), abs=1e-6)
    rims = np.concatenate(shape.outline((0, 0, 0), (1, 1, 1)))
    assert np.abs(rims[:, 1]) == pytest.approx(0.005)  # the mantle bends by 15° from pane to pane: only caps are drawn
    outward = np.array([piece.facet.normal for piece in shape.pieces() if piece.facet])
    middles = shape.corners().mean(axis=1)
    assert np.all((outward * middles).sum(axis=1) > 0)


def test_the_distance_is_that_of_the_nearest_point() -> None:
    """Against points strewn over every triangle of a bent mesh: no point is nearer, and one is about as near."""
    rng = np.random.default_rng(2)
    ball = trimesh.creation.icosphere(subdivisions=1)
    vertices = (ball.vertices * rng.uniform(0.5, 1.2, (len(ball.vertices), 1))).tolist()
    shape = Mesh(vertices=vertices, triangles=ball.faces.tolist(), rotation=(0.3, 1.0, -0.4), position=(1, 2, 3))
    points = rng.uniform(-1.5, 1.5, (60, 3)) + np.array((1, 2, 3))
    strewn = rotate(shape.orientation(), sampled(shape.corners())) + np.array((1, 2, 3))
    nearest = np.linalg.norm(points[:, None] - strewn, axis=-1).min(axis=1)
    found = distances(shape, points)
    assert np.all(found <= nearest + 1e-12)
    assert np.allclose(found, nearest, atol=2e-2)


@pytest.mark.parametrize(
    ("point", "distance", "normal"),
    [
        ((0.2, 0.2, 0.5), 0.5, (0, 0, 1)),
        ((0.2, 0.2, -0.5), 0.5, (0, 0, -1)),
        ((0.5, -0.3, 0.4), 0.5, (0, -0.6, 0.8)),
        ((-0.3, -0.4, 0.0), 0.5, (-0.6, -0.8, 0)),
        ((1.0, 1.0, 0.0), math.sqrt(0.5), (math.sqrt(0.5), math.sqrt(0.5), 0)),
        ((0.0, 1.5, 0.0), 0.5, (0, 1, 0)),
        ((0.2, 0.2, 0.0), 0.0, (0, 0, 1)),
    ],
)
def test_a_triangle_has_a_face_edges_and_corners(point: tuple[float, ...], distance: float, normal: tuple) -> None:
    found = gap(*point, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    assert found == pytest.approx((distance, *normal), abs=1e-15)


def test_outside_is_found_whichever_way_the_triangles_are_wound() -> None:
    box = trimesh.creation.box()
    for faces in (box.faces, box.faces[:, ::-1]):
        shape = Mesh(vertices=box.vertices.tolist(), triangles=faces.tolist(), side="outside")
        for piece in shape.pieces():
            assert piece.facet is not None
            middle = np.reshape(piece.parameters, (3, 3)).mean(axis=0)
            assert np.dot(piece.facet.normal, middle) > 0


def test_triangles_without_area_are_left_out_with_a_note() -> None:
    shape = Mesh(vertices=[*SQUARE["vertices"], (0.5, 0, 0)], triangles=[*SQUARE["triangles"], (0, 1, 4), (2, 2, 3)])
    assert len(shape.pieces()) == 2
    assert shape.notes() == ["2 triangles of the mesh have no area and are left out"]
    assert Mesh(**SQUARE).notes() == []


def test_only_rims_and_bends_are_drawn() -> None:
    assert len(feature_edges(Mesh(**SQUARE).geometry())) == 4
    box = trimesh.creation.box()
    assert len(feature_edges(Mesh(vertices=box.vertices.tolist(), triangles=box.faces.tolist()).geometry())) == 12


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({}, "either path, or vertices and triangles"),
        ({"path": "a.stl", **SQUARE}, "either path, or vertices and triangles"),
        ({"vertices": SQUARE["vertices"]}, "either path, or vertices and triangles"),
        ({"path": "a.step"}, "path of a file that ends in .stl or .obj or .ply"),
        ({**SQUARE, "triangles": [(0, 1, 4)]}, "indices must lie between 0 and 3"),
        ({**SQUARE, "scale": 0}, "scale.*> 0"),
    ],
)
def test_wrong_fields_are_told(fields: dict, complaint: str) -> None:
    with pytest.raises(SceneError, match=complaint):
        Mesh(**fields)


def test_a_surface_with_holes_has_no_side() -> None:
    with pytest.raises(SceneError, match=r"not closed.*watertight"):
        Mesh(**SQUARE, side="inside").pieces()
    with pytest.raises(SceneError, match="no area"):
        Mesh(vertices=[(0, 0, 0), (1, 0, 0), (2, 0, 0)], triangles=[(0, 1, 2)]).pieces()


@pytest.mark.parametrize(("name", "content"), [("gone.stl", None), ("text.stl", "hello"), ("empty.obj", "")])
def test_a_file_that_is_no_mesh_is_told(tmp_path: Path, name: str, content: str | None) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(FileError, match=name):
        Mesh(path=str(tmp_path / name)).pieces()
