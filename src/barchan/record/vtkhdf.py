"""A whole recording as one VTKHDF file, which ParaView opens: frames are its time steps, spheres its points."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from barchan.errors import FileError, Finding
from barchan.frame import Field, Frame
from barchan.record import blocks
from barchan.record.checked import VERSION, Datasets, note, put, put_text
from barchan.record.columns import Column
from barchan.record.schema import (
    FIELD,
    FIELDS,
    FIRST,
    FORMAT_VERSION,
    OPTIONAL,
    frame_arrays,
    frame_from,
    missing_rows,
)
from barchan.record.source import Source, check_format, damaged

_POINT_DATA = "/VTKHDF/PointData/"
_POINT_OFFSETS = "/VTKHDF/Steps/PointDataOffsets/"


class _Sink(io.FileIO):
    """A file for HDF5 to write to that keeps the first failure to itself.

    HDF5 cannot close a file that the disk refuses, and brings the process down at its end. So after a failure this
    swallows what comes, lets HDF5 finish, and `check` tells.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, "w+")
        self._problem: OSError | None = None

    def write(self, data: Any) -> int:
        rest = memoryview(data)
        while rest.nbytes and self._problem is None:
            try:
                rest = rest[super().write(rest) :]
            except OSError as problem:
                self._problem = problem
        return len(data)

    def truncate(self, size: int | None = None) -> int:
        if self._problem is None:
            try:
                return super().truncate(size)
            except OSError as problem:
                self._problem = problem
        return size or 0

    def check(self) -> None:
        """Raise what the disk said, if it refused anything."""
        if self._problem is not None:
            raise self._problem


def write_vtkhdf(source: Source, path: Path, summary: Mapping[str, Any], finished: bool) -> None:
    """Write everything of `source` to `path`, which appears when it is whole. OSError if the disk refuses."""
    with new_file(path) as (file, check):
        _Writer(file, source, check).write(summary, finished)


@contextmanager
def new_file(path: Path) -> Iterator[tuple[Any, Callable[[], None]]]:
    """An HDF5 file that appears at `path` when it is whole, and a function that raises what the disk has refused."""
    part = path.with_name(path.name + ".part")
    sink = _Sink(part)
    try:
        with h5py.File(sink, "w", libver=VERSION) as file:
            yield file, sink.check
        sink.check()
        blocks.sync(sink)
        os.replace(part, path)
        blocks.sync_folder(path.parent)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    finally:
        sink.close()


def begin_steps(file: Any, times: np.ndarray, points: np.ndarray) -> None:
    """The head of a VTKHDF file of polygons: one step for each of the times (s), with so many points (F,) each."""
    root = file.create_group("VTKHDF")
    root.attrs["Version"] = np.array([2, 0], np.int64)
    root.attrs["Type"] = np.bytes_("PolyData")
    put(root, "NumberOfPoints", points)
    steps = root.create_group("Steps")
    steps.attrs["NSteps"] = len(times)
    put(steps, "Values", times)
    put(steps, "PartOffsets", np.arange(len(times)))
    put(steps, "NumberOfParts", np.ones(len(times), np.int64))
    steps.create_group("PointDataOffsets")


def write_cells(file: Any, kind: str, corners: int, counts: np.ndarray, check: Callable[[], None]) -> None:
    """Cells of one kind, counts (F,) of them in a step, each of the next `corners` points.

    VTK 9.3 wants the cells' offsets anew for every step. VTK 9.7 loses count where CellOffsets repeats, so a step
    without cells takes one place all the same.
    """
    zeros = np.zeros(len(counts), np.int64)
    first = np.zeros((len(counts), 4), np.int64)
    for column, name in enumerate(("Vertices", "Lines", "Polygons", "Strips")):
        group, there = file.create_group(f"/VTKHDF/{name}"), name == kind
        put(group, "NumberOfCells", counts if there else zeros)
        put(group, "NumberOfConnectivityIds", corners * counts if there else zeros)
        largest = int(max(counts, default=0)) if there else 0
        connectivity = Column(group, "Connectivity", "int64", (), corners * largest)
        connectivity.append(np.arange(corners * largest))
        connectivity.close()
        offsets = Column(group, "Offsets", "int64", (), largest + 1)
        for cells in counts:
            offsets.append(corners * np.arange(max(cells, 1) + 1) if there else zeros[:1])
            check()
        offsets.close()
        if there:
            places = np.maximum(counts, 1)
            first[:, column] = np.cumsum(places) - places
    put(file, "/VTKHDF/Steps/ConnectivityIdOffsets", np.zeros_like(first))
    put(file, "/VTKHDF/Steps/CellOffsets", first)


class _Writer:
    """Fills one file from one source."""

    def __init__(self, file: Any, source: Source, check: Callable[[], None]) -> None:
        self.file, self.source, self.check = file, source, check
        self.counts = source.counts()
        self.single = source.single()

    def write(self, summary: Mapping[str, Any], finished: bool) -> None:
        begin_steps(self.file, self.source.times, self.counts["sphere"])
        own = self.file.create_group("barchan")
        own.attrs["format"], own.attrs["finished"] = FORMAT_VERSION, finished
        put_text(own, "scene", self.source.scene_toml)
        put_text(own, "meta", blocks.to_json(self.source.meta))
        put_text(own, "summary", blocks.to_json(summary))
        self._series()
        self._rows_per_frame()
        write_cells(self.file, "Vertices", 1, self.counts["sphere"], self.check)
        self._frames()

    def _series(self) -> None:
        group = self.file.create_group("/barchan/series")
        times, steps, values = self.source.samples()
        note(put(group, "time", times), "unit", "s")
        note(put(group, "step", steps), "unit", "")
        for column, (name, unit) in enumerate(self.source.series_units):
            dataset = put(group, name, values[:, column])
            note(dataset, "unit", unit)
            dataset.attrs["order"] = column

    def _rows_per_frame(self) -> None:
        frames = self.file.create_group("/barchan/frames")
        frames["time"], frames["spheres"] = self.file["/VTKHDF/Steps/Values"], self.file["/VTKHDF/NumberOfPoints"]
        put(frames, "step", self.source.steps)
        for per in ("grain", "wall", "cell", *OPTIONAL):
            put(frames, per + "s", self.counts[per])

    def _column(self, field: Field, path: str, per: str) -> Column:
        counts = np.maximum(self.counts[per], 0)
        total = None if field.steady else int(counts.sum())
        largest = int(max(counts, default=0))
        return Column(self.file, path, field.dtype, field.row, largest, total=total, steady=field.steady)

    def _frames(self) -> None:
        shared = {FIELD[f.twin].name: f for f in FIELDS if f.twin} if self.single else {}  # twin → sphere's field
        columns = {f.name: self._column(f, f.path, f.per) for f in FIELDS if f.name not in shared}
        shown = [] if self.single else [f for f in FIELDS if f.on_spheres]
        points = {f.name: self._column(f, _POINT_DATA + f.name, "sphere") for f in shown}
        offsets: dict[str, list[int]] = {name: [] for name in columns}
        point_offsets: dict[str, list[int]] = {name: [] for name in points}
        for index in range(len(self.source.times)):
            frame = self.source.frame(index)
            arrays = frame_arrays(frame)
            for name, column in columns.items():
                offsets[name].append(column.append(arrays.get(name, column.nothing)))
            for name, column in points.items():
                rows = frame.sphere_velocity if name == "velocity" else arrays[name][arrays["sphere_grain"]]
                point_offsets[name].append(column.append(rows))
            self.check()
        for column in (*columns.values(), *points.values()):
            column.close()
        for name, rows in offsets.items():
            put(self.file, FIELD[name].offsets, np.array(rows, np.int64))
        for name, rows in point_offsets.items():
            put(self.file, _POINT_OFFSETS + name, np.array(rows, np.int64))
        self._link(shared)

    def _link(self, shared: Mapping[str, Field]) -> None:
        """Give the same dataset its second name instead of a copy."""
        self.file["/VTKHDF/Steps/PointOffsets"] = self.file[FIELD["sphere_position"].offsets]
        self.file[_POINT_OFFSETS + "radius"] = self.file[FIELD["sphere_radius"].offsets]
        for name, field in shared.items():
            self.file[FIELD[name].path] = self.file[field.path]
            self.file[FIELD[name].offsets] = self.file[field.offsets]
        if self.single:
            for field in FIELDS:
                if field.per == "grain" and field.name not in shared:
                    self.file[_POINT_DATA + field.name] = self.file[field.path]
                    self.file[_POINT_OFFSETS + field.name] = self.file[field.offsets]


class VtkhdfReader:
    """A finished recording, read frame by frame. FileError if it is damaged; it names the dataset."""

    damage: FileError | None = None

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = h5py.File(path, "r", locking=False)
        except OSError as problem:
            raise damaged(path, problem) from problem
        self._datasets = Datasets(path, self._file)
        try:
            self._load()
        except BaseException:
            self._file.close()
            raise

    def _load(self) -> None:
        data = self._datasets
        if "/barchan" not in data:
            what, remedy = "is an HDF5 file, but not a recording of Barchan", "give the folder of a run"
            raise FileError(Finding(str(self.path), what, remedy=remedy))
        check_format(self.path, int(data.attribute("/barchan", "format")))
        self.finished = bool(data.attribute("/barchan", "finished"))
        self.scene_toml = data.text("/barchan/scene")
        self.meta: dict[str, Any] = blocks.from_json(data.text("/barchan/meta"))
        self.summary: dict[str, Any] = blocks.from_json(data.text("/barchan/summary"))
        paths = {name: f"/barchan/series/{name}" for name in data.names("/barchan/series") - {"time", "step"}}
        ordered = sorted(paths, key=lambda name: int(data.attribute(paths[name], "order")))
        self.series_units = [(name, str(data.attribute(paths[name], "unit"))) for name in ordered]
        self.times: np.ndarray = data.array("/barchan/frames/time")
        self.steps: np.ndarray = data.array("/barchan/frames/step")
        none = np.full(len(self.times), -1, np.int64)
        rows = {per: f"/barchan/frames/{per}s" for per in FIRST}
        self._counts = {per: data.array(path) if path in data else none for per, path in rows.items()}
        self._counts["cell"] = np.maximum(self._counts["cell"], 0)  # files without any have none in their frames
        there = [field for field in FIELDS if field.missing is None or field.path in data]
        self._offsets = {field.name: data.array(field.offsets) for field in there}
        self._rows = {field.name: data.item(field.path) for field in there}

    def frame(self, index: int) -> Frame:
        """Frame `index`."""

        def array(field: Field) -> np.ndarray:
            count = int(self._counts[field.per][index])
            if field.name not in self._rows:
                return missing_rows(field, count)
            first = int(self._offsets[field.name][index])
            return self._datasets.rows(field.path, self._rows[field.name], first, count)

        there = [per for per in OPTIONAL if self._counts[per][index] >= 0]
        return frame_from(float(self.times[index]), int(self.steps[index]), there, array)

    def counts(self) -> Mapping[str, np.ndarray]:
        """(F,) int64 numbers of rows per grain, sphere, wall, …; −1: none recorded."""
        return self._counts

    def single(self) -> bool:
        """Whether in every frame each grain is one sphere."""
        return bool(self._rows["position"] == self._rows["sphere_position"])

    def samples(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times (S,) s, steps (S,), and values (S, number of observables)."""
        names = ("time", "step", *(name for name, _ in self.series_units))
        times, steps, *columns = (self._datasets.array(f"/barchan/series/{name}") for name in names)
        return times, steps, np.stack(columns, axis=1) if columns else np.empty((len(times), 0))

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
