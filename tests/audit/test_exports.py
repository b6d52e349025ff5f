"""Every export of every run of the audit, read by its own words, against the recording."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import barchan as bc
from audit import exports
from audit.scenes import SCENES
from audit.taken import Taken
from barchan.record.formats import formats, write

pytestmark = pytest.mark.validate
KNOWN = ("csv", "csv-series", "extxyz", "gsd", "lammps-dump", "usd", "vtk")
Take, Folder = Callable[[str], Taken], Callable[[str], Path]


def exported(folder: Path, key: str, path: Path) -> Path:
    """The run's recording in that format."""
    with bc.Recording(folder) as recording:
        return write(recording, key, path / f"{key}{formats()[key].endings[0]}")


def same(found: Any, values: Any, *, single: bool = False, what: str = "") -> None:
    """Equal to the ten digits of text, or to single precision."""
    values = np.asarray(values, float)
    digits = 2e-7 if single else 6e-10
    found = np.asarray(found, float).reshape(values.shape)
    near = digits * np.nanmax(np.abs(values), initial=1e-300)
    np.testing.assert_allclose(found, values, rtol=0, atol=near, err_msg=what)


def same_box(found: dict[str, Any], own: exports.Box) -> None:
    """Corner, edges and what repeats."""
    scale = np.abs(np.concatenate([own.low[None], own.edges])).max()
    assert found["low"] == pytest.approx(own.low, abs=1e-9 * scale)
    assert found["edges"] == pytest.approx(own.edges, abs=1e-9 * scale)
    assert np.array_equal(found["repeats"], own.repeats)


def test_every_format_is_audited() -> None:
    """A format that came later would be audited by nobody."""
    assert tuple(formats()) == KNOWN


@pytest.mark.parametrize("name", SCENES)
def test_extxyz(taken: Take, folder: Folder, tmp_path: Path, name: str) -> None:
    """Extended XYZ: places, own velocities, shares of mass, spins, OVITO's order of quaternions, box and moment."""
    run = taken(name)
    found = list(exports.extxyz(exported(folder(name), "extxyz", tmp_path)))
    names = {"pos": "position", "grain": "grain", "group": "group", "radius": "radius", "mass": "mass",
             "velo": "velocity", "angular_velocity": "spin", "born": "born"}  # fmt: skip
    for one, frame in zip(found, run.frames, strict=True):
        own = exports.spheres(frame)
        for key, field in names.items():
            same(one[key], own[field], what=key)
        same(one["orientation"][:, [3, 0, 1, 2]], own["orientation"])
        assert one["step"] == frame.step and one["time"] == pytest.approx(frame.time, rel=1e-9)
        same_box(one, exports.box(run, frame))


@pytest.mark.parametrize("name", SCENES)
def test_lammps_dump(taken: Take, folder: Folder, tmp_path: Path, name: str) -> None:
    """LAMMPS's dump: the same, molecules and types counted from 1."""
    run = taken(name)
    found = list(exports.dump(exported(folder(name), "lammps-dump", tmp_path)))
    for one, frame in zip(found, run.frames, strict=True):
        own = exports.spheres(frame)
        same(one["mol"], own["grain"] + 1)
        same(one["type"], own["group"] + 1)
        same(one["radius"], own["radius"])
        same(one["mass"], own["mass"])
        for letters, field in (("x y z", "position"), ("vx vy vz", "velocity"), ("omegax omegay omegaz", "spin"),
                               ("quatw quati quatj quatk", "orientation")):  # fmt: skip
            same(np.hstack([one[letter] for letter in letters.split()]), own[field], what=field)
        assert one["timestep"] == frame.step and one["time"] == pytest.approx(frame.time, rel=1e-9)
        same_box(one, exports.box(run, frame))


@pytest.mark.parametrize("name", SCENES)
def test_csv(taken: Take, folder: Folder, tmp_path: Path, name: str) -> None:
    """Tables of text: a row for each grain of each frame, with the names and units of its columns; and the series."""
    run = taken(name)
    found = exports.table(exported(folder(name), "csv", tmp_path))
    whole = {field: np.concatenate([getattr(frame, field) for frame in run.frames]) for field in (
        "id", "group", "position", "velocity", "spin", "orientation", "radius", "mass", "born",
    )}  # fmt: skip
    expected = {"id": whole["id"], "group": whole["group"], "radius (m)": whole["radius"], "mass (kg)": whole["mass"],
                "born (s)": whole["born"]}  # fmt: skip
    for letters, unit, field in (("x y z", " (m)", "position"), ("vx vy vz", " (m/s)", "velocity"),
                                 ("wx wy wz", " (rad/s)", "spin"), ("qw qx qy qz", "", "orientation")):  # fmt: skip
        expected |= {f"{letter}{unit}": whole[field][:, k] for k, letter in enumerate(letters.split())}
    for moment, unit in (("time", " (s)"), ("step", "")):
        expected[moment + unit] = np.concatenate([
            np.full(len(frame.id), getattr(frame, moment)) for frame in run.frames
        ])  # fmt: skip
    assert set(found) == set(expected)
    for key, values in expected.items():
        same(found[key], values, what=key)
    series = exports.table(exported(folder(name), "csv-series", tmp_path))
    own = {"time (s)": run.times}
    own |= {f"{key} ({run.units[key]})" if run.units[key] else key: values for key, values in run.series.items()}
    assert set(series) == set(own)
    for key, values in own.items():
        same(series[key], values, what=key)


@pytest.mark.parametrize("name", SCENES)
def test_gsd(taken: Take, folder: Folder, tmp_path: Path, name: str) -> None:
    """GSD, in single precision: spheres inside HOOMD's box, and back with shift and image; velocities and masses."""
    hoomd = pytest.importorskip("gsd.hoomd")
    run = taken(name)
    with hoomd.open(str(exported(folder(name), "gsd", tmp_path))) as file:
        for one, frame in zip(file, run.frames, strict=True):
            own, space, part = exports.spheres(frame), exports.box(run, frame), one.particles
            lx, ly, lz, xy, xz, yz = one.configuration.box
            edges = np.array([[lx, 0, 0], [xy * ly, ly, 0], [xz * lz, yz * lz, lz]])
            at = np.ix_(space.repeats, space.repeats)
            same(edges[at], space.edges[at], single=True)
            share = part.position @ np.linalg.inv(edges)
            assert np.abs(share).max(initial=0.0) <= 0.5 + 1e-6
            scale = np.abs(edges).max()
            back = part.position + part.image @ edges + one.log["shift"] if len(part.position) else np.zeros((0, 3))
            np.testing.assert_allclose(back, own["position"], rtol=0, atol=3e-7 * scale)
            same(part.velocity, own["velocity"], single=True)
            same(part.mass, own["mass"], single=True)
            same(part.diameter, 2 * own["radius"], single=True)
            same(part.orientation, own["orientation"], single=True)
            same(one.log["particles/id"], own["grain"])
            same(one.log["particles/spin"], own["spin"])
            same(one.log["particles/born"], own["born"])
            assert np.array_equal(part.typeid, own["group"]) and one.configuration.step == frame.step
            assert one.log["time"][0] == frame.time


@pytest.mark.parametrize("name", SCENES)
def test_vtk(taken: Take, folder: Folder, tmp_path: Path, name: str) -> None:
    """VTKHDF: points with what their spheres do, or polygons with what their triangles do."""
    run = taken(name)
    found = list(exports.polydata(exported(folder(name), "vtk", tmp_path)))
    for one, frame in zip(found, run.frames, strict=True):
        own = exports.spheres(frame)
        names = {"grain": "grain", "id": "grain", "group": "group", "velocity": "velocity", "spin": "spin",
                 "mass": "mass", "born": "born", "radius": "radius"}  # fmt: skip
        each = 1
        if frame.triangle_corners is None:
            same(one["Points"], own["position"])
        else:
            each = 3
            flat = np.zeros((3 * len(frame.triangle_corners), 3))
            flat[:, ::2] = frame.triangle_corners.reshape(-1, 2)
            same(one["Points"], flat)
        assert np.array_equal(one["ends"], each * np.arange(len(own["grain"]) + 1))
        assert np.array_equal(one["corners"], np.arange(each * len(own["grain"])))
        there = [key for key in names if key in one]
        assert {"group", "velocity", "born"} <= set(there)
        for key in there:
            same(one[key], own[names[key]], what=key)
        assert one["time"] == frame.time


@pytest.mark.parametrize("name", SCENES)
def test_usd(taken: Take, folder: Folder, tmp_path: Path, name: str) -> None:
    """USD, in single precision: places, sizes, velocities, spins in degrees a second; poses of walls."""
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    run = taken(name)
    stage = Usd.Stage.Open(str(exported(folder(name), "usd", tmp_path)))
    grains = UsdGeom.PointInstancer(stage.GetPrimAtPath("/World/grains"))
    for frame in run.frames:
        code, own = frame.time * run.scene["frame_rate"], exports.spheres(frame)
        same(grains.GetPositionsAttr().Get(code), own["position"], single=True)
        same(np.reshape(grains.GetScalesAttr().Get(code), (-1, 3))[:, 0], own["radius"], single=True)
        same(grains.GetVelocitiesAttr().Get(code), own["velocity"], single=True)
        same(grains.GetAngularVelocitiesAttr().Get(code), np.degrees(own["spin"]), single=True)
        for w, (pose, there) in enumerate(zip(frame.wall_pose, frame.wall_present, strict=True)):
            mesh = UsdGeom.Mesh(stage.GetPrimAtPath(f"/World/walls/wall_{w}"))
            shift, turn = mesh.GetOrderedXformOps()
            same(shift.Get(code), pose[:3])
            q = turn.Get(code)
            same([q.GetReal(), *q.GetImaginary()], pose[3:])
            assert (mesh.GetVisibilityAttr().Get(code) == "invisible") != there
