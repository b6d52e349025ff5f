"""What is bound into the kernels of triangles and beams: motions of walls."""

from __future__ import annotations

import types

from barchan.kernels import bindings
from barchan.kernels.bindings import Functions
from barchan.kernels.compile import bind
from barchan.solvers.beams_arrays import Arrays

TEMPLATES = tuple(
    f"barchan.kernels.{name}"
    for name in (
        "beams_poses", "servos", "beams_overlap", "beams_strips", "beams_walls", "beams_friction", "beams_contacts",
        "beams_motion", "beams_phases", "beams_advance",
    )
)  # fmt: skip


def bind_beams(paths: Functions) -> types.SimpleNamespace:
    """The kernels for these path functions."""
    bindings.note("beams", (), {}, paths)
    return bind("beams", TEMPLATES, {**bindings.motion_path(paths), **bindings.classes(Arrays)})
