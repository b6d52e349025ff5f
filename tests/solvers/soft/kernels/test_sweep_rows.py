"""Which rows pairs write and grains read, in the sweep through the list of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from barchan.kernels.ready import neighbours
from barchan.solvers.soft import rows as soft_rows
from barchan.solvers.soft.layout import BASE, CHUNK, GRAIN_FROM, GRAIN_TO, PAIR_TO, STRIP_FROM, STRIP_TO
from solvers.inside import peek

WIDTH = 128


def a_list(grains: int, near: int, *, across: float, giant: bool, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of grains, by first grain: each with some of the next, a few with any later one, and if asked one grain
    with all of thousands that follow. The last ones have no pairs of their own.
    """
    rng = np.random.default_rng(seed)
    pairs = []
    for g in range(grains - 3):
        others = set((g + rng.integers(1, near, rng.integers(0, 7))).tolist())
        if rng.random() < across:
            others.add(int(rng.integers(g + 1, grains)))
        if giant and g == max(grains - 4000, grains // 2):
            others = set(range(g + 1, grains))
        pairs += [(g, other) for other in sorted(others) if other < grains]
    first, second = np.array(pairs).T
    return first, second


def emulate(
    rows: soft_rows.Rows, order: list[int], pairs: int, pair_range: np.ndarray, start: np.ndarray, links: np.ndarray
) -> dict[int, tuple[list[int], list[int]]]:
    """What each grain reads, own pairs and those of others, if a row holds the number of the pair that wrote it last.

    Parts are swept in this order, one after another: a part must not depend on what others do.
    """
    a: dict[str, Any] = rows.arrays
    held = np.full(rows.number, -1)
    read: dict[int, tuple[list[int], list[int]]] = {}

    def add_up(g: int, base: int, mask: int) -> None:
        own = [int(held[base + (k & mask)]) for k in range(pair_range[g], pair_range[g + 1])]
        assert g not in read
        read[g] = own, [int(held[row]) for row in links[start[g] : start[g + 1]]]

    for p in order:
        part, g = a["parts"][p], a["parts"][p][GRAIN_FROM]
        chunk = CHUNK if rows.mask >= 0 else max(part[STRIP_TO] - part[STRIP_FROM], 1)
        for low in range(part[STRIP_FROM], part[STRIP_TO], chunk):
            high = min(low + chunk, part[STRIP_TO])
            for k in range(low * WIDTH, min(high * WIDTH, pairs)):
                held[part[BASE] + (k & rows.mask)] = k
            for e in range(a["far_start"][low], a["far_start"][high]):
                held[rows.behind + e] = held[part[BASE] + (a["far_pair"][e] & rows.mask)]
            while g < part[GRAIN_TO] and (high == part[STRIP_TO] or pair_range[g + 1] <= high * WIDTH):
                if not a["late"][g]:
                    add_up(g, part[BASE], rows.mask)
                g += 1
        for late in range(g, part[GRAIN_TO]):  # a part without pairs has grains all the same
            if not a["late"][late]:
                add_up(late, part[BASE], rows.mask)
        assert part[PAIR_TO] <= pairs
    for i, g in enumerate(a["late_grain"]):
        add_up(int(g), int(a["late_row"][i] - pair_range[g]), -1)
    return read


@pytest.mark.parametrize(
    ("grains", "near", "across", "giant", "many", "ringed"),
    [
        (12_000, 200, 0.05, False, 1, False),
        (12_000, 200, 0.05, False, 1, True),
        (12_000, 200, 0.05, False, 3, True),
        (30_000, 900, 0.0, False, 2, True),
        (30_000, 200, 0.0, True, 2, True),
        (30_000, 200, 0.0, True, 1, True),
        (900, 60, 0.1, False, 1, False),
        (900, 60, 0.1, True, 4, False),
        (40, 10, 0.3, False, 8, False),
    ],
)
def test_every_grain_reads_the_rows_of_its_own_pairs(
    grains: int, near: int, across: float, giant: bool, many: int, ringed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are written over and over; wherever a part stands, a grain must find its own pairs in the rows it reads,
    in the order of the list, whichever part comes first. Each grain adds up once.
    """
    monkeypatch.setattr(soft_rows, "FEW", 0 if ringed else soft_rows.FEW)
    first, second = a_list(grains, near, across=across, giant=giant, seed=grains + many)
    pairs = len(first)
    pair_range = np.searchsorted(first, np.arange(grains + 1)).astype(np.int64)
    start, links = np.zeros(grains + 1, np.int64), np.zeros(pairs + 16, np.uint32)
    neighbours.link_second(second, np.arange(grains), pairs, grains, start, links)
    wanted = [links[start[g] : start[g + 1]].tolist() for g in range(grains)]
    a, b = first.astype(np.uint32), second.astype(np.uint32)
    rows = soft_rows.lay(grains, pairs, WIDTH, many, pair_range, a, b, start, links)
    assert (rows.mask >= 0) == ringed
    for order in (list(range(many)), list(range(many))[::-1]):
        read = emulate(rows, order, pairs, pair_range, start, links)
        assert sorted(read) == list(range(grains))
        for g, (own, others) in read.items():
            assert own == list(range(pair_range[g], pair_range[g + 1]))
            assert others == wanted[g]
    assert rows.number < pairs or not ringed
    if many == 1:
        assert peek(rows, "late_grain").tolist() == ([grains - 4000] if giant else [])


def test_a_grain_with_pairs_in_two_parts_is_late() -> None:
    """One grain touches 200 others, which touch nothing else: its pairs are in both parts."""
    second = np.arange(1, 201, dtype=np.uint32)
    pair_range = np.concatenate([[0], np.full(201, 200)]).astype(np.int64)
    start, links = np.maximum(np.arange(202) - 1, 0), np.arange(216, dtype=np.uint32)
    rows = soft_rows.lay(201, 200, WIDTH, 2, pair_range, np.zeros(200, np.uint32), second, start, links)
    assert peek(rows, "parts")[:, STRIP_TO].tolist() == [1, 2]
    assert 0 in peek(rows, "late_grain")
    for order in ([0, 1], [1, 0]):
        read = emulate(rows, order, 200, pair_range, start, links)
        assert read[0] == (list(range(200)), [])
        assert [read[g] for g in range(1, 201)] == [([], [g - 1]) for g in range(1, 201)]


def test_no_pairs_at_all() -> None:
    """Grains in flight have no rows, and every one belongs to a part."""
    nothing = np.zeros(0, np.uint32)
    rows = soft_rows.lay(5, 0, WIDTH, 2, np.zeros(6, np.int64), nothing, nothing, np.zeros(6, np.int64), nothing)
    assert peek(rows, "parts")[:, GRAIN_FROM].tolist()[0] == 0
    assert peek(rows, "parts")[:, GRAIN_TO].tolist()[-1] == 5
    assert not len(peek(rows, "late_grain"))
