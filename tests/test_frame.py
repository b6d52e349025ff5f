"""One moment, live or recorded: the same figures from both, found when asked for, and never of another time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from barchan import registry
from barchan.errors import FrameError
from barchan.frame import Contacts, Frame, fields_of
from barchan.observables import Observable
from barchan.observables.energy import LINES
from barchan.record.recorder import Recorder
from barchan.record.recording import Recording
from barchan.record.schema import frame_arrays
from barchan.scene import dumps
from barchan.solvers import soft_ledger
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
def test_a_recorded_frame_measures_what_the_live_one_does(method: str, tmp_path: Path) -> None:
    """Every observable that a frame determines, to 1e-12: the same arrays are read, and the scene says the rest. Hard
    spheres have no lasting contacts, so their frames hold none. What a frame does not determine is refused.

    A recorded frame that took contacts by row where they stand by id, one without the sizes of the overlapping pieces,
    or a branch to the wrong image of a grain (soft, beams: through the face along y or x) would fail here.
    """
    machine = METHODS[method]()
    contacts = () if method == "hard" else ("contacts",)
    live, read = machine.frame(), recorded(machine, tmp_path, *contacts)
    assert len(live.contacts) >= 2 and np.abs(live.branch).max() < 0.3, "nothing would be compared"
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
    account = soft_ledger.account
    monkeypatch.setattr(soft_ledger, "account", lambda solver: asked.append(1) or account(solver))
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
