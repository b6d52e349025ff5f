"""All forces at one moment. A template: see `bound.py`."""

from __future__ import annotations

from barchan.kernels.bound import CLUMPS, MESHES, SERVOS, Arrays
from barchan.kernels.jit import njit
from barchan.solvers.soft.kernels.box import resist
from barchan.solvers.soft.kernels.meshes import join_facets
from barchan.solvers.soft.kernels.servos import push_servos
from barchan.solvers.soft.kernels.surfaces import find_hops, move_walls, wall_pace
from barchan.solvers.soft.kernels.sweep import sweep
from barchan.solvers.soft.kernels.tethers import pull_tethers
from barchan.solvers.soft.kernels.walls import wall_pass
from barchan.solvers.soft.layout import HOPPED


@njit(cache=True)
def evaluate(
    c: Arrays, t: float, half: float, step: float, advance: float, weight: float, hold_weight: float, kick: float,
    onward: int,
) -> float:  # fmt: skip
    """All forces at time t: walls moved, contacts, sums. `c` holds the arrays (see `solvers/soft/arrays.py`).

    weight and hold_weight: times, s, with which the power of contacts, and of stiction and tethers, enters the ledger.
    onward: LOOK or BLIND if the grains are to drift for the next step at once, where no wall has swallowed one and none
    goes too far against a wall; the answer is then as in `sweep`. Forces are kept only where they do not, those of
    pairs not for −1.
    """
    center = c.position if CLUMPS else c.place
    move_walls(t, c.frames, c.rest, c.motion_range, c.motion_kind, c.motion_table, c.begun, c.pose)
    if MESHES:
        join_facets(
            c.spheres, c.wall_start, c.wall_piece, c.place, c.mesh, c.facet_table, c.frame, c.pose, c.kind,
            c.shape_table, c.wall_gap, c.wall_seam, c.wall_memory,
        )  # fmt: skip
    if advance > 0.0:  # trial steps do not count
        find_hops(
            c.wall_contacts, c.wall_sphere, c.wall_piece, step, wall_pace(c.frames, c.pose, c.axial, c.reach), c.hop,
            c.place, c.grain, c.start, center, c.motion, c.frame, c.pose, c.kind, c.shape_table, c.axial,
        )  # fmt: skip
    wall_pass(
        c.wall_contacts, c.wall_sphere, c.wall_piece, c.wall_gap, c.wall_seam, c.place, c.grain, center, c.motion,
        c.material, c.frame, c.pose, c.kind, c.shape_table, c.piece_material, c.kinds, c.wall_table, c.wall_memory,
        c.wall_slots, c.wall_work, c.wall_deepest, c.absorbing, c.swallowed, half, step, advance, weight,
    )  # fmt: skip
    if SERVOS:
        push_servos(
            t, kick, weight, c.wall_contacts, c.wall_sphere, c.wall_piece, c.frame, c.frame_servo, c.grain, center,
            c.place, c.pose, c.kind, c.shape_table, c.wall_slots, c.servo, c.servo_table, c.servo_row, c.motion_table,
        )  # fmt: skip
    if len(c.tether_row) > 0:
        pull_tethers(hold_weight, c.tether_row, c.tether, center, c.motion, c.pull)
    if c.drag[0] > 0.0:
        resist(
            c.grains, hold_weight, c.drag, c.box, c.inverse, center, c.motion, c.pull, len(c.tether_row) > 0
        )  # fmt: skip
    if c.swallowed[0] > 0.0 or c.hop[HOPPED] > 0.0:
        onward = 0
    worst = 0.0
    for belated in range(2 if len(c.late_grain) > 0 and c.grains > 0 else 1):
        way = sweep(
            belated, c.parts, c.mask, c.late, c.late_grain, c.late_row, c.far_pair, c.far_start, c.behind, c.pair_force,
            c.grains, onward, c.blocks, c.first, c.second, c.first_grain, c.second_grain, c.place,
            c.position, c.motion, c.reduced, c.material, c.kinds, c.table, c.box, c.inverse, c.memory, c.slots, c.work,
            c.deepest, c.slid, c.desk, half, step, advance, weight, kick, c.spans, c.links,
            c.wall_slots, c.gravity, c.freedom, c.stiction, hold_weight, c.inertia, c.orientation,
            c.force, c.torque, c.velocity, c.angular, c.held, c.pull, c.start, c.offset, c.turn, c.origin, c.wear,
        )  # fmt: skip
        worst = max(worst, way)
    return worst
