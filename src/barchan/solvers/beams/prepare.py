"""What two processes compile for triangles and beams: see `helper.py`.

Another process compiles the work of all phases, but for what it needs last, and this one that, and the steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from barchan.kernels.compile import address_of, compile_for, only_for
from barchan.solvers.beams.arrays import Arrays
from barchan.solvers.beams.bindings import bind_beams


def share(kernels: Any, c: Arrays, pressed: bool | None) -> None:
    """Compile walls, beams and accelerations, as `work` calls them, and then the steps."""
    compile_for(
        kernels.accelerate, 0, 0, c.free, c.state, c.mass, c.inertia, c.load, c.tied, c.beam_now, c.gravity,
        c.wall_power, 0.0, c.work, c.acceleration,
    )  # fmt: skip
    compile_for(
        kernels.bend, 0, 0, c.ends, c.foot, c.beam_rest, c.length, c.made, c.broken, c.state, c.facing, c.constants,
        c.limit, 0.0, c.lost, c.yielded, c.beam_now,
    )  # fmt: skip
    compile_for(
        kernels.push_from_walls, 0, 0, c.smooth, c.smooth_kind, c.smooth_now, c.smooth_motion, c.smooth_material,
        c.smooth_present, c.wall_slip, c.state, c.world, c.bound, c.mass, c.area, c.material, c.kinds, c.table,
        c.graded, c.slow, c.grip, 0.0, 0.0, c.smooth_servo, c.hole, c.load, c.wall_power, c.reaction,
    )  # fmt: skip
    compile_for(kernels.move_walls, np.zeros((0, 6)), c)
    _compile_phases(kernels, c)
    compile_for(kernels.advance, c, np.zeros((0, 0, 0)), 0, 0.0, False, 0.0, 0, pressed, 0)


def compile_work(paths: list[Callable[..., Any]], arrays: Any) -> None:
    """Compile the work of all phases, for arrays of this type, into the cache."""
    _address(bind_beams(paths), arrays)


def ready(kernels: Any, c: Arrays) -> int:
    """The address of the work of all phases, once they are compiled for arrays like these."""
    _compile_phases(kernels, c)
    return _address(kernels, c)


def _compile_phases(kernels: Any, c: Arrays) -> None:
    only_for(kernels.phases, c, 0, 0, 0.0, 0.0, 0.0, False, 0)


def _address(kernels: Any, arrays: Any) -> int:
    return address_of(kernels.work, 0, 0, 0, arrays, 0.0, 0.0, 0.0, False)
