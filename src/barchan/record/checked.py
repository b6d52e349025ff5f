"""HDF5 with checksums: of every chunk of every dataset (Fletcher-32), and, by the version of the file, of all else.

What has no chunks would have no checksum: so a small array is one chunk, and a text has a fixed length and stands in an
array of one element, because HDF5 keeps texts of any length in a heap that it does not check.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from barchan.errors import FileError
from barchan.record.source import damaged

# HDF5 1.10 is the first one that puts checksums on everything beside the data; VTK 9.1 and all later ones read it.
VERSION = ("v110", "v110")
CHUNK_BYTES = 1 << 20  # at most; more would not stay in HDF5's cache while it is read piece by piece
PROBLEMS = (OSError, RuntimeError, KeyError, ValueError)  # what h5py raises of a damaged file


def put(group: Any, path: str, values: Any) -> Any:
    """A dataset that holds these values from the first to the last."""
    array = np.asarray(values)
    rows = max(1, CHUNK_BYTES // max(1, array[:1].nbytes))
    options = {"chunks": (min(rows, len(array)), *array.shape[1:]), "fletcher32": True} if array.size else {}
    return group.create_dataset(path, data=array, **options)


def put_text(group: Any, path: str, text: str) -> None:
    """A dataset of one text."""
    group.create_dataset(path, data=_fixed(text).reshape(1), chunks=(1,), fletcher32=True)


def note(item: Any, name: str, text: str) -> None:
    """A text as an attribute."""
    item.attrs.create(name, _fixed(text))


def _fixed(text: str) -> np.ndarray:
    content = text.encode()
    return np.array(content, h5py.string_dtype("utf-8", max(1, len(content))))


class Datasets:
    """What is in an HDF5 file, read piece by piece. Where it is damaged, a FileError names the file and the dataset."""

    def __init__(self, path: Path, file: Any) -> None:
        self._path, self._file = path, file
        self._members: dict[str, frozenset[str]] = {}

    def __contains__(self, path: str) -> bool:
        parent, _, name = path.rpartition("/")
        return not path or (parent in self and name in self.names(parent))

    def names(self, group: str) -> frozenset[str]:
        """What is in a group that is there."""
        if group not in self._members:
            try:
                self._members[group] = frozenset(self._file[group or "/"])
            except PROBLEMS as problem:
                raise self.error(group, problem) from problem
        return self._members[group]

    def item(self, path: str) -> Any:
        """A dataset or group."""
        try:
            return self._file[path]
        except PROBLEMS as problem:
            raise self.error(path, problem) from problem

    def array(self, path: str) -> np.ndarray:
        """All of a dataset."""
        return self.rows(path, self.item(path), 0, None)

    def rows(self, path: str, dataset: Any, first: int, count: int | None) -> np.ndarray:
        """So many rows of a dataset, or all from the first one on."""
        try:
            found: np.ndarray = dataset[first : None if count is None else first + count]
        except PROBLEMS as problem:
            raise self.error(path, problem) from problem
        if count is not None and len(found) != count:
            raise self.error(path, ValueError(f"rows are missing: {len(found)} of {count}"))
        return found

    def text(self, path: str) -> str:
        """The text in a dataset; format 1 had it without a dimension."""
        try:
            return str(np.ravel(self._file[path].asstr()[()])[0])
        except (*PROBLEMS, TypeError) as problem:
            raise self.error(path, problem) from problem

    def attribute(self, path: str, name: str) -> Any:
        """An attribute; texts as `str`."""
        try:
            value = self._file[path].attrs[name]
        except PROBLEMS as problem:
            raise self.error(f"{path}, attribute {name}", problem) from problem
        return value.decode() if isinstance(value, bytes) else value

    def error(self, path: str, problem: Exception) -> FileError:
        """What to say of a dataset that cannot be read."""
        return damaged(self._path, problem, f"{path or '/'}: ")
