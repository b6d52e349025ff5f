"""What two processes compile for soft spheres: see `helper.py`.

The pass over all forces and the steps take as long as all else, so another process compiles them. Of what they call
this one compiles a part, before it comes to what makes the lists: the other one then finds that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.kernels import compile as kernel_compiler
from barchan.kernels.compile import compile_for
from barchan.kernels.soft_state import State
from barchan.solvers.soft_arrays import Arrays, wall_arguments


def share(kernels: Any, *, adaptive: bool) -> None:
    """Compile what the other process needs last: walls, and what steps call beside forces."""
    c = Arrays.empty()
    compile_for(kernels.wall_pass, *wall_arguments(c, c.wall_slots, c.wall_work), *(0.0,) * 4)
    if adaptive:
        y, base, slopes, weights = State.of(c), np.zeros((0, 13)), np.zeros((0, 0, 13)), np.zeros(0)
        compile_for(kernels.save_state, y, base)
        compile_for(kernels.set_state, y, base, slopes, weights, 0, 0.0, 0.0)
        compile_for(kernels.keep_slopes, y, slopes, 0)
        compile_for(kernels.largest_difference, y, slopes, weights, weights, 0, 0.0)
        compile_for(kernels.largest_surprise, y, base, slopes, 0, 0.0)
    else:
        compile_for(
            kernels.drift, c.grains, 0.0, c.start, c.offset, c.inertia, c.force, c.torque, c.position, c.velocity,
            c.orientation, c.angular, c.turn, c.motion, c.place, c.origin, c.wear,
        )  # fmt: skip


def compile_steps(bound: tuple[Any, ...], adaptive: bool) -> None:
    """Compile the pass over all forces for these laws, walls and switches, and the steps, into the cache."""
    kernels, c = kernel_compiler.bind(*bound), Arrays.empty()
    compile_for(kernels.evaluate, c, *(0.0,) * 7, 0)
    if adaptive:
        row, table, cube, counts = np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0, 0)), np.zeros(0, np.int64)
        compile_for(
            kernels.runge_kutta_steps, c, 0.0, 0.0, table, row, row, 0, row, False, table, cube, table, row, row, counts
        )
    else:
        compile_for(kernels.verlet_steps, c, 0, 0, False, 0.0)
