"""The pair list against brute force."""

from __future__ import annotations

import time

import numpy as np
import pytest

from barchan.kernels import neighbours, threads


def near(
    place: np.ndarray, grain: np.ndarray, low: np.ndarray, box: np.ndarray, periodic: np.ndarray, skin: float
) -> set[tuple[int, int]]:
    """The near pairs as the kernels find them; cells as `solvers/soft_lists.py` makes them."""
    from barchan.model.build import Model
    from barchan.solvers.soft_lists import Lists

    model = Model.__new__(Model)
    for name, value in {"periodic": periodic, "box": np.where(periodic, box, 0.0), "low": low}.items():
        object.__setattr__(model, name, value)
    lists = Lists.__new__(Lists)
    lists.model, lists.arrays = model, {"place": place}
    lists.largest, lists.skin = float(place[:, 3].max()), skin
    count = len(place)
    number, mask, cells, *_ = lists._cells(count)
    begin, entries = np.zeros(mask + 2, np.int64), np.zeros(count, np.int64)
    neighbours.sort_by_cell(number, count, mask, begin, entries)
    found, counts = np.empty((count, count), np.int32), np.zeros(count, np.int64)
    inverse = np.divide(1.0, model.box, out=np.zeros(3), where=model.box > 0)
    neighbours.near_spheres(
        place, grain, count, number, mask, begin, entries, cells, periodic, model.box, inverse, skin, found, counts
    )
    rows = [found[i, : counts[i]].tolist() for i in range(count)]
    assert all(row == sorted(set(row)) for row in rows), "each once, in increasing order"
    return {(i, j) for i, row in enumerate(rows) for j in row}


def brute(
    place: np.ndarray, grain: np.ndarray, box: np.ndarray, periodic: np.ndarray, skin: float
) -> set[tuple[int, int]]:
    """All pairs i < j of different grains whose nearest images are closer than the sum of their radii and the skin."""
    length = np.where(periodic, box, np.inf)
    apart = np.abs(place[:, None, :3] - place[None, :, :3])
    apart = np.where(np.isinf(length), apart, np.abs(apart - np.where(periodic, box, 0.0) * np.round(apart / length)))
    reach = place[:, None, 3] + place[None, :, 3] + skin
    close = (np.sum(apart**2, axis=-1) < reach**2) & (grain[:, None] != grain[None, :])
    return {(int(i), int(j)) for i, j in np.argwhere(close) if i < j}


@pytest.mark.parametrize("cells", [1, 2, 3, 6])
@pytest.mark.parametrize("periodic", [(False, False, False), (True, False, True), (True, True, True)])
def test_finds_exactly_the_near_pairs(cells: int, periodic: tuple[bool, bool, bool]) -> None:
    """Polydisperse spheres, three to a grain, in boxes of one to six cells, some outside the box (as a clump's spheres
    may be, whose centre is inside), with an outlier where an axis is open: the list and brute force agree.
    """
    threads.use(1)
    axes = np.array(periodic)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        count, skin = 60 * cells, 0.02
        radius = rng.uniform(0.03, 0.1, count)
        radius[0] = 0.1
        box = cells * (2 * 0.1 + skin) * rng.uniform(1.0, 1.3, 3)
        low = rng.normal(size=3)
        place = np.concatenate([low + box * rng.uniform(-0.2, 1.2, (count, 3)), radius[:, None]], axis=1)
        if not axes.all():
            place[1, np.flatnonzero(~axes)] += rng.choice([-1, 1]) * 10.0 ** rng.uniform(1, 9)
        grain = np.arange(count) // 3
        assert near(place, grain, low, box, axes, skin) == brute(place, grain, box, axes, skin)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_a_grain_far_away_costs_nothing(direction: float) -> None:
    """Cells are folded into a table, so a grain that has fallen off the world must not slow down the others. A hundred
    times the cost would mean that all grains are compared with all others; ten allows for noise.
    """
    from barchan.solvers.soft_lists import Lists

    threads.use(1)
    rng = np.random.default_rng(0)
    count = 12000
    place = np.concatenate([rng.uniform(0, 1, (count, 3)), np.full((count, 1), 0.01)], axis=1)
    model = type("Open", (), {"periodic": np.zeros(3, bool), "box": np.zeros(3), "low": np.zeros(3)})()
    grain, taken = np.arange(count), []
    for distance in (0.0, direction * 1e7):
        place[0, 2] = distance
        lists = Lists.__new__(Lists)
        lists.model, lists.arrays, lists.largest, lists.skin = model, {"place": place}, 0.01, 0.002
        begin = time.perf_counter()
        number, mask, cells, *_ = lists._cells(count)
        slots, entries = np.zeros(mask + 2, np.int64), np.zeros(count, np.int64)
        neighbours.sort_by_cell(number, count, mask, slots, entries)
        found, counts = np.empty((count, 64), np.int32), np.zeros(count, np.int64)
        neighbours.near_spheres(
            place, grain, count, number, mask, slots, entries, cells, model.periodic, model.box, np.zeros(3), 0.002,
            found, counts,
        )  # fmt: skip
        taken.append(time.perf_counter() - begin)
    assert taken[1] < 10 * taken[0]
