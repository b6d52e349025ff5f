"""A column: rows of many frames, one after another in one HDF5 dataset."""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.record import blocks
from barchan.record.checked import CHUNK_BYTES

_BUFFER_BYTES = 4 << 20  # rows are gathered up to this before they are handed to HDF5
_CHUNK_ROWS = 64  # of compressed chunks, at least
_LEAST_BYTES = 64 << 10  # of other chunks, where there are that many


class Column:
    """Appends rows to a dataset of chunks with checksums.

    With a known `total` of rows the chunks hold them as they are: floats that change with every frame do not compress
    (shuffle and gzip save 15 % at a tenth of the speed). Otherwise it grows by compressed chunks about the size of a
    frame. If it is `steady`, a frame that repeats the rows before it, or adds to their end, stores only what is new.
    """

    def __init__(
        self, group: Any, path: str, dtype: str, row: tuple[int, ...], largest: int, *,
        total: int | None = None, steady: bool = False,
    ) -> None:  # fmt: skip
        self.nothing = np.empty((0, *row), dtype)
        row_bytes = max(1, self.nothing.dtype.itemsize * int(np.prod(row, dtype=int)))
        most = max(1, CHUNK_BYTES // row_bytes)
        if total is None:
            self._chunk = max(_CHUNK_ROWS, min(int(largest), most))
            options: dict[str, Any] = {"maxshape": (None, *row), "shuffle": True, "compression": 1}
        else:  # chunks of one size, so that the last one is full too: about a frame, not too many, not too large
            chunks = -(-total // max(1, min(most, max(int(largest), _LEAST_BYTES // row_bytes))))
            self._chunk, options = -(-total // max(1, chunks)), {}
        if self._chunk:
            options |= {"chunks": (self._chunk, *row), "fletcher32": True}
        self._dataset = group.create_dataset(path, (total or 0, *row), dtype, **options)
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
            self._write((self._count - self._written) // self._chunk * self._chunk)
        return first

    def _write(self, count: int) -> None:
        """Write so many of the rows that wait. A chunk that is written in two parts costs twice."""
        if not count:
            return
        end = self._written + count
        if self._dataset.maxshape[0] is None:
            self._dataset.resize(end, 0)
        rows = self._waiting[0] if len(self._waiting) == 1 else np.concatenate(self._waiting)
        self._dataset[self._written : end] = rows[:count]
        self._written, self._waiting = end, [rows[count:]]
        self._waiting_bytes = self._waiting[0].nbytes

    def close(self) -> None:
        """Write what waits."""
        self._write(self._count - self._written)
