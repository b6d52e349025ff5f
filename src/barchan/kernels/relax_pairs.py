"""Near pairs in a box that may be sheared, every grain with all its neighbours.

A row of the list holds for one grain its near grains in increasing order and, for each, the vector from the neighbour
at the moment the list was made. What the minimisers move are displacements since that moment: they are small, so that
differences of them carry far more digits than differences of positions would, and a packing can be relaxed to 1e-12 of
its contact forces, which are themselves a thousandth of what positions are.
"""

from __future__ import annotations

import math
from typing import Any

from numba import njit, prange


@njit(cache=True)
def straighten(place: Any, count: int, slope: float, straight: Any) -> None:
    """Positions as they were before the box was sheared: x less slope (tilt over height) times z."""
    for i in range(count):
        straight[i, 0] = place[i, 0] - slope * place[i, 2]
        straight[i, 1] = place[i, 1]
        straight[i, 2] = place[i, 2]


@njit(cache=True, parallel=True, error_model="numpy")
def near_rows(
    place: Any, radius: Any, count: int, number: Any, begin: Any, entries: Any, cells: Any, box: Any, inverse: Any,
    tilt: float, skin: float, fill: bool, start: Any, length: Any, second: Any, apart: Any,
) -> None:  # fmt: skip
    """Count the near grains of each, or with `fill` write them and the vectors from them to start[i], start[i] + 1, …

    box: (3,) m, inverse: its inverse or 0 along open axes. tilt: m, by which the image above is shifted along x.
    """
    for i in prange(count):
        n = 0
        here = number[i]
        kz = here % cells[2]
        ky = (here // cells[2]) % cells[1]
        kx = here // (cells[2] * cells[1])
        for ox in range(0 if cells[0] == 1 else -1, 2 if cells[0] > 2 else 1):
            cx = (kx + ox) % cells[0]
            for oy in range(0 if cells[1] == 1 else -1, 2 if cells[1] > 2 else 1):
                cy = (ky + oy) % cells[1]
                for oz in range(0 if cells[2] == 1 else -1, 2 if cells[2] > 2 else 1):
                    s = (cx * cells[1] + cy) * cells[2] + (kz + oz) % cells[2]
                    for e in range(begin[s], begin[s + 1]):
                        j = entries[e]
                        if j == i:
                            continue
                        dx = place[i, 0] - place[j, 0]
                        dy = place[i, 1] - place[j, 1]
                        dz = place[i, 2] - place[j, 2]
                        up = math.floor(dz * inverse[2] + 0.5)
                        dz -= box[2] * up
                        dx -= tilt * up
                        dx -= box[0] * math.floor(dx * inverse[0] + 0.5)
                        dy -= box[1] * math.floor(dy * inverse[1] + 0.5)
                        reach = radius[i] + radius[j] + skin
                        if dx * dx + dy * dy + dz * dz >= reach * reach:
                            continue
                        if fill:
                            k = start[i] + n  # keep the row sorted: its order does not depend on the cells
                            while k > start[i] and second[k - 1] > j:
                                second[k] = second[k - 1]
                                apart[k, 0], apart[k, 1], apart[k, 2] = (
                                    apart[k - 1, 0],
                                    apart[k - 1, 1],
                                    apart[k - 1, 2],
                                )
                                k -= 1
                            second[k] = j
                            apart[k, 0], apart[k, 1], apart[k, 2] = dx, dy, dz
                        n += 1
        length[i] = n
