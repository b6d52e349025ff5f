"""Flat grains that are poured: where they find room, what they bring, how they fly, and that such a run resumes."""

from __future__ import annotations

import functools
import json
import math
from typing import Any

import numpy as np
import pytest

from barchan.errors import RunError, SceneError
from barchan.model.build import build
from barchan.model.pour import Pourer
from barchan.simulation.story import Story
from barchan.solvers.beams import changes, checks, ledger
from barchan.solvers.beams.solver import BeamSolver
from solvers import beams_lab as lab
from solvers.inside import every, peek

SOURCE: dict[str, Any] = {
    "name": "chute", "material": "a", "shape": "square", "size": 2e-3, "rate": 1000.0, "velocity": (0.1, 0.0, -0.2),
    "region": {"kind": "box", "low": (-0.01, 0.0, 0.02), "high": (0.01, 0.0, 0.024)},
}  # fmt: skip


def poured(grains: list[dict[str, Any]] | None = None, source: dict[str, Any] | None = None, **options: Any) -> Any:
    """A scene with a source."""
    options = {"gravity": (0.0, 0.0, -10.0), "sources": [{**SOURCE, **(source or {})}], **options}
    return lab.scene(grains or [], **options)


def at(scene: Any, *places: tuple[float, float], index: int = 0) -> Any:
    """Grains of the source at x, z (m)."""
    pourer = Pourer(scene, index)
    return pourer._grains(np.array([(x, 0.0, z) for x, z in places]), np.full(len(places), 2e-3))


@pytest.mark.parametrize("integrator", ["verlet", "gear"])
def test_a_poured_grain_flies_as_a_stone_and_its_energy_is_booked(integrator: str) -> None:
    """A square of 2 mm has 4 mm², at 1000 kg/m³ and a thickness of 1 m: 4 g. Poured at z = 22 mm with 0.1 and −0.2 m/s
    it brings m (v²/2 + g z) = 4e-3 · (0.025 + 0.22) J = 9.8e-4 J, and is at x₀ + v t − g t²/2 later: both integrators
    have parabolas exact. Before it nothing is there.
    """
    scene = poured(beams={"integrator": integrator, "thickness": 1.0})
    machine = lab.solver(scene, 1e-5)
    assert len(machine) == 0
    machine.advance(100)
    machine.insert(at(scene, (1e-3, 22e-3)), "chute", waiting=3)
    machine.advance(500)
    frame = machine.frame()
    assert frame.id.tolist() == [0]
    assert frame.position[0] == pytest.approx((1e-3 + 0.1 * 5e-3, 0.0, 22e-3 - 0.2 * 5e-3 - 5 * 5e-3**2), abs=1e-12)
    book = machine.frame().ledger
    assert book["inflow_energy"] == pytest.approx(9.8e-4, rel=1e-9)
    assert abs(book["energy_error"]) < 1e-12 * book["inflow_energy"] + 1e-18
    gate = machine.gates()["chute"]
    assert (gate.number, gate.waiting, gate.inward) == (1, 3, True)
    assert gate.mass == pytest.approx(4e-3, rel=1e-12) and gate.energy == pytest.approx(9.8e-4, rel=1e-9)
    assert machine.statistics()["grains_in"] == 1 and machine.statistics()["grains_out"] == 0


def test_room_is_left_to_grains_and_walls() -> None:
    """The circle about a square of 2 mm has a radius of √2 mm. It may not reach below the floor, out of a drum of 2 cm,
    into a strip of 1 mm about a line, nor into the circles about the triangles of a square that is there. The uppermost
    of these has its centre 2/3 mm above the square's, and corners √(1 + 1/9) = 1.054 mm away: room begins at
    0.667 + 1.054 + 1.414 = 3.135 mm.
    """
    reach = math.sqrt(2) * 1e-3
    walls = [
        {"name": "floor", "shape": "plane", "material": "a", "point": (0.0, 0.0, -0.01)},
        {"name": "drum", "shape": "cylinder", "axis": (0, 1, 0), "radius": 0.02, "material": "a"},
        {"name": "post", "shape": "line", "start": (5e-3, 0.0, 0.0), "end": (5e-3, 0.0, 6e-3), "material": "a"},
    ]
    scene = poured([lab.grain(-5e-3, 0.0)], walls=walls, beams={"wall_thickness": 1e-3})
    machine = lab.solver(scene, 1e-6)
    inch = 1e-6
    places = [
        (0.0, -0.01 + reach + inch), (0.0, -0.01 + reach - inch),  # floor
        (0.0, 0.02 - reach - inch), (0.0, 0.02 - reach + inch),  # drum
        (5e-3 + 0.5e-3 + reach + inch, 3e-3), (5e-3 + 0.5e-3 + reach - inch, 3e-3),  # post
        (5e-3 - 0.5e-3 - reach - inch, 3e-3), (5e-3, 3e-3),
        (-5e-3, 3.14e-3), (-5e-3, 3.13e-3), (-5e-3, 0.0),  # grain
    ]  # fmt: skip
    found = machine.room(at(scene, *places)).tolist()
    assert found == [True, False, True, False, True, False, True, False, True, False, False]
    clear = functools.partial(changes.clear_of_walls, machine.model, every(machine))
    assert clear(at(scene, (-5e-3, 0.0), (5e-3, 3e-3)), ["floor", "post"]).tolist() == [True, False]
    assert clear(at(scene, (5e-3, 3e-3)), ["floor"]).tolist() == [True]


def test_a_wall_that_has_moved_or_gone_is_where_it_is() -> None:
    """A post moves by 5 mm in 5 ms: there is room where it was, and none where it is; there too once it is removed."""
    moved = {"motion": {"kind": "translate", "velocity": (1.0, 0.0, 0.0)}}
    post = {
        "name": "post",
        "shape": "line",
        "start": (0.0, 0.0, 0.0),
        "end": (0.0, 0.0, 6e-3),
        "material": "a",
        **moved,
    }
    scene = poured(walls=[post])
    machine = lab.solver(scene, 1e-5)
    spots = at(scene, (0.0, 3e-3), (5e-3, 3e-3))
    assert machine.room(spots).tolist() == [False, True]
    machine.insert(at(scene, (0.0, 0.05)), "chute")  # its rows come before those of the wall
    machine.advance(500)
    assert machine.room(spots).tolist() == [True, False]
    machine.remove_wall("post")
    assert machine.room(spots).tolist() == [True, True]


def test_a_wall_that_has_turned_is_where_it_is() -> None:
    """A post 1 mm thick stands above the axis. A quarter of a turn about y, z to x, lays it along x: a square
    finds room 0.5 + √2 mm above it.
    """
    turning = {"motion": {"kind": "rotate", "axis": (0, 1, 0), "rate": 0.5 * math.pi / 5e-3}}
    post = {"name": "post", "shape": "line", "start": (0.0, 0.0, 2e-3), "end": (0.0, 0.0, 8e-3), "material": "a"}
    scene = poured(walls=[{**post, **turning}], beams={"wall_thickness": 1e-3})
    machine = lab.solver(scene, 1e-5)
    spots = at(scene, (0.0, 5e-3), (5e-3, 0.0), (-5e-3, 0.0), (5e-3, 1.92e-3), (5e-3, 1.91e-3))
    assert machine.room(spots).tolist() == [False, True, True, True, True]
    machine.advance(500)
    assert machine.room(spots).tolist() == [True, False, True, True, False]


def test_poured_grains_lie_on_those_before_and_the_ledger_closes() -> None:
    """Up to sixty grains are poured for 60 ms above a floor, by the story of a run. Each begins clear of all others, so
    none is pushed away; the ledger with inflow is out by less than 1% of what was turned over, and the gate has the
    mass of what is there.
    """
    floor = {"name": "floor", "shape": "plane", "material": "a"}
    scene = poured(source={"shape": {"kind": "irregular", "corners": 6}}, walls=[floor], duration=0.06)
    machine = lab.solver(scene, 2e-6)
    story, kept = Story(scene), []
    for _ in range(60):
        story.look(machine, machine.time)
        kept.append(len(machine))
        machine.advance(500)
        machine.watch()
    assert len(machine) > 40 and kept == sorted(kept)
    assert machine.worst_overlap < 0.2
    book = machine.frame().ledger
    turned = book["kinetic_energy"] + sum(abs(book[name]) for name in book if name.startswith("dissipated_"))
    assert abs(book["energy_error"]) < 0.01 * turned
    a = every(machine)
    assert machine.gates()["chute"].mass == pytest.approx(a["mass"][: machine.triangle_count].sum(), rel=1e-12)
    assert np.array_equal(np.sort(a["id"]), np.arange(len(machine)))
    assert (a["born"] > 0).any()
    assert (np.bincount(a["grain"][: machine.triangle_count]) == 6).all()
    radius = machine.frame().radius
    assert radius.max() < 1.5e-3 * math.sqrt(2)  # so each has triangles that lie together
    # No two batches have the same irregular outlines.
    shapes = {a["body"][rows].tobytes() for rows in np.split(np.arange(machine.triangle_count), len(machine))}
    assert len(shapes) == len(machine)


def test_pieces_and_poured_grains_have_names_of_their_own() -> None:
    """A triangle is torn off a square, which breaks two beams; then two grains are poured. No two have one name. Three
    grains have come in and, with one of the poured and one of the pieces taken away, one of them has gone. The broken
    beams, which ended at that piece, go with it, and their energy stays in the books.
    """
    scene = poured([lab.grain(0.0, 0.0)], beams={"breakage": {"stretch": 0.01}}, sinks=[
        {"name": "away", "region": {"kind": "box", "low": (0.1, 0, 0.1), "high": (0.2, 0, 0.2)}},
    ])  # fmt: skip
    machine = lab.solver(scene, 1e-6)
    peek(machine, "state")[0, :2, 1] = 3.0, 3.0  # one of the four triangles is torn off
    lab.restart(machine)
    machine.advance(300)
    pieces = len(machine)
    assert pieces > 1
    machine.insert(at(scene, (0.05, 0.03), (0.06, 0.03)), "chute")
    ids = peek(machine, "id")
    assert len(np.unique(ids)) == len(ids) == pieces + 2
    order = np.sort(ids)
    before = machine.frame().ledger
    machine.remove(np.isin(order, [order[1], order[-1]]), "away")
    after = machine.frame().ledger
    assert after["dissipated_beams"] == pytest.approx(before["dissipated_beams"], rel=1e-12)
    assert after["energy_error"] == pytest.approx(before["energy_error"], abs=1e-12 * before["kinetic_energy"])
    assert not (peek(machine, "broken") > 0).any() and peek(machine, "ends").max() < machine.triangle_count
    assert (np.diff(peek(machine, "ends")) != 0).all()
    machine.advance(10)
    assert machine.statistics()["grains_in"] == 3
    assert machine.statistics()["grains_out"] == 1
    assert machine.statistics()["fragments"] == pieces
    assert machine.statistics()["broken_beams"]["stretch"] == 2  # they have happened, though they are gone


def test_a_run_with_poured_grains_resumes_with_the_same_bits() -> None:
    """State and story through JSON and back, in the middle of pouring."""
    floor = {"name": "floor", "shape": "plane", "material": "a"}
    scene = poured(walls=[floor], source={"shape": {"kind": "irregular", "corners": 5}})
    one = lab.solver(scene, 2e-6)
    told = Story(scene)

    def go(machine: BeamSolver, story: Story, looks: int) -> None:
        for _ in range(looks):
            story.look(machine, machine.time)
            machine.advance(400)

    go(one, told, 15)
    arrays, meta = one.state()
    other = BeamSolver.restored(one.model, arrays, json.loads(json.dumps(meta)))
    again = Story(scene)
    again.restore(json.loads(json.dumps(told.state())))
    go(one, told, 15)
    go(other, again, 15)
    assert len(one) == len(other) > 10
    for name in ("id", "state", "body", "ends", "work", "booked", "gates", "born"):
        assert np.array_equal(peek(one, name), peek(other, name)), name


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ({"shape": "sphere"}, "sources[0].shape"),
        ({"region": {"kind": "box", "low": (-0.01, 0.0, -0.02), "high": (0.01, 0.0, -0.01)}}, "sources[0].region"),
    ],
)
def test_a_source_that_cannot_pour_is_refused(source: dict[str, Any], where: str) -> None:
    """Spheres, and a region below the floor: named before the run."""
    scene = poured(source=source, walls=[{"name": "floor", "shape": "plane", "material": "a"}])
    with pytest.raises(SceneError) as caught:
        checks.check(*build(scene))
    assert where in str(caught.value)


SHAPES = ["square", {"kind": "irregular", "corners": 5, "scatter": 0.45}]


@pytest.mark.parametrize("shape", SHAPES, ids=["square", "irregular"])
def test_a_rate_of_mass_is_kept_to_the_grain(shape: Any) -> None:
    """Squares of 1 to 2 mm from a plate of 1 cm and 1000 kg/m³: between 10 and 40 mg each. After the time t the mass
    that the solver has taken in is at most r t, and short of it by less than the heaviest grain; irregular grains, of
    which only a mean is known before, may go beyond it by what one of them differs from that, and no more adds up.
    """
    sizes, rate = {"kind": "uniform", "low": 1e-3, "high": 2e-3}, 1e-2
    region = {"kind": "box", "low": (-0.02, 0.0, 0.02), "high": (0.02, 0.0, 0.05)}
    source = {"shape": shape, "size": sizes, "rate": None, "mass_rate": rate, "region": region}
    scene = poured(source=source, beams={"damping": 0.0, "inertia": 1e-12})  # which allows long steps
    machine, story = lab.solver(scene), Story(scene)
    heaviest = 1000.0 * 0.01 * 2e-3**2
    for _ in range(30):
        story.look(machine, machine.time)
        waiting = machine.gates()["chute"].waiting  # for room, until the next look
        short = rate * machine.time - ledger.bodies(machine).mass.sum()
        assert (0 if shape == "square" else -0.5 * heaviest) <= short < (1 + waiting) * heaviest
        machine.advance(round(1.5e-3 / machine.dt))
    assert len(machine) > 15 and waiting <= 1
    assert machine.gates()["chute"].mass == pytest.approx(ledger.bodies(machine).mass.sum(), rel=1e-12)


def test_the_time_step_is_short_enough_for_what_is_poured() -> None:
    """Squares of a tenth of the size have triangles of a hundredth of the mass, on beams as stiff: the quickest swing
    is shorter by √100 and more.
    """
    steps = [checks.choose(*build(poured(source={"size": size}))).value for size in (2e-3, 2e-4)]
    assert steps[1] < 0.2 * steps[0]
    assert ledger.bodies(lab.solver(poured())).mass.shape == (0,)


def test_a_sink_leaves_the_books_of_friction_and_walls_as_they_are() -> None:
    """Two squares slide on a floor with friction until they have lost what they had. What friction has taken stays in
    the books when they go; they take along what the gate says, their height, and next to it no more than the energy of
    their contact with the floor.
    """
    walls = [{"name": "floor", "shape": "plane", "material": "a"}]
    sinks = [{"name": "away", "region": {"kind": "box", "low": (1, 0, 1), "high": (2, 0, 2)}}]
    source = {"velocity": (0.3, 0.0, 0.0), "orientation": "aligned"}
    scene = poured(source=source, walls=walls, sinks=sinks, friction=0.5)
    machine = lab.solver(scene, 2e-6)
    machine.insert(at(scene, (0.0, 1e-3), (0.02, 1e-3)), "chute")
    machine.advance(40_000)
    before = machine.frame().ledger
    started = 2 * 0.5 * 4e-3 * machine.model.scene.beams.thickness * 0.09  # J, of two squares of 4 mm²
    assert before["dissipated_friction"] > 0.8 * started
    machine.remove(np.array([True, False]), "away")
    machine.watch()
    machine.remove(np.array([True]), "away")
    machine.watch()
    after = machine.frame().ledger
    for name in ("dissipated_friction", "dissipated_normal", "dissipated_beams", "wall_work"):
        assert after[name] == pytest.approx(before[name], rel=1e-9, abs=1e-6 * started), name
    assert after["energy_error"] == pytest.approx(before["energy_error"], abs=1e-9 * started)
    taken = machine.gates()["away"].energy
    assert after["outflow_energy"] == pytest.approx(taken, rel=1e-3) and taken > 0


def test_a_gate_counts_the_energy_of_spin() -> None:
    """A square of edge a has m a²/6 about its middle: half of that times ω² comes in with it, and goes out with it."""
    scene = poured(
        source={"spin": (0.0, 1000.0, 0.0), "velocity": (0.0, 0.0, 0.0)}, gravity=(0.0, 0.0, 0.0),
        sinks=[{"name": "away", "region": {"kind": "box", "low": (1, 0, 1), "high": (2, 0, 2)}}],
    )  # fmt: skip
    machine = lab.solver(scene, 1e-6)
    machine.insert(at(scene, (0.0, 0.0)), "chute")
    mass = 4e-3 * scene.beams.thickness
    spinning = 0.5 * mass * 4e-6 / 6 * 1e6
    assert machine.gates()["chute"].energy == pytest.approx(spinning, rel=1e-9)
    machine.remove(np.array([True]), "away")
    assert machine.gates()["away"].energy == pytest.approx(spinning, rel=1e-9)
    assert machine.frame().ledger["outflow_energy"] == pytest.approx(spinning, rel=1e-9)


def test_there_is_no_room_inside_a_solid() -> None:
    """A ball of 3 cm moves by 4 cm: a grain may not begin inside, neither before nor after, though its strip is thin;
    where it has been there is room. A region inside a ball at rest is refused.
    """
    ball = {"name": "ball", "shape": "sphere", "center": (0.0, 0.0, 0.0), "radius": 0.03, "material": "a"}
    moved = {**ball, "motion": {"kind": "translate", "velocity": (4.0, 0.0, 0.0)}}
    scene = poured(walls=[moved])
    machine = lab.solver(scene, 1e-5)
    spots = at(scene, (-0.015, 0.0), (0.055, 0.0), (0.02, 0.0))
    assert machine.room(spots).tolist() == [False, True, False]
    machine.advance(1000)
    assert machine.room(spots).tolist() == [True, False, False]
    with pytest.raises(SceneError, match="lies inside walls"):
        checks.check(*build(poured(walls=[{**ball, "center": (0.0, 0.0, 0.022)}])))


def test_a_polygon_in_metres_is_poured_as_it_is() -> None:
    """It has no size, as in a fill: one would be a factor on its metres, and is refused."""
    shape = {"kind": "polygon", "points": [(0.0, 0.0), (3e-3, 0.0), (0.0, 4e-3)]}
    room = {"kind": "box", "low": (-0.01, 0.0, 0.02), "high": (0.01, 0.0, 0.03)}
    scene = poured(source={"shape": shape, "size": None, "region": room})
    machine, story = lab.solver(scene), Story(scene)
    machine.advance(round(2e-3 / machine.dt))
    story.look(machine, machine.time)
    assert len(machine) >= 1
    whole = peek(machine, "mass")[: machine.triangle_count].sum()
    assert whole == pytest.approx(len(machine) * 6e-3 * scene.beams.thickness, rel=1e-9)
    with pytest.raises(SceneError, match="polygon"):
        poured(source={"shape": shape, "size": 2e-3})


def test_the_deepest_overlap_may_be_of_a_grain_that_has_gone() -> None:
    """The message says so, and names no other."""
    sinks = [{"name": "away", "region": {"kind": "box", "low": (1, 0, 1), "high": (2, 0, 2)}}]
    machine = lab.solver(poured([lab.grain(0.0, 0.0), lab.grain(9e-3, 0.0)], sinks=sinks), 1e-6)
    peek(machine, "worst")[:] = 0.95, 0, 4
    machine.remove(np.array([True, False]), "away")
    with pytest.raises(
        RunError, match="a triangle that has gone since has had 95% of its area in a triangle of another"
    ):
        machine.watch()


def test_the_time_step_reckons_with_all_that_is_to_come() -> None:
    """A lid that forces move has a shorter step the more grains may stand in a row below it. Of irregular grains the
    slimmest of many decides, as it does of a fill: within a tenth.
    """
    lid = {
        "name": "lid", "shape": "line", "start": (-0.02, 0.0, 0.05), "end": (0.02, 0.0, 0.05), "material": "a",
        "motion": {"kind": "servo", "axis": (0, 0, 1), "force": 0.0, "mass": 1e-5},
    }  # fmt: skip
    few, many = (
        checks.choose(*build(poured(source={"count": n, "rate": None}, walls=[lid], beams={"integrator": "verlet"})))
        for n in (10, 10_000)
    )
    assert many.value < 0.3 * few.value
    # A square of 2 mm, 1 cm thick, has 40 mg: in the scene's 10 ms come 10, or 10 000, of them.
    little, much = (
        checks.choose(
            *build(poured(source={"mass_rate": n, "rate": None}, walls=[lid], beams={"integrator": "verlet"}))
        )
        for n in (0.04, 40.0)
    )
    assert (little.value, much.value) == pytest.approx((few.value, many.value), rel=0.02)
    shape = {"kind": "irregular", "corners": 6, "scatter": 0.45}
    model, none = build(poured(source={"shape": shape}))
    some = model.poured.take(np.tile(np.arange(4), 500))
    assert checks.choose(model, none).value < 1.1 * checks.choose(model, some).value
