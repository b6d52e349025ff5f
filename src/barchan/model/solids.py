"""How much material is in a grain: its volume, in two dimensions the area that it covers."""

from __future__ import annotations

import functools

import numpy as np

from barchan.frame import Frame
from barchan.geometry import rotate
from barchan.model.build_grains import clump_of
from barchan.model.clumps import covered_area
from barchan.scene.grains import GrainShape
from barchan.scene.polygons import FLAT_SHAPES
from barchan.scene.scene import Scene


def solid(scene: Scene, frame: Frame) -> np.ndarray:
    """(N,) m³ of the grains of a frame of this scene; m² in two dimensions.

    Where spheres of a clump overlap they count once. A sphere in two dimensions counts as a disc, a triangle with its
    area.
    """
    if any(isinstance(shape, FLAT_SHAPES) for shape in scene.group_shapes()):
        density = np.array(scene.group_densities())[frame.group]
        return np.asarray(frame.mass / (density * scene.beams.thickness))
    return filled(scene, frame.group, frame.radius, flat=scene.dimensions == 2)


def filled(scene: Scene, group: np.ndarray, radius: np.ndarray, *, flat: bool) -> np.ndarray:
    """(N,) m³ of rigid grains of these groups (N,) and bounding radii (N,) m, or the areas, m², that they cover."""
    shares = np.array([_share(shape, flat) for shape in scene.group_shapes()])
    return np.asarray(shares[group] * radius ** (2 if flat else 3))


@functools.lru_cache(maxsize=64)
def _share(shape: GrainShape, flat: bool) -> float:
    """A grain's volume over the cube of its bounding radius, or the area it covers, seen along y, over the square."""
    clump = clump_of(shape)
    if not flat:
        return clump.volume / clump.bounding_radius**3
    seen = rotate(np.tile(clump.axes, (len(clump.radii), 1)), clump.offsets)[:, [0, 2]]
    return covered_area(seen, clump.radii) / clump.bounding_radius**2
