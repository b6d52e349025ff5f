"""The surface of what lies on a floor, as a map of heights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from barchan.drawn import Drawn
from barchan.frame import Frame


@dataclass(frozen=True)
class HeightMap(Drawn):
    """Height of the upper envelope of the spheres over a grid of points."""

    x: np.ndarray  # (columns,) m
    y: np.ndarray  # (rows,) m
    height: np.ndarray  # (rows, columns) m above the floor, 0 where it is bare
    covered: np.ndarray  # (rows, columns) bool

    @property
    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """x and y (rows, columns), m, of every point."""
        across, along = np.meshgrid(self.x, self.y)
        return across, along


def height_map(
    frame: Frame,
    low: tuple[float, float],
    size: tuple[int, int],
    pitch: float,
    *,
    floor: float = 0.0,
    spheres: np.ndarray | None = None,
) -> HeightMap:
    """The surface over size[0] × size[1] cells of `pitch` (m) from the corner `low` (x, y in m), at their middles.

    spheres: (M,) bool, those that count; all, where it is left out. The depth buffer that pictures are drawn with is,
    seen from above, the exact upper envelope of the spheres.
    """
    from barchan.kernels.ready import raster

    position, radius = frame.sphere_position, frame.sphere_radius
    if spheres is not None:
        position, radius = position[spheres], radius[spheres]
    corner = np.array([low[0], low[1], floor])
    depth, owner = raster.splat((position - corner) / pitch, radius / pitch, *size)
    covered = owner >= 0
    return HeightMap(
        x=low[0] + (np.arange(size[0]) + 0.5) * pitch,
        y=low[1] + (np.arange(size[1]) + 0.5) * pitch,
        height=np.where(covered, np.maximum(depth, 0.0) * pitch, 0.0),
        covered=covered,
    )
