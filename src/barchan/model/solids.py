"""How much material is in a grain: mass over density, in two dimensions the area that it covers."""

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
    density = np.array(scene.group_densities())[frame.group]
    if scene.dimensions == 3:
        return np.asarray(frame.mass / density)
    if any(isinstance(shape, FLAT_SHAPES) for shape in scene.group_shapes()):
        return np.asarray(frame.mass / (density * scene.beams.thickness))
    shares = np.array([_share(shape) for shape in scene.group_shapes()])
    return np.asarray(shares[frame.group] * frame.radius**2)


@functools.lru_cache(maxsize=64)
def _share(shape: GrainShape) -> float:
    """The area that a grain covers, seen along y, over the square of its bounding radius."""
    clump = clump_of(shape)
    seen = rotate(np.tile(clump.axes, (len(clump.radii), 1)), clump.offsets)[:, [0, 2]]
    return covered_area(seen, clump.radii) / clump.bounding_radius**2
