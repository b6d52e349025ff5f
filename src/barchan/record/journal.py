"""The journal: a recording while its run goes on, only ever appended to: a kill harms its last block at most."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from barchan.errors import FileError, Finding
from barchan.frame import Field, Frame
from barchan.record import blocks
from barchan.record.schema import FIELD, FIRST, FORMAT_VERSION, OPTIONAL, frame_arrays, frame_from, missing_rows
from barchan.record.source import Source, check_format

START, FRAME, SAMPLES, CUT = 1, 2, 3, 4  # kinds of blocks
LOST = "the disk or a copy lost data; `barchan resume` writes again what comes after the checkpoint, else run again"


def _start_header(scene_toml: str, meta: Mapping[str, Any], series: Sequence[tuple[str, str]]) -> dict[str, Any]:
    return {"format": FORMAT_VERSION, "scene": scene_toml, "meta": meta, "series": [list(one) for one in series]}


@dataclass
class _StoredFrame:
    block: blocks.Block
    header: dict[str, Any]


@dataclass
class _StoredSamples:
    block: blocks.Block
    header: dict[str, Any]
    used: int  # rows that no later cut took away


class JournalReader:
    """A journal as it is at this moment: every whole block of it, a torn last one left out.

    `damage` says what is lost where a block is not torn but damaged: that one and all after it are left out.
    """

    finished = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self.summary: dict[str, Any] = {}
        self._frames: list[_StoredFrame] = []
        self._samples: list[_StoredSamples] = []
        self._start: dict[str, Any] | None = None
        self.damage: FileError | None = None
        self._lock = threading.Lock()
        self._file: IO[bytes] = path.open("rb", buffering=0)
        try:
            self.end = self._scan()
        except BaseException:
            self._file.close()
            raise
        self.times = np.array([stored.header["time"] for stored in self._frames], float)
        self.steps = np.array([stored.header["step"] for stored in self._frames], np.int64)

    def _scan(self) -> int:
        size, offset = self.path.stat().st_size, 0
        while offset < size:
            try:
                block = blocks.find(self._file, offset, size)
                self._take(block, blocks.read_header(self._file, block))
            except blocks.DamagedError as problem:
                if not isinstance(problem, blocks.TornError):
                    self.damage = self._lost(offset, size, problem)
                break
            offset = block.end
        if self._start is None:
            raise FileError(Finding(
                str(self.path), "holds no whole block", "a recording of Barchan",
                "the run was stopped before it began, its beginning is damaged, or this is another kind of file; run "
                "the scene again",
            ))  # fmt: skip
        return offset

    def _lost(self, offset: int, size: int, problem: blocks.DamagedError) -> FileError:
        last = f"what follows frame {len(self._frames) - 1}" if self._frames else "all frames"
        return FileError(Finding(
            str(self.path), f"is damaged {offset} bytes from its beginning ({problem}): {last} cannot be read, "
            f"{size - offset} bytes", remedy=LOST,
        ))  # fmt: skip

    def _take(self, block: blocks.Block, header: dict[str, Any]) -> None:
        if block.kind == START:
            check_format(self.path, header["format"])
            self._start = header
            self.scene_toml: str = header["scene"]
            self.meta: dict[str, Any] = header["meta"]
            self.series_units: list[tuple[str, str]] = [(name, unit) for name, unit in header["series"]]
        elif block.kind == FRAME:
            self._frames.append(_StoredFrame(block, header))
        elif block.kind == SAMPLES:
            self._samples.append(_StoredSamples(block, header, header["arrays"][0]["shape"][0]))
        elif block.kind == CUT:
            self._cut(header["frames"], header["samples"])

    def _cut(self, frames: int, samples: int) -> None:
        del self._frames[frames:]
        for stored in self._samples:
            stored.used = max(0, min(stored.used, samples))
            samples -= stored.used
        while self._samples and not self._samples[-1].used:
            self._samples.pop()

    @property
    def sample_count(self) -> int:
        """Number of samples."""
        return sum(stored.used for stored in self._samples)

    def end_of(self, frames: int, samples: int) -> int:
        """Bytes from the beginning that hold the first `frames` frames and `samples` samples."""
        assert self._start is not None
        end = blocks.find(self._file, 0, self.end).end
        if frames:
            end = max(end, self._frames[frames - 1].block.end)
        for stored in self._samples:
            if samples > 0:
                end = max(end, stored.block.end)
            samples -= stored.used
        return end

    def frame(self, index: int) -> Frame:
        """Frame `index`, checked against its checksums."""
        stored = self._frames[index]
        entries = {one["name"]: one for one in stored.header["arrays"]}
        places, offset = {}, stored.block.data_offset
        for name, one in entries.items():
            if "twin" not in one:
                places[name] = one.get("at", offset)
                offset += 0 if "at" in one else blocks.entry_bytes(one)

        def array(field: Field) -> np.ndarray:
            if field.missing is not None and field.name not in entries:
                return missing_rows(field, entries.get(FIRST[field.per], {"shape": [0]})["shape"][0])
            one = entries[field.name]
            name = one.get("twin", field.name)
            return self._array(places[name], entries[name], f"frame {index}, {name}")

        with self._lock:
            there = [per for per in OPTIONAL if FIRST[per] in entries]
            return frame_from(stored.header["time"], stored.header["step"], there, array)

    def _array(self, offset: int, described: Mapping[str, Any], where: str) -> np.ndarray:
        try:
            return blocks.read_array(self._file, offset, described)
        except blocks.DamagedError as problem:
            raise FileError(Finding(f"{self.path}, {where}", str(problem), "what was written", LOST)) from problem

    def counts(self) -> dict[str, np.ndarray]:
        """(F,) int64 numbers of rows per grain, sphere, wall, …; −1: none recorded."""
        rows = [{one["name"]: one["shape"][0] for one in s.header["arrays"] if "shape" in one} for s in self._frames]
        none = {per: 0 if per == "cell" else -1 for per in FIRST}
        return {per: np.array([row.get(name, none[per]) for row in rows], np.int64) for per, name in FIRST.items()}

    def single(self) -> bool:
        """Whether in every frame each grain is one sphere."""
        twins = {field.name for field in FIELD.values() if field.twin}
        return all(
            twins == {one["name"] for one in stored.header["arrays"] if "twin" in one} for stored in self._frames
        )

    def samples(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times (S,) s, steps (S,), and values (S, number of observables)."""
        parts: list[list[np.ndarray]] = [[], [], []]
        with self._lock:
            for stored in self._samples:
                offset = stored.block.data_offset
                for part, one in zip(parts, stored.header["arrays"], strict=True):
                    part.append(self._array(offset, one, "samples")[: stored.used])
                    offset += blocks.entry_bytes(one)
        if not parts[0]:
            return np.empty(0), np.empty(0, np.int64), np.empty((0, len(self.series_units)))
        times, steps, values = (np.concatenate(part) for part in parts)
        return times, steps, values

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class JournalWriter:
    """Appends blocks to a journal. A block that could not be written whole is taken back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[bytes] = path.open("r+b", buffering=0)
        self._end = self._file.seek(0, 2)
        self._last: dict[str, tuple[np.ndarray, dict[str, Any]]] = {}

    @classmethod
    def create(
        cls, path: Path, scene_toml: str, meta: Mapping[str, Any], series: Sequence[tuple[str, str]]
    ) -> JournalWriter:
        """A new journal at `path`, replacing what is there."""
        path.write_bytes(b"")
        writer = cls(path)
        writer.start(scene_toml, meta, series)
        return writer

    def _append(self, kind: int, header: Mapping[str, Any], arrays: Sequence[np.ndarray] = ()) -> int:
        """Write one block and answer where its arrays begin."""
        pieces = blocks.encode(kind, header, arrays)
        try:
            blocks.write(self._file, pieces)
        except BaseException:
            self._file.truncate(self._end)
            self._file.seek(self._end)
            raise
        data_offset = self._end + len(pieces[0])
        self._end = data_offset + sum(array.nbytes for array in arrays)
        return data_offset

    def start(self, scene_toml: str, meta: Mapping[str, Any], series: Sequence[tuple[str, str]]) -> None:
        """Say what is recorded; the last one said holds."""
        self._append(START, _start_header(scene_toml, meta, series))

    def frame(self, frame: Frame) -> None:
        """Append a frame. A steady array that has not changed is written as a pointer to the last place it stood."""
        arrays = frame_arrays(frame)
        entries: list[dict[str, Any]] = []
        new: list[tuple[str, np.ndarray, dict[str, Any]]] = []
        for name, array in arrays.items():
            field = FIELD[name]
            if field.twin and same_rows(array, arrays[field.twin]):
                entries.append({"name": name, "twin": field.twin})
                continue
            if field.steady and name in self._last and blocks.same(array, self._last[name][0]):
                entries.append(self._last[name][1])
                continue
            described = {"name": name, **blocks.entry(array)}
            entries.append(described)
            new.append((name, array, described))
        header = {"time": float(frame.time), "step": int(frame.step), "arrays": entries}
        offset = self._append(FRAME, header, [array for _, array, _ in new])
        for name, array, described in new:
            if FIELD[name].steady:
                self._last[name] = (array, {**described, "at": offset})
            offset += array.nbytes

    def samples(self, times: np.ndarray, steps: np.ndarray, values: np.ndarray) -> None:
        """Append rows to the time series."""
        arrays = [np.asarray(times, float), np.asarray(steps, np.int64), np.asarray(values, float)]
        self._append(SAMPLES, {"arrays": [blocks.entry(array) for array in arrays]}, arrays)

    def cut(self, frames: int, samples: int) -> None:
        """Take away every frame and sample after these numbers."""
        self._append(CUT, {"frames": frames, "samples": samples})

    def sync(self) -> None:
        """Make everything written last through a loss of power."""
        blocks.sync(self._file)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def same_rows(array: np.ndarray, twin: np.ndarray) -> bool:
    """Whether a field equals its twin, bit for bit."""
    return array.shape == twin.shape and blocks.same(array, twin)


def reopen(
    path: Path, frames: int, samples: int, scene_toml: str, meta: Mapping[str, Any], series: Sequence[tuple[str, str]]
) -> JournalWriter:
    """Go on with the journal at `path` after its first `frames` frames and `samples` samples; the rest is cut away."""
    reader = JournalReader(path)
    try:
        check_counts(path, reader, frames, samples, series)
        for index in range(frames):
            reader.frame(index)  # FileError where it is damaged: now, not when the run has come to its end
        end = reader.end_of(frames, samples)
    finally:
        reader.close()
    with path.open("r+b") as file:
        file.truncate(end)
    reader = JournalReader(path)
    reader.close()
    writer = JournalWriter(path)
    if (len(reader.times), reader.sample_count) != (frames, samples):
        writer.cut(frames, samples)
    if (reader.scene_toml, reader.meta) != (scene_toml, dict(meta)):
        writer.start(scene_toml, meta, series)
    writer.sync()
    return writer


def check_counts(path: Path, source: Source, frames: int, samples: int, series: Sequence[tuple[str, str]]) -> None:
    """Refuse to go on from a checkpoint that this recording does not belong to, or that lies behind what is damaged."""
    have = (len(source.times), len(source.samples()[0]))
    if have[0] < frames or have[1] < samples:
        if source.damage is not None:
            raise source.damage
        raise FileError(Finding(
            str(path), f"holds {have[0]} frames and {have[1]} samples", f"at least {frames} and {samples}",
            "the recording and the checkpoint are not of the same run; put back the one that belongs to it, "
            "or run the scene again",
        ))  # fmt: skip
    if source.series_units != [tuple(one) for one in series]:
        names = ", ".join(name for name, _ in source.series_units)
        raise FileError(Finding(
            str(path), f"records {names or 'no observables'}", "the same observables as the run that goes on",
            "resume with the observables of the scene as they were",
        ))  # fmt: skip
