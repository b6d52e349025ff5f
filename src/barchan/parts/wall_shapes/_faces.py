"""Which triangles of a surface make one flat face."""

from __future__ import annotations

import numpy as np

LEVEL = 1e-4  # sine of the angle between triangles that are still one face
SAME = 1e-9  # of the surface's size: corners nearer than this are one


def flat_faces(corners: np.ndarray) -> np.ndarray:
    """(T,) int64 the face of each triangle (T, 3, 3) m: those that share an edge and a plane have the same one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(corners)
    points = corners.reshape(-1, 3)
    grid = np.round((points - points.min(axis=0)) / max(SAME * float(np.ptp(points, axis=0).max()), 1e-300))
    corner = np.unique(grid, axis=0, return_inverse=True)[1].reshape(count, 3)
    edges = np.sort(corner[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    owner = np.repeat(np.arange(count), 3)
    order = np.lexsort(edges.T)
    edges, owner = edges[order], owner[order]
    beside = np.flatnonzero((edges[1:] == edges[:-1]).all(axis=1))
    one, other = owner[beside], owner[beside + 1]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    level = np.linalg.norm(np.cross(normal[one], normal[other]), axis=1) < LEVEL
    graph = coo_array((np.ones(int(level.sum()), np.int8), (one[level], other[level])), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)
