"""Rows turned into lanes and back: every number in its place, and sums in their order."""

from __future__ import annotations

import numpy as np
import pytest

from barchan.kernels.jit import njit
from barchan.solvers.soft.kernels.lanes import (
    AT_ONCE,
    add_first,
    add_row,
    add_second,
    eights_to_lanes,
    fours_to_lanes,
    lanes_to_rows,
    nothing,
    six_of,
)


@njit
def _fours(table, index, at, out, to):  # type: ignore[no-untyped-def]
    fours_to_lanes(table, index, at, out, to)


@njit
def _eights(table, index, at, out, to):  # type: ignore[no-untyped-def]
    eights_to_lanes(table, index, at, out, to)


@njit
def _eight_wide(lanes, at, out, to):  # type: ignore[no-untyped-def]
    lanes_to_rows(lanes, at, 8, out, to)


@njit
def _twelve_wide(lanes, at, out, to):  # type: ignore[no-untyped-def]
    lanes_to_rows(lanes, at, 12, out, to)


@njit
def _sum(rows, begin, end, base, mask, links, low, high, none):  # type: ignore[no-untyped-def]
    total = add_first(nothing(), rows, begin, end, base, mask, none)
    for pair in range(begin + AT_ONCE, end):
        total = add_row(total, rows, base + (pair & mask), 0)
    total = add_second(total, rows, links, low, high, none)
    for e in range(low + AT_ONCE, high):
        total = add_row(total, rows, links[e], 1)
    return six_of(total)


@pytest.mark.parametrize(("turn", "width"), [(_fours, 4), (_eights, 8)])
def test_rows_become_columns(turn, width):  # type: ignore[no-untyped-def]
    """Lane k of column c is number c of row index[at + k], and nothing beside the columns is written."""
    rng = np.random.default_rng(1)
    table, index = rng.normal(size=(50, width)), rng.integers(0, 50, 40).astype(np.uint32)
    out = np.full(200, np.nan)
    turn(table, index, np.uint64(17), out, np.uint64(5))
    assert np.array_equal(out[5 : 5 + 16 * width].reshape(width, 16), table[index[17:33]].T)
    assert np.isnan(out[:5]).all() and np.isnan(out[5 + 16 * width :]).all()


@pytest.mark.parametrize(("turn", "width"), [(_eight_wide, 8), (_twelve_wide, 12)])
def test_columns_become_rows(turn, width):  # type: ignore[no-untyped-def]
    """Number c of row k is lane k of column c."""
    lanes, out = np.random.default_rng(2).normal(size=16 * width + 3), np.full(16 * width + 10, np.nan)
    turn(lanes, np.uint64(3), out, np.uint64(4))
    assert np.array_equal(out[4 : 4 + 16 * width].reshape(16, width), lanes[3:].reshape(width, 16).T)
    assert np.isnan(out[:4]).all() and np.isnan(out[4 + 16 * width :]).all()


@pytest.mark.parametrize("own", [0, 1, 3, 4, 5, 9])
@pytest.mark.parametrize("others", [0, 2, 4, 7])
def test_a_grain_adds_up_its_pairs_in_their_order(own: int, others: int) -> None:
    """The sums are those of adding one after another, to the last bit: first the pairs in which the grain is first
    (force, lever · torque), then those in which it is second (−force, other lever · torque). Its own pairs are found in
    a ring of sixteen rows too, from row 40 on, where pair k is in row 40 + k mod 16.
    """
    rng = np.random.default_rng(own * 10 + others)
    rows, links = rng.normal(size=(31, 8)), rng.permutation(30)[:20].astype(np.uint32)
    rows[30] = 0.0
    begin, low = 6, 3
    expected = np.zeros(6)
    for pair in range(begin, begin + own):
        expected += np.concatenate([rows[pair, :3], rows[pair, 6] * rows[pair, 3:6]])
    for pair in links[low : low + others]:
        expected += np.concatenate([-rows[pair, :3], rows[pair, 7] * rows[pair, 3:6]])
    found = _sum(rows.ravel(), begin, begin + own, 0, -1, links, low, low + others, 30)
    assert np.array_equal(found, expected)
    rows = np.concatenate([rows[:30], np.full((26, 8), np.nan), np.zeros((1, 8))])
    for pair in range(begin + 5, begin + 5 + own):
        rows[40 + pair % 16] = rows[pair - 5]
    found = _sum(rows.ravel(), begin + 5, begin + 5 + own, 40, 15, links, low, low + others, 56)
    assert np.array_equal(found, expected)
