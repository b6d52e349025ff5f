"""What runs of every method have recorded, exported and measured is found again from their frames, by other code.

A frame holds grains, spheres, walls and contacts; series, exports and the contacts themselves follow from them, or are
held by balances between frames. Each figure that ever was not what its name says would fail here on one of the runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import barchan as bc
from audit import again
from audit.runs import RUNS, Audited
from barchan.frame import Frame
from barchan.record.formats import write
from barchan.scene.beams_frame import Corners
from solvers import lab

pytestmark = pytest.mark.validate
SINGLE = {"rtol": 2e-6, "atol": 2e-5}  # float32, of places up to 120 m


class Seen:
    """A finished run, with all its frames."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.how = name, RUNS[name]
        self.scene = self.how.scene()
        self.result = bc.run(self.scene, folder, progress=bc.Silent(), threads=1)
        self.recording = self.result.recording
        self.frames: list[Frame] = list(self.recording)
        self.series = self.recording.series

    @property
    def made(self) -> list[int]:
        """How many grains there have been up to each frame: ids are given one after another."""
        highest = [int(frame.id.max(initial=-1)) + 1 for frame in self.frames]
        return np.maximum.accumulate(highest).tolist()


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Seen]]:
    """The runs, each made when it is first asked for."""
    kept: dict[str, Seen] = {}

    def get(name: str) -> Seen:
        if name not in kept:
            kept[name] = Seen(name, tmp_path_factory.mktemp("every") / name)
        return kept[name]

    yield get
    for one in kept.values():
        one.recording.close()


@pytest.fixture
def seen(request: pytest.FixtureRequest, made: Callable[[str], Seen]) -> Seen:
    """A run by its name."""
    return made(request.param)


def those(*left_out: str, where: Callable[[Audited], bool] = lambda how: True) -> Any:
    """The runs that a test is for: all but those, and where what is known of them allows it."""
    names = [name for name, how in RUNS.items() if name not in left_out and where(how)]
    return pytest.mark.parametrize("seen", names, indirect=True)


@those()
def test_series_follow_from_frames(seen: Seen) -> None:
    """Every sample lies at a frame, and every number that the frame determines is the one recorded, to 1e-9 of the
    largest of its series.
    """
    assert np.array_equal(seen.series["time"], [frame.time for frame in seen.frames])
    checked = set()
    for k, (frame, made) in enumerate(zip(seen.frames, seen.made, strict=True)):
        for name, value in again.series(frame, seen.scene, made).items():
            if name not in seen.series or (name == "outflow" and seen.name == "poured"):
                continue  # what is poured and gone between two frames has an id that none of them shows
            checked.add(name)
            scale = np.nanmax(np.abs(seen.series[name]), initial=0.0) or 1.0
            assert seen.series[name][k] == pytest.approx(value, rel=1e-9, abs=1e-9 * scale, nan_ok=True), (name, k)
    assert {"pile_height", "mean_height", "grain_count", "centre_x", "drift_z", "cell_x"} <= checked
    if seen.scene.record.contacts:
        assert {"pressure", "stress_xz", "packing_fraction", "coordination", "fabric_isotropic"} <= checked


@those(where=lambda how: how.rigid)  # triangles bend against each other inside a grain
def test_kinetic_energy_is_that_of_the_frames(seen: Seen) -> None:
    """½ m v² and the spheres' turning with their grains; nothing has walls that move by force."""
    found = [again.moving(frame) for frame in seen.frames]
    assert seen.series["kinetic_energy"] == pytest.approx(found, rel=1e-9, abs=1e-9 * max(found))


@those("poured")  # whose gravity changes: the balance of energy holds it
def test_potential_energy_is_that_of_heights(seen: Seen) -> None:
    """−Σ m g · x, but for grains that came and went, and what going round along gravity would take out."""
    gravity = np.array(seen.scene.gravity)
    found = [-float(np.sum(frame.mass * (frame.position @ gravity))) for frame in seen.frames]
    assert seen.series["potential_energy"] == pytest.approx(found, rel=1e-9, abs=1e-9 * max(map(abs, found)))


@those("triangles", "hard", "tray")
def test_contacts_are_those_of_the_spheres(seen: Seen) -> None:
    """Every overlap of two spheres, through the faces of a periodic box too, and of a sphere with a plane stands in the
    table once, with its depth and its point; nothing else does. Points lie beside the first grain, not an image away.
    """
    total = 0
    for frame in seen.frames:
        touching, size = frame.contacts, frame.sphere_radius.max(initial=0.0)
        assert touching is not None
        left: dict[tuple[int, int], list[int]] = {}
        for k, (a, b) in enumerate(zip(touching.first.tolist(), touching.second.tolist(), strict=True)):
            left.setdefault((min(a, b), max(a, b)) if b >= 0 else (a, b), []).append(k)
        for a, b, deep, point in again.overlaps(frame, seen.scene):
            mine = left[a, b]
            apart = np.linalg.norm(again.short(frame, touching.point[mine] - point), axis=1)
            found = mine.pop(int(np.argmin(apart)))
            assert apart.min() < 1e-6 * size
            assert touching.overlap[found] == pytest.approx(deep, rel=1e-6, abs=1e-9 * size)
            total += 1
        assert not any(left.values())
        first = frame.position[again.rows(frame, touching.first)]
        assert np.all(np.linalg.norm(touching.point - first, axis=1) <= 1.01 * frame.radius.max(initial=0.0))
    assert total > (20 if seen.name != "poured" else 0)


def _elastic(seen: Seen, one: tuple[int, int, float, Any], frame: Frame) -> tuple[float, float]:
    """Force and energy of an elastic contact without friction, by its law."""
    a, b, deep, _ = one
    radius = dict(zip(frame.id.tolist(), frame.radius.tolist(), strict=True))
    both = lab.effective(radius[a], radius[b]) if b >= 0 else radius[a]
    if seen.how.law == "hertz":
        stiffness = lab.hertz_stiffness(both)
        return stiffness * deep**1.5, 0.4 * stiffness * deep**2.5
    stiffness = 1000.0 if seen.how.law == "linear" else 100.0
    return stiffness * deep, 0.5 * stiffness * deep**2


@those(where=lambda how: bool(how.law))
def test_elastic_forces_and_energies_follow_from_overlaps(seen: Seen) -> None:
    """Where nothing rubs or damps, the law makes force and stored energy of every overlap.

    Contacts with a spring of friction hold what one step's slip draws it out by, though it pulls nothing where μ is 0:
    stored energy is right to half a percent there, with more stored than overlaps make.
    """
    for k, frame in enumerate(seen.frames):
        contacts = again.overlaps(frame, seen.scene)
        made = [_elastic(seen, one, frame) for one in contacts]
        assert frame.has("contacts")
        sizes = np.sort(np.linalg.norm(frame.contacts.force, axis=1))
        scale = max(sizes.max(initial=0.0), 1e-12)
        assert sizes == pytest.approx(np.sort([force for force, _ in made]), rel=1e-6, abs=1e-6 * scale)
        stored = seen.series["stored_energy"]
        energy, near = sum(energy for _, energy in made), 1e-6 if seen.how.law == "harmonic" else 5e-3
        assert stored[k] == pytest.approx(energy, rel=near, abs=1e-6 * stored.max())


@those(where=lambda how: how.stepped)
def test_forces_make_the_momenta(seen: Seen) -> None:
    """Between two frames a step apart, m (v₂ − v₁) = h (F₁ + F₂)/2 + h m g for every grain."""
    gravity = np.array(seen.scene.gravity)
    for one, two in zip(seen.frames, seen.frames[1:], strict=False):
        total = np.zeros((2, len(one), 3))
        for k, frame in enumerate((one, two)):
            for a, b, force in zip(frame.contacts.first, frame.contacts.second, frame.contacts.force, strict=True):
                total[k, int(a)] += force
                if b >= 0:
                    total[k, int(b)] -= force
        gained = one.mass[:, None] * ((two.velocity - one.velocity) / (two.time - one.time) - gravity)
        scale = max(np.abs(total).max(), 1e-9)
        assert gained == pytest.approx(total.mean(axis=0), abs=1e-6 * scale)


@those()
def test_the_energies_balance(seen: Seen) -> None:
    """What is there and has gone, less what was given, changes by `energy_error` and nothing else, and that is small
    against what was turned over: 5% where steps are coarse.
    """
    s = seen.series
    total = s["kinetic_energy"] + s["potential_energy"] + s["stored_energy"] + s["tether_energy"] + s["beam_energy"]
    total = total + sum(values for name, values in s.items() if name.startswith("dissipated_")) + s["outflow_energy"]
    given = ("wall_work", "box_work", "rest_work", "event_work", "inflow_energy")
    total = total - sum(s[name] for name in given)
    scale = max(np.abs(s[name]).max() for name in ("kinetic_energy", "potential_energy", "stored_energy"))
    assert total - total[0] == pytest.approx(s["energy_error"] - s["energy_error"][0], abs=1e-9 * scale)
    spent = sum(np.abs(values).max() for name, values in s.items() if name.startswith("dissipated_"))
    turned = max(s["kinetic_energy"].max(), np.ptp(s["potential_energy"]), s["stored_energy"].max(), spent)
    assert np.abs(s["energy_error"]).max() < 0.05 * turned


@those()
def test_masses_and_numbers_balance(seen: Seen) -> None:
    """What is there is what was there at first and came, less what went."""
    s, first = seen.series, seen.frames[0]
    came, went = s.get("mass_in", 0.0 * s["time"]), s.get("mass_out", 0.0 * s["time"])
    mass = [float(frame.mass.sum()) for frame in seen.frames]
    assert mass == pytest.approx(first.mass.sum() + came - came[0] - went + went[0], rel=1e-9, abs=1e-15)
    for k, frame in enumerate(seen.frames):
        assert np.all(np.diff(frame.id) > 0)
        assert s["grain_count"][k] == len(frame)
    if seen.name == "poured":
        assert went[-1] > 0 and came[-1] > 0


# ------------------------------------------------------------ exports


def _spheres(frame: Frame) -> dict[str, np.ndarray]:
    """What an export of spheres holds, row by row."""
    row, arm = frame.sphere_grain, frame.sphere_position - frame.position[frame.sphere_grain]
    if frame.table(Corners) is None:
        size = frame.sphere_radius**3
    else:
        a, b, c = np.split(frame.table(Corners).triangle_corners, 3, axis=1)
        size = np.abs(np.linalg.det(np.stack([b - a, c - a], axis=1)))
    whole = np.array([size[row == k].sum() for k in range(len(frame))])
    return {
        "grain": frame.id[row], "group": frame.group[row], "place": frame.sphere_position,
        "velocity": np.array([frame.velocity[k] + np.cross(frame.spin[k], d) for k, d in zip(row, arm, strict=True)])
        .reshape(-1, 3), "spin": frame.spin[row], "turn": frame.orientation[row], "radius": frame.sphere_radius,
        "mass": frame.mass[row] * size / whole[row] if len(row) else size, "born": frame.born[row],
    }  # fmt: skip


def _same(found: np.ndarray, expected: np.ndarray, **near: float) -> None:
    scale = float(np.nanmax(np.abs(expected), initial=1e-300))
    near = near or {"rtol": 2e-9, "atol": 2e-9 * scale}
    np.testing.assert_allclose(found, expected, **near)


@those()
def test_extended_xyz(seen: Seen, tmp_path: Path) -> None:
    """Read by the properties that each header names."""
    lines = iter(write(seen.recording, "extxyz", tmp_path / "run.xyz").read_text().splitlines())
    for frame in seen.frames:
        count, head = int(next(lines)), next(lines)
        names = head.split("Properties=")[1].split()[0].split(":")
        width = dict(zip(names[::3], map(int, names[2::3]), strict=True))
        table = [next(lines).split()[1:] for _ in range(count)]
        numbers, expected, at = np.array(table, float).reshape(count, sum(width.values()) - 1), _spheres(frame), 0
        columns = {}
        for name, wide in list(width.items())[1:]:
            columns[name], at = numbers[:, at : at + wide], at + wide
        for name, key in (("pos", "place"), ("velo", "velocity"), ("angular_velocity", "spin")):
            _same(columns[name], expected[key])
        for name in ("grain", "group", "radius", "mass", "born"):
            _same(columns[name][:, 0], expected[name])
        _same(columns["orientation"], expected["turn"][:, [1, 2, 3, 0]])
        assert float(head.split("Time=")[1].split()[0]) == pytest.approx(frame.time, rel=1e-9)
        box = np.array(head.split('Lattice="')[1].split('"')[0].split(), float).reshape(3, 3)
        _same(_repeated(box, frame), _lengths(frame))
    assert next(lines, None) is None


def _lengths(frame: Frame) -> np.ndarray:
    """Lengths and tilt of what repeats."""
    cell = frame.cell[0, 3:7] if len(frame.cell) else np.zeros(4)
    return np.append(cell[:3], cell[3])


def _repeated(box: np.ndarray, frame: Frame) -> np.ndarray:
    """The same of a box's edges (3, 3)."""
    there = _lengths(frame)[:3] > 0
    return np.append(np.where(there, np.diag(box), 0.0), box[2, 0])


@those()
def test_lammps_dump(seen: Seen, tmp_path: Path) -> None:
    """Read by the columns that each header names."""
    blocks = write(seen.recording, "lammps-dump", tmp_path / "run.dump").read_text().split("ITEM: ATOMS ")[1:]
    assert len(blocks) == len(seen.frames)
    for block, frame in zip(blocks, seen.frames, strict=True):
        lines = block.split("ITEM:")[0].splitlines()
        names, expected = lines[0].split(), _spheres(frame)
        rows = np.array([line.split() for line in lines[1:]], float).reshape(-1, len(names))
        table = dict(zip(names, rows.T, strict=True))
        for key, columns in (
            ("place", "x y z"), ("velocity", "vx vy vz"), ("spin", "omegax omegay omegaz"),
            ("turn", "quatw quati quatj quatk"),
        ):  # fmt: skip
            _same(np.column_stack([table[name] for name in columns.split()]), expected[key])
        for key in ("radius", "mass"):
            _same(table[key], expected[key])
        _same(table["mol"], expected["grain"] + 1)
        _same(table["type"], expected["group"] + 1)


@those()
def test_tables_of_text(seen: Seen, tmp_path: Path) -> None:
    """Rows of grains, and rows of samples."""
    head, *lines = write(seen.recording, "csv", tmp_path / "run.csv").read_text().splitlines()
    table = np.array([line.split(",") for line in lines], float)
    names = [name.split(" ")[0] for name in head.split(",")]
    got = dict(zip(names, table.T, strict=True))
    for key, columns in (
        ("position", "x y z"), ("velocity", "vx vy vz"), ("spin", "wx wy wz"), ("orientation", "qw qx qy qz"),
        ("radius", "radius"), ("mass", "mass"), ("id", "id"), ("born", "born"),
    ):  # fmt: skip
        found = [got[name] for name in columns.split()]
        expected = np.concatenate([getattr(frame, key) for frame in seen.frames])
        _same(np.column_stack(found), expected.reshape(-1, len(found)))
    head, *lines = write(seen.recording, "csv-series", tmp_path / "series.csv").read_text().splitlines()
    table = np.array([line.split(",") for line in lines], float)
    for name, column in zip(head.split(","), table.T, strict=True):
        _same(column, seen.series[name.split(" ")[0]])


@those()
def test_gsd(seen: Seen, tmp_path: Path) -> None:
    """Every sphere lies in the box along axes that repeat, and shift and image lead back to where it was."""
    hoomd = pytest.importorskip("gsd.hoomd")
    with hoomd.open(str(write(seen.recording, "gsd", tmp_path / "run.gsd"))) as file:
        assert len(file) == len(seen.frames)
        for found, frame in zip(file, seen.frames, strict=True):
            part, expected = found.particles, _spheres(frame)
            if not len(frame):
                continue
            x, y, z, _, tilt, _ = (float(one) for one in found.configuration.box)
            edges = np.array([[x, 0, 0], [0, y, 0], [tilt * z, 0, z]])
            back = part.position + part.image @ edges + found.log["shift"]
            _same(back, expected["place"], **SINGLE)
            inside = np.linalg.solve(edges.T, part.position.astype(float).T).T
            assert np.abs(inside[:, _lengths(frame)[:3] > 0]).max(initial=0.0) <= 0.5 + 1e-6
            _same(part.velocity, expected["velocity"], **SINGLE)
            _same(part.diameter, 2 * expected["radius"], rtol=2e-6, atol=0.0)
            _same(part.mass, expected["mass"], rtol=2e-6, atol=0.0)


@those()
def test_vtkhdf(seen: Seen, tmp_path: Path) -> None:
    """Points, or corners of triangles, of every step, with the velocity, mass and group of each."""
    path = write(seen.recording, "vtk", tmp_path / "run.vtkhdf")
    flat = seen.frames[0].triangles is not None
    with h5py.File(path, "r") as file:
        root, kind = file["VTKHDF"], "CellData" if flat else "PointData"
        for k, frame in enumerate(seen.frames):
            expected, count = _spheres(frame), len(frame.sphere_grain)
            begin = int(root["Steps/PointOffsets"][k])
            place = root["Points"][begin : begin + (3 * count if flat else count)]
            if flat:
                _same(place[:, [0, 2]].reshape(-1, 6), frame.table(Corners).triangle_corners)
            else:
                _same(place, expected["place"])
            for name in ("velocity", "group", *(("mass",) if flat else ())):
                at = int(root[f"Steps/{kind}Offsets/{name}"][k])
                _same(root[f"{kind}/{name}"][at : at + count], expected[name])


@those()
def test_usd(seen: Seen, tmp_path: Path) -> None:
    """Instances at their places, as large and as fast as the spheres, at the frames' time codes."""
    usd = pytest.importorskip("pxr.Usd")
    geometry = pytest.importorskip("pxr.UsdGeom")
    stage = usd.Stage.Open(str(write(seen.recording, "usd", tmp_path / "run.usda")))
    grains = geometry.PointInstancer(stage.GetPrimAtPath("/World/grains"))
    for frame in seen.frames:
        code, expected = frame.time * seen.scene.frame_rate, _spheres(frame)
        if not len(frame):
            continue
        _same(np.array(grains.GetPositionsAttr().Get(code)), expected["place"], **SINGLE)
        _same(np.array(grains.GetVelocitiesAttr().Get(code)), expected["velocity"], **SINGLE)
        _same(np.array(grains.GetScalesAttr().Get(code))[:, 0], expected["radius"], rtol=2e-6, atol=0.0)


@those()
def test_every_run_is_another_kind(seen: Seen) -> None:
    """The runs are what their names say, so that nothing above passes for want of contacts, tilt or flow."""
    cells = np.array([frame.cell[0, 3:7] for frame in seen.frames if len(frame.cell)])
    kinds = {
        "spheres": lambda: min(frame.position.min() for frame in seen.frames) < -30,
        "clumps": lambda: len(seen.frames[0].sphere_grain) == 8 * len(seen.frames[0]),
        "periodic": lambda: len(cells) == len(seen.frames) and cells[:, :3].all(),
        "flat": lambda: seen.scene.dimensions == 2 and np.ptp(cells[:, 0]) > 0.01,
        "tilted": lambda: np.abs(cells[:, 3]).max() > 0.1 and np.any(np.diff(np.sign(cells[1:, 3]))),
        "poured": lambda: seen.made[-1] > 20,
        "triangles": lambda: {-1, -2, 1} <= {int(one) for frame in seen.frames for one in frame.contacts.second},
        "tray": lambda: seen.series["contacts_per_grain"][0] > 3.5,
        "hard": lambda: seen.series["collisions"][-1] > 20 and math.isfinite(seen.series["packing_fraction"][-1]),
    }
    assert kinds[seen.name]()
