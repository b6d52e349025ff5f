"""Rotations as unit quaternions (w, x, y, z), and directions, vectorised over leading axes; and spheres that overlap.

A quaternion takes a vector from a body's own frame to the scene's: X = rotate(q, x).
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator

from barchan.schema.quantities import Direction


def _nonzero(value: tuple[float, float, float]) -> tuple[float, float, float]:
    if not any(value):
        raise ValueError("must not be the zero vector")
    return value


GAP = 1e-9  # of the sum of two radii, that must be left between two spheres
Axis = Annotated[Direction, AfterValidator(_nonzero)]  # a direction of any length but zero


def unit(vector: Any) -> np.ndarray:
    """The vectors (…, 3) scaled to length 1; none of them may be zero."""
    vector = np.asarray(vector, dtype=float)
    vector = vector / np.abs(vector).max(axis=-1, keepdims=True)
    return vector / np.sqrt((vector * vector).sum(axis=-1, keepdims=True))


def multiply(q: Any, r: Any) -> np.ndarray:
    """The quaternion product q r (…, 4): first the rotation r, then q."""
    w, x, y, z = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
    a, b, c, d = np.moveaxis(np.asarray(r, dtype=float), -1, 0)
    return np.stack(
        [
            w * a - x * b - y * c - z * d,
            w * b + x * a + y * d - z * c,
            w * c - x * d + y * a + z * b,
            w * d + x * c - y * b + z * a,
        ],
        axis=-1,
    )


def conjugate(q: Any) -> np.ndarray:
    """The inverse rotation (…, 4)."""
    return np.asarray(q, dtype=float) * (1.0, -1.0, -1.0, -1.0)


def rotate(q: Any, vector: Any) -> np.ndarray:
    """The vectors (…, 3) turned by the quaternions (…, 4)."""
    q, vector = np.asarray(q, dtype=float), np.asarray(vector, dtype=float)
    scalar, axis = q[..., :1], q[..., 1:]
    twice = 2.0 * np.cross(axis, vector)
    return vector + scalar * twice + np.cross(axis, twice)


def rotation_about(axis: Any, angle: Any) -> np.ndarray:
    """The quaternion (…, 4) of a turn by `angle` (rad) about `axis` (…, 3), right-handed."""
    half = 0.5 * np.asarray(angle, dtype=float)[..., None]
    vector = np.sin(half) * unit(axis)
    return np.concatenate([np.broadcast_to(np.cos(half), (*vector.shape[:-1], 1)), vector], axis=-1)


def rotation_to(axis: Any) -> np.ndarray:
    """A quaternion (…, 4) that takes the z axis to the direction `axis` (…, 3)."""
    direction = unit(axis)
    upward = direction[..., 2:] >= 0.0
    x, y, z = np.moveaxis(np.where(upward, direction, -direction), -1, 0)
    scalar = np.sqrt(0.5 * (1.0 + z))
    shortest = np.stack([scalar, -0.5 * y / scalar, 0.5 * x / scalar, np.zeros_like(z)], axis=-1)
    return np.where(upward, shortest, multiply(shortest, (0.0, 1.0, 0.0, 0.0)))


def rotation_to_frame(axis: Any, edge: Any) -> np.ndarray:
    """The quaternion (4,) that takes z to `axis` and x to the part of `edge` (3,) perpendicular to it."""
    normal = unit(axis)
    first = unit(edge)
    first = unit(first - normal * (first @ normal))
    return from_matrix(np.stack([first, np.cross(normal, first), normal], axis=-1))


def matrix(q: Any) -> np.ndarray:
    """Rotation matrices (…, 3, 3); their columns are the turned x, y and z axes."""
    q = np.asarray(q, dtype=float)[..., None, :]
    return np.swapaxes(rotate(q, np.eye(3)), -1, -2)


def from_matrix(rotation: Any) -> np.ndarray:
    """Unit quaternions (…, 4), with w ≥ 0, of proper rotation matrices (…, 3, 3)."""
    m = np.asarray(rotation, dtype=float)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    # Each row is 4 q_i q: the one with the largest diagonal entry is the best conditioned.
    rows = np.stack(
        [
            np.stack([1.0 + xx + yy + zz, wx, wy, wz], axis=-1),
            np.stack([wx, 1.0 + xx - yy - zz, xy, xz], axis=-1),
            np.stack([wy, xy, 1.0 - xx + yy - zz, yz], axis=-1),
            np.stack([wz, xz, yz, 1.0 - xx - yy + zz], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(np.diagonal(rows, axis1=-2, axis2=-1), axis=-1)
    q = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    q = q / np.sqrt((q * q).sum(axis=-1, keepdims=True))
    return np.where(q[..., :1] < 0.0, -q, q)


def overlapping(mine: np.ndarray, others: np.ndarray, box: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the overlapping pairs of spheres, one of `mine` (A, 4) m and one of `others` (B, 4) m.

    box: (3,) m, the length of periodic axes, 0 for open ones.
    """
    none = np.zeros(0, np.int64)
    if not len(mine) or not len(others):
        return none, none
    from scipy.spatial import cKDTree  # slow to import

    reach = float(mine[:, 3].max() + others[:, 3].max()) * (1 + 2 * GAP)
    near, index = images(others, mine[:, :3].min(axis=0) - reach, mine[:, :3].max(axis=0) + reach, box)
    if not len(near):
        return none, none
    found = cKDTree(mine[:, :3]).sparse_distance_matrix(cKDTree(near[:, :3]), reach, output_type="ndarray")
    i, j = found["i"], found["j"]
    close = found["v"] < (mine[i, 3] + near[j, 3]) * (1 + GAP)
    return i[close], index[j[close]]


def images(place: np.ndarray, low: np.ndarray, high: np.ndarray, box: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The spheres and their periodic images whose centres lie between low and high (3,) m, and whose they are."""
    index = np.arange(len(place))
    for axis in range(3):
        if box[axis] > 0:
            place = place.copy()
            place[:, axis] -= box[axis] * np.floor((place[:, axis] - low[axis]) / box[axis])
            turns = range(int(np.floor((high[axis] - low[axis]) / box[axis])) + 1)
            shifted = [place + np.eye(4)[axis] * (turn * box[axis]) for turn in turns]
            place, index = np.concatenate(shifted), np.tile(index, len(turns))
        inside = (place[:, axis] >= low[axis]) & (place[:, axis] <= high[axis])
        place, index = place[inside], index[inside]
    return place, index
