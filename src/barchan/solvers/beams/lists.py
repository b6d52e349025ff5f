"""The lists of near triangles of the solver `beams`."""

from __future__ import annotations

import numpy as np

from barchan.kernels.ready import neighbours
from barchan.model.build import Model

CELLS_PER_TRIANGLE = 8
AWAY = 1e6  # m along y, where triangles of walls that are not there wait


def make_lists(model: Model, a: dict[str, np.ndarray], skin: float, room: int, holds: bool) -> int:
    """Near pairs of triangles of different grains, and of walls: first, second, round_way, allowed, slip, origin.

    What is allowed of pairs in the list before stays so, and friction keeps its memory; holds: whether it has one.
    Answers with how many neighbours a row needed at the most.
    """
    rows, box = len(a["bound"]), model.box
    place = np.zeros((rows, 4))
    place[:, 0], place[:, 2], place[:, 3] = a["state"][:, 0, 0], a["state"][:, 1, 0], a["bound"]
    gone = (a["grain"] < 0) & ~a["row_present"]
    there = place[~gone, :3] if rows and not gone.all() else np.zeros((1, 3))
    place[gone, 1] = AWAY
    low = np.where(model.periodic, model.low, there.min(axis=0))
    reach = 2 * float(a["bound"].max(initial=1e-3)) + skin
    cells = np.maximum(np.where(model.periodic, box, np.ptp(there, axis=0)) / reach, 1.0)
    while np.prod(np.floor(cells)) > CELLS_PER_TRIANGLE * rows + 64:
        cells[np.argmax(cells)] /= 2
    count = np.maximum(np.floor(cells), 1).astype(np.int64)
    size = np.where(model.periodic, box / count, reach)
    count[[0, 2]] += ~model.periodic[[0, 2]]
    number = np.empty(rows, np.int64)
    neighbours.cell_numbers(place, rows, low, size, np.arange(3), count, number)
    begin, entries = np.zeros(int(np.prod(count)) + 1, np.int64), np.zeros(rows, np.int64)
    neighbours.sort_by_cell(number, rows, int(np.prod(count)), begin, entries)
    counts, inverse = np.zeros(rows, np.int64), np.divide(1.0, box, out=np.zeros(3), where=box > 0)
    spot, owner = np.empty((rows, 4)), np.empty(rows, np.int64)
    neighbours.by_cell(place, a["grain"], entries, rows, spot, owner)
    while True:
        found = np.empty((rows, room), np.int32)
        neighbours.near_spheres(
            place, a["grain"], rows, number, begin, entries, spot, owner, count, box, inverse, skin, found, counts
        )
        most = int(counts.max(initial=0))
        if most <= room:
            break
        room = most + 8
    start = np.empty(rows + 1, np.int64)
    pairs = int(neighbours.running_sum(counts, rows, start))
    first, second = np.zeros(pairs, np.int64), np.zeros(pairs, np.int64)
    neighbours.fill_pairs(found, counts, rows, start, first, second)
    round_way = np.zeros((0, 2))
    if model.periodic.any():
        apart = a["state"][first, :2, 0] - a["state"][second, :2, 0]
        round_way = box[[0, 2]] * np.round(apart * inverse[[0, 2]])
    allowed, slip = _carried(a, "allowed", first, second), _carried(a, "slip", first, second)
    if holds and not len(slip):
        slip = np.zeros(pairs)
    a.update(
        first=first, second=second, round_way=round_way, allowed=allowed, slip=slip,
        origin=np.ascontiguousarray(a["state"][:, :2, 0])
    )  # fmt: skip
    return room


def _carried(a: dict[str, np.ndarray], name: str, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """What pairs of the list before have of that name, for the pairs of a new one; (0,) where nothing is left of it.

    What a triangle has with a side of a wall goes to the first pair of the two: see `kernels/friction.py`.
    """
    kept = np.flatnonzero(a.get(name, np.zeros(0)))
    if not len(kept) or not len(first):
        return np.zeros(0)
    rows, free = len(a["bound"]), int(np.count_nonzero(a["grain"] >= 0))
    last = np.append(np.arange(free), free + a["side"])  # a side's triangles share a name
    names, place = np.unique(rows * first + last[second], return_index=True)
    known = rows * a["first"][kept] + last[a["second"][kept]]
    at = np.minimum(np.searchsorted(names, known), len(names) - 1)
    found = names[at] == known
    carried = np.zeros(len(first) if found.any() else 0)
    carried[place[at[found]]] = a[name][kept[found]]
    return carried
