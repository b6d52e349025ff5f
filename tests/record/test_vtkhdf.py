"""VTK's own reader, which is ParaView's, opens a recording and steps through it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from barchan.frame import Frame
from barchan.record.formats import write
from barchan.record.recorder import Recorder
from barchan.record.recording import Recording
from barchan.scene.beams_frame import Corners
from record.toy import META, SCENE, SERIES, make_frame

pytest.importorskip("vtkmodules")

CASES = {
    "single spheres": [make_frame(k, n) for k, n in enumerate([5, 5, 8, 0, 3, 3, 30])],
    "clumps": [make_frame(k, n, spheres_per_grain=4) for k, n in enumerate([5, 5, 8, 2])],
    "contacts": [make_frame(k, contacts=12) for k in range(3)],
}


@pytest.mark.parametrize("frames", CASES.values(), ids=CASES.keys())
def test_paraview_sees_the_spheres(tmp_path: Path, frames: list[Frame]) -> None:
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOHDF import vtkHDFReader

    with Recorder(tmp_path, scene_toml=SCENE, meta=META, series=SERIES) as recorder:
        for frame in frames:
            recorder.frame(frame)
        path = recorder.close({})
    reader = vtkHDFReader()
    assert reader.CanReadFile(str(path))
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    assert reader.GetNumberOfSteps() == len(frames)
    single = frames[0].sphere_grain.size == frames[0].id.size
    for index in [*reversed(range(len(frames))), *range(len(frames))]:
        reader.SetStep(index)
        reader.Update()
        output, frame = reader.GetOutput(), frames[index]
        spheres = len(frame.sphere_grain)
        assert (output.GetNumberOfPoints(), output.GetNumberOfVerts()) == (spheres, spheres)
        assert reader.GetTimeValue() == frame.time
        if not spheres:
            continue
        assert np.array_equal(vtk_to_numpy(output.GetPoints().GetData()), frame.sphere_position)
        assert np.array_equal(vtk_to_numpy(output.GetVerts().GetConnectivityArray()), np.arange(spheres))
        assert np.array_equal(vtk_to_numpy(output.GetVerts().GetOffsetsArray()), np.arange(spheres + 1))
        data = output.GetPointData()
        assert np.array_equal(vtk_to_numpy(data.GetArray("radius")), frame.sphere_radius)
        arm = frame.sphere_position - frame.position[frame.sphere_grain]
        speed = frame.velocity[frame.sphere_grain] + np.cross(frame.spin[frame.sphere_grain], arm)
        assert np.allclose(vtk_to_numpy(data.GetArray("velocity")), speed, rtol=1e-12, atol=1e-15)
        for name in ("id", "group", "born", *(["spin", "orientation", "mass"] if single else [])):
            expected = getattr(frame, name)[frame.sphere_grain]
            assert np.array_equal(vtk_to_numpy(data.GetArray(name)), expected), name


def test_paraview_sees_flat_grains_as_polygons(tmp_path: Path) -> None:
    """Exported, every triangle is a polygon with its corners in the x–z plane, also after grains are gone."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOHDF import vtkHDFReader

    frames = []
    for k, count in enumerate([6, 6, 4, 0, 2]):
        frame = make_frame(k, count, spheres_per_grain=4)
        corners = np.random.default_rng(100 + k).normal(size=(4 * count, 6))
        frames.append(replace(frame, tables=(Corners(corners),)))
    with Recorder(tmp_path, scene_toml=SCENE, meta=META, series=SERIES) as recorder:
        for frame in frames:
            recorder.frame(frame)
        recorder.close({})
    path = write(Recording(tmp_path), "vtk", tmp_path / "flat.vtkhdf")
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    assert reader.GetNumberOfSteps() == len(frames)
    for index in [*reversed(range(len(frames))), *range(len(frames))]:
        reader.SetStep(index)
        reader.Update()
        output, frame = reader.GetOutput(), frames[index]
        triangles = len(frame.sphere_grain)
        assert reader.GetTimeValue() == frame.time
        assert (output.GetNumberOfPolys(), output.GetNumberOfCells()) == (triangles, triangles)
        if not triangles:
            continue
        place = vtk_to_numpy(output.GetPoints().GetData())
        chosen = place[vtk_to_numpy(output.GetPolys().GetConnectivityArray())].reshape(-1, 3, 3)
        assert np.array_equal(vtk_to_numpy(output.GetPolys().GetOffsetsArray()), 3 * np.arange(triangles + 1))
        assert frame.table(Corners) is not None
        assert np.array_equal(chosen[:, :, [0, 2]].reshape(-1, 6), frame.table(Corners).triangle_corners)
        assert not chosen[:, :, 1].any()
        data = output.GetCellData()
        assert np.array_equal(vtk_to_numpy(data.GetArray("grain")), frame.id[frame.sphere_grain])
        assert np.array_equal(vtk_to_numpy(data.GetArray("spin")), frame.spin[frame.sphere_grain])
        arm = frame.sphere_position - frame.position[frame.sphere_grain]
        speed = frame.velocity[frame.sphere_grain] + np.cross(frame.spin[frame.sphere_grain], arm)
        assert np.allclose(vtk_to_numpy(data.GetArray("velocity")), speed, rtol=1e-12)
