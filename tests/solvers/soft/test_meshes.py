"""Walls of triangles: a mesh is one surface, whichever way it is cut into triangles."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from barchan import solvers
from barchan.errors import SceneError
from barchan.geometry import conjugate, rotate
from barchan.kernels import threads
from barchan.model.build import build
from barchan.solvers.soft import checks
from solvers import lab
from solvers.inside import peek

RADIUS = 0.05  # m, of the laboratory's balls
CUBE = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
CUBE_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]  # seen from outside
CUBE_TRIANGLES = [triangle for a, b, c, d in CUBE_FACES for triangle in ((a, b, c), (a, c, d))]


def mesh(vertices: Any, triangles: Any, **options: Any) -> dict[str, Any]:
    """A wall of triangles."""
    points = np.asarray(vertices, float).tolist()
    return {"name": "mesh", "shape": "mesh", "material": "a", "vertices": points, "triangles": triangles, **options}


def sheet(cells: int, half: float = 2.0, turn: float = 0.3) -> tuple[np.ndarray, list[tuple[int, int, int]]]:
    """A level square of 2 · cells² triangles, turned a little so that seams run askew."""
    line = np.linspace(-half, half, cells + 1)
    x, y = (part.ravel() for part in np.meshgrid(line, line, indexing="ij"))
    points = np.stack([x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn), 0.0 * x], -1)
    corner = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    a, b, c, d = corner, corner + cells + 1, corner + cells + 2, corner + 1
    return points, np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).tolist()


def rested(machine: lab.SoftSolver, end: float) -> Any:
    """The moment at time `end`, when everything has come to rest."""
    machine.advance_to(end)
    assert machine.fastest() < 1e-6
    return machine.frame()


@pytest.mark.parametrize("motion", [(), {"kind": "rotate", "rate": 1.0, "axis": (0, 0, 1)}])
def test_a_ball_rolls_across_triangles_as_across_a_plane(motion: Any) -> None:
    """Over some twenty seams, sliding at first, then rolling, spinning too: place, turn, spin, energies and the
    displacement that friction remembers are those of a plane, to round-off.
    """
    seen = []
    for wall in (lab.FLOOR, mesh(*sheet(40))):
        ball = lab.grain((0.013, 0.007, RADIUS - 1e-4), velocity=(1.0, 0.35, 0.0), spin=(2.0, 3.0, 5.0))
        described = lab.walled([ball], [{**wall, "motion": motion}], gravity=(0.2, 0.1, -lab.GRAVITY))
        machine = lab.solver(described, 1e-4)
        machine.advance_to(0.6)
        ledger = machine.frame().ledger
        memory = peek(machine, "wall_memory").reshape(-1, machine.lists.wall_memory, 16).sum(axis=(0, 2))
        arrays = [peek(machine, name)[:1] for name in ("position", "velocity", "orientation", "angular")]
        numbers = [ledger[name] for name in ("kinetic_energy", "stored_energy", "dissipated_friction", "wall_work")]
        seen.append(np.concatenate([*(array.ravel() for array in arrays), numbers, memory]))
    assert np.allclose(seen[0], seen[1], rtol=1e-9, atol=1e-12)
    assert seen[0][0] > 0.3


@pytest.mark.parametrize(
    ("place", "direction"),
    [((0.0, 0.5, 0.0), (-1, 0, -1)), ((1.0, 1.0, 1.0), (1, 1, 1)), ((0.3, 0.3, 1.0), (0, 0, 1))],
    ids=["edge", "corner", "diagonal of a face"],
)
def test_an_edge_and_a_corner_are_touched_once(place: Any, direction: Any) -> None:
    """However many triangles meet there, the ball feels one contact, along the line from the place to its centre, with
    the force of a wall.
    """
    outward = np.array(direction) / np.linalg.norm(direction)
    ball = lab.grain(np.array(place) + (RADIUS - 1e-3) * outward)
    machine = lab.solver(lab.walled([ball], [mesh(CUBE, CUBE_TRIANGLES)]), 1e-5)
    moment = machine.frame()
    assert len(moment.contacts.force) == 1
    assert moment.contacts.force[0] == pytest.approx(lab.hertz_stiffness(RADIUS) * 1e-3**1.5 * outward, rel=1e-9)


def test_a_ball_rests_in_a_groove_on_two_faces() -> None:
    """A groove of two slopes at 30° and 60° carries a ball without friction by m g cos 60° and m g cos 30°, each along
    its slope's normal. Each slope is cut into many triangles.
    """
    a, b = math.radians(30.0), math.radians(60.0)
    rows = [(-math.cos(a), math.sin(a)), (-0.2 * math.cos(a), 0.2 * math.sin(a)), (0.0, 0.0)]
    rows += [(0.15 * math.cos(b), 0.15 * math.sin(b)), (math.cos(b), math.sin(b))]
    points = [(x, y, z) for x, z in rows for y in (-1.0, -0.31, 0.02, 0.4, 1.0)]
    triangles = []
    for i in range(4):
        for j in range(4):
            k = 5 * i + j
            triangles += [(k, k + 5, k + 6), (k, k + 6, k + 1)]
    ball = lab.grain((RADIUS * (math.sin(a) - math.sin(b)), 0.0, RADIUS * (math.cos(a) + math.cos(b)) + 1e-4))
    slick = lab.material(friction=0.0, restitution=0.1)
    machine = lab.solver(lab.walled([ball], [mesh(points, triangles)], a=slick, gravity=(0, 0, -9.81)), 1e-5)
    moment = rested(machine, 1.5)
    weight = 9.81 * lab.ball_mass(RADIUS)
    forces = moment.contacts.force[np.argsort(-moment.contacts.force[:, 0])]
    assert forces == pytest.approx(
        weight
        * np.array([
            (math.sin(b) * math.sin(a), 0.0, math.sin(b) * math.cos(a)),
            (-math.sin(a) * math.sin(b), 0.0, math.sin(a) * math.cos(b)),
        ]),
        abs=1e-5 * weight,
    )  # fmt: skip


def box_of_balls(**options: Any) -> lab.Scene:
    """Balls that fly about in a closed box, which turns and shakes."""
    rng = np.random.default_rng(5)
    places = rng.permutation(np.stack(np.meshgrid(*(np.arange(6),) * 3), -1).reshape(-1, 3))[:60] * 0.14 + 0.15
    motion = [
        {"kind": "rotate", "rate": 2.0, "axis": (1, 1, 0), "center": (0.5, 0.5, 0.5)},
        {"kind": "oscillate", "amplitude": 0.02, "frequency": 3.0},
    ]
    wall = mesh(CUBE, CUBE_TRIANGLES, motion=motion, **{"side": "inside", **options})
    group = lab.grains(places, velocity_scatter=1.5, shape="dimer")
    return lab.walled([group], [wall], gravity=(0.0, 0.0, -lab.GRAVITY))


@pytest.mark.parametrize("side", ["inside", "both"])
def test_no_ball_leaves_a_closed_box(side: str) -> None:
    """Through many collisions with faces, edges and corners, and the energy ledger closes."""
    machine = solvers.create(*build(box_of_balls(side=side)), 5e-5)
    most = 0
    for _ in range(40):
        machine.advance(200)
        machine.watch()
        frame = machine.frame()
        pose = frame.wall_pose[-1]
        inside = rotate(conjugate(pose[3:]), frame.sphere_position - pose[:3])
        assert np.all((inside > 0.0) & (inside < 1.0))
        most = max(most, int((machine.frame().contacts.second < 0).sum()))
    assert most > 10
    assert machine.energy_error < 0.01


def test_a_ball_behind_a_surface_is_pushed_back() -> None:
    """A solid mesh knows its inside: a ball whose centre is 10% of a radius behind a face is pushed out again, where
    the face of a surface without a side would push it through. A thin plate does not pull at a ball that rests on it.
    """

    def force(z: float, **options: Any) -> Any:
        wall = {**mesh(CUBE, CUBE_TRIANGLES), **options}
        machine = lab.solver(lab.walled([lab.grain((0.3, 0.4, z))], [wall]), 1e-6)
        return machine.frame().contacts.force

    behind = 1.0 - 0.1 * RADIUS
    stiffness = lab.hertz_stiffness(RADIUS)
    assert force(behind, side="outside") == pytest.approx(np.array([(0, 0, stiffness * (1.1 * RADIUS) ** 1.5)]))
    assert force(behind, side="both") == pytest.approx(np.array([(0, 0, -stiffness * (0.9 * RADIUS) ** 1.5)]))
    plate = force(1e-4 + RADIUS - 1e-3, side="outside", vertices=(np.array(CUBE) * (1, 1, 1e-4)).tolist())
    assert plate == pytest.approx(np.array([(0, 0, stiffness * 1e-3**1.5)]))


def test_a_grain_on_the_wrong_side_is_told_before_the_run() -> None:
    inside, outside = (lab.grain((0.5, 0.5, z), shape="dimer") for z in (0.5, 1.5))
    for group, side in ((inside, "outside"), (outside, "inside")):
        model, made = build(lab.walled([group], [mesh(CUBE, CUBE_TRIANGLES, side=side)]))
        with pytest.raises(SceneError, match="wrong side of 'mesh'"):
            checks.check(model, made)
    model, made = build(lab.walled([inside], [mesh(CUBE, [*CUBE_TRIANGLES, (0, 0, 1)], side="inside")]))
    assert any("1 triangles" in str(warning) for warning in checks.check(model, made))


def test_bits_do_not_depend_on_threads_or_interruptions() -> None:
    described, hashes = box_of_balls(), []
    for count in (1, min(2, threads.most())):
        threads.use(count)
        machine = solvers.create(*build(described), 5e-5)
        machine.advance(1000)
        hashes.append(lab.fingerprint(machine))
    threads.use(1)
    machine = solvers.create(*build(described), 5e-5)
    for part in (1, 333, 250):
        machine.advance(part)
        arrays, meta = machine.state()
        machine = solvers.restore(machine.model, arrays, json.loads(json.dumps(meta)))
    machine.advance(1000 - machine.step)
    assert {*hashes, lab.fingerprint(machine)} == {hashes[0]}


def test_a_ball_meets_the_few_triangles_near_it() -> None:
    """100 balls on a floor of 12 800 triangles are listed with as many as on one of 162 that are as large, and the
    cells in which they look hold as many: a step and a rebuild cost the same.
    """
    places = np.stack(np.meshgrid(np.arange(10), np.arange(10)), -1).reshape(-1, 2) * 0.15 - 0.7
    listed, crowd = {}, {}
    for cells in (9, 80):
        balls = lab.grains(np.column_stack([places, np.full(100, RADIUS)]), velocity=(0.5, 0.2, 0.0))
        machine = lab.solver(lab.walled([balls], [mesh(*sheet(cells, 0.1 * cells))], gravity=(0, 0, -9.81)), 1e-4)
        machine.advance(100)
        listed[cells] = machine.lists.wall_contacts
        crowd[cells] = np.diff(machine.lists.grids.start).max()
    assert listed[80] < 1.5 * listed[9] < 1.5 * 100 * 12
    assert crowd[80] < 1.5 * crowd[9] + 4


def test_an_absorbing_mesh_takes_what_touches_it() -> None:
    """A ball falls on to triangles that absorb, and another on to a floor: one is counted, and the ledger closes."""
    balls = [lab.grain((0.0, 0.0, 0.5)), lab.grain((5.0, 0.0, RADIUS - 1e-4))]
    walls = [lab.FLOOR, mesh(*sheet(4), position=(0, 0, 0.2), absorbing=True)]
    machine = lab.solver(lab.walled(balls, walls, gravity=(0, 0, -lab.GRAVITY)), 1e-4)
    assert machine.model.walls.heights(np.array([0.0, 0.0, 1.0])).max() == 0.0
    machine.advance_to(math.sqrt(2 * 0.25 / lab.GRAVITY) - 1e-3)
    assert len(machine) == 2
    machine.advance_to(0.4)
    assert machine.frame().id.tolist() == [1] and machine.gates()["mesh"].number == 1
    ledger = machine.frame().ledger
    assert abs(ledger["energy_error"]) < 1e-4 * abs(ledger["outflow_energy"])


def test_nothing_is_poured_into_triangles() -> None:
    """Of grains on a line through a level sheet those that would touch it find no room."""
    heights = np.array([-0.2, -0.06, -0.04, 0.0, 0.04, 0.06, 0.2])
    described = lab.walled([lab.grains([(0.1, 0.2, z) for z in heights])], [mesh(*sheet(40))])
    _, made = build(described)
    machine = lab.solver(lab.walled([lab.grain((9, 9, 9))], [mesh(*sheet(40))]), 1e-4)
    assert machine.room(made).tolist() == (np.abs(heights) > RADIUS).tolist()
    before = checks.Start.of(machine.model, made)
    assert before.clear(made, ["mesh"]).tolist() == machine.room(made).tolist()
    assert before.clear(made, ["spare 1"]).all()
