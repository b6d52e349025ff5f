"""How far grains may go until they could meet a wall or a grain that is in no list of theirs.

A list from cells holds what is near; fast grains may leave its reach in a single step. So walls are searched for as far
as a step may bring them, and adaptive steps are told how far each grain is from anything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from barchan.kernels.ready import neighbours

if TYPE_CHECKING:
    from barchan.solvers.soft.lists import Lists, Tempo


def ways(lists: Lists, tempo: Tempo) -> np.ndarray:
    """How far, (N,) m, each grain and any wall may come towards each other in a stride.

    What walls do counts twice, since one that has only just begun to move may have come as far unseen.
    """
    a, n = lists.arrays, len(lists.arrays["id"])
    way = np.empty(n)
    neighbours.pick_leeways(
        n, a["motion"], a["bound"], 2 * tempo.stride * tempo.wall_fastest, tempo.stride, np.inf, way
    )
    return way


def free_ways(lists: Lists, tempo: Tempo, wall_ways: np.ndarray) -> np.ndarray:
    """How far, (N, 2) m, each grain may go from where it is until it meets a wall that is not in the list, and until it
    meets another grain: 0 where one is near; the other one's own way is left to it.

    wall_ways: (N,) m, how far walls were searched for.
    """
    a, n = lists.arrays, len(lists.arrays["id"])
    way, free = np.empty(n), np.column_stack([wall_ways, np.zeros(n)])
    neighbours.pick_leeways(n, a["motion"], a["bound"], 0.0, tempo.stride, np.inf, way)
    company = np.diff(a["near_start"]) > 0
    company[a["near_second"]] = True
    swift = way > lists.radius
    if swift.any() and not (swift & company).any():  # one in company makes the step short enough for all
        start, second = lists.search(n, way)
        alone = np.diff(start) == 0
        alone[second] = False
        free[alone, 1] = way[alone]
    return free
