"""The order of elimination, and lists of near grains, of packings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from scipy.spatial import cKDTree

from barchan.solvers.relax.cell import Cell
from barchan.solvers.relax.factor import LEAF, dissection, factorised
from solvers import relax_lab as lab


def web(side: int, seed: int = 0):
    """side² points a little off a square lattice, each joined to those within 1.5: their places, the edges."""
    grid = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)
    place = grid + np.random.default_rng(seed).uniform(-0.2, 0.2, grid.shape)
    place = np.random.default_rng(seed).permutation(place)
    first, second = cKDTree(place).query_pairs(1.5, output_type="ndarray").T
    return place, np.concatenate([first, second]), np.concatenate([second, first])


def springs(place, first, second):
    """The stiffness of springs along the edges, with every point held by a tenth of one."""
    n = (place[first] - place[second]) / np.linalg.norm(place[first] - place[second], axis=1)[:, None]
    block, size = n[:, :, None] * n[:, None, :], 2 * len(place)
    matrix = scipy.sparse.lil_matrix((size, size)).tocsc() + 0.1 * scipy.sparse.identity(size)
    for a, at_first in ((first, first), (first, second)):
        rows = 2 * a[:, None, None] + np.arange(2)[:, None] + 0 * block.astype(int)
        columns = 2 * at_first[:, None, None] + np.arange(2) + 0 * block.astype(int)
        values = block if at_first is first else -block
        matrix = matrix + scipy.sparse.coo_matrix((values.ravel(), (rows.ravel(), columns.ravel())), (size, size))
    return matrix.tocsc()


def test_a_separator_leaves_halves_that_know_nothing_of_each_other():
    """Without the last grains of the order, the top separator, the others fall in two halves.

    The separator of a square of side² is one column, up to its waviness: side grains, twice that at most.
    """
    side = 40
    place, first, second = web(side)
    order = dissection(place, first, second)
    assert (np.sort(order) == np.arange(len(place))).all()
    graph = scipy.sparse.coo_matrix((np.ones(len(first)), (first, second)), (len(place),) * 2).tocsr()

    def largest(last: int) -> list[float]:
        """Shares of the two largest pieces that are left without the last ones."""
        kept = order[:-last]
        _, label = scipy.sparse.csgraph.connected_components(graph[kept][:, kept])
        return sorted(np.bincount(label, minlength=2) / len(kept))[-2:]

    assert any(min(largest(last)) > 0.45 for last in range(1, 2 * side))


def fill(side: int) -> float:
    """Entries of the factor, for each grain."""
    place, first, second = web(side)
    matrix, order = springs(place, first, second), dissection(place, first, second)
    rows = (2 * order[:, None] + np.arange(2)).ravel()
    matrix = matrix[rows][:, rows].tocsc()
    return scipy.sparse.linalg.splu(matrix, "NATURAL", 0.0, options={"SymmetricMode": True}).L.nnz / len(place)


def test_the_factor_of_a_plane_packing_grows_as_n_log_n():
    """Nested dissection fills n log n entries (George 1973): each doubling of the side adds as many to a grain's.

    Eliminated row after row, a grain has as many entries as the side has grains, and each doubling adds twice as many
    as the one before.
    """
    forty, eighty, more = fill(40), fill(80), fill(160)
    assert (more - eighty) / (eighty - forty) == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize("side", [3, 25])
def test_the_factors_solve(side):
    """With fewer grains than are parted at all, and with many: the residual is round-off."""
    place, first, second = web(side)
    assert (side * side > LEAF) == (side > 3)
    matrix, b = springs(place, first, second), np.random.default_rng(1).normal(size=2 * side * side)
    assert np.abs(matrix @ factorised(matrix, place)(b) - b).max() < 1e-12


def test_near_grains_are_those_that_all_pairs_give():
    """In a sheared box, so crowded that rows are longer than was thought: the near grains by brute force over images.

    240 grains in a few reaches: up to some twenty near ones each, where room for 16 is set aside at first.
    """
    land = lab.solver(lab.flat_scene(240, fraction=1.9)).landscape
    land = replace(land, cell=Cell(land.cell.lengths, 0.3 * land.cell.lengths[0]), lists={}, widest=16)
    width, _, height = land.cell.lengths
    apart = land.base[:, None] - land.base[None]
    images = [(i * width + k * land.cell.tilt, 0.0, k * height) for i in (-2, -1, 0, 1, 2) for k in (-1, 0, 1)]
    distance = np.min([np.linalg.norm(apart + image, axis=-1) for image in images], axis=0)
    near = distance < land.radius[:, None] + land.radius + land.skin
    np.fill_diagonal(near, False)
    lists = land.lists
    assert near.sum(axis=1).max() > 16
    assert (lists["length"] == near.sum(axis=1)).all()
    assert (lists["second"] == np.nonzero(near)[1]).all()
    found = np.linalg.norm(lists["apart"], axis=1)
    assert np.abs(found - distance[near]).max() < 1e-12
