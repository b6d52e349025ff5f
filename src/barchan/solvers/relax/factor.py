"""Sparse matrices of packings, factorised in an order that their places suggest.

Grains touch their neighbours alone, so a line (in 3D a plane) of grains parts a packing in two that know nothing of
each other: eliminated last, it leaves two independent halves, which are parted in the same way (George 1973, nested
dissection). Minimum degree, which knows the graph but not the places, took eight times longer with 1e5 discs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse.linalg

LEAF = 32  # grains in a part that is not parted further


def dissection(place: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The order in which to eliminate grains at `place` (N, c) of which first (E,) and second (E,) are joined.

    All parts of a level are halved at once, each across its longer side; a grain of the lower half that is joined to
    the upper one belongs to the separator. The order is that of a number with one digit a level: 0 lower, 1 upper, 2
    separator.
    """
    key = np.zeros(len(place), np.int64)
    inside = np.ones(len(place), bool)  # not in a separator yet
    size = len(place)
    while size > LEAF:
        upper = np.zeros(len(place), bool)
        grains = np.flatnonzero(inside)
        grains = grains[np.argsort(key[grains], kind="stable")]
        begin = np.flatnonzero(np.diff(key[grains], prepend=-1))
        part = np.repeat(np.arange(len(begin)), np.diff(begin, append=len(grains)))
        extent = np.maximum.reduceat(place[grains], begin) - np.minimum.reduceat(place[grains], begin)
        along = place[grains, extent.argmax(axis=1)[part]]
        sorted_in_part = np.lexsort((along, part))
        middle = begin + np.diff(begin, append=len(grains)) // 2
        upper[grains[sorted_in_part]] = np.arange(len(grains)) >= middle[part]
        joined = inside[first] & inside[second] & (key[first] == key[second]) & ~upper[first] & upper[second]
        parting = first[joined]
        key = 3 * key + upper
        key[parting] += 2
        inside[parting] = False
        size = (size + 1) // 2
    return np.argsort(key, kind="stable")


def factorised(matrix: Any, place: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """What solves matrix · x = b; the matrix is symmetric and has c = place.shape[1] rows for each grain."""
    c = place.shape[1]
    entries = matrix[::c, ::c].tocoo()  # one of each block will do
    order = dissection(place, entries.row, entries.col)
    rows = (c * order[:, None] + np.arange(c)).ravel()
    options: dict[str, Any] = {"SymmetricMode": True}
    factors = scipy.sparse.linalg.splu(matrix[rows][:, rows].tocsc(), "NATURAL", 0.0, options=options)

    def solve(b: np.ndarray) -> np.ndarray:
        x = np.empty_like(b)
        x[rows] = factors.solve(b[rows])
        return x

    return solve
