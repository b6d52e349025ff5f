"""VTKHDF, which ParaView opens: the recording of a finished run, and flat grains as the triangles they are made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from barchan.frame import Frame
from barchan.record.checked import put
from barchan.record.columns import Column
from barchan.record.formats import Format
from barchan.record.formats._spheres import Spheres
from barchan.record.recording import Recording
from barchan.record.vtkhdf import begin_steps, new_file, write_cells
from barchan.scene.beams_frame import Corners

SHOWN = {  # of a triangle: type and shape of a row
    "grain": ("int64", ()), "group": ("int64", ()), "velocity": ("float64", (3,)), "spin": ("float64", (3,)),
    "mass": ("float64", ()), "born": ("float64", ()),
}  # fmt: skip


def write(recording: Recording, frames: Iterator[Frame], path: Path) -> None:
    """The whole recording, or the triangles of flat grains."""
    if recording[0].table(Corners) is None:
        recording.write_vtkhdf(path)
    else:
        _write_triangles(recording, frames, path)


def _write_triangles(recording: Recording, frames: Iterator[Frame], path: Path) -> None:
    """Three points and one polygon for every triangle, with what its grain does as data of the polygon."""
    counts = np.asarray(recording.counts()["sphere"])
    largest, total = int(counts.max()), int(counts.sum())
    with new_file(path) as (file, check):
        begin_steps(file, recording.times, 3 * counts)
        write_cells(file, "Polygons", 3, counts, check)
        points = Column(file, "/VTKHDF/Points", "float64", (3,), 3 * largest, total=3 * total)
        columns = {
            name: Column(file, f"/VTKHDF/CellData/{name}", dtype, row, largest, total=total)
            for name, (dtype, row) in SHOWN.items()
        }
        for frame in frames:
            own_corners = frame.table(Corners)
            assert own_corners is not None
            corner = np.zeros((3 * len(frame.sphere_grain), 3))
            corner[:, ::2] = own_corners.triangle_corners.reshape(-1, 2)
            points.append(corner)
            own = Spheres.of(frame)
            for name, column in columns.items():
                column.append(getattr(own, name))
            check()
        for column in (points, *columns.values()):
            column.close()
        steps = file["/VTKHDF/Steps"]
        begin = np.cumsum(counts) - counts
        put(steps, "PointOffsets", 3 * begin)
        for name in SHOWN:
            put(steps, f"CellDataOffsets/{name}", begin)


FORMAT = Format(
    "vtk", "VTKHDF, for ParaView and VTK: spheres are points, flat grains polygons; also of a run that goes on.",
    (".vtkhdf", ".hdf"), write,
)  # fmt: skip
