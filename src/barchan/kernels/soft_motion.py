"""How grains move under their forces. A template: see `bound.py`.

The state of a grain is position, velocity, orientation and angular momentum. Without torque the angular momentum
stays as it is to the last bit, whatever the shape of the grain.
"""

from __future__ import annotations

import math
from typing import Any

from barchan.kernels.bound import CLUMPS, DEFORMS, MESHES, SERVOS
from barchan.kernels.jit import njit
from barchan.kernels.servos import drift_servos
from barchan.kernels.soft_box import deform_box, resist
from barchan.kernels.soft_drift import drift, farthest, put_back
from barchan.kernels.soft_meshes import join_facets
from barchan.kernels.soft_servos import push_servos
from barchan.kernels.soft_surfaces import move_walls, wall_pace
from barchan.kernels.soft_sweep import BLIND, LOOK, sweep
from barchan.kernels.soft_tethers import pull_tethers
from barchan.kernels.soft_walls import wall_pass

SURE = 0.999  # of its leeway: what a sphere may have gone if nobody has looked


@njit(cache=True)
def evaluate(
    c: Any, t: float, half: float, step: float, advance: float, weight: float, hold_weight: float, kick: float,
    onward: int,
) -> float:  # fmt: skip
    """All forces at time t: walls moved, contacts, sums. `c` holds the arrays (see `solvers/soft_arrays.py`).

    weight and hold_weight: times, s, with which the power of contacts, and of stiction and tethers, enters the ledger.
    onward: LOOK or BLIND if the grains are to drift for the next step at once, where no wall has swallowed one; the
    answer is then as in `sweep`. Forces are kept only where they do not, those of pairs not for −1.
    """
    center = c.position if CLUMPS else c.place
    move_walls(t, c.frames, c.rest, c.motion_range, c.motion_kind, c.motion_table, c.begun, c.pose)
    if MESHES:
        join_facets(
            c.spheres, c.wall_start, c.wall_piece, c.place, c.mesh, c.facet_table, c.frame, c.pose, c.kind,
            c.shape_table, c.wall_gap, c.wall_seam, c.wall_memory,
        )  # fmt: skip
    wall_pass(
        c.wall_contacts, c.wall_sphere, c.wall_piece, c.wall_gap, c.wall_seam, c.place, c.grain, center, c.motion,
        c.material, c.frame, c.pose, c.kind, c.shape_table, c.piece_material, c.kinds, c.wall_table, c.wall_memory,
        c.wall_slots, c.wall_work, c.wall_deepest, c.absorbing, c.swallowed, half, step, advance, weight,
    )  # fmt: skip
    if SERVOS:
        push_servos(
            t, kick, weight, c.wall_contacts, c.wall_sphere, c.wall_piece, c.frame, c.frame_servo, c.grain, center,
            c.wall_slots, c.servo, c.servo_table, c.servo_row, c.motion_table,
        )  # fmt: skip
    if len(c.tether_row) > 0:
        pull_tethers(hold_weight, c.tether_row, c.tether, center, c.motion, c.pull)
    if c.drag[0] > 0.0:
        resist(
            c.grains, hold_weight, c.drag, c.box, c.inverse, center, c.motion, c.pull, len(c.tether_row) > 0
        )  # fmt: skip
    if c.swallowed[0] > 0.0:
        onward = 0
    worst = 0.0
    for belated in range(2 if len(c.late_grain) > 0 and c.grains > 0 else 1):
        way = sweep(
            belated, c.parts, c.mask, c.late, c.late_grain, c.late_row, c.far_pair, c.far_start, c.behind, c.pair_force,
            c.grains, onward, c.blocks, c.first, c.second, c.first_grain, c.second_grain, c.place,
            c.position, c.motion, c.reduced, c.material, c.kinds, c.table, c.box, c.inverse, c.memory, c.slots, c.work,
            c.deepest, c.slid, c.desk, half, step, advance, weight, kick, c.pair_range, c.link_start, c.links,
            c.wall_range, c.wall_slots, c.gravity, c.freedom, c.stiction, hold_weight, c.inertia, c.orientation,
            c.force, c.torque, c.velocity, c.angular, c.held, c.pull, c.start, c.offset, c.turn, c.origin, c.wear,
        )  # fmt: skip
        worst = max(worst, way)
    return worst


@njit(cache=True, nogil=True)
def verlet_steps(c: Any, begin: int, steps: int, drifted: bool, dt: float) -> tuple[int, bool]:
    """Velocity Verlet from step number `begin`, at most `steps` of them.

    Comes back early, with a drift done and its forces still to be found, where a sphere has gone farther than its
    leeway since the list was made, or a wall may have; and after a step in which a wall has swallowed a grain.
    Answers with the steps finished and whether a drift is pending.

    While spheres cannot have gone that far, as fast as they go, nobody looks.
    """
    done, pending, onward, worst = steps, False, 0, 0.0
    # The way of any sphere at most, and that in a step, of its leeway; for a drift that was pending the list is new.
    far, pace = 0.0 if drifted else 1.0, 0.0
    for s in range(steps):
        if not drifted:
            if onward == 0:
                worst = drift(
                    c.grains, dt, c.start, c.offset, c.inertia, c.force, c.torque, c.position, c.velocity,
                    c.orientation, c.angular, c.turn, c.motion, c.place, c.origin, c.wear,
                )  # fmt: skip
            if onward == BLIND:
                pace = math.sqrt(worst)
                worst = (far + pace) ** 2 if far + pace < SURE else farthest(c.grains, c.place, c.origin, c.wear)
            far = math.sqrt(worst)
            if DEFORMS:
                worst = deform_box((begin + s + 1) * dt, c.course, c.box, c.inverse, worst, c.strayed[2])
            if SERVOS:
                drift_servos((begin + s) * dt, dt, c.servo, c.servo_table, c.servo_row, c.motion_table)
            c.strayed[0] += dt * wall_pace(c.frames, c.pose, c.axial, c.reach)
            if not (worst <= 1.0) or c.strayed[0] > c.strayed[1]:
                done, pending = s, True
                break
        onward = 0
        if s + 1 < steps:
            onward = LOOK if CLUMPS or DEFORMS or not (far + 2.0 * pace < SURE) else BLIND
        worst = evaluate(c, (begin + s + 1) * dt, 0.5 * dt, dt, 1.0, dt, dt, 0.5 * dt, onward)
        drifted = False
        if c.swallowed[0] > 0.0:
            done = s + 1
            break
    if not CLUMPS:
        put_back(c.grains, c.place, c.position)
    return done, pending
