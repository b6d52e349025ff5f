"""The parts of the list of pairs that threads work on, and the rows that pairs write: see `sweep_rows.py`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from barchan.solvers.soft.bindings import sweep_rows
from barchan.solvers.soft.layout import CHUNK

USUAL = 0.95  # of the pairs: those that find their second grain before their row in a ring is written over
FEW = 1 << 16  # pairs whose rows all stay in the cache
ARRAYS = ("parts", "late", "late_grain", "late_row", "far_pair", "far_start")


class Rows(NamedTuple):
    """Where pairs leave what they hand to their grains: pair k of a part in row base + (k & mask)."""

    mask: int
    behind: int  # the first of the rows that are set aside
    number: int  # of rows
    arrays: dict[str, np.ndarray]  # ARRAYS


def lay(
    grains: int, pairs: int, width: int, many: int, pair_range: np.ndarray, first_grain: np.ndarray,
    second_grain: np.ndarray, link_start: np.ndarray, links: np.ndarray,
) -> Rows:  # fmt: skip
    """The parts of so many threads, and the rows. There are rings where a row for every pair would be too much.

    width: pairs in a strip, the least that a part is made of. pair_range: (N + 1,) where the pairs of each grain begin.
    links: the pairs in which grain g is second, links[link_start[g]] … in their order; they become the rows of those.
    """
    strips, chunk = -(-pairs // width), CHUNK * width
    cuts = np.arange(many + 1) * strips // many
    ends = np.minimum(cuts * width, pairs)
    begin = np.searchsorted(pair_range[1:], ends, side="right")
    begin[0], begin[-1] = 0, grains
    later = pair_range[second_grain[:pairs:16].astype(np.int64) + 1] - np.arange(0, pairs, 16)
    ring = _power_of_two(max(float(np.quantile(later, USUAL)) + chunk, 2 * chunk)) if pairs else 0
    whole = pairs <= max(FEW, 2 * many * ring)
    base = np.zeros(many, np.int64) if whole else ring * np.arange(many)
    mask, behind = (-1, 0) if whole else (ring - 1, ring * many)
    reach = pairs if whole else ring - chunk
    columns = (cuts[:-1], cuts[1:], begin[:-1], begin[1:], ends[:-1], ends[1:], base)
    parts = np.ascontiguousarray(np.column_stack(columns))
    marks, late = np.zeros(grains, np.uint8), np.zeros(0, np.int64)
    if sweep_rows.find_late(parts, reach, pair_range, link_start, links, marks):
        late = np.flatnonzero(marks)
    late_row, far_pair, far_start = pair_range[late], np.zeros(0, np.uint32), np.zeros(strips + 1, np.int64)
    count = strips * width
    if not whole:
        row, far_pair = np.empty(pairs, np.uint32), np.empty(pairs, np.uint32)
        far = sweep_rows.set_aside(
            parts, pairs, width, reach, mask, behind, first_grain, second_grain, pair_range, marks, links, row,
            far_pair, far_start,
        )  # fmt: skip
        far_pair, late_row = far_pair[:far].copy(), _rows_of(late_row, row)
        count = behind + far
    found: tuple[np.ndarray, ...] = (parts, marks, late, late_row, far_pair, far_start)
    return Rows(mask, behind, count, dict(zip(ARRAYS, found, strict=True)))


def _rows_of(first_pair: np.ndarray, row: np.ndarray) -> np.ndarray:
    """The rows of the first pairs of grains; of grains without any, at the end of the list, some row."""
    return row[np.minimum(first_pair, len(row) - 1)].astype(np.int64)


def _power_of_two(number: float) -> int:
    """The smallest that is not below the number."""
    return 1 << max(math.ceil(number) - 1, 0).bit_length()
