"""A column: rows of many frames, one after another in one HDF5 dataset."""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.record import blocks

_BUFFER_BYTES = 4 << 20  # rows are gathered up to this before they are handed to HDF5
_CHUNK_BYTES = 1 << 20
_CHUNK_ROWS = 64  # at least


class Column:
    """Appends rows to a dataset.

    With a known `total` of rows the dataset is contiguous: floats that change with every frame do not compress
    (shuffle and gzip save 15 % at a tenth of the speed). Otherwise it grows by compressed chunks about the size of a
    frame. If it is `steady`, a frame that repeats the rows before it, or adds to their end, stores only what is new.
    """

    def __init__(
        self, group: Any, path: str, dtype: str, row: tuple[int, ...], largest: int, *,
        total: int | None = None, steady: bool = False,
    ) -> None:  # fmt: skip
        self.nothing = np.empty((0, *row), dtype)
        if total is None:
            row_bytes = max(1, self.nothing.dtype.itemsize * int(np.prod(row, dtype=int)))
            rows = max(_CHUNK_ROWS, min(int(largest), _CHUNK_BYTES // row_bytes))
            options = {"maxshape": (None, *row), "chunks": (rows, *row), "shuffle": True, "compression": 1}
            self._dataset = group.create_dataset(path, (0, *row), dtype, **options)
        else:
            self._dataset = group.create_dataset(path, (total, *row), dtype)
        self._steady = steady
        self._tail = self.nothing  # the rows stored last,
        self._tail_start = 0  # and where they begin
        self._count = self._written = 0
        self._waiting: list[np.ndarray] = []
        self._waiting_bytes = 0

    def append(self, rows: np.ndarray) -> int:
        """Store rows and answer the number of the first."""
        if not self._steady:
            return self._store(rows)
        known = min(len(rows), len(self._tail))
        if not (known or len(rows) == 0) or not blocks.same(rows[:known], self._tail[:known]):
            self._tail_start, self._tail = self._store(rows), rows
        elif len(rows) > known:
            self._store(rows[known:])
            self._tail = rows
        return self._tail_start

    def _store(self, rows: np.ndarray) -> int:
        first = self._count
        self._count += len(rows)
        self._waiting.append(rows)
        self._waiting_bytes += rows.nbytes
        if self._waiting_bytes >= _BUFFER_BYTES:
            self._write()
        return first

    def _write(self) -> None:
        if self._dataset.maxshape[0] is None:
            self._dataset.resize(self._count, 0)
        if self._count > self._written:
            rows = self._waiting[0] if len(self._waiting) == 1 else np.concatenate(self._waiting)
            self._dataset[self._written : self._count] = rows
        self._written = self._count
        self._waiting, self._waiting_bytes = [], 0

    def close(self) -> None:
        """Write what waits."""
        self._write()
