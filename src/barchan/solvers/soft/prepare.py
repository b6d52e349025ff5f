"""What two processes compile for soft spheres: see `helper.py`.

The pass over all forces takes as long as all else, so another process compiles it. Of what it calls this one compiles
a part, the strip of pairs first, which the other one then finds; and the steps, before it comes to making lists.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.kernels.compile import address_of, compile_for, only_for
from barchan.solvers.helper import await_kernel
from barchan.solvers.soft.arrays import Arrays
from barchan.solvers.soft.bindings import bind_soft
from barchan.solvers.soft.kernels.state import State

SHARED = 30.0  # s that the other process is given for its part of what both need


def share(kernels: Any, *, adaptive: bool) -> None:
    """Compile what the other process waits for, the strip of pairs, and the steps."""
    c = Arrays.empty()
    compile_for(
        kernels.pair_strip, 0, c.blocks, c.first, c.second, c.first_grain, c.second_grain, c.place, c.position,
        c.motion, c.reduced, c.material, c.kinds, c.table, c.box, c.inverse, c.memory, c.slots, c.work, c.deepest,
        c.slid, c.desk, 0.0, 0.0, 0.0, 0.0, 0, c.mask, True,
    )  # fmt: skip
    compile_for(
        kernels.move_walls, 0.0, c.frames, c.rest, c.motion_range, c.motion_kind, c.motion_table, c.begun, c.pose
    )
    compile_for(kernels.pull_tethers, 0.0, c.tether_row, c.tether, c.position, c.motion, c.pull)
    compile_for(kernels.resist, c.grains, 0.0, c.drag, c.box, c.inverse, c.position, c.motion, c.pull, True)
    if adaptive:
        y, base, slopes, weights = State.of(c), np.zeros((0, 13)), np.zeros((0, 0, 13)), np.zeros(0)
        compile_for(kernels.all_grains, 0, y, base, slopes, weights, weights, 0, 0.0, 0.0)
    else:
        compile_for(
            kernels.drift, c.grains, 0.0, c.start, c.offset, c.inertia, c.force, c.torque, c.position, c.velocity,
            c.orientation, c.angular, c.turn, c.motion, c.place, c.origin, c.wear,
        )  # fmt: skip
    _compile_steps(kernels, c, adaptive)


def compile_forces(bound: tuple[Any, ...]) -> None:
    """Compile the pass over all forces for these laws, walls and switches, and what tells of contacts."""
    kernels, c = bind_soft(*bound), Arrays.empty()
    compile_for(
        kernels.wall_pass, c.wall_contacts, c.wall_sphere, c.wall_piece, c.wall_gap, c.wall_seam, c.place, c.grain,
        c.position, c.motion, c.material, c.frame, c.pose, c.kind, c.shape_table, c.piece_material, c.kinds,
        c.wall_table, c.wall_memory, c.wall_slots, c.wall_work, c.wall_deepest, c.absorbing, c.swallowed, *(0.0,) * 4,
    )  # fmt: skip
    compile_for(
        kernels.gather_stretch, 0, 0, 0, c.late, c.late_grain, c.late_row, 0, 0, 0.0, c.spans,
        c.links, c.slots, c.wall_slots, c.gravity, c.freedom, c.stiction, 0.0, 0.0, c.inertia,
        c.orientation, c.motion, c.force, c.torque, c.velocity, c.angular, c.held, c.pull, 0, 0,
    )  # fmt: skip
    await_kernel(kernels.pair_strip, SHARED)
    compile_for(
        kernels.sweep, 0, c.parts, c.mask, c.late, c.late_grain, c.late_row, c.far_pair, c.far_start, c.behind,
        c.pair_force, c.grains, 0, c.blocks, c.first, c.second, c.first_grain, c.second_grain, c.place, c.position,
        c.motion, c.reduced, c.material, c.kinds, c.table, c.box, c.inverse, c.memory, c.slots, c.work, c.deepest,
        c.slid, c.desk, 0.0, 0.0, 0.0, 0.0, 0.0, c.spans, c.links, c.wall_slots,
        c.gravity, c.freedom, c.stiction, 0.0, c.inertia, c.orientation, c.force, c.torque, c.velocity, c.angular,
        c.held, c.pull, c.start, c.offset, c.turn, c.origin, c.wear,
    )  # fmt: skip
    _address(kernels, c)
    out = np.zeros((0, 3))
    compile_for(
        kernels.pair_state, 0, c.first, c.second, c.place, c.grain, c.motion, c.material, c.kinds, c.table, c.box,
        c.inverse, c.memory, out,
    )  # fmt: skip
    compile_for(
        kernels.wall_state, 0, c.wall_sphere, c.wall_piece, c.wall_gap, c.wall_seam, c.place, c.grain, c.motion,
        c.material, c.frame, c.pose, c.kind, c.shape_table, c.piece_material, c.kinds, c.wall_table, c.wall_memory, out,
    )  # fmt: skip


def ready(kernels: Any, *, adaptive: bool) -> int:
    """The address of the pass over all forces, once the steps that call it are compiled."""
    c = Arrays.empty()
    _compile_steps(kernels, c, adaptive)
    return _address(kernels, c)


def _compile_steps(kernels: Any, c: Arrays, adaptive: bool) -> None:
    row, table, cube, counts = np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0, 0)), np.zeros(0, np.int64)
    if adaptive:
        only_for(
            kernels.runge_kutta_steps, c, 0.0, 0.0, table, row, row, 0, row, False, table, cube, table, row, row,
            counts, table, table, 0.0, 0,
        )  # fmt: skip
    else:
        only_for(kernels.verlet_steps, c, 0, 0, False, 0.0, 0)


def _address(kernels: Any, c: Arrays) -> int:
    return address_of(kernels.evaluate, c, *(0.0,) * 7, 0)
