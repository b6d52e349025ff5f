"""Near pairs of spheres: cells, then a list with a skin, in work linear in the spheres.

Cells have the size of the largest reach or more, so that near spheres lie in neighbouring cells. They repeat along
every axis, periodic or not: a grain that flies far away shares a cell with others, and the distance tells them apart.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from barchan.kernels.jit import inlined, njit, prange

U = np.uint64


@njit(cache=True)
def cell_numbers(place: Any, count: int, low: Any, size: Any, axes: Any, cells: Any, number: Any) -> None:
    """The cell number of every sphere.

    axes: (3,) in which order they are counted, that in which a step is the farthest first. cells: how many there are
    along each, in that order.
    """
    for i in range(count):
        value = 0
        for q in range(3):
            axis = axes[q]
            k = math.floor((place[i, axis] - low[axis]) / size[axis]) % cells[q]
            value = value * cells[q] + k
        number[i] = value


@njit(cache=True)
def sort_by_cell(number: Any, count: int, cells: int, begin: Any, entries: Any) -> None:
    """A counting sort of the spheres by cell: those in cell s are entries[begin[s] … begin[s + 1]]."""
    begin[:] = 0
    for i in range(count):
        begin[number[i] + 1] += 1
    for s in range(cells):
        begin[s + 1] += begin[s]
    for i in range(count):
        s = number[i]
        entries[begin[s]] = i
        begin[s] += 1
    for s in range(cells, 0, -1):
        begin[s] = begin[s - 1]
    begin[0] = 0


@njit(cache=True, parallel=True)
def by_cell(place: Any, grain: Any, entries: Any, count: int, spot: Any, owner: Any) -> None:
    """Place and grain of the spheres in the order of the cells, so that a search reads them one after another."""
    for e in prange(count):
        i = entries[e]
        for k in range(4):
            spot[e, k] = place[i, k]
        owner[e] = grain[i]


@njit(cache=True)
def stretch(k: int, cells: int, second: bool) -> tuple[int, int]:
    """The cells k − 1 to k + 1 of a row that repeats: from and up to where, or what of them is at its other end."""
    if second:
        if cells < 3 or (k > 0 and k < cells - 1):
            return 0, 0
        return (cells - 1, cells) if k == 0 else (0, 1)
    return max(k - 1, 0), min(k + 2, cells)


@inlined
def near_sphere(
    i: int, place: Any, grain: Any, number: Any, begin: Any, entries: Any, spot: Any, owner: Any, cells: Any, box: Any,
    inverse: Any, skin: float, found: Any,
) -> int:  # fmt: skip
    """`near_spheres` of sphere i; answers with how many there are."""
    room = found.shape[1]
    periodic = inverse[0] + inverse[1] + inverse[2] > 0.0
    n = 0
    here = number[i]
    kz = here % cells[2]
    ky = (here // cells[2]) % cells[1]
    kx = here // (cells[2] * cells[1])
    x, y, z, radius = place[i, 0], place[i, 1], place[i, 2], place[i, 3]
    own = grain[i]
    # With one cell along an axis there is no other, with two the next is also the last.
    for ox in range(0 if cells[0] == 1 else -1, 2 if cells[0] > 2 else 1):
        cx = (kx + ox) % cells[0]
        for oy in range(0 if cells[1] == 1 else -1, 2 if cells[1] > 2 else 1):
            cy = (ky + oy) % cells[1]
            row = (cx * cells[1] + cy) * cells[2]
            for part in range(2):
                low, high = stretch(kz, cells[2], part == 1)
                for e in range(begin[row + low], begin[row + high]):
                    dx = spot[e, 0] - x
                    dy = spot[e, 1] - y
                    dz = spot[e, 2] - z
                    if periodic:
                        dx -= box[0] * math.floor(dx * inverse[0] + 0.5)
                        dy -= box[1] * math.floor(dy * inverse[1] + 0.5)
                        dz -= box[2] * math.floor(dz * inverse[2] + 0.5)
                    reach = radius + spot[e, 3] + skin
                    j = entries[e]
                    if dx * dx + dy * dy + dz * dz < reach * reach and j > i and owner[e] != own:
                        if n < room:
                            k = n  # keep the row sorted: the order of the list does not depend on the cells
                            while k > 0 and found[i, k - 1] > j:
                                found[i, k] = found[i, k - 1]
                                k -= 1
                            found[i, k] = j
                        n += 1
    return n


@njit(cache=True, parallel=True, error_model="numpy")
def near_spheres(
    place: Any, grain: Any, count: int, number: Any, begin: Any, entries: Any, spot: Any, owner: Any,
    cells: Any, box: Any, inverse: Any, skin: float, found: Any, found_count: Any,
) -> None:  # fmt: skip
    """For every sphere i the near spheres j > i of other grains: found[i, :found_count[i]], in increasing order.

    Where a row is too short, found_count says how long it must be, and the row is cut short.
    """
    for i in prange(count):
        found_count[i] = near_sphere(
            np.int64(i), place, grain, number, begin, entries, spot, owner, cells, box, inverse, skin, found
        )


@njit(cache=True, parallel=True)
def fill_rows(found: Any, count: int, start: Any, second: Any) -> None:
    """The rows of `near_spheres` one after another: those of sphere i are second[start[i] … start[i + 1]]."""
    for i in prange(count):
        for k in range(start[i + 1] - start[i]):
            second[start[i] + k] = found[i, k]


@njit(cache=True, parallel=True, error_model="numpy")
def pick_leeways(grains: int, motion: Any, bound: Any, least: float, time: float, most: float, leeway: Any) -> None:
    """The way, m, that every grain may go before a list wears out: `least`, and its own way in that time (s)."""
    for g in prange(grains):
        vx, vy, vz, wx, wy, wz = motion[g, 0], motion[g, 1], motion[g, 2], motion[g, 4], motion[g, 5], motion[g, 6]
        pace = math.sqrt(vx * vx + vy * vy + vz * vz) + bound[g] * math.sqrt(wx * wx + wy * wy + wz * wz)
        leeway[g] = min(least + time * pace, most)


@njit(cache=True, parallel=True, error_model="numpy")
def cut_leeways(grains: int, start: Any, place: Any, origin: Any, farther: Any, shrunk: float, leeway: Any) -> float:
    """Cut leeways to what is left of those of the wider list, `farther`, after the way since the origins.

    shrunk: m, that counts as a way of every grain. Answers with the smallest part of a leeway that was left.
    """
    worst = 0.0
    for g in prange(grains):
        square = 0.0
        for i in range(start[g], start[g + 1]):
            dx, dy, dz = place[i, 0] - origin[i, 0], place[i, 1] - origin[i, 1], place[i, 2] - origin[i, 2]
            square = max(square, dx * dx + dy * dy + dz * dz)
        cut = min(leeway[g], farther[g] - math.sqrt(square) - shrunk)
        worst = max(worst, 1.0 - cut / leeway[g])
        leeway[g] = cut
    return 1.0 - worst


@njit(cache=True, error_model="numpy")
def square(at: Any, j: int, x: float, y: float, z: float, box: Any, inverse: Any) -> float:
    """The square of the distance, m², of at[j] from x, y, z; of its nearest image, unless the box is None."""
    dx = at[j, 0] - x
    dy = at[j, 1] - y
    dz = at[j, 2] - z
    if box is not None:
        dx -= box[0] * math.floor(dx * inverse[0] + 0.5)
        dy -= box[1] * math.floor(dy * inverse[1] + 0.5)
        dz -= box[2] * math.floor(dz * inverse[2] + 0.5)
    return dx * dx + dy * dy + dz * dz


@njit(cache=True, parallel=True, error_model="numpy")
def nearer_spheres(
    place: Any, start: Any, grains: int, center: Any, bound: Any, near_start: Any, near_second: Any, box: Any,
    inverse: Any, leeway: Any, found: Any, counts: Any,
) -> None:  # fmt: skip
    """Of the near grains' spheres those with a gap below the sum of both leeways: found[i, :counts[i]], increasing.

    bound: m, how far a grain's spheres reach from its centre. Where a row is too short, counts says how long it must
    be, and the row is cut short. A box that is None, and indices without a sign, make it four times as fast.
    """
    room = found.shape[1]
    for g in prange(grains):
        here, end = U(start[g]), U(start[g + 1])
        for i in range(here, end):
            counts[i] = 0
        for e in range(U(near_start[g]), U(near_start[g + 1])):
            b = U(near_second[e])
            both = leeway[g] + leeway[b]
            far = square(center, b, center[g, 0], center[g, 1], center[g, 2], box, inverse)
            if far < (bound[g] + bound[b] + both) ** 2:
                for i in range(here, end):
                    x, y, z, reach = place[i, 0], place[i, 1], place[i, 2], place[i, 3] + both
                    if square(center, b, x, y, z, box, inverse) < (reach + bound[b]) ** 2:
                        n = counts[i]
                        for j in range(U(start[b]), U(start[b + 1])):
                            if square(place, j, x, y, z, box, inverse) < (reach + place[j, 3]) ** 2:
                                if n < room:
                                    found[i, n] = j
                                n += 1
                        counts[i] = n


@njit(cache=True, parallel=True)
def fill_nearer(found: Any, count: int, start: Any, first: Any, second: Any) -> None:
    """The list of pairs, by first sphere, from the rows of `nearer_spheres`."""
    for i in prange(count):
        for k in range(start[i + 1] - start[i]):
            first[start[i] + k] = i
            second[start[i] + k] = found[i, k]


@njit(parallel=True, cache=True, error_model="numpy")
def reduce_pairs(blocks: int, first: Any, second: Any, place: Any, grain: Any, motion: Any, reduced: Any) -> None:
    """Reduced radius, m, and mass, kg, and one over the smaller radius, 1/m, of every pair, in blocks of sixteen."""
    for b in prange(blocks):
        for lane in range(16):
            i, j = first[16 * b + lane], second[16 * b + lane]
            ri, rj = place[i, 3], place[j, 3]
            mi, mj = motion[grain[i], 3], motion[grain[j], 3]
            reduced[48 * b + lane] = ri * rj / (ri + rj)
            reduced[48 * b + 16 + lane] = mi * mj / (mi + mj)
            reduced[48 * b + 32 + lane] = 1.0 / min(ri, rj)


@njit(cache=True)
def running_sum(counts: Any, count: int, start: Any) -> int:
    """start[i] = counts[0] + … + counts[i − 1]; answers with the total."""
    total = 0
    for i in range(count):
        start[i] = total
        total += counts[i]
    start[count] = total
    return total


@njit(cache=True)
def fill_pairs(found: Any, found_count: Any, count: int, start: Any, first: Any, second: Any) -> None:
    """The list of pairs, by first sphere, from the rows of `near_spheres`."""
    for i in range(count):
        for k in range(found_count[i]):
            first[start[i] + k] = i
            second[start[i] + k] = found[i, k]


@njit(cache=True)
def link_second(second: Any, grain: Any, pairs: int, grains: int, start: Any, links: Any) -> None:
    """For every grain the pairs in which it is second: links[start[g] … start[g + 1]], in the order of the list."""
    start[: grains + 1] = 0
    for k in range(pairs):
        start[grain[second[k]] + 1] += 1
    for g in range(grains):
        start[g + 1] += start[g]
    for k in range(pairs):
        g = grain[second[k]]
        links[start[g]] = k
        start[g] += 1
    for g in range(grains, 0, -1):
        start[g] = start[g - 1]
    start[0] = 0


@njit(cache=True, parallel=True)
def carry_memory(
    count: int, start: Any, second: Any, memory: Any, floats: int, vector: bool,
    old_index: Any, old_start: Any, old_second: Any, old_memory: Any,
) -> None:  # fmt: skip
    """Give every pair of the new list what the same two spheres remembered in the old one.

    old_index is where a sphere stood before, or −1. Where the two have changed sides, a vector memory changes sign.
    """
    for i in prange(count):
        a = old_index[i]
        for k in range(start[i], start[i + 1]):
            b = old_index[second[k]]
            at = (k // 16) * 16 * floats + k % 16
            if a < 0 or b < 0:
                continue
            low, high, sign = (a, b, 1.0) if a < b else (b, a, -1.0)
            for old in range(old_start[low], old_start[low + 1]):
                if old_second[old] == high:
                    was = (old // 16) * 16 * floats + old % 16
                    for c in range(floats):
                        flip = sign if vector and c < 3 else 1.0
                        memory[at + 16 * c] = flip * old_memory[was + 16 * c]


@njit(cache=True)
def lane_sums(lanes: Any, entries: int, quantities: int, totals: Any) -> None:
    """Add the lanes of each quantity to its total, in the order of the list."""
    for k in range(entries):
        at = (k // 16) * 16 * quantities + k % 16
        for c in range(quantities):
            totals[c] += lanes[at + 16 * c]
