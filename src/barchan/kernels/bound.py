"""Stand-ins for what `compile.py` binds into the kernels of a scene: its laws, its wall surfaces and its switches.

A kernel file that imports from here is a template: `compile.bind` writes a copy of it in which this import is
replaced by the scene's own functions and constants. Read as it stands, it is ordinary Python.
"""

from __future__ import annotations

from typing import Any

from barchan.laws import viscous as _law
from barchan.shapes.plane import gap as _gap

MEMORY = 1  # floats that a contact remembers, at least one
VECTOR = False  # the first three are a vector that follows the contact plane
PATH = False  # the first is a length
WALL_MEMORY = 1
WALL_VECTOR = False
WALL_PATH = False
CLUMPS = False  # grains of several spheres
PERIODIC = False
ROLLING = False
STICTION = False
MATERIALS = False  # more than one kind of pair

law_force: Any = _law.force
law_stored: Any = _law.stored
wall_force: Any = _law.force
wall_stored: Any = _law.stored


def law_constants(table: Any, row: int) -> Any:
    """The grain–grain law's constants from row `row` of the table of material pairs."""
    return _law.ViscousConstants(
        table[row, 0], table[row, 1], table[row, 2], table[row, 3], table[row, 4], table[row, 5]
    )


wall_constants = law_constants


def surface_gap(kind: int, x: float, y: float, z: float, table: Any, piece: int) -> tuple[float, float, float, float]:
    """The gap function of that kind of surface, with the piece's parameters."""
    return _gap(x, y, z, 0.0)


def motion_path(kind: int, t: float, table: Any, row: int) -> tuple[float, ...]:
    """The path function of that kind of motion, with the motion's parameters."""
    return (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
