"""Strips of triangles: a straight side of a wall is flat, wherever it happens to be cut into triangles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from barchan.errors import RunError, SceneError
from barchan.model.build import build
from barchan.solvers.beams import checks, ledger
from barchan.solvers.beams.layout import LOAD_TURN, LOAD_X, LOAD_Z
from barchan.solvers.beams.solver import BeamSolver
from solvers import beams_lab as lab
from solvers.inside import peek

YOUNG = 2e6
WIDE = 2e-3  # m, of strips
LEG = 2e-3  # m, of a right-angled triangle with equal legs
ROUND = {"box": {"low": (-4e-3, -1e-3, -5e-3), "high": (4e-3, 1e-3, 1e-2)}, "periodic": (True, False, False)}
CONTACTS = pytest.mark.parametrize("contact", ["paper", "exact"])


def line(start: tuple[float, float], end: tuple[float, float]) -> dict[str, Any]:
    """A wall along a line from `start` to `end`, x and z in m."""
    return {
        "name": "strip", "shape": "line", "start": (start[0], 0.0, start[1]), "end": (end[0], 0.0, end[1]),
        "material": "a",
    }  # fmt: skip


def floor(long: float = 0.03) -> dict[str, Any]:
    """A strip with its upper side at z = 0."""
    return line((-long, -WIDE / 2), (long, -WIDE / 2))


def mesh(*segments: tuple[tuple[float, float], tuple[float, float]]) -> dict[str, Any]:
    """A wall that is cut at y = 0 to these segments from x, z to x, z (m)."""
    vertices = [
        (x, y, z)
        for start, end in segments
        for x, z, y in ((*start, -1e-2), (*end, -1e-2), (*end, 1e-2), (*start, 1e-2))
    ]
    triangles = [(k, k + m, k + m + 1) for k in range(0, len(vertices), 4) for m in (1, 2)]
    return {"name": "strip", "shape": "mesh", "vertices": vertices, "triangles": triangles, "material": "a"}


def wedge(
    wall: dict[str, Any], contact: str, x: float, z: float, angle: float = 0.0, wide: float = WIDE, **options: Any
) -> BeamSolver:
    """A triangle, with its right angle at x, z (m) and legs along x and z, then turned about its middle, at a wall."""
    third = LEG / 3
    corners = ((-third, -third), (LEG - third, -third), (-third, LEG - third))
    grain = lab.polygon(x + third, z + third, *corners)
    beams = {"contact": contact, "wall_thickness": wide}
    machine = lab.solver(lab.scene([grain], beams=beams, walls=[wall], **options), 1e-6)
    assert machine.triangle_count == 1
    lab.turn(machine, slice(0, 1), angle)
    return machine


def flying(
    wall: dict[str, Any], contact: str, x: float, velocity: tuple[float, float], height: float = 5e-5, **options: Any
) -> BeamSolver:
    """A square of 2 mm so high (m) above z = 0."""
    square = lab.grain(x, 1e-3 + height, velocity=(velocity[0], 0.0, velocity[1]))
    beams = {"contact": contact, "wall_thickness": WIDE, "damping": 0.0}
    return lab.solver(lab.scene([square], beams=beams, walls=[wall], **options))


@CONTACTS
@pytest.mark.parametrize("x", [0.0, 4e-4, 1.3e-3])
def test_a_square_that_falls_flat_on_a_line_leaves_it_as_it_leaves_a_plane(x: float, contact: str) -> None:
    """Where the strip is cut must not matter: without friction the push is vertical and evenly spread.

    A square that falls flat is pushed alike on its left and right half, so it has no spin and keeps its speed along
    the wall: spins are some 1e-6 rad/s by round-off (40 and 10 rad/s where each triangle pushes by itself). The
    half-plane has another formula for the same area, so that all velocities agree to round-off too.
    """
    plane = {"name": "plane", "shape": "plane", "point": (0, 0, 0), "normal": (0, 0, 1), "material": "a"}
    found = []
    for wall in (plane, floor()):
        machine = flying(wall, contact, x, (0.05, -0.2))
        machine.advance_to(2e-3)
        body = ledger.bodies(machine)
        assert body.velocity[0, 2] > 0.1  # it has bounced
        assert body.velocity[0, 0] == pytest.approx(0.05, rel=1e-9)
        assert abs(body.spin[0]) < 1e-4
        found.append(np.concatenate([body.velocity[0], body.position[0]]))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("periodic", [False, True])
def test_a_frictionless_square_slides_along_a_line_at_its_speed(periodic: bool) -> None:
    """Nothing acts along a straight wall without friction: not at joints of the strip, nor where the box repeats.

    At 0.1 m/s it goes 6 mm, over three joints of triangles, bouncing a little; in the periodic box of 8 mm, which the
    strip spans, it goes round the face.
    """
    options: dict[str, Any] = {"gravity": (0.0, 0.0, -9.81), **(ROUND if periodic else {})}
    machine = flying(floor(4e-3 if periodic else 0.03), "paper", 0.0, (0.1, 0.0), 1e-6, **options)
    machine.advance_to(0.06)
    body = ledger.bodies(machine)
    assert body.velocity[0, 0] == pytest.approx(0.1, rel=1e-9)
    assert abs(body.spin[0]) < 1e-3
    assert 0.9e-3 < body.position[0, 2] < 1.1e-3
    assert body.position[0, 0] == pytest.approx(-2e-3 if periodic else 6e-3, rel=1e-6)


@CONTACTS
@pytest.mark.parametrize("ends", [(-4e-3, 4e-3), (-5e-3, 3e-3)])
def test_a_strip_from_face_to_face_has_no_seam(ends: tuple[float, float], contact: str) -> None:
    """Where a floor meets itself round the box, its push is that of its middle.

    A right angle lies 0.1 mm deep with one of its legs down and its middle above the seam: were both ends to reach
    across it, their areas would add up, and in `exact` contact push seven times as hard. Nothing pushes along the wall.
    """
    wall = line((ends[0], -WIDE / 2), (ends[1], -WIDE / 2))
    found = [lab.forces(wedge(wall, contact, x, -1e-4, **ROUND))[0] for x in (ends[1] - 3e-3, ends[1] - 5e-4)]
    assert found[0][1] > 0.1
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-12 * found[0][1])


@CONTACTS
@pytest.mark.parametrize("x", [2.5e-3, 3e-3, 3.4e-3])
def test_a_floor_is_straight_where_a_post_stands_below_it(x: float, contact: str) -> None:
    """Of three lines that meet, the two that go straight on are one side: a square that falls flat beside the post
    gets no spin and keeps its speed, as anywhere on a straight wall (37 rad/s where the floor ends at the post).
    """
    level, foot = -WIDE / 2, 3e-3
    halves = (((-0.03, level), (foot, level)), ((foot, level), (0.03, level)))
    machine = flying(mesh(*halves, ((foot, level), (foot, -0.01))), contact, x, (0.05, -0.2))
    machine.advance_to(2e-3)
    body = ledger.bodies(machine)
    assert body.velocity[0, 2] > 0.1  # it has bounced
    assert body.velocity[0, 0] == pytest.approx(0.05, rel=1e-9)
    assert abs(body.spin[0]) < 1e-4


@CONTACTS
@pytest.mark.parametrize("x", [5e-4, 1e-3, 5e-3])
def test_a_box_is_flat_outside_up_to_its_corner(x: float, contact: str) -> None:
    """A square that falls flat on top of a box gets no spin beside its corner: there the face is of the upper side too.

    The strip is 2 mm wide and reaches out to x = −1 mm. The square of 2 mm begins at x − 1 mm, beyond what is nearer to
    the upright side, as deep as it comes (38 rad/s where triangles cut the corner, and are of the upright side).
    """
    box = {"name": "box", "shape": "box", "low": (0, -1e-2, -0.011), "high": (1e-2, 1e-2, -WIDE / 2), "material": "a"}
    machine = flying(box, contact, x, (0.0, -0.2))
    machine.advance_to(2e-3)
    body = ledger.bodies(machine)
    assert body.velocity[0, 2] > 0.1  # it has bounced
    assert abs(body.velocity[0, 0]) < 1e-9
    assert abs(body.spin[0]) < 1e-4


@pytest.mark.parametrize("x", [0.0, 3e-4, 1.1e-3])
def test_a_corner_in_a_line_is_pushed_as_the_paper_says(x: float) -> None:
    """Kind 1: Y times the area of the tip, straight out of the wall.

    A right angle that points down by d has a tip of area d², and is pushed with Y d² at the middle of the line
    between the crossings, right below the middle of the triangle: there is no torque.
    """
    deep = 1e-4
    machine = wedge(floor(), "paper", 0.0, 0.0, np.pi / 4)
    state = peek(machine, "state")
    state[0, 0, 0] = x
    state[0, 1, 0] = np.sqrt(2) * LEG / 3 - deep  # that far is the right angle from the middle
    machine.rebuild()
    fx, fz, turn = lab.forces(machine)[0]
    assert fz == pytest.approx(YOUNG * deep**2, rel=1e-9)
    assert abs(fx) < 1e-9 * fz
    assert abs(turn) < 1e-9 * fz * LEG


POSES = [(0.0, -2e-4, 0.3), (2.95e-2, -3e-4, 0.5), (3.02e-2, -8e-4, 0.0), (3.095e-2, -4e-4, 2.2), (1e-3, -6e-4, -2.0)]


@pytest.mark.parametrize("pose", POSES)
def test_forces_of_strips_are_the_gradient_of_an_energy(pose: tuple[float, float, float]) -> None:
    """In `exact` contact force and torque are minus the slopes of the stored energy, on joints and about ends too.

    The slopes are found by moving and turning the triangle by ± 1e-8 m and 1e-5 rad: of the third power of the area
    they are right to some 1e-7.
    """
    machine = wedge(floor(), "exact", *pose)
    state, found = peek(machine, "state"), lab.forces(machine)[0]
    slopes = []
    for axis, small in ((0, 1e-8), (1, 1e-8), (2, 1e-5)):
        stored = []
        for sign in (1, -1):
            state[0, axis, 0] += sign * small
            stored.append(ledger.present(machine).stored)
            state[0, axis, 0] -= sign * small
        slopes.append((stored[0] - stored[1]) / (2 * small))
    scale = np.array([1.0, 1.0, LEG]) * np.hypot(*found[:2])
    assert scale[0] > 0
    np.testing.assert_allclose(-np.array(slopes) / scale, found / scale, atol=1e-5)


@CONTACTS
@pytest.mark.parametrize("pose", POSES)
def test_a_strip_feels_what_it_does(pose: tuple[float, float, float], contact: str) -> None:
    """Force on the triangle and on the wall's rows, and their torques about any point, add up to nothing."""
    machine = wedge(floor(), contact, *pose)
    load = ledger.present(machine).load
    x, z = peek(machine, "state")[:, :2, 0].T
    force, turn = load[:, [LOAD_X, LOAD_Z]], load[:, LOAD_TURN] + x * load[:, LOAD_Z] - z * load[:, LOAD_X]
    assert np.abs(force[0]).max() > 0
    np.testing.assert_allclose(force.sum(axis=0), 0.0, atol=1e-14 * np.abs(force[0]).max())
    assert turn.sum() == pytest.approx(0.0, abs=1e-13 * np.abs(turn).max())


@CONTACTS
def test_pushes_do_not_jump_where_a_triangle_pierces_a_strip(contact: str) -> None:
    """A triangle that is lowered through a strip thinner than itself is pushed up at first, and in the end down.

    The sum of the areas is that of the triangle between two levels, and the push turns round where its sections at both
    are as wide: there the overlap has no side to go to, and the push must pass through nothing. The largest pushes
    are some Y times the area; a step down of 2 µm, a hundredth of the strip, changes them by less than a tenth.
    """
    thin = 2e-4
    machine = wedge(line((-0.03, 0.0), (0.03, 0.0)), contact, 0.0, 5e-4, 0.5, thin)
    place = peek(machine, "state")[0, 1]
    found = []
    for k in range(1250):
        place[0] -= 2e-6
        if k % 20 == 0:
            machine.rebuild()
        found.append(lab.forces(machine)[0])
    push = np.array(found)
    most = np.abs(push[:, 1]).max()
    assert push[:, 1].max() > 0.1 * most
    assert push[:, 1].min() < -0.1 * most
    assert np.abs(np.diff(push[:, :2], axis=0)).max() < 0.1 * most
    assert np.abs(push[:, 0]).max() < 1e-9 * most


@CONTACTS
def test_sides_that_meet_at_an_angle_push_each_for_itself(contact: str) -> None:
    """In the corner of a box, pressed on the floor and hardly touching the upright side, a grain is not pushed aside.

    Were the two sides one, what presses on the floor would push across the whole side as well, as hard as up. The
    overlap with the side is a thousandth of that with the floor, and so, or less, is its push.
    """
    box = {"name": "box", "shape": "box", "low": (0, -1e-2, 0), "high": (2e-2, 1e-2, 2e-2), "material": "a"}
    deep = 1e-4
    machine = wedge(box, contact, WIDE / 2 - 1e-3 * deep, WIDE / 2 - deep)
    fx, fz, _ = lab.forces(machine)[0]
    assert fz > 0
    assert abs(fx) < 2e-3 * fz


def test_a_square_astride_a_thin_line_is_refused() -> None:
    """A strip of 0.05 mm through the middle of a square of 2 mm holds a twentieth of a triangle at the most: it is seen
    all the same that the square is in it from side to side."""
    scene = lab.scene([lab.grain(0.0, 0.0)], beams={"wall_thickness": 5e-5}, walls=[line((-0.03, 0.0), (0.03, 0.0))])
    with pytest.raises(SceneError, match="of a triangle in wall 'strip'"):
        checks.check(*build(scene))


@pytest.mark.parametrize(
    ("contact", "speed", "wide", "shape"),
    [("paper", 3.0, 1e-4, "square"), ("paper", 1.0, 5e-5, "square"), ("exact", 3.0, 1e-4, "square"),
     ("exact", 1.0, 5e-5, "square"), ("paper", 9.0, None, {"kind": "hexagon"})],
)  # fmt: skip
def test_grains_that_go_through_a_strip_are_seen(contact: str, speed: float, wide: float | None, shape: Any) -> None:
    """They are too fast for it, and come out on the other side: the run stops, however thin the strip is.

    Also where it is as wide as by default: of an equilateral triangle such a strip never holds more than 8/9.
    """
    size = 2e-3 if shape == "square" else 4e-3
    grain = lab.grain(0.0, 1.2 * size, shape, size=size, velocity=(0.0, 0.0, -speed))
    beams = {"contact": contact, "damping": 0.0, "stiffness": 1e4, **({"wall_thickness": wide} if wide else {})}
    machine = lab.solver(lab.scene([grain], beams=beams, walls=[line((-0.03, 0.0), (0.03, 0.0))]))
    machine.advance_to(4 * size / speed)
    with pytest.raises(RunError, match="of its area in a wall"):
        machine.watch()
    assert ledger.bodies(machine).velocity[0, 2] < 0.0
