"""Compares two finished runs to the last bit, dataset by dataset, and says what differs first.

It reads a recording and the checkpoint beside it (`state.npz`, `state.json`, see `worker.py`) with h5py and NumPy
alone, so it understands the runs of any revision. Bits are compared, not values: −0 differs from 0, and a NaN equals
itself.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from bits.renames import Renames

RECORDING, STATE, NUMBERS = "recording.vtkhdf", "state.npz", "state.json"


@dataclass
class Data:
    """One dataset, cut into the frames that it has; a frame is (time, rows)."""

    frames: list[tuple[float, np.ndarray]]
    ids: list[np.ndarray | None] = field(default_factory=list)  # what grain each row belongs to, frame by frame
    per: str = ""  # what a row is, where it is no grain
    whole: bool = False  # one frame that is none: a number or a table


@dataclass(frozen=True)
class Difference:
    """Where two datasets part."""

    where: str  # "recording" or "checkpoint"
    dataset: str
    time: float  # s; inf: of the whole run
    text: str

    def __str__(self) -> str:
        return f"{self.where}, {self.dataset}: {self.text}"


def differences(old: Path, new: Path, renames: Renames) -> list[Difference]:
    """All datasets of two run folders that differ, those that part first at the head; ParaView's names come last."""
    found: list[Difference] = []
    for where, read in (("recording", recording), ("checkpoint", state)):
        before, after = renames.applied(where, read(old)), renames.without_new(where, read(new))
        found += [_alone(where, name, "before") for name in before if name not in after]
        found += [_alone(where, name, "now") for name in after if name not in before]
        for name in before:
            if name in after and (text := first_difference(before[name], after[name])):
                found.append(Difference(where, name, *text))
    return sorted(found, key=lambda one: (one.time, one.dataset.startswith("/VTKHDF/")))


def _alone(where: str, name: str, when: str) -> Difference:
    return Difference(where, name, math.inf, f"is there {when} only; renamed.toml may say why")


# ------------------------------------------------------------ reading


@functools.lru_cache(maxsize=16)
def recording(folder: Path) -> dict[str, Data]:
    """Every dataset of a recording by its path, and numbers that stand beside them. Texts are not read."""
    with h5py.File(folder / RECORDING, "r", locking=False) as file:
        arrays = {path: dataset[()] for path, dataset in _datasets(file) if not h5py.check_string_dtype(dataset.dtype)}
        text = np.ravel(file["/barchan/summary"].asstr()[()])[0]  # format 1 has it without a dimension
        numbers = {"summary": json.loads(text)}
        numbers["finished"] = bool(file["/barchan"].attrs["finished"])
    found = {}
    for path, array in arrays.items():
        if path.startswith("/barchan/series/"):
            times = arrays["/barchan/series/time"]
            frames = [(float(t), array[k : k + 1]) for k, t in enumerate(times)]
            found[path] = Data(frames, [None] * len(times), "sample")
        else:
            place = _place(arrays, path)
            whole = Data([(math.inf, np.asarray(array))], [None], "row", whole=True)
            found[path] = whole if place is None else _framed(arrays, path, *place)
    return found | {path: _number(value) for path, value in _flat("", numbers)}


def _datasets(group: Any) -> Iterator[tuple[str, Any]]:
    """Every dataset by every name that it has; h5py's own walk gives one with two names once."""
    for key in group:
        item = group[key]
        if isinstance(item, h5py.Group):
            yield from _datasets(item)
        else:
            yield f"{group.name.rstrip('/')}/{key}", item


def _place(arrays: Mapping[str, np.ndarray], path: str) -> tuple[str, str, str] | None:
    """Paths of where each frame of a dataset begins and of how many rows it has, and what a row is; None: no frames."""
    parts = path.strip("/").split("/")
    if path == "/VTKHDF/Points":
        return "/VTKHDF/Steps/PointOffsets", "/barchan/frames/spheres", "sphere"
    if parts[:2] == ["VTKHDF", "PointData"]:
        return f"/VTKHDF/Steps/PointDataOffsets/{parts[-1]}", "/barchan/frames/spheres", "sphere"
    per, name = parts[1].removesuffix("s") if len(parts) > 1 else "", parts[-1]
    if parts[0] == "barchan" and f"/barchan/frames/{per}s" in arrays:
        for key in (name, f"{per}_{name}"):
            if f"/barchan/offsets/{key}" in arrays:
                return f"/barchan/offsets/{key}", f"/barchan/frames/{per}s", per
    return None


def _framed(arrays: Mapping[str, np.ndarray], path: str, offsets: str, counts: str, per: str) -> Data:
    made = Data([], [], per)
    for frame, time in enumerate(arrays["/barchan/frames/time"]):
        rows = _rows(arrays, path, offsets, counts, frame)
        made.frames.append((float(time), rows))
        made.ids.append(_ids(arrays, per, frame, len(rows)))
    return made


def _rows(arrays: Mapping[str, np.ndarray], path: str, offsets: str, counts: str, frame: int) -> np.ndarray:
    first = int(arrays[offsets][frame])
    return arrays[path][first : first + max(int(arrays[counts][frame]), 0)]


def _ids(arrays: Mapping[str, np.ndarray], per: str, frame: int, count: int) -> np.ndarray | None:
    """The id of the grain that each row belongs to; None where it belongs to none."""

    def rows(kind: str, name: str, offsets: str) -> np.ndarray:
        return _rows(arrays, f"/barchan/{kind}/{name}", f"/barchan/offsets/{offsets}", f"/barchan/frames/{kind}", frame)

    owners = None
    if per == "grain":
        owners = rows("grains", "id", "id")
    elif per in ("sphere", "triangle"):
        owners = rows("grains", "id", "id")[rows("spheres", "grain", "sphere_grain")]
    elif per == "contact":
        owners = rows("contacts", "first", "first")
    return owners if owners is not None and len(owners) == count else None


@functools.lru_cache(maxsize=16)
def state(folder: Path) -> dict[str, Data]:
    """Every array and every number of a run's last checkpoint."""
    with np.load(folder / STATE, allow_pickle=False) as arrays:
        table = {name: arrays[name] for name in arrays.files}
    ids = next((table[name] for name in ("id", "grain_id") if name in table), None)
    found = {}
    for name, array in table.items():
        owners = ids if ids is not None and array.ndim and len(array) == len(ids) else None
        found[name] = Data([(math.inf, array)], [owners], "row", whole=True)
    numbers = json.loads((folder / NUMBERS).read_text(encoding="utf-8"))
    found |= {path: _number(value) for path, value in _flat("numbers", numbers)}
    return found


def _flat(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The plain values in nested tables and lists, each with its path."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _flat(f"{path}/{key}" if path else str(key), one)
    elif isinstance(value, list):
        yield f"{path}/length", len(value)
        for k, one in enumerate(value):
            yield from _flat(f"{path}/{k}", one)
    else:
        yield path, value


def _number(value: Any) -> Data:
    """A plain value; numbers of JSON keep every bit in their text."""
    array = np.float64(value) if isinstance(value, float) else np.str_(json.dumps(value))
    return Data([(math.inf, np.asarray(array).reshape(1))], [None], "value", whole=True)


# ------------------------------------------------------------ comparing


def first_difference(old: Data, new: Data) -> tuple[float, str] | None:
    """The time, s, at which two datasets part, and how; None where all bits are the same."""
    for frame, ((time, before), (_, after)) in enumerate(zip(old.frames, new.frames, strict=False)):
        text = _rows_differ(before, after, old.ids[frame], old.per)
        if text is not None:
            kind = "sample" if old.per == "sample" else "frame"
            return time, text if old.whole else f"{kind} {frame} (t = {time:.6g} s), {text}"
    if len(old.frames) != len(new.frames):
        last = min(len(old.frames), len(new.frames))
        time = max(old.frames, new.frames, key=len)[last][0]
        return time, f"{len(old.frames)} frames or samples before, {len(new.frames)} now"
    return None


def _rows_differ(before: np.ndarray, after: np.ndarray, ids: np.ndarray | None, per: str) -> str | None:
    if before.dtype != after.dtype and (before.dtype.kind, after.dtype.kind) != ("U", "U"):
        return f"type {before.dtype} before, {after.dtype} now"
    if before.shape != after.shape:
        same = same_rows(before[: len(after)], after[: len(before)]) if before.ndim == after.ndim > 0 else None
        more = f", the first at {_owner(int(np.argmin(same)), ids, per)}" if same is not None and not same.all() else ""
        return f"shape {before.shape} before, {after.shape} now{more}"
    same = same_rows(before, after)
    if same.all():
        return None
    row = int(np.argmin(same))
    one, other = (np.atleast_1d(array)[row] for array in (before, after))
    places = np.flatnonzero(~same_rows(np.atleast_1d(one).ravel(), np.atleast_1d(other).ravel()))
    a, b = (np.atleast_1d(array).ravel()[places[0]] for array in (one, other))
    column = f"[{places[0]}]" if np.ndim(one) else ""
    count = f"; {np.count_nonzero(~same)} of {len(same)} rows differ" if len(same) > 1 else ""
    return f"{_owner(row, ids, per)}{column}: {_told(a)} before, {_told(b)} now{count}"


def same_rows(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Which rows, (n,) bool, hold the same bits."""
    before, after = np.atleast_1d(before), np.atleast_1d(after)
    if before.dtype.kind == "U":
        return before == after
    if before.shape[1:] != after.shape[1:]:
        return np.zeros(len(before), bool)
    width = before.itemsize * math.prod(before.shape[1:])
    one, other = (
        np.frombuffer(array.tobytes(), np.uint8).reshape(len(array), width) for array in (before, after)
    )  # fmt: skip
    return np.asarray((one == other).all(axis=1))


def _owner(row: int, ids: np.ndarray | None, per: str) -> str:
    if ids is None:
        return f"{per} {row}"
    return f"grain {int(ids[row])}" if per in ("grain", "row") else f"grain {int(ids[row])}, {per} {row}"


def _told(value: Any) -> str:
    """A value with all its digits."""
    return repr(value.item())
