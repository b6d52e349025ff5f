"""Polylines and triangles that the shapes are drawn with; all lengths in m."""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.geometry import rotate, rotation_to, unit

Surface = tuple[np.ndarray, np.ndarray]  # vertices (k, 3) in m, triangles (t, 3)

SEGMENTS = 64  # of a full circle; a multiple of 4
RIBS = 4  # lines that join the circles of an outline


def nothing() -> Surface:
    """The surface of something that has no area."""
    return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)


def place(points: Any, origin: Any, axis: Any) -> np.ndarray:
    """Points (…, 3) of a frame whose z axis lies along `axis`, in the scene's coordinates."""
    turned = rotate(rotation_to(axis), points)
    return turned + np.asarray(origin, dtype=float)


def revolution_outline(profile: list[tuple[float, float]], origin: Any, axis: Any) -> list[np.ndarray]:
    """Circles at the corners (radius, height) of the profile, and ribs between them."""
    grid = place(_revolved(profile), origin, axis)
    circles = [ring for ring, (radius, _) in zip(grid, profile, strict=True) if radius > 0.0]
    ribs = [grid[:, column] for column in range(0, SEGMENTS, SEGMENTS // RIBS)]
    return circles + ribs if len(profile) > 1 else circles


def revolution_surface(profile: list[tuple[float, float]], origin: Any, axis: Any) -> Surface:
    """The surface that a profile of (radius, height) sweeps out about the axis."""
    grid = place(_revolved(profile), origin, axis)[:, :SEGMENTS]
    row, column = (index.ravel() for index in np.indices((len(profile) - 1, SEGMENTS)))
    beside = (column + 1) % SEGMENTS
    a, b = row * SEGMENTS + column, row * SEGMENTS + beside
    c, d = (row + 1) * SEGMENTS + column, (row + 1) * SEGMENTS + beside
    triangles = np.concatenate([np.stack([a, b, d], axis=-1), np.stack([a, d, c], axis=-1)])
    return grid.reshape(-1, 3), triangles


def fan(polygon: np.ndarray) -> Surface:
    """The convex polygon (k, 3) as triangles that share its first corner."""
    if len(polygon) < 3:
        return nothing()
    inner = np.arange(1, len(polygon) - 1)
    return polygon, np.stack([np.zeros_like(inner), inner, inner + 1], axis=-1)


def closed(polygon: np.ndarray) -> list[np.ndarray]:
    """The polygon as one closed polyline; none where nothing is left of it."""
    return [np.concatenate([polygon, polygon[:1]])] if len(polygon) else []


def joined(surfaces: list[Surface]) -> Surface:
    """Several surfaces as one."""
    if not surfaces:
        return nothing()
    starts = np.cumsum([0] + [len(vertices) for vertices, _ in surfaces[:-1]])
    triangles = [faces + start for (_, faces), start in zip(surfaces, starts, strict=True)]
    return np.concatenate([vertices for vertices, _ in surfaces]), np.concatenate(triangles)


def plane_in_box(point: Any, normal: Any, low: Any, high: Any) -> np.ndarray:
    """The convex polygon (k, 3) in which a plane cuts the box; k = 0 where it misses it."""
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    centre, reach = (low + high) / 2.0, float(np.linalg.norm(high - low))
    direction = unit(normal)
    foot = centre - direction * ((centre - np.asarray(point, dtype=float)) @ direction)
    square = np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)])
    polygon = place(reach * square, foot, direction)
    slack = 1e-9 * reach  # a plane that lies in a face of the box is inside
    for axis in range(3):
        polygon = _clipped(polygon, polygon[:, axis] - (low[axis] - slack))
        polygon = _clipped(polygon, (high[axis] + slack) - polygon[:, axis])
    return polygon


def extent_along(point: Any, axis: Any, low: Any, high: Any) -> tuple[float, float]:
    """The least and the greatest coordinate of the box's corners along an axis through the point."""
    corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
    along = (corners - np.asarray(point, dtype=float)) @ unit(axis)
    return float(along.min()), float(along.max())


def _revolved(profile: list[tuple[float, float]]) -> np.ndarray:
    """(corner, SEGMENTS + 1, 3): every corner (radius, height) of the profile carried about the z axis."""
    angle = np.linspace(0.0, 2.0 * np.pi, SEGMENTS + 1)
    radius, height = (column[:, None] for column in np.asarray(profile, dtype=float).T)
    return np.stack(np.broadcast_arrays(radius * np.cos(angle), radius * np.sin(angle), height), axis=-1)


def _clipped(polygon: np.ndarray, depth: np.ndarray) -> np.ndarray:
    """The part of a convex polygon where `depth`, known at its corners, is not negative."""
    kept: list[np.ndarray] = []
    for here, start, there, end in zip(polygon, depth, np.roll(polygon, -1, axis=0), np.roll(depth, -1), strict=True):
        if start >= 0.0:
            kept.append(here)
        if start * end < 0.0:
            kept.append(here + (there - here) * (start / (start - end)))
    return np.array(kept).reshape(-1, 3)
