"""Near walls on the GPU: the list that the CPU makes, in the same form. A template: see `bound.py`."""

from __future__ import annotations

from typing import Any

from numba import cuda

from barchan.kernels.bound import WALL_MEMORY, Grids
from barchan.kernels.cuda_device import kernel
from barchan.solvers.soft.kernels.surfaces import near_pieces


@kernel
def find_walls(
    place: Any, count: int, grids: Grids, present: Any, frame: Any, pose: Any, kind: Any, shape_table: Any, found: Any,
    counts: Any, most: Any,
) -> None:  # fmt: skip
    """The pieces that every sphere touches: found[i, :counts[i]]; most[0]: how long the longest row must be."""
    i = cuda.grid(1)
    if i < count:
        counts[i] = near_pieces(i, place, grids, present, frame, pose, kind, shape_table, found)
        if counts[i] > most[0]:
            cuda.atomic.max(most, 0, counts[i])


@kernel
def carry_walls(
    count: int, start: Any, found: Any, piece: Any, memory: Any, old_index: Any, old_start: Any, old_piece: Any,
    old_memory: Any,
) -> None:  # fmt: skip
    """The rows one after another, each contact with what the same sphere and piece remembered in the old list."""
    i = cuda.grid(1)
    if i >= count:
        return
    a = old_index[i]
    for n in range(start[i + 1] - start[i]):
        k = start[i] + n
        piece[k] = found[i, n]
        at = (k // 16) * 16 * WALL_MEMORY + k % 16
        for old in range(old_start[a], old_start[a + 1]):
            if old_piece[old] == found[i, n]:
                was = (old // 16) * 16 * WALL_MEMORY + old % 16
                for m in range(WALL_MEMORY):
                    memory[at + 16 * m] = old_memory[was + 16 * m]
