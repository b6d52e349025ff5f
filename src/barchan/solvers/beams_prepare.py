"""What two processes compile for triangles and beams: see `helper.py`.

Another process compiles the phases of a step and the steps; this one what they need last, before it comes to lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from barchan.kernels import compile as kernel_compiler
from barchan.kernels.compile import compile_for
from barchan.solvers.beams_arrays import Arrays


def share(kernels: Any, c: Arrays) -> None:
    """Compile walls, beams and accelerations, as `work` calls them, and what moves walls, as `advance` does."""
    compile_for(
        kernels.accelerate, 0, 0, c.free, c.state, c.mass, c.inertia, c.load, c.tied, c.beam_now, c.gravity,
        c.wall_power, 0.0, c.work, c.acceleration,
    )  # fmt: skip
    compile_for(
        kernels.bend, 0, 0, c.ends, c.foot, c.beam_rest, c.length, c.broken, c.state, c.facing, c.constants, c.limit,
        0.0, c.lost, c.yielded, c.beam_now,
    )  # fmt: skip
    compile_for(
        kernels.push_from_walls, 0, 0, c.smooth, c.smooth_kind, c.smooth_now, c.smooth_motion, c.smooth_material,
        c.smooth_present, c.state, c.world, c.bound, c.mass, c.area, c.material, c.kinds, c.table, c.graded, c.slow,
        0.0, c.smooth_servo, c.load, c.wall_power, c.reaction,
    )  # fmt: skip
    compile_for(kernels.move_walls, np.zeros((0, 6)), c)


def compile_steps(paths: list[Callable[..., Any]], arrays: Any, pressed: bool | None) -> None:
    """Compile forces and steps, for arrays of this type, into the cache."""
    kernels = kernel_compiler.bind_beams(paths)
    compile_for(kernels.phases, arrays, 0, 0, 0.0, 0.0, 0.0, False)
    compile_for(kernels.advance, arrays, np.zeros((0, 0, 0)), 0, 0.0, False, 0.0, 0, pressed)
