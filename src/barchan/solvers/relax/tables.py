"""Constants of a potential for every pair of materials."""

from __future__ import annotations

import numpy as np

from barchan.scene.materials import surface
from barchan.scene.scene import Scene


def potential_tables(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """Between grains, and between grains and walls: a row for every pair, the first material's kinds first."""
    tables = []
    for wall in (False, True):
        rows = [
            tuple(scene.relax.potential.constants(surface(scene, a, b, wall)))
            for a in scene.materials
            for b in scene.materials
        ]
        tables.append(np.array(rows, float))
    return tables[0], tables[1]
