"""Putting grains on the GPU into another order."""

from __future__ import annotations

from typing import Any

from numba import cuda

from barchan.kernels.cuda_device import kernel


@kernel
def sphere_order(grains: int, order: Any, old_start: Any, start: Any, spheres: Any, grain: Any) -> None:
    """Where every sphere stood before, and its grain, when grains have been put into this order."""
    g = cuda.grid(1)
    if g < grains:
        for k in range(start[g + 1] - start[g]):
            spheres[start[g] + k] = old_start[order[g]] + k
            grain[start[g] + k] = g


@kernel
def row_lengths(grains: int, order: Any, old_start: Any, counts: Any) -> None:
    """How many spheres every grain has, in this order."""
    g = cuda.grid(1)
    if g < grains:
        counts[g] = old_start[order[g] + 1] - old_start[order[g]]


@kernel
def count_up(count: int, array: Any) -> None:
    """0, 1, 2, …"""
    i = cuda.grid(1)
    if i < count:
        array[i] = i


@kernel
def take_flat(source: Any, order: Any, count: int, target: Any) -> None:
    """target[i] = source[order[i]]."""
    i = cuda.grid(1)
    if i < count:
        target[i] = source[order[i]]


@kernel
def take_rows(source: Any, order: Any, count: int, width: int, target: Any) -> None:
    """The same for rows."""
    i = cuda.grid(1)
    if i < count:
        for k in range(width):
            target[i, k] = source[order[i], k]


@kernel
def take_columns(source: Any, order: Any, count: int, height: int, target: Any) -> None:
    """The same for columns."""
    i = cuda.grid(1)
    if i < count:
        for k in range(height):
            target[k, i] = source[k, order[i]]
