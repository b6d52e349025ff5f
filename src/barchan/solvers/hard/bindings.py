"""What is bound into the kernels of hard spheres: restitutions, and surfaces and motions of walls."""

from __future__ import annotations

import types

from barchan.kernels import bindings
from barchan.kernels.bindings import Functions
from barchan.kernels.compile import bind

TEMPLATES = ("barchan.kernels.wall_frames", *(f"barchan.solvers.hard.kernels.{name}" for name in (
    "queue", "pairs", "walls", "search", "events",
)))  # fmt: skip


def bind_hard(rebounds: Functions, gaps: Functions, paths: Functions) -> types.SimpleNamespace:
    """The kernels for these restitutions, gap and path functions."""
    bindings.note("hard", (), {}, rebounds, gaps, paths)
    rebound = bindings.choice("rebound", "kind, speed, a, b, c", "speed, a, b, c", rebounds, 0)
    return bind("hard", TEMPLATES, {**rebound, **bindings.surface_gap(gaps), **bindings.motion_path(paths)})
