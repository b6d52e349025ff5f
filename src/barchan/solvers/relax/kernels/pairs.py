"""Near pairs in a box that may be sheared, every grain with all its neighbours.

A row of the list holds for one grain its near grains in increasing order and, for each, the vector from the neighbour
at the moment the list was made. What the minimisers move are displacements since that moment: they are small, so that
differences of them carry far more digits than differences of positions would, and a packing can be relaxed to 1e-12 of
its contact forces, which are themselves a thousandth of what positions are.
"""

from __future__ import annotations

import math
from typing import Any

from barchan.kernels.jit import njit, prange


@njit(cache=True)
def straighten(place: Any, count: int, slope: float, straight: Any) -> None:
    """Positions as they were before the box was sheared: x less slope (tilt over height) times z."""
    for i in range(count):
        straight[i, 0] = place[i, 0] - slope * place[i, 2]
        straight[i, 1] = place[i, 1]
        straight[i, 2] = place[i, 2]


@njit(cache=True, error_model="numpy")
def _nearest(dx, dy, dz, box, half, tilt):
    """The shortest of the images of a vector; half: of the box, infinite along open axes."""
    if abs(dz) > half[2]:
        up = math.floor(dz / box[2] + 0.5)
        dz -= box[2] * up
        dx -= tilt * up
    if abs(dx) > half[0]:
        dx -= box[0] * math.floor(dx / box[0] + 0.5)
    if abs(dy) > half[1]:
        dy -= box[1] * math.floor(dy / box[1] + 0.5)
    return dx, dy, dz


@njit(cache=True, parallel=True, error_model="numpy")
def find_near(
    place: Any, radius: Any, count: int, number: Any, begin: Any, entries: Any, cells: Any, box: Any, half: Any,
    tilt: float, skin: float, length: Any, found: Any,
) -> None:  # fmt: skip
    """Write the near grains of each to its row of `found`, as many as that holds, and count them all in `length`.

    box: (3,) m, half: half of it, infinite along open axes. tilt: m, by which the image above is shifted along x.
    """
    width = found.shape[1]
    for i in prange(count):
        n = 0
        here = number[i]
        kz = here % cells[2]
        ky = (here // cells[2]) % cells[1]
        kx = here // (cells[2] * cells[1])
        x, y, z, own = place[i, 0], place[i, 1], place[i, 2], radius[i] + skin
        for ox in range(0 if cells[0] == 1 else -1, 2 if cells[0] > 2 else 1):
            cx = (kx + ox) % cells[0]
            for oy in range(0 if cells[1] == 1 else -1, 2 if cells[1] > 2 else 1):
                cy = (ky + oy) % cells[1]
                for oz in range(0 if cells[2] == 1 else -1, 2 if cells[2] > 2 else 1):
                    s = (cx * cells[1] + cy) * cells[2] + (kz + oz) % cells[2]
                    for e in range(begin[s], begin[s + 1]):
                        j = entries[e]
                        dx, dy, dz = _nearest(x - place[j, 0], y - place[j, 1], z - place[j, 2], box, half, tilt)
                        reach = own + radius[j]
                        if dx * dx + dy * dy + dz * dz < reach * reach and j != i:
                            if n < width:
                                found[i, n] = j
                            n += 1
        length[i] = n


@njit(cache=True, parallel=True, error_model="numpy")
def put_rows(
    place: Any, count: int, box: Any, half: Any, tilt: float, start: Any, length: Any, found: Any, second: Any,
    apart: Any,
) -> None:  # fmt: skip
    """Rows of the list, each in increasing order, with the vectors from the near grains, at start[i], start[i] + 1, …

    Their order does not depend on the cells.
    """
    for i in prange(count):
        for n in range(length[i]):
            j = found[i, n]
            k = start[i] + n
            while k > start[i] and second[k - 1] > j:
                second[k] = second[k - 1]
                k -= 1
            second[k] = j
        for k in range(start[i], start[i] + length[i]):
            j = second[k]
            apart[k, 0], apart[k, 1], apart[k, 2] = _nearest(
                place[i, 0] - place[j, 0], place[i, 1] - place[j, 1], place[i, 2] - place[j, 2], box, half, tilt
            )
