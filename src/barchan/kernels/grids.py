"""Finding the facets of meshes by place: a grid of cells over each mesh, in the mesh's own frame, made once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

MOST_ENTRIES = 16  # of a facet in cells, on average
MOST_CELLS = 64  # per facet
AT_LEAST = 4096  # entries and cells that any grid may have


class Grids(NamedTuple):
    """The grids of G meshes, one after another; the cells of mesh g are start[offset[g] …]."""

    loose: Any  # int64, the pieces that belong to no mesh
    piece: Any  # (G,) int64, the first facet of the mesh
    corner: Any  # (G, 3) m, low corner of the grid
    size: Any  # (G,) m, of a cell
    cells: Any  # (G, 3) int64, number of cells
    offset: Any  # (G,) int64
    start: Any  # int64, first of a cell's entries; the next cell begins where it ends
    entries: Any  # int64, pieces
    first: Any  # (P, 3) int64, the lowest cell that a facet reaches into


def make(mesh: np.ndarray, low: np.ndarray, high: np.ndarray, reach: float) -> Grids:
    """Grids over the facets with bounds low … high (P, 3) m; mesh (P,) tells which mesh they are of, −1 for none.

    reach: m, how far from a facet it will mostly be looked for; that decides the size of cells, and nothing else.
    """
    names = np.unique(mesh[mesh >= 0])
    first = np.zeros((len(mesh), 3), np.int64)
    piece, corner, size, cells, offset = [], [], [], [], []
    starts: list[np.ndarray] = []
    entries: list[np.ndarray] = []
    for name in names:
        mine = np.flatnonzero(mesh == name)
        bottom = low[mine].min(axis=0)
        edge, shape = _cell_size(low[mine] - bottom, high[mine] - bottom, reach)
        lowest = ((low[mine] - bottom) / edge).astype(np.int64)
        highest = ((high[mine] - bottom) / edge).astype(np.int64)
        start, listed = _cells(lowest, highest, shape, mine)
        first[mine] = lowest
        piece.append(mine[0])
        corner.append(bottom)
        size.append(edge)
        cells.append(shape)
        offset.append(sum(len(s) for s in starts))
        starts.append(start + sum(len(e) for e in entries))
        entries.append(listed)
    none = np.zeros(0, np.int64)
    return Grids(
        loose=np.flatnonzero(mesh < 0).astype(np.int64),
        piece=np.array(piece, np.int64),
        corner=np.array(corner, float).reshape(-1, 3),
        size=np.array(size, float),
        cells=np.array(cells, np.int64).reshape(-1, 3),
        offset=np.array(offset, np.int64),
        start=np.concatenate([none, *starts]),
        entries=np.concatenate([none, *entries]),
        first=first,
    )


def _cell_size(low: np.ndarray, high: np.ndarray, reach: float) -> tuple[float, np.ndarray]:
    """Size (m) and number (3,) of cells: about as large as a facet or a grain, and never too many."""
    edge = max(float((high - low).max(axis=1).mean()), 2 * reach, 1e-9 * float(high.max()), 1e-300)
    most = max(AT_LEAST, MOST_CELLS * len(low)), max(AT_LEAST, MOST_ENTRIES * len(low))
    while True:
        shape = (high.max(axis=0) / edge).astype(np.int64) + 1
        reached = np.prod(1.0 + np.floor(high / edge) - np.floor(low / edge), axis=1).sum()
        if np.prod(shape.astype(float)) <= most[0] and reached <= most[1]:
            return edge, shape
        edge *= 1.25


def _cells(lowest: np.ndarray, highest: np.ndarray, shape: np.ndarray, names: np.ndarray) -> tuple[np.ndarray, ...]:
    """For every cell the facets whose bounds reach into it: entries[start[c] … start[c + 1]], in their order."""
    reached = highest - lowest + 1
    counts = reached.prod(axis=1)
    facet = np.repeat(np.arange(len(names)), counts)
    k = np.arange(len(facet)) - np.repeat(np.cumsum(counts) - counts, counts)  # of the cells of each
    _, wide, high = reached[facet].T
    x, y, z = lowest[facet].T + np.stack([k // (wide * high), k // high % wide, k % high])
    cell = (x * shape[1] + y) * shape[2] + z
    start = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=int(np.prod(shape))))])
    return start, names[facet[np.argsort(cell, kind="stable")]]
