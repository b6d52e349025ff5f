"""Nothing of a recording goes unaudited, and each run is what its name says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from audit import balances, exports, figures
from audit.scenes import SCENES
from audit.taken import FIELDS, Taken, tables
from barchan.registry import parts

pytestmark = pytest.mark.validate
Take, Folder = Callable[[str], Taken], Callable[[str], Path]
# Where the rows of fields lie, series, and texts about the run: read by `take`, or by other tests of `series`.
ABOUT = tuple(f"/barchan/{one}" for one in ("frames/", "offsets/", "series/", "scene", "meta", "summary"))
SAME = {  # point data beside the tables: what it is of a sphere, by `exports.spheres`
    f"/VTKHDF/PointData/{name}": {"id": "grain"}.get(name, name)
    for name in ("id", "group", "born", "velocity", "spin", "orientation", "mass", "image", "inertia")
}
SERIES = {  # of every observable
    "cell": "cell_x", "centre": "centre_x", "collisions": "collisions", "contacts": "contacts_per_grain",
    "count": "grain_count", "energy": "energy_error", "flow": "mass_in", "modes": "slipping_share",
    "packing": "packing_fraction", "pile": "pile_height", "steps": "steps_accepted", "stress": "pressure",
}  # fmt: skip
STEPS = ("step", "shortest_step", "longest_step")
BLOWS = (*figures.PRESSED, "pressure", "total_pressure", "wall_collisions", "deepest_overlap")
ELSEWHERE = {  # what no frame tells of, nor two
    "hard": ("overlaps", "rested_collisions", "timed_collisions"),  # how collisions were worked out between frames
    "beams": ("kinetic_energy", "worst_overlap"),  # of bending; of areas. Tests of the solver have both
}
KINDS: dict[str, Callable[[Taken], bool]] = {
    "spheres": lambda run: run.series["contacts_per_grain"].min() > 0.5,
    "elastic": lambda run: np.abs(run.series["dissipated_normal"]).max() < 1e-3 * run.series["stored_energy"].max(),
    "flat": lambda run: run.flat,
    "far": lambda run: min(np.abs(frame.position).min() for frame in run.frames) > 200,
    "clumps": lambda run: {8, 2, 1} == set(np.bincount(run.frames[0].sphere_grain).tolist()),
    "periodic": lambda run: bool((crossings(run) > 0)[1]),
    "drifting": lambda run: bool((crossings(run) > 2).all()),
    "deforming": lambda run: bool(np.ptp(run.series["cell_x"]) > 0.01 and (crossings(run) > 0)[[0, 2]].all()),
    "pouring": lambda run: run.series["mass_in"][-1] > 0 and run.series["mass_out"][-1] > 0,
    "story": lambda run: not len(run.frames[0].id) and {frame.wall_present[0] for frame in run.frames} == {True, False},
    "tray": lambda run: {0, 1, 2} == {int(face) for frame in run.frames for face in frame.face},
    "tilted": lambda run: bool(run.series["cell_tilt"].max() > 0.4 and run.series["cell_tilt"].min() < -0.4),
    "squeezed": lambda run: run.series["cell_x"][-1] < 0.98 * run.series["cell_x"][0],
    "heavy": lambda run: any(bool((frame.second == -1).any()) for frame in run.frames),
    "triangles": lambda run: {-1, -2, 1} <= {int(one) for frame in run.frames for one in frame.second},
    "hard": lambda run: run.series["collisions"][-1] > 20 and run.series["wall_collisions"][-1] > 5,
    "conveyor": lambda run: run.series["slipping_contacts"].any() and run.series["sticking_contacts"].any(),
}  # fmt: skip


def crossings(run: Taken) -> np.ndarray:
    """(3,) how often grains have gone through a face of the box across each axis."""
    far = run.frames[0].cell[0, 3:6] / 2
    ways = [np.abs(two.position - one.position) > np.where(far > 0, far, np.inf)
            for one, two in zip(run.frames, run.frames[1:], strict=False)]  # fmt: skip
    return np.asarray(np.sum(ways, axis=(0, 1)))


@pytest.mark.parametrize("name", SCENES)
def test_every_run_is_what_its_name_says(taken: Take, name: str) -> None:
    """So that nothing passes for want of contacts, tilt, crossings or flow."""
    assert KINDS[name](taken(name))


def test_every_observable_is_audited(taken: Take) -> None:
    """An observable that came later would be audited by nobody, and so would one for which no run asks."""
    assert set(parts("observables")) == set(SERIES)
    seen = {name for scene in SCENES for name in taken(scene).series}
    assert set(SERIES.values()) <= seen


@pytest.mark.parametrize("name", SCENES)
def test_every_series_is_audited(taken: Take, name: str) -> None:
    """Each is determined by frames, held by a balance, or named here with the reason; with its unit."""
    run = taken(name)
    solver = run.scene["solver"]
    known = {*figures.determined(run, 0), *balances.LEDGER, "energy_error", "spared_energy", *STEPS}
    known |= {*ELSEWHERE.get(solver, ()), *(BLOWS if solver == "hard" else ())}
    if run.scene.get("sources"):
        known |= set(balances.flows(run, lambda place: np.full(len(place), "")))
    assert set(run.series) <= known
    assert solver == "hard" or not run.series["spared_energy"].any()


@pytest.mark.parametrize("name", SCENES)
def test_every_table_is_audited(taken: Take, folder: Folder, name: str) -> None:
    """Each dataset is a field that the audit reads, or tells where one lies; the group for VTK says the same of the
    spheres as the tables: a field that came later would be audited by nobody.
    """
    run = taken(name)
    ours = {where if where.startswith("/") else f"/barchan/{where}" for where, _ in FIELDS.values()}
    for where in tables(run.path):
        vtk = where.startswith("/VTKHDF/") and (not where.startswith("/VTKHDF/PointData/") or where in SAME)
        assert where in ours or where.startswith(ABOUT) or vtk, where
    for k, one in enumerate(exports.polydata(run.path)):
        own = exports.spheres(run.frames[k])
        for where, field in SAME.items():
            key = where.rpartition("/")[2]
            if key in one and k % 10 == 0:
                np.testing.assert_allclose(one[key], own[field], rtol=1e-12, err_msg=f"{key} of frame {k}")
