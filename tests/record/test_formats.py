"""Every export is read back with that format's own library and holds what was recorded."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from barchan.errors import FileError
from barchan.frame import Frame
from barchan.geometry import rotate
from barchan.record.formats import formats, usd, write
from barchan.record.recorder import Recorder
from barchan.record.recording import Recording
from barchan.scene.beams_frame import Corners
from record.toy import META, SERIES, make_frame, record
from solvers.inside import peek

SCENE = """
name = "toy"
duration = 1
frame_rate = 10
materials.sand = { density = 2500 }
grains = [
  { name = "sand", material = "sand", size = 0.01, fill = { kind = "points", positions = [[0, 0, 0]] } },
  { name = "grit", material = "sand", size = 0.01, fill = { kind = "points", positions = [[1, 0, 0]] } },
  { name = "rock", material = "sand", size = 0.01, fill = { kind = "points", positions = [[2, 0, 0]] } },
]
walls = [
  { name = "floor", shape = "plane", material = "sand", point = [0, 0, -0.1] },
  { name = "tube", shape = "cylinder", material = "sand", point = [0, 0, 0], radius = 0.1, length = 0.2 },
]
"""
CLOSE = {"rtol": 1e-9, "atol": 1e-9}  # ten digits of text
SINGLE = {"rtol": 1e-6, "atol": 1e-6}  # float32


def unit_turns(frame: Frame) -> Frame:
    """The frame with orientations that are unit quaternions."""
    frame.orientation = frame.orientation / np.linalg.norm(frame.orientation, axis=1, keepdims=True)
    return frame


@pytest.fixture(scope="module", params=["spheres", "clumps"])
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """Five frames, in which grains come and go; in the last, a leaning periodic box."""
    folder = tmp_path_factory.mktemp(request.param)
    many = 1 if request.param == "spheres" else 4
    with Recorder(folder, scene_toml=SCENE, meta=META, series=SERIES) as recorder:
        for k, count in enumerate([5, 5, 8, 3, 30]):
            frame = unit_turns(make_frame(k, count, spheres_per_grain=many))
            if k == 4:
                frame.cell = np.array([[-5.0, 0.0, -4.0, 10.0, 0.0, 9.0, 1.5]])
                frame.position[0], frame.sphere_position[:many] = (-4.9, 0.3, 4.8), (-4.9, 0.3, 4.8)
            record(recorder, k, frame)
        recorder.close({})
    return Recording(folder)


def sphere_velocity(frame: Frame) -> np.ndarray:
    """Of a point of a rigid body: v + ω × r."""
    row = frame.sphere_grain
    return frame.velocity[row] + np.cross(frame.spin[row], frame.sphere_position - frame.position[row])


def test_gsd(recording: Recording, tmp_path: Path) -> None:
    """Read with `gsd`; the last frame lies in HOOMD's box, which is centred: shift and box give back the corner.

    All spheres lie inside the box, and shift and image give back where they were.
    """
    hoomd = pytest.importorskip("gsd.hoomd")
    with hoomd.open(str(write(recording, "gsd", tmp_path / "run.gsd"))) as file:
        assert len(file) == len(recording)
        for found, frame in zip(file, recording, strict=True):
            part, row = found.particles, frame.sphere_grain
            x, y, z, _, tilt, _ = found.configuration.box
            away = part.image @ np.array([[x, 0, 0], [0, y, 0], [tilt * z, 0, z]])
            assert np.allclose(part.position + found.log["shift"] + away, frame.sphere_position, **SINGLE)
            share = np.column_stack([(part.position[:, 0] - tilt * part.position[:, 2]) / x, part.position[:, 2] / z])
            assert np.abs(share).max() <= 0.5 + 1e-6  # inside, in a box that leans too
            assert np.allclose(part.velocity, sphere_velocity(frame), **SINGLE)
            assert np.allclose(part.diameter, 2 * frame.sphere_radius, **SINGLE)
            assert np.allclose(part.orientation, frame.orientation[row], **SINGLE)
            assert part.mass.sum() == pytest.approx(frame.mass.sum(), rel=1e-5)
            assert [part.types[k] for k in part.typeid] == [("sand", "grit", "rock")[k] for k in frame.group[row]]
            assert np.array_equal(found.log["particles/id"], frame.id[row])
            assert found.log["time"][0] == frame.time and found.configuration.step == frame.step
            assert np.all(part.body >= 0) == (len(row) > len(frame))
        assert np.allclose(found.configuration.box[[0, 2, 4]], [10.0, 9.0, 1.5 / 9.0])
        assert np.allclose(found.log["shift"], [-5 + 5 + 0.75, 0.0, -4 + 4.5])


def test_extxyz_and_lammps_dump(recording: Recording, tmp_path: Path) -> None:
    """Read with ASE, which knows both; the box leans as recorded."""
    ase_io = pytest.importorskip("ase.io")
    found = ase_io.read(write(recording, "extxyz", tmp_path / "run.xyz"), index=":")
    dumped = ase_io.read(write(recording, "lammps-dump", tmp_path / "run.dump"), index=":", format="lammps-dump-text")
    assert len(found) == len(dumped) == len(recording)
    for one, other, frame in zip(found, dumped, recording, strict=True):
        row = frame.sphere_grain
        assert np.allclose(one.positions, frame.sphere_position, **CLOSE)
        assert np.allclose(other.positions, frame.sphere_position, **CLOSE)
        assert np.allclose(peek(one, "velo"), sphere_velocity(frame), **CLOSE)
        assert np.allclose(peek(one, "angular_velocity"), frame.spin[row], **CLOSE)
        assert np.allclose(peek(one, "radius"), frame.sphere_radius, **CLOSE)
        assert np.allclose(np.roll(peek(one, "orientation"), 1, axis=1), frame.orientation[row], **CLOSE)
        assert np.array_equal(peek(one, "grain"), frame.id[row]) and np.array_equal(
            peek(one, "group"), frame.group[row]
        )
        assert one.info["Time"] == pytest.approx(frame.time)
        assert np.array_equal(peek(other, "type"), frame.group[row] + 1)
    for one in (found[-1], dumped[-1]):
        assert list(one.pbc) == [True, False, True]
        assert np.allclose(np.asarray(one.cell)[[0, 2]], [[10, 0, 0], [1.5, 0, 9]])


def test_lammps_dump_has_the_columns_it_names(recording: Recording, tmp_path: Path) -> None:
    """ASE leaves out most columns, so the first frame is read by its own header, as OVITO does."""
    text = write(recording, "lammps-dump", tmp_path / "run.dump").read_text().split("ITEM: ")
    names = next(one for one in text if one.startswith("ATOMS")).splitlines()
    table = dict(zip(names[0].split()[1:], np.array([line.split() for line in names[1:]], float).T, strict=True))
    frame = recording[0]
    row = frame.sphere_grain
    assert np.array_equal(table["id"], np.arange(1, len(row) + 1)) and np.array_equal(table["mol"], frame.id[row] + 1)
    assert np.allclose(table["radius"], frame.sphere_radius, **CLOSE)
    assert np.allclose(table["mass"].sum(), frame.mass.sum())
    for k, axis in enumerate("xyz"):
        assert np.allclose(table[f"omega{axis}"], frame.spin[row, k], **CLOSE)
    for k, letter in enumerate("wijk"):
        assert np.allclose(table[f"quat{letter}"], frame.orientation[row, k], **CLOSE)


@pytest.mark.parametrize("held", [64 << 20, 1], ids=["at once", "frame by frame"])
def test_usd(recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    """Read with `usd-core`: the same whether it was saved once or after every frame."""
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    monkeypatch.setattr(usd, "HELD", held)
    stage = Usd.Stage.Open(str(write(recording, "usd", tmp_path / "run.usdc")))
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0.0, pytest.approx(4.0))
    grains = UsdGeom.PointInstancer(stage.GetPrimAtPath("/World/grains"))
    assert grains.GetPositionsAttr().GetNumTimeSamples() == len(recording)
    for frame in recording:
        code, row = 10 * frame.time, frame.sphere_grain
        assert np.allclose(np.array(grains.GetPositionsAttr().Get(code)), frame.sphere_position, **SINGLE)
        assert np.allclose(np.array(grains.GetScalesAttr().Get(code)), frame.sphere_radius[:, None], **SINGLE)
        spin = np.radians(np.array(grains.GetAngularVelocitiesAttr().Get(code)))
        assert np.allclose(spin, frame.spin[row], rtol=1e-5, atol=1e-5)
        arm = np.array([1.0, 2.0, 3.0])
        turns = grains.GetOrientationsfAttr().Get(code)
        turned = np.array([[*one.Transform(type(one.imaginary)(*arm))] for one in turns])
        assert np.allclose(turned, rotate(frame.orientation[row], arm), rtol=1e-5, atol=1e-5)
        tube = UsdGeom.Mesh(stage.GetPrimAtPath("/World/walls/wall_1"))
        assert (tube.ComputeVisibility(code) == "inherited") == bool(frame.wall_present[1])
    assert len(tube.GetPointsAttr().Get()) and tube.ValidateTopology(
        tube.GetFaceVertexIndicesAttr().Get(), tube.GetFaceVertexCountsAttr().Get(), len(tube.GetPointsAttr().Get())
    )


def test_csv(recording: Recording, tmp_path: Path) -> None:
    with write(recording, "csv", tmp_path / "grains.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(len(frame) for frame in recording)
    last = recording[-1]
    mine = rows[-len(last) :]
    for name, values in (
        ("x (m)", last.position[:, 0]),
        ("wy (rad/s)", last.spin[:, 1]),
        ("qz", last.orientation[:, 3]),
    ):
        assert np.allclose([float(row[name]) for row in mine], values, **CLOSE)
    assert [int(row["id"]) for row in mine] == last.id.tolist()
    with write(recording, "csv-series", tmp_path / "series.csv").open() as file:
        series = list(csv.DictReader(file))
    assert [float(row["kinetic energy (J)"]) for row in series] == pytest.approx(recording.series["kinetic energy"])
    assert [int(row["step"]) for row in series] == recording.series["step"].tolist()


def test_what_is_there_is_kept(recording: Recording, tmp_path: Path) -> None:
    """Every format refuses a file that is there, a wrong ending, and leaves nothing behind when it fails."""
    for key, made in formats().items():
        target = tmp_path / f"run{made.endings[0]}"
        target.write_text("mine")
        with pytest.raises(FileError, match="already there"):
            write(recording, key, target)
        with pytest.raises(FileError, match="ends in"):
            write(recording, key, tmp_path / "run.doc")
        assert target.read_text() == "mine"
    told: list[tuple[int, int]] = []
    write(recording, "csv", tmp_path / "run.csv", force=True, report=lambda *so_far: told.append(so_far))
    assert told == [(k, 5) for k in range(1, 6)]
    before = {path.name for path in tmp_path.iterdir()}
    with pytest.raises(RuntimeError, match="stopped"):
        write(recording, "csv", tmp_path / "new.csv", report=lambda *_: (_ for _ in ()).throw(RuntimeError("stopped")))
    assert {path.name for path in tmp_path.iterdir()} == before


def test_triangles_weigh_by_their_areas(tmp_path: Path) -> None:
    """Two polygons of a material that weighs 25 kg/m², each of a right triangle of 1 by 2 and one of 0.3 by 0.1: every
    exported triangle has 25 kg/m², though the circles about them differ by another factor than their areas.
    """
    frame = make_frame(0, 2, spheres_per_grain=2)
    sides = np.array([(1.0, 2.0), (0.3, 0.1)] * 2)
    corners = np.zeros((4, 6))
    corners[:, 2], corners[:, 5] = sides.T
    frame = replace(frame, tables=(Corners(corners + 0.7),), mass=np.full(2, 25 * (1.0 + 0.015)),
                    sphere_radius=np.hypot(*sides.T) / 2)  # fmt: skip
    (tmp_path / "run").mkdir()
    with Recorder(tmp_path / "run", scene_toml=SCENE, meta=META, series=SERIES) as recorder:
        recorder.frame(frame)
        recorder.close({})
    text = write(Recording(tmp_path / "run"), "lammps-dump", tmp_path / "run.dump").read_text().split("ITEM: ATOMS ")[1]
    names, *rows = text.splitlines()
    mass = np.array([line.split() for line in rows], float)[:, names.split().index("mass")]
    assert mass == pytest.approx(25 * np.array([1.0, 0.015] * 2))
