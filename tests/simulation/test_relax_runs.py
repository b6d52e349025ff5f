"""Runs without time: recorded point by point, stopped and resumed, handed on, and refused where they make no sense."""

from __future__ import annotations

import numpy as np
import pytest

import barchan as bc
from barchan import solvers
from barchan.errors import SceneError
from barchan.simulation.plan import Plan
from barchan.simulation.start import last_grains
from simulation.shared import recording_hash, stopped
from solvers import relax_lab as lab

SHEAR = {"kind": "pure-shear", "strain": 0.01, "returns": True}
SEEN = {"observables": ["packing", "cell"]}


@pytest.fixture(scope="module")
def sheared(tmp_path_factory):
    """A packing in pure shear to 1% and back, in four points."""
    scene = lab.flat_scene(120, deformation=SHEAR, **SEEN)
    return bc.run(scene, tmp_path_factory.mktemp("relax") / "run", progress=bc.Silent(), threads=1)


def test_a_protocol_is_recorded_point_by_point(sheared):
    """x grows and z shrinks by exp(±γ/2) at constant area, and comes back; grains stay inside the box."""
    with sheared.recording as recording:
        series = {name: np.array(recording.series[name]) for name in ("cell_x", "cell_z", "packing_fraction")}
        last = recording[-1]
        assert list(recording.times) == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert series["cell_x"] == pytest.approx(np.exp([0, 0.0025, 0.005, 0.0025, 0]), rel=1e-12)
    assert series["cell_x"] * series["cell_z"] == pytest.approx(np.ones(5), rel=1e-12)
    assert series["packing_fraction"] == pytest.approx(np.full(5, 0.86), rel=1e-12)
    assert ((last.position >= 0) & (last.position <= 1)).all() and not last.position[:, 1].any()
    assert sheared.summary["force_balance"] < 1e-11
    assert sheared.summary["points"] == 5


def test_stopped_and_resumed_it_ends_with_the_same_bits(sheared, tmp_path):
    scene = lab.flat_scene(120, deformation=SHEAR, **SEEN)
    stopped(scene, tmp_path / "run", 0.5)
    again = bc.resume(tmp_path / "run", progress=bc.Silent(), threads=1)
    assert recording_hash(again.folder) == recording_hash(sheared.folder)


def test_a_run_begins_where_another_ended(sheared, tmp_path):
    """Positions and radii are those of the last frame: relaxed already, but for the last digits of a position.

    A frame holds positions to 1e-16 m, a thousandth of which is an overlap: forces are out of balance by some 1e-12.
    """
    scene = lab.flat_scene(120, fraction=None).model_copy(update={"start": str(sheared.folder)})
    with sheared.recording as recording:
        frame = recording[-1]
    grains = last_grains(scene)
    assert np.array_equal(grains.position, frame.position) and np.array_equal(grains.radius, frame.radius)
    assert grains.mass == pytest.approx(frame.mass)
    machine = lab.RelaxSolver(Plan.of(scene).model, grains, 1.0)
    assert machine.balance() < 1e-10
    again = bc.run(scene, tmp_path / "again", progress=bc.Silent(), threads=1)
    with again.recording as recording:
        moved = np.abs(recording[-1].position - frame.position).max(axis=1)
    assert np.median(moved) < 1e-11


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"gravity": (0, 0, -9.81)}, "gravity: -9.81 m/s² along z, which repeats"),
        ({"deformation": SHEAR, "periodic": (True, False, False)}, "deformation: pure-shear"),
        ({"time_step": 1e-3}, "time_step: 0.001 s; there are no time steps"),
        ({"fraction": 0.01, "count": 3, "relax": {"packing_fraction": 1.5}}, "box: 1 m along x; must be at least"),
        (
            {"events": [{"name": "e", "when": {"kind": "time", "at": 0.1}, "do": [{"kind": "stop"}]}]},
            "events: 1 of them",
        ),
        ({"start": "/nowhere"}, "/nowhere"),
        ({"integrator": "rkf45"}, "integrator: 'rkf45'"),
        ({"stiction": {}}, "stiction: is there"),
        (
            {"walls": [{"name": "w", "shape": "plane", "material": "a", "sticky": True}]},
            "walls[0].sticky: true",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(options, words):
    with pytest.raises(bc.BarchanError) as caught:
        Plan.of(lab.flat_scene(options.pop("count", 50), **options))
    assert any(str(finding).startswith(words) for finding in caught.value.findings), str(caught.value)


@pytest.mark.parametrize(
    ("field", "value"), [("velocity", (1.0, 0.0, 0.0)), ("spin", (0.0, 1.0, 0.0)), ("velocity_scatter", 0.5)]
)
def test_grains_that_move_are_refused(field, value):
    (group,) = lab.flat_scene(50).to_dict(full=False)["grains"]
    with pytest.raises(SceneError, match=rf"grains\[0\].{field}"):
        Plan.of(lab.flat_scene(50, grains=[{**group, field: value}]))


def test_a_pressure_needs_a_box_whose_volume_is_known():
    """Spheres in a box that is open along y have no volume to carry a pressure in."""
    open_along_y = {"periodic": (True, False, True), "walls": [], "deformation": {"kind": "pressure", "to": 10.0}}
    with pytest.raises(SceneError, match="deformation: pressure of a box that is open along y"):
        Plan.of(lab.round_scene(40, fraction=0.3, **open_along_y))


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"materials": {"a": {"density": 1e3, "friction": 0.5, "restitution": 0.5}}}, "materials.a.friction: 0.5"),
        ({"pairs": [{"between": ["a", "a"], "friction": 0.3}]}, "pairs[0].friction: 0.3"),
        ({"contact": "linear"}, "contact: the law 'linear'"),
        ({"hard": {"mode": "leapfrog"}}, "hard: is there; the solver 'relax' does not read it"),
        ({"beams": {"contact": "exact"}}, "beams: is there"),
        ({"restitution": {"kind": "viscoelastic", "speed": 1.0}}, "restitution: is there"),
        ({"materials": {"a": {"density": 1e3, "tangential_restitution": 0}}}, "materials.a.tangential_restitution: 0"),
        ({"observables": ["collisions"]}, "observables[0]: collisions"),
    ],
)
def test_what_is_stated_for_others_is_told(options, place):
    """Once, and not where it says what would hold without it: friction 0, a restitution
    of 1, or the defaults of another solver's table.
    """
    elastic = {"a": {"density": 1e3, "friction": 0, "restitution": 1}}
    assert Plan.of(lab.flat_scene(50, hard={"mode": "exact"}, materials=elastic)).warnings == ()
    (told,) = Plan.of(lab.flat_scene(50, **options)).warnings
    assert str(told).startswith(place)


def test_grains_stay_in_their_box_along_axes_that_do_not_repeat():
    """One that starts outside is refused; one that its neighbour pushes out stops the run, with its number."""
    fields = {"name": "grains", "material": "a", "size": 0.2}
    stack = {**fields, "fill": {"kind": "points", "positions": [(0.5, 0, 0.90), (0.5, 0, 0.98)]}}
    beyond = {**fields, "fill": {"kind": "points", "positions": [(0.5, 0, 1.1)]}}
    space = {"fraction": None, "periodic": (True, False, False)}
    with pytest.raises(SceneError, match="1 of them start outside the box"):
        Plan.of(lab.flat_scene(grains=[beyond], **space))
    machine = lab.solver(lab.flat_scene(grains=[stack], **space))
    machine.watch()
    machine.advance_to(1.0)
    with pytest.raises(bc.RunError, match="1 grains have left the box, the first is grain 1"):
        machine.watch()


def test_a_misspelt_minimiser_is_told():
    with pytest.raises(SceneError, match=r"'newtn' is not among the minimisers.*Did you mean 'newton'"):
        lab.flat_scene(relax={"minimiser": "newtn"})


def test_a_packing_is_at_rest_for_the_soft_solver_too(tmp_path):
    """Hertz's potential and the contact law `hertz` push alike: the soft solver finds the packing in balance.

    Positions on disk have 1e-16 of the box, overlaps some 1e-3 of it, so forces balance to about 1e-12; ten times that
    and the soft solver's own round-off are allowed. In a hundred steps nothing but round-off moves.
    """
    packed = bc.run(lab.round_scene(60, fraction=0.68), tmp_path / "packed", progress=bc.Silent(), threads=1)
    fields = lab.round_scene(60, fraction=None).to_dict(full=False)
    soft = bc.Scene(**{**fields, "solver": "soft", "contact": "hertz", "walls": [], "start": str(packed.folder)})
    plan = Plan.of(soft)
    machine = solvers.create(plan.model, plan.grains, plan.time_step.value)
    moment = machine.frame()
    balance = np.zeros((60, 3))
    np.add.at(balance, moment.contacts.first, moment.contacts.force)
    np.add.at(balance, moment.contacts.second, -moment.contacts.force)
    size = np.linalg.norm(moment.contacts.force, axis=1).mean()
    assert len(moment.contacts.force) > 150
    assert np.abs(balance).max() < 1e-10 * size
    stored = moment.ledger["stored_energy"]
    assert stored == pytest.approx(packed.recording.series["stored_energy"][-1], rel=1e-9)
    machine.advance(100)
    assert machine.kinetic_energy() < 1e-18 * stored


def test_a_packing_comes_back_from_a_soft_shear(tmp_path):
    """Far below yield there is one minimum: discs sheared by the soft solver within its box, handed back and relaxed,
    are where minimisation takes them by itself, and the stress is the same to a millionth of its change.

    The soft shear takes 20 s, some 200 collision times; what it leaves in motion is relaxed away.
    """
    shear = {"kind": "pure-shear", "strain": 1e-5}
    packed = bc.run(lab.flat_scene(120), tmp_path / "packed", progress=bc.Silent(), threads=1)
    sheared = bc.run(
        lab.flat_scene(120, fraction=None, deformation=shear, start=str(packed.folder), observables=["packing"]),
        tmp_path / "sheared", progress=bc.Silent(), threads=1,
    )  # fmt: skip
    soft = {
        "solver": "soft", "contact": {"law": "linear", "stiffness": lab.STIFFNESS}, "drag": 0.1, "duration": 20.0,
        "frame_rate": 0.05, "deformation": {**shear, "course": "smooth"}, "start": str(packed.folder),
    }  # fmt: skip
    moved = bc.run(lab.flat_scene(120, fraction=None, **soft), tmp_path / "moved", progress=bc.Silent(), threads=1)
    back = {"start": str(moved.folder), "observables": ["packing"]}
    with pytest.raises(SceneError, match=r"box: is not the one that the run in .* ended in.*\. Take box = "):
        Plan.of(lab.flat_scene(120, fraction=None, **back))
    with moved.recording as recording:
        cell = recording[-1].cell[0]
    assert cell[3:6] == pytest.approx((np.exp(5e-6), 0, np.exp(-5e-6)), rel=1e-12)
    back["box"] = {"low": cell[:3].tolist(), "high": (cell[:3] + cell[3:6]).tolist()}
    again = bc.run(lab.flat_scene(120, fraction=None, **back), tmp_path / "back", progress=bc.Silent(), threads=1)
    for name in ("stress_isotropic", "stress_deviatoric", "fabric_isotropic"):
        first, last = sheared.recording.series[name][0], sheared.recording.series[name][-1]
        allowed = max(1e-6 * abs(last - first), 1e-12)
        assert again.recording.series[name][-1] == pytest.approx(last, abs=allowed, rel=0), name
