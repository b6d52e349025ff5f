"""What is bound into the kernels of triangles and beams: motions of walls."""

from __future__ import annotations

import types

from barchan.kernels import bindings
from barchan.kernels.bindings import Functions
from barchan.kernels.compile import bind
from barchan.solvers.beams.arrays import Arrays

TEMPLATES = ("barchan.kernels.servos", *(f"barchan.solvers.beams.kernels.{name}" for name in (
    "poses", "overlap", "strips", "walls", "friction", "contacts", "motion", "phases", "advance",
)))  # fmt: skip


def bind_beams(paths: Functions) -> types.SimpleNamespace:
    """The kernels for these path functions."""
    bindings.note("beams", (), {}, paths)
    return bind("beams", TEMPLATES, {**bindings.motion_path(paths), **bindings.classes(Arrays)})
