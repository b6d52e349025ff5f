"""Which grains move and which stand still, and the surface between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from barchan.drawn import Drawn
from barchan.frame import Frame


@dataclass(frozen=True)
class FractureSurface(Drawn):
    """The boundary between still grains below and moving grains above: a height over x.

    In each column the height is the one that tells still from moving grains with the fewest mistakes.
    """

    x: np.ndarray  # (k,) m, middles of the columns
    height: np.ndarray  # (k,) m; nan where a column holds no grains of both kinds
    purity: float  # part of the grains in those columns that lie on the right side of it


def moving(before: Frame, after: Frame, *, threshold: float) -> np.ndarray:
    """(N,) bool for the grains of `after`: whether they went faster than `threshold` (m/s) on average in between.

    A displacement between two frames is what counts, so a grain that rattles in its place is still, and one that
    goes through a periodic face has gone the short way. A grain that was not there before is moving.
    """
    place = {int(one): row for row, one in enumerate(before.id)}
    rows = np.array([place.get(int(one), -1) for one in after.id], int)
    known = rows >= 0
    went = np.full(len(after), np.inf)
    way = after.nearest(after.position[known] - before.position[rows[known]])
    went[known] = np.linalg.norm(way, axis=1)
    return went > threshold * max(after.time - before.time, 1e-300)


def fracture_surface(frame: Frame, is_moving: np.ndarray, *, columns: int = 20) -> FractureSurface:
    """The height over x below which grains stand still and above which they move, seen along y."""
    x, z = frame.position[:, 0], frame.position[:, 2]
    edges = np.linspace(x.min(), x.max(), columns + 1)
    column = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, columns - 1)
    height = np.full(columns, np.nan)
    right = total = 0
    for k in range(columns):
        mine = np.flatnonzero(column == k)
        state = is_moving[mine]
        if not state.any() or state.all():
            continue
        order = mine[np.argsort(z[mine], kind="stable")]
        flags = is_moving[order]
        # A cut below the j-th grain is wrong about moving grains below it and still grains above it.
        wrong = np.concatenate([[0], np.cumsum(flags)]) + np.concatenate([np.cumsum(~flags[::-1])[::-1], [0]])
        j = int(np.argmin(wrong))
        levels = np.concatenate([[z[order[0]]], (z[order][1:] + z[order][:-1]) / 2, [z[order[-1]]]])
        height[k] = levels[j]
        right += len(order) - int(wrong[j])
        total += len(order)
    return FractureSurface((edges[1:] + edges[:-1]) / 2, height, right / total if total else 1.0)
