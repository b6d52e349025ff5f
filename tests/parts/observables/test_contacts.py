"""What counts as a contact: pairs of bodies, and walls by their faces, however both are put together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from barchan.measures.grains import contact_number, contact_points
from barchan.parts.observables.contacts import Contacts
from barchan.parts.observables.packing import Packing
from barchan.parts.observables.stress import Stress
from barchan.parts.wall_shapes._faces import flat_faces
from solvers import beams_lab, hard_lab, lab

OVERLAP = 1e-4  # m, of all contacts here


def test_a_box_has_as_many_faces_as_planes() -> None:
    """A ball in a corner touches three faces, whether they are those of a box or three planes; one on an edge of two
    planes, two. Counted by walls, the box would be one.
    """
    place = (0.05 - OVERLAP,) * 3
    box = {"shape": "box", "low": (0.0, 0.0, 0.0), "high": (1.0, 1.0, 1.0)}
    planes = [{"shape": "plane", "normal": tuple(row)} for row in np.eye(3).tolist()]
    for walls, expected in (([box], 3), (planes, 3), (planes[:2], 2)):
        moment = hard_lab.solver(hard_lab.scene([hard_lab.grain(place)], walls)).frame()
        assert Contacts().measure(moment)["contacts_per_grain"] == expected
        assert Packing().measure(moment)["coordination"] == expected


def test_cubes_are_neighbours_once() -> None:
    """Four cubes in a row on a floor, each of eight spheres: 3 pairs and 4 at the floor make (6 + 4)/4 a grain, at
    (6 · 4 + 4 · 4)/4 points. None touches four bodies, so all are rattlers. Counted by spheres, none would be.
    """
    places = [(0.1 * k - OVERLAP * k, 0.0, 0.05 - OVERLAP) for k in range(4)]
    machine = lab.solver(lab.scene("hertz", [lab.grains(places, shape="cube")], [lab.FLOOR]), 1e-5)
    moment, frame = machine.frame(), machine.frame("contacts")
    packing = Packing().measure(moment)
    assert (packing["coordination"], packing["rattler_share"]) == (2.5, 1.0)
    assert Contacts().measure(moment)["contacts_per_grain"] == 2.5
    assert Contacts().measure(moment)["contact_points_per_grain"] == 10.0
    assert contact_number(frame).tolist() == [2.0, 3.0, 3.0, 2.0]
    assert contact_points(frame).tolist() == [8.0, 12.0, 12.0, 8.0]


@pytest.mark.parametrize(("fold", "faces"), [(0.0, 1), (0.2, 2)])
def test_two_triangles_are_one_wall_and_one_face_where_they_are_level(fold: float, faces: int) -> None:
    """A dimer lies across the edge that two triangles share, one sphere on each. Both contacts are with the wall, which
    is −1 − its index; they are one face while the triangles lie in a plane, and two where the edge is bent.
    """
    up = fold  # m, by which the outer corners are raised, 1 m from the edge
    vertices = [(0.0, -1.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, up), (-1.0, 0.0, up)]
    wall = {"shape": "mesh", "material": "a", "vertices": vertices, "triangles": [(0, 2, 1), (0, 1, 3)]}
    # Seen from the edge both sides rise by `slope`; a sphere touches its side where its centre is r above it.
    slope = math.atan2(up, 1.0)
    apart, radius = 0.05, 0.05
    height = (radius - OVERLAP + apart * math.sin(slope)) / math.cos(slope)
    dimer = lab.grain((0.0, 0.0, height), shape=[
        {"position": (side * apart, 0.0, 0.0), "radius": radius} for side in (-1.0, 1.0)
    ])  # fmt: skip
    scene = lab.walled([dimer], [{**wall, "name": "mesh"}])
    machine = lab.solver(scene, 1e-5)
    touching = machine.frame("contacts").contacts
    assert touching.second.tolist() == [-1 - (len(scene.walls) - 1)] * 2
    assert len(set(touching.face.tolist())) == faces
    measured = Contacts().measure(machine.frame())
    assert (measured["contacts_per_grain"], measured["contact_points_per_grain"]) == (faces, 2.0)


def test_faces_of_a_cube_of_triangles() -> None:
    """Twelve triangles, some wound the other way, make six faces of two; corners that are told apart by 1e-12 m are
    the same. A second cube that does not touch the first has six faces of its own.
    """
    rng = np.random.default_rng(3)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    spots = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    one = np.array([spots[[a, b, c]] for q in quads for a, b, c in (q[:3], (q[0], q[3], q[2]))])
    both = np.concatenate([one, one + 3.0]) + 1e-12 * rng.normal(size=(24, 3, 3))
    face = flat_faces(both)
    assert len(set(face.tolist())) == 12
    assert np.all(face[::2] == face[1::2])


def at_rest_on(walls: list[dict[str, Any]], **options: Any) -> beams_lab.BeamSolver:
    """A square of 2 mm that reaches 20 µm behind smooth walls, sliding, with friction."""
    square = beams_lab.grain(0.0, 0.98e-3, velocity=(0.05, 0.0, 0.0))
    planes = [{"name": f"w{k}", "shape": "plane", "material": "a", **one} for k, one in enumerate(walls)]
    return beams_lab.solver(beams_lab.scene([square], walls=planes, friction=0.3, **options))


def test_smooth_walls_are_in_the_frames_of_triangles() -> None:
    """A square slides along a floor and against a wall: every contact stands in the frame with its own wall, and their
    forces add up to what moves the square. Floor and wall push it away, and rub by no more than μ times that.
    """
    walls = [{"normal": (0.0, 0.0, 1.0)}, {"normal": (-1.0, 0.0, 0.0), "point": (0.98e-3, 0.0, 0.0)}]
    machine = at_rest_on(walls)
    machine.advance(20)
    touching = machine.frame("contacts").contacts
    assert set(touching.second.tolist()) == {-1, -2}
    total = touching.force.sum(axis=0)
    acting = beams_lab.forces(machine).sum(axis=0)  # without gravity in this scene
    assert total[[0, 2]] == pytest.approx(acting[:2], rel=1e-9)
    floor, wall = (touching.force[touching.second == which].sum(axis=0) for which in (-1, -2))
    assert floor[2] > 0 > wall[0]
    for along, push in ((floor[0], floor[2]), (wall[2], -wall[0])):
        assert 0 < abs(along) <= 0.3 * push * (1 + 1e-9)


def test_smooth_walls_press_into_the_stress_of_triangles() -> None:
    """Between a floor and a lid a square is pressed by f from both sides: Σ f · branch is the two forces times their
    distance, f (2 mm − 40 µm), over the square's area as the stated volume.
    """
    walls = [{"normal": (0.0, 0.0, 1.0)}, {"normal": (0.0, 0.0, -1.0), "point": (0.0, 0.0, 1.96e-3)}]
    machine = at_rest_on(walls)
    moment = machine.frame()
    force = machine.frame("contacts").contacts
    lift = force.force[force.second == -1][:, 2].sum()
    stress = Stress(volume=4e-6).measure(moment)
    arms = [force.point[force.second == which][:, 2].mean() for which in (-1, -2)]
    assert lift > 0
    assert -stress["stress_zz"] * 4e-6 == pytest.approx(lift * (arms[1] - arms[0]), rel=1e-9)
    assert Contacts().measure(moment)["contacts_per_grain"] == 2.0
