"""Near spheres on the GPU: cells, rows by distance, memory carried over, grains sorted by cell.

Every sphere has a row of all spheres near it: those of higher index first, then those of lower index, each in ascending
order. That is the order in which the CPU adds up the contacts of a sphere, so the sums are the same to the last bit.
Where threads add to the same number they add integers, and what they place in any order is sorted afterwards.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import cuda

from barchan.kernels.cuda_device import Scratch, device, kernel, launch
from barchan.solvers.soft.cuda.kernels.rows import IMAGE, ROW, TOUCHED

CHUNK = 64  # entries that one thread adds up
NEARER = 0.49  # of a period: what is nearer is its own nearest image


@kernel
def widen(place: Any, count: int, bounds: Any) -> None:
    """The least and the greatest coordinates: bounds[:3] and bounds[3:]."""
    i = cuda.grid(1)
    if i < count:
        for k in range(3):
            x = place[i, k]
            if x < bounds[k]:
                cuda.atomic.min(bounds, k, x)
            if x > bounds[3 + k]:
                cuda.atomic.max(bounds, 3 + k, x)


@kernel
def pick_leeways(grains: int, motion: Any, bound: Any, least: float, time: float, most: float, leeway: Any) -> None:
    """The way, m, that every grain may go before a list wears out: `least`, and its own way in that time (s)."""
    g = cuda.grid(1)
    if g < grains:
        vx, vy, vz = float(motion[g, 0]), float(motion[g, 1]), float(motion[g, 2])
        wx, wy, wz = float(motion[g, 4]), float(motion[g, 5]), float(motion[g, 6])
        pace = math.sqrt(vx * vx + vy * vy + vz * vz) + bound[g] * math.sqrt(wx * wx + wy * wy + wz * wz)
        leeway[g] = min(least + time * pace, most)


@kernel
def cut_leeways(
    grains: int, start: Any, place: Any, origin: Any, farther: Any, velocity: Any, angular: Any, orientation: Any,
    leeway: Any, gone: Any, bad: Any,
) -> None:  # fmt: skip
    """Cut leeways to what is left of those of the search, `farther`, after the way since then.

    gone[0]: the largest part of a leeway that was cut off. bad[0]: something is no number.
    """
    g = cuda.grid(1)
    if g >= grains:
        return
    square, sums = 0.0, 0.0
    for i in range(start[g], start[g + 1]):
        dx, dy, dz = place[i, 0] - origin[i, 0], place[i, 1] - origin[i, 1], place[i, 2] - origin[i, 2]
        way = dx * dx + dy * dy + dz * dz
        if not way < math.inf:
            bad[0] = 1
        square = max(square, way)
    for k in range(3):
        sums += 0.0 * velocity[g, k] + 0.0 * angular[g, k] + 0.0 * orientation[g, k]
    if sums + 0.0 * orientation[g, 3] != 0.0:  # 0 times infinity is no number
        bad[0] = 1
    cut = min(leeway[g], farther[g] - math.sqrt(square))
    part = 1.0 - cut / leeway[g]
    leeway[g] = cut
    if part > gone[0]:
        cuda.atomic.max(gone, 0, part)


@kernel
def wear_of(grains: int, farther: Any, leeway: Any, wear: Any) -> None:
    """Leeways that are not above those of the search, and one over their squares, 1/m²."""
    g = cuda.grid(1)
    if g < grains:
        leeway[g] = min(leeway[g], farther[g])
        wear[g] = 1.0 / (leeway[g] * leeway[g])


@kernel
def widest_of(grains: int, bound: Any, farther: Any, widest: Any) -> None:
    """widest[0]: the reach of a grain with its leeway, m, at most."""
    g = cuda.grid(1)
    if g < grains:
        reach = bound[g] + farther[g]
        if reach > widest[0]:
            cuda.atomic.max(widest, 0, reach)


@kernel
def swell(count: int, place: Any, grain: Any, farther: Any, more: float, way: Any, ball: Any) -> None:
    """The spheres, larger by their grain's leeway and what walls may go, m, or by its way."""
    i = cuda.grid(1)
    if i < count:
        for k in range(3):
            ball[i, k] = place[i, k]
        ball[i, 3] = place[i, 3] + max(farther[grain[i]] + more, way[grain[i]])


@kernel
def wrap_grains(
    grains: int, start: Any, clumps: int, place: Any, position: Any, image: Any, corner: Any, lengths: Any,
    motion: Any, gravity: Any, book: Any,
) -> None:  # fmt: skip
    """Bring grains that have left a periodic box back into it; lengths are 0 along open axes."""
    g = cuda.grid(1)
    if g >= grains:
        return
    fall = 0.0
    for k in range(3):
        if lengths[k] > 0.0:
            at = position[g, k] if clumps else place[g, k]
            count = math.floor((at - corner[k]) / lengths[k])
            shift = count * lengths[k]
            if shift != 0.0:
                image[g, k] += int(count)
                fall += shift * gravity[k]
                if clumps:
                    position[g, k] -= shift
                for i in range(start[g], start[g + 1]):
                    place[i, k] -= shift
    if fall != 0.0:
        book[7, start[g]] -= motion[g, 3] * fall


# ------------------------------------------------------------ cells


@kernel
def number_cells(spot: Any, count: int, low: Any, size: Any, axes: Any, cells: Any, number: Any) -> None:
    """The cell number of every grain, as in `neighbours.cell_numbers`."""
    i = cuda.grid(1)
    if i < count:
        value = 0
        for q in range(3):
            axis = axes[q]
            # On the GPU math.floor answers with a float.
            k = int(math.floor((spot[i, axis] - low[axis]) / size[axis])) % cells[q]  # noqa: RUF046
            value = value * cells[q] + k
        number[i] = value


@kernel
def clear(array: Any, count: int) -> None:
    """Zeros."""
    i = cuda.grid(1)
    if i < count:
        array[i] = 0


@kernel
def count_cells(number: Any, count: int, counts: Any) -> None:
    """How many there are in every cell."""
    i = cuda.grid(1)
    if i < count:
        cuda.atomic.add(counts, number[i], 1)


@kernel
def chunk_sums(values: Any, count: int, sums: Any) -> None:
    """The sums of CHUNK values each."""
    t = cuda.grid(1)
    if t * CHUNK < count:
        total = 0
        for i in range(t * CHUNK, min(count, (t + 1) * CHUNK)):
            total += values[i]
        sums[t] = total


@kernel
def chunk_starts(values: Any, count: int, base: Any, start: Any) -> None:
    """start[i] = values[0] + … + values[i − 1], from the sums before every chunk."""
    t = cuda.grid(1)
    if t * CHUNK < count:
        total = base[t]
        for i in range(t * CHUNK, min(count, (t + 1) * CHUNK)):
            start[i] = total
            total += values[i]
        if (t + 1) * CHUNK >= count:
            start[count] = total


@kernel
def one_chunk(values: Any, count: int, start: Any) -> None:
    """The same by a single thread."""
    if cuda.grid(1) == 0:
        total = 0
        for i in range(count):
            start[i] = total
            total += values[i]
        start[count] = total


def running_sum(values: Any, count: int, start: Any, scratch: Scratch, level: int = 0) -> None:
    """start[i] = values[0] + … + values[i − 1] for i = 0 … count; all on the device."""
    if count <= CHUNK:
        launch(one_chunk, 1, values, count, start)
        return
    chunks = -(-count // CHUNK)
    name = f"{start.dtype} level {level}"
    sums, base = scratch(f"sums {name}", chunks, start.dtype), scratch(f"base {name}", chunks + 1, start.dtype)
    launch(chunk_sums, chunks, values, count, sums)
    running_sum(sums, chunks, base, scratch, level + 1)
    launch(chunk_starts, chunks, values, count, base, start)


@kernel
def put_entries(number: Any, count: int, cursor: Any, entries: Any) -> None:
    """Put everyone into the stretch of its cell, in any order."""
    i = cuda.grid(1)
    if i < count:
        entries[cuda.atomic.add(cursor, number[i], 1)] = i


@kernel
def sort_entries(begin: Any, cells: int, entries: Any) -> None:
    """Sort the stretch of every cell."""
    c = cuda.grid(1)
    if c < cells:
        for e in range(begin[c] + 1, begin[c + 1]):
            value = entries[e]
            k = e
            while k > begin[c] and entries[k - 1] > value:
                entries[k] = entries[k - 1]
                k -= 1
            entries[k] = value


@kernel
def copy_flat(source: Any, count: int, target: Any) -> None:
    """A copy."""
    i = cuda.grid(1)
    if i < count:
        target[i] = source[i]


def sort_by_cell(number: Any, count: int, cells: int, entries: Any, scratch: Scratch) -> Any:
    """Those in cell s are entries[begin[s] … begin[s + 1]], in ascending order; answers with begin."""
    counts, begin = scratch("cell counts", cells, np.int32), scratch("cell begins", cells + 1, np.int32)
    launch(clear, cells, counts, cells)
    launch(count_cells, count, number, count, counts)
    running_sum(counts, cells, begin, scratch)
    launch(copy_flat, cells, begin, cells, counts)
    launch(put_entries, count, number, count, counts, entries)
    launch(sort_entries, cells, begin, cells, entries)
    return begin


# ------------------------------------------------------------ rows


@device
def rank(i: int, j: int, count: int) -> int:
    """The place of j among those near i: first those above i, then those below."""
    return j if j > i else j + count


@kernel
def near_rows(
    spot: Any, bound: Any, farther: Any, count: int, number: Any, begin: Any, entries: Any, cells: Any, box: Any,
    inverse: Any, room: int, near: Any, near_count: Any, most: Any,
) -> None:  # fmt: skip
    """For every grain all others whose bounding spheres are near, in order: near[:near_count[i], i].

    spot: where the grains are. Where a row is too short it is cut, and most[0] says how long the longest must be. Cells
    repeat along every axis: with one there is no other, with two the next is also the last.
    """
    i = cuda.grid(1)
    if i >= count:
        return
    n = 0
    here = number[i]
    kz = here % cells[2]
    ky = (here // cells[2]) % cells[1]
    kx = here // (cells[2] * cells[1])
    x, y, z, own = spot[i, 0], spot[i, 1], spot[i, 2], bound[i] + farther[i]
    for ox in range(0 if cells[0] == 1 else -1, 2 if cells[0] > 2 else 1):
        cx = (kx + ox + cells[0]) % cells[0]
        for oy in range(0 if cells[1] == 1 else -1, 2 if cells[1] > 2 else 1):
            cy = (ky + oy + cells[1]) % cells[1]
            for oz in range(0 if cells[2] == 1 else -1, 2 if cells[2] > 2 else 1):
                cell = (cx * cells[1] + cy) * cells[2] + (kz + oz + cells[2]) % cells[2]
                for e in range(begin[cell], begin[cell + 1]):
                    j = entries[e]
                    if j == i:
                        continue
                    dx, dy, dz = spot[j, 0] - x, spot[j, 1] - y, spot[j, 2] - z
                    dx -= box[0] * math.floor(dx * inverse[0] + 0.5)
                    dy -= box[1] * math.floor(dy * inverse[1] + 0.5)
                    dz -= box[2] * math.floor(dz * inverse[2] + 0.5)
                    reach = own + (bound[j] + farther[j])
                    if dx * dx + dy * dy + dz * dz < reach * reach:
                        if n < room:
                            k = n
                            while k > 0 and rank(i, near[k - 1, i], count) > rank(i, j, count):
                                near[k, i] = near[k - 1, i]
                                k -= 1
                            near[k, i] = j
                        n += 1
    near_count[i] = n
    if n > most[0]:
        cuda.atomic.max(most, 0, n)


@kernel
def draw_rows(
    spot: Any, place: Any, grain: Any, start: Any, count: int, near: Any, near_count: Any, box: Any, inverse: Any,
    leeway: Any, room: int, floats: int, vector: int, old_index: Any, old_count: Any, old_other: Any, old_memory: Any,
    other: Any, memory: Any, pair_count: Any, most: Any,
) -> None:  # fmt: skip
    """Of the near grains' spheres those with a gap below both leeways, with what the same two remembered before.

    old_index: where a sphere stood before. Where the two have changed sides, a vector memory changes sign. Where a row
    is too short it is cut, and most[0] says how long the longest must be.
    """
    i = cuda.grid(1)
    if i >= count:
        return
    n = 0
    g = grain[i]
    x, y, z, radius = spot[i, 0], spot[i, 1], spot[i, 2], place[i, 3]
    a = old_index[i]
    remembered = old_count[a]
    looked = 0
    for k in range(near_count[g]):
        b = near[k, g]
        both = leeway[g] + leeway[b]
        for j in range(start[b], start[b + 1]):
            dx, dy, dz = spot[j, 0] - x, spot[j, 1] - y, spot[j, 2] - z
            # While the row lasts, neither goes farther than its leeway.
            ways = (abs(dx) + both) * inverse[0], (abs(dy) + both) * inverse[1], (abs(dz) + both) * inverse[2]
            here = max(ways[0], ways[1], ways[2]) < NEARER
            dx -= box[0] * math.floor(dx * inverse[0] + 0.5)
            dy -= box[1] * math.floor(dy * inverse[1] + 0.5)
            dz -= box[2] * math.floor(dz * inverse[2] + 0.5)
            far = (radius + both) + place[j, 3] if j > i else (place[j, 3] + both) + radius
            if dx * dx + dy * dy + dz * dz < far * far:
                if n < room:
                    entry = j if here else j | IMAGE
                    was_there = old_index[j]
                    for _ in range(remembered):  # both rows are mostly in the same order: look from the last place on
                        was = old_other[looked, a]
                        if (was & ROW) == was_there:
                            if was >= TOUCHED:
                                entry |= TOUCHED
                                flip = vector != 0 and (a < was_there) != (i < j)
                                for m in range(floats):
                                    value = old_memory[looked, a, m]
                                    memory[n, i, m] = -value if flip and m < 3 else value
                            break
                        looked = looked + 1 if looked + 1 < remembered else 0
                    other[n, i] = entry
                n += 1
    pair_count[i] = n
    if n > most[0]:
        cuda.atomic.max(most, 0, n)


@kernel
def recall(
    count: int, pair_count: Any, other: Any, memory: Any, floats: int, start: Any, second: Any, host_memory: Any
) -> None:
    """Give the rows what the host's list of pairs remembers, which lies in blocks of sixteen."""
    i = cuda.grid(1)
    if i >= count:
        return
    for n in range(pair_count[i]):
        entry = other[n, i] & (TOUCHED - 1)
        j = entry & ROW
        low, high = (i, j) if i < j else (j, i)
        for k in range(start[low], start[low + 1]):
            if second[k] == high:
                at = (k // 16) * 16 * floats + k % 16
                used = False
                for m in range(floats):
                    value = host_memory[at + 16 * m]
                    memory[n, i, m] = value
                    used = used or value != 0.0
                other[n, i] = entry | TOUCHED if used else entry


@kernel
def half_counts(count: int, rows: Any, row_count: Any, counts: Any) -> None:
    """How many of a row are of higher index."""
    i = cuda.grid(1)
    if i < count:
        n = 0
        while n < row_count[i] and (rows[n, i] & ROW) > i:
            n += 1
        counts[i] = n


@kernel
def half_rows(count: int, rows: Any, start: Any, second: Any) -> None:
    """Those of higher index of all rows, one after another."""
    i = cuda.grid(1)
    if i < count:
        for n in range(start[i + 1] - start[i]):
            second[start[i] + n] = rows[n, i] & ROW


@kernel
def half_memory(count: int, rows: Any, memory: Any, floats: int, start: Any, first: Any, host_memory: Any) -> None:
    """Their first spheres, and what they remember in blocks of sixteen."""
    i = cuda.grid(1)
    if i < count:
        for n in range(start[i + 1] - start[i]):
            k = start[i] + n
            first[k] = i
            at = (k // 16) * 16 * floats + k % 16
            touched = rows[n, i] >= TOUCHED
            for m in range(floats):
                host_memory[at + 16 * m] = memory[n, i, m] if touched else 0.0
