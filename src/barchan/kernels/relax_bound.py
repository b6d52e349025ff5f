"""Stand-ins for what `compile.bind_relax` binds into the kernels of energy minimisation; see `bound.py`."""

from __future__ import annotations

from collections.abc import Callable

FLAT = False  # two dimensions: vectors have the components x and z
WALLS = False

# overlap, effective radius, table of constants, row -> energy J, force N, stiffness N/m
push: Callable[..., tuple[float, float, float]]
# kind, x, y, z, table of parameters, row -> distance, normal (3)
surface_gap: Callable[..., tuple[float, float, float, float]]
