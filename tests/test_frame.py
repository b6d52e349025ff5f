"""One moment, live or recorded: the same figures from both, found when asked for, and never of another time."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from barchan import registry
from barchan.errors import FrameError, SceneError
from barchan.frame import Contacts, Frame, fields_of
from barchan.model.grains import Grains, grains_of
from barchan.parts.observables import Observable
from barchan.parts.observables.energy import LINES
from barchan.record.recorder import Recorder
from barchan.record.recording import Recording
from barchan.record.schema import frame_arrays
from barchan.scene import dumps
from barchan.simulation.start import last_grains, masses
from barchan.solvers.soft import ledger
from barchan.solvers.soft.solver import SoftSolver
from solvers import beams_lab, hard_lab, lab, relax_lab

BOX = {"low": (-1.0, -0.5, -1.0), "high": (1.0, 0.5, 1.0)}
SPOTS = [(0.0, -0.49, 0.0), (0.0, 0.45, 0.05), (0.09, 0.42, 0.02), (0.5, 0.0, 0.04)]


def soft() -> Any:
    """Cubes and spheres that touch each other, through a periodic face too, and the floor."""
    cubes = lab.grains([(0.3, 0.0, 0.049), (0.3, 0.099, 0.048)], shape="cube", velocity=(0.1, 0.2, 0.0))
    return lab.solver(lab.kitchen([lab.grains(SPOTS, velocity=(0.0, -0.3, 0.1)), cubes], [lab.FLOOR], box=BOX), 1e-5)


def hard() -> Any:
    """Two spheres of which one overlaps the floor, and each other through a periodic face."""
    scene = hard_lab.scene(
        [hard_lab.grains([(0.0, -0.47, 0.3), (0.0, 0.44, 0.3), (0.3, 0.0, 0.0499)], velocity=(0.1, 0.0, 0.2))],
        [hard_lab.FLOOR], periodic=(False, True, False), box=BOX,
    )  # fmt: skip
    return hard_lab.solver(scene)


def relaxed() -> Any:
    """Discs at rest in a periodic square."""
    return relax_lab.relaxed(relax_lab.flat_scene(60))


def beams() -> Any:
    """Two squares of triangles in each other, far apart but for a periodic face."""
    box = {"low": (0.0, 0.0, 0.0), "high": (0.02, 0.0, 0.02)}
    pair = [beams_lab.grain(0.0009, 0.01), beams_lab.grain(0.0192, 0.0103)]
    return beams_lab.solver(beams_lab.scene(pair, periodic=(True, False, False), box=box), 1e-6)


def rubbing() -> Any:
    """Two squares of triangles that meet and rub at each other."""
    machine = beams_lab.two_squares(0.5, step=1e-6, friction=0.4)
    machine.advance(1200)
    return machine


METHODS: dict[str, Callable[[], Any]] = {"soft": soft, "hard": hard, "relax": relaxed, "beams": beams}
LIVE_ALONE = {"collisions", "count", "energy", "flow", "steps"}  # what no frame on disk determines
OF_CONTACTS = {"contacts", "modes", "packing", "stress"}


def recorded(machine: Any, folder: Path, *names: str) -> Frame:
    """The present moment, recorded with these and read back."""
    scene = machine.model.scene
    with Recorder(folder, scene_toml=dumps(scene), meta={}, series=[]) as recorder:
        recorder.frame(machine.frame().alone(*names))
        recorder.close({})
    return Recording(folder)[0]


@pytest.mark.parametrize("method", METHODS)
def test_what_a_method_calls_idle_is_zero(method: str) -> None:
    """`barchan check` says of these that they will be 0 and had better be left out. Of triangles that stick or slip it
    said so of `modes`, which counts them. `packing` has a fraction without contacts, and a warning of its own.
    """
    machine = {**METHODS, "beams": rubbing}[method]()
    for key in {*machine.method.idle} - {"packing"}:
        values = registry.part("observables", key)().measure(machine.frame())
        assert not any(values.values()), (key, values)


@pytest.mark.parametrize("method", METHODS)
def test_a_recorded_frame_measures_what_the_live_one_does(method: str, tmp_path: Path) -> None:
    """Every observable that a frame determines, to 1e-12: the same arrays are read, and the scene says the rest. Hard
    spheres have no lasting contacts, so their frames hold none. What a frame does not determine is refused.

    Contacts by the solver's rows where they stand by id, or a branch to the wrong image (all but relax: across the face
    along y or x), would join grains that are farther apart than their radii. Catches a recording without the
    depth of overlaps, too.
    """
    machine = METHODS[method]()
    contacts = () if method == "hard" else ("contacts",)
    live, read = machine.frame(), recorded(machine, tmp_path, *contacts)
    first, second = live.ends
    pair = second >= 0
    apart = np.linalg.norm(live.branch[pair], axis=1)
    assert len(first) >= 2 and pair.any()
    assert (apart < live.radius[first[pair]] + live.radius[second[pair]]).all(), "these cannot touch"
    refused = set()
    for key, kind in registry.parts("observables").items():
        one = kind()
        assert isinstance(one, Observable)
        if read.has(*one.needs):
            assert one.measure(read) == pytest.approx(one.measure(live), rel=1e-12, abs=1e-300), key
        else:
            refused.add(key)
            with pytest.raises(FrameError, match=r"frame at t = .* holds no"):
                one.measure(read)
    assert refused == LIVE_ALONE | (OF_CONTACTS if method == "hard" else set())


def test_a_frame_without_contacts_names_the_field_that_records_them(tmp_path: Path) -> None:
    """The remedy is a field of the scene; a plain `None` would end in a traceback somewhere else."""
    with pytest.raises(FrameError, match=r"record\.contacts = true"):
        recorded(relaxed(), tmp_path).contacts.force.sum()


def test_contacts_and_ledger_are_found_once_and_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is asked of the contacts until somebody wants to know, and then once for both."""
    machine, asked = soft(), []
    account = ledger.account
    monkeypatch.setattr(ledger, "account", lambda solver: asked.append(1) or account(solver))
    frame = machine.frame()
    assert frame.position.shape == (6, 3) and not asked
    assert len(frame.contacts) > 2 and frame.ledger["kinetic_energy"] > 0 and len(frame.contacts) > 2
    assert len(asked) == 1


@pytest.mark.parametrize("method", METHODS)
def test_a_live_frame_refuses_when_its_run_has_gone_on(method: str) -> None:
    """Contacts of another time beside these places would be wrong in silence. What is held stays as it was; what a
    frame finds without its run (`solid`), too.
    """
    machine = METHODS[method]()
    held, bare = machine.frame("contacts", "ledger"), machine.frame()
    before = held.contacts.point.copy(), dict(held.ledger)
    machine.advance_to(machine.time + (0.25 if method == "relax" else 1e-4))
    assert np.array_equal(held.contacts.point, before[0]) and dict(held.ledger) == before[1]
    assert bare.solid.shape == bare.mass.shape
    for name in ("contacts", "ledger"):
        with pytest.raises(FrameError, match=f"its {name} can no longer be found: the run has gone on"):
            getattr(bare, name)
    assert len(machine.frame().contacts) >= 0


@pytest.mark.parametrize("method", ["soft", "hard", "beams"])
def test_changes_between_two_steps_make_old_frames_refuse(method: str) -> None:
    """Without a step the time is the same, yet the ledger, or the contacts, are others."""
    machine = METHODS[method]()
    options = {"soft": {"tidy": True}, "hard": {"now": 0.0}, "beams": {}}[method]
    for change in (partial(machine.change_gravity, (0.0, 0.0, -1.0)), machine.meet_walls,
                   partial(machine.rebuild, **options)):  # fmt: skip
        frame = machine.frame()
        change()
        with pytest.raises(FrameError, match="the run has gone on"):
            frame.ledger["kinetic_energy"]


@pytest.mark.parametrize("method", METHODS)
def test_a_method_declares_its_tables_and_the_lines_of_its_ledger(method: str) -> None:
    """What is not declared is not recorded: recording, ledger and the table of the file name no method.
    So a frame has the tables, and the ledger the lines, that its method says, and no other.
    """
    machine = METHODS[method]()
    frame = machine.frame()
    assert tuple(type(one) for one in frame.tables) == machine.method.tables
    assert set(frame.ledger) - set(LINES) - {"energy_total"} == set(machine.method.ledger)
    written = {field.name for kind in (Frame, Contacts, *machine.method.tables) for field in fields_of(kind)}
    assert set(frame_arrays(frame.alone("contacts"))) == written


def heavy() -> tuple[Any, Grains]:
    """Spheres and cubes of the laboratory, of which some are heavier, and harder to turn, than their material says."""
    cubes = lab.grains([(0.3, 0.0, 0.7), (0.3, 0.2, 0.8)], shape="cube", velocity=(0.1, 0.2, 0.0), spin=(1.0, 2.0, 3.0))
    model, made = lab.prepared(lab.kitchen([lab.grains(SPOTS[:3]), cubes], [lab.FLOOR], box=BOX))
    made.mass[[1, 3]] *= 1.7
    made.inertia[[1, 3]] = [[1e-3, 2e-3, 2.5e-3], [3e-3, 4e-3, 5e-3]]
    return SoftSolver(model, made, 1e-5), made


def test_grains_frame_grains_loses_nothing(tmp_path: Path) -> None:
    """Grains that are not what density and size would make of them go to a solver, to a recording and back. All that is
    no product of others comes back to the last bit; spins and velocities to 1e-12, as solvers keep momenta. Mass that
    is computed anew from the density is 1.7 times too small; without offsets a cube would be a point.
    """
    machine, made = heavy()
    back = grains_of(recorded(machine, tmp_path), made.material)
    moving = ("position", "velocity", "spin", "orientation")
    for name in (field.name for field in dataclasses.fields(Grains) if field.name not in moving):
        assert np.array_equal(getattr(back, name), getattr(made, name)), name
    for name in moving:
        np.testing.assert_allclose(getattr(back, name), getattr(made, name), rtol=0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("method", ["hard", "relax"])
def test_single_spheres_come_back_from_every_method(method: str, tmp_path: Path) -> None:
    """I = 2/5 m r² and one sphere in the middle: what these solvers take for granted stands in their frames."""
    machine = METHODS[method]()
    back = grains_of(recorded(machine, tmp_path), np.zeros(len(machine), np.int32))
    assert back.inertia == pytest.approx(np.tile(0.4 * (back.mass * back.radius**2)[:, None], 3), rel=1e-14)
    assert not back.clumped and np.array_equal(back.sphere_radius, back.radius)


def test_a_run_that_begins_with_a_frame_keeps_masses_and_says_so(tmp_path: Path) -> None:
    """`--from` once computed masses anew from the density: a sphere that weighs 1.7 times as much became lighter, and
    cubes could not be handed over. The other density is a warning, for here it is not used.
    """
    machine, made = heavy()
    recorded(machine, tmp_path)
    scene = machine.model.scene.model_copy(update={"start": str(tmp_path)})
    grains = last_grains(scene)
    assert np.array_equal(grains.mass, made.mass) and np.array_equal(grains.inertia, made.inertia)
    assert np.array_equal(grains.sphere_offset, made.sphere_offset)
    (note,) = masses(scene, grains)
    assert str(note).startswith(f"start: 2 grains keep the mass that they had there, the first {made.mass[1]:.4g} kg")
    assert not masses(scene, lab.prepared(machine.model.scene)[1])


def test_grains_of_another_shape_cannot_be_handed_over(tmp_path: Path) -> None:
    """Cubes in a group of spheres would be measured, drawn and checked as spheres; polygons are of another kind."""
    machine, _ = heavy()
    recorded(machine, tmp_path)
    plain = lab.kitchen([lab.grains(SPOTS[:3]), lab.grains(SPOTS)], [lab.FLOOR], box=BOX, start=str(tmp_path))
    with pytest.raises(SceneError, match="grains of 8 spheres, the group here 'group 1' of 1; a grain keeps its shape"):
        last_grains(plain)


def test_polygons_cannot_be_handed_over(tmp_path: Path) -> None:
    """They are not rigid: their frames do not say where their parts are, and so cannot pretend to."""
    machine = beams()
    read = recorded(machine, tmp_path)
    assert np.isnan(read.sphere_offset).all() and np.isfinite(read.inertia[:, 1]).all()
    with pytest.raises(SceneError, match="grains that are not rigid"):
        last_grains(machine.model.scene.model_copy(update={"start": str(tmp_path)}))
