"""What the shapes accept, and how they say no."""

from __future__ import annotations

import numpy as np
import pytest

from barchan import registry
from barchan.errors import SceneError
from barchan.geometry import rotate
from barchan.parts.wall_shapes.box import Box
from barchan.parts.wall_shapes.cylinder import Cylinder
from barchan.parts.wall_shapes.plane import Plane

KEYS = ["box", "cone", "cylinder", "disk", "frustum", "line", "plane", "point", "rectangle", "ring", "sphere"]


def test_all_shapes_are_known_by_name():
    assert set(KEYS) <= set(registry.parts("shapes"))


@pytest.mark.parametrize(
    ("key", "fields", "complaint"),
    [
        ("plane", {"normal": (0, 0, 0)}, "normal.*zero vector"),
        ("box", {"low": (0, 0, 0), "high": (1, 0, 1)}, "high.*greater than low"),
        ("box", {"low": (0, 0, 0), "high": (1, 1, 1), "open": ["+w"]}, "open"),
        ("box", {"low": (0, 0, 0), "high": (1, 1, 1), "open": ["-x", "+x", "-y", "+y", "-z", "+z"]}, "open.*one face"),
        ("box", {"low": (0, 0, 0), "high": (1, 1, 1), "open": ["+z"], "side": "outside"}, "side.*no open faces"),
        ("cylinder", {"radius": -1.0}, "radius.*> 0"),
        ("cylinder", {"radius": 1.0, "length": 2.0, "side": "inside"}, "side.*two-sided"),
        ("cone", {"bottom_radius": 0, "top_radius": 0, "height": 1}, "top_radius.*> 0"),
        ("cone", {"bottom_radius": 0.1, "top_radius": 1, "height": "1 kg"}, "height.*dimension"),
        ("frustum", {"bottom_radius": 0, "top_radius": 0, "height": 1}, "top_radius.*> 0"),
        ("disk", {"radius": 1, "hole": 1}, "hole.*smaller"),
        ("line", {"start": (0, 0, 1), "end": (0, 0, 1)}, "end.*differ"),
        ("rectangle", {"normal": (1, 0, 0), "edge": (-2, 0, 0), "widths": (1, 1)}, "edge.*parallel"),
        ("sphere", {"radius": 1, "raduis": 1}, "raduis"),
    ],
)
def test_nonsense_is_refused_where_it_stands(key, fields, complaint):
    with pytest.raises(SceneError, match=complaint):
        registry.part("shapes", key)(**fields)


def test_lengths_may_have_units():
    assert Cylinder(radius="5 mm").radius == pytest.approx(0.005)
    assert Plane(point=("1 cm", 0, 0)).point == (0.01, 0.0, 0.0)


def test_a_plane_is_placed_at_its_point_along_its_normal():
    (piece,) = Plane(point=(1, 2, 3), normal=(0, -4, 0)).pieces()
    assert piece.origin == (1.0, 2.0, 3.0)
    assert rotate(piece.orientation, (0, 0, 1)) == pytest.approx([0, -1, 0], abs=1e-15)


def test_an_open_box_has_five_faces_that_look_inwards():
    pieces = Box(low=(0, 0, 0), high=(1, 2, 3), open=["+z"]).pieces()
    assert len(pieces) == 5
    for piece in pieces:
        normal = rotate(piece.orientation, (0, 0, 1))
        assert normal @ (np.array([0.5, 1.0, 1.5]) - piece.origin) > 0.0
        assert normal[2] > -0.5


def test_a_plane_is_cut_to_the_box_and_vanishes_outside_it():
    floor = Plane()
    vertices, triangles = floor.surface((0, 0, 0), (1, 2, 3))  # in a face of the box
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    assert np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0 == pytest.approx(2.0, rel=1e-6)
    assert floor.outline((0, 0, 1), (1, 2, 3)) == []
    assert len(floor.surface((0, 0, 1), (1, 2, 3))[1]) == 0


def test_an_endless_cylinder_is_cut_to_the_box():
    (bottom, top, *_) = Cylinder(radius=0.1, axis=(0, 0, 1)).outline((-1, -1, -2), (1, 1, 5))
    assert (bottom[:, 2].min(), top[:, 2].max()) == pytest.approx((-2.0, 5.0))
