"""How grains move under their forces: drift, gather, kick. A template: see `bound.py`.

The state of a grain is position, velocity, orientation and angular momentum. Without torque the angular momentum
stays as it is to the last bit, whatever the shape of the grain.
"""

from __future__ import annotations

from typing import Any

from barchan.kernels.bound import DEFORMS, MESHES, SERVOS
from barchan.kernels.jit import njit
from barchan.kernels.servos import drift_servos
from barchan.kernels.soft_box import deform_box, resist
from barchan.kernels.soft_drift import drift
from barchan.kernels.soft_gather import gather
from barchan.kernels.soft_meshes import join_facets
from barchan.kernels.soft_pairs import pair_pass
from barchan.kernels.soft_servos import push_servos
from barchan.kernels.soft_surfaces import move_walls, wall_pace
from barchan.kernels.soft_tethers import pull_tethers
from barchan.kernels.soft_walls import wall_pass


@njit(cache=True)
def evaluate(
    c: Any, t: float, half: float, step: float, advance: float, weight: float, hold_weight: float, kick: float
) -> None:  # fmt: skip
    """All forces at time t: walls moved, contacts, gather. `c` holds the arrays (see `solvers/soft_arrays.py`).

    weight and hold_weight: times, s, with which the power of contacts, and of stiction and tethers, enters the ledger.
    """
    move_walls(t, c.frames, c.rest, c.motion_range, c.motion_kind, c.motion_table, c.begun, c.pose)
    pair_pass(
        c.blocks, c.first, c.second, c.first_grain, c.second_grain, c.place, c.position, c.motion, c.reduced,
        c.material, c.kinds, c.table, c.box, c.inverse, c.memory, c.slots, c.work, c.deepest, c.slid, c.desk, half,
        step, advance, weight,
    )  # fmt: skip
    if MESHES:
        join_facets(
            c.spheres, c.wall_start, c.wall_piece, c.place, c.mesh, c.facet_table, c.frame, c.pose, c.kind,
            c.shape_table, c.wall_gap, c.wall_seam, c.wall_memory,
        )  # fmt: skip
    wall_pass(
        c.wall_contacts, c.wall_sphere, c.wall_piece, c.wall_gap, c.wall_seam, c.place, c.grain, c.position, c.motion,
        c.material, c.frame, c.pose, c.kind, c.shape_table, c.piece_material, c.kinds, c.wall_table, c.wall_memory,
        c.wall_slots, c.wall_work, c.wall_deepest, c.absorbing, c.swallowed, half, step, advance, weight,
    )  # fmt: skip
    if SERVOS:
        push_servos(
            t, kick, weight, c.wall_contacts, c.wall_sphere, c.wall_piece, c.frame, c.frame_servo, c.grain, c.position,
            c.wall_slots, c.servo, c.servo_table, c.servo_row, c.motion_table,
        )  # fmt: skip
    if len(c.tether_row) > 0:
        pull_tethers(hold_weight, c.tether_row, c.tether, c.position, c.motion, c.pull)
    if c.drag[0] > 0.0:
        resist(
            c.grains, hold_weight, c.drag, c.box, c.inverse, c.position, c.motion, c.pull, len(c.tether_row) > 0
        )  # fmt: skip
    gather(
        c.grains, kick, c.pair_range, c.link_start, c.links, c.slots, c.wall_range, c.wall_slots, c.gravity, c.freedom,
        c.stiction, step, hold_weight, c.inertia, c.orientation, c.motion, c.force, c.torque, c.velocity, c.angular,
        c.held, c.pull,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def verlet_steps(c: Any, begin: int, steps: int, drifted: bool, dt: float) -> tuple[int, bool]:
    """Velocity Verlet from step number `begin`, at most `steps` of them.

    Comes back early, with a drift done and its forces still to be found, where a sphere has gone farther than its
    leeway since the list was made, or a wall may have; and after a step in which a wall has swallowed a grain.
    Answers with the steps finished and whether a drift is pending.
    """
    for s in range(steps):
        if not drifted:
            worst = drift(
                c.grains, dt, c.start, c.offset, c.inertia, c.force, c.torque, c.position, c.velocity, c.orientation,
                c.angular, c.turn, c.motion, c.place, c.origin, c.wear,
            )  # fmt: skip
            if DEFORMS:
                worst = deform_box((begin + s + 1) * dt, c.course, c.box, c.inverse, worst, c.strayed[2])
            if SERVOS:
                drift_servos((begin + s) * dt, dt, c.servo, c.servo_table, c.servo_row, c.motion_table)
            c.strayed[0] += dt * wall_pace(c.frames, c.pose, c.axial, c.reach)
            if not (worst <= 1.0) or c.strayed[0] > c.strayed[1]:
                return s, True
        evaluate(c, (begin + s + 1) * dt, 0.5 * dt, dt, 1.0, dt, dt, 0.5 * dt)
        drifted = False
        if c.swallowed[0] > 0.0:
            return s + 1, False
    return steps, False
