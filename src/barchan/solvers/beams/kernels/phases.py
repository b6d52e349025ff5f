"""The phases of a step of triangles and beams."""

from __future__ import annotations

from barchan.kernels.bound import Arrays
from barchan.kernels.jit import njit
from barchan.solvers.beams.kernels.contacts import find_overlaps, push_apart, push_from_walls
from barchan.solvers.beams.kernels.motion import accelerate, bend, correct, damped, place_corners, predict
from barchan.solvers.beams.layout import ACCELERATE, BEND, DAMP, FIND, PLACE, PREDICT, PUSH, WALLS


@njit(cache=True)
def work(which: int, low: int, high: int, c: Arrays, step: float, half: float, advance: float, gear: bool) -> None:
    """One phase on the rows low … high; c: the arrays, as `solvers/beams/arrays.py` names them."""
    if which == PREDICT:
        predict(low, high, c.state, c.mass, c.inertia, step, gear)
    elif which == PLACE:
        place_corners(low, high, c.state, c.body, c.facing, c.world, c.load)
    elif which == FIND:
        find_overlaps(
            low, high, c.first, c.second, c.round_way, c.allowed, c.slip, c.slip_before, c.state, c.bound, c.world,
            c.parting, c.touching, advance,
        )  # fmt: skip
    elif which == PUSH:
        push_apart(
            low, high, c.free, c.overlaps, c.first, c.second, c.round_way, c.allowed, c.touching, c.side, c.slip,
            c.slip_before, c.state, c.world, c.mass, c.area, c.material, c.kinds, c.table, c.graded, c.slow, c.grip,
            step, advance, c.out,
        )  # fmt: skip
    elif which == WALLS:
        push_from_walls(
            low, high, c.smooth, c.smooth_kind, c.smooth_now, c.smooth_motion, c.smooth_material, c.smooth_present,
            c.wall_slip, c.state, c.world, c.bound, c.mass, c.area, c.material, c.kinds, c.table, c.graded, c.slow,
            c.grip, step, advance, c.smooth_servo, c.hole, c.load, c.wall_power, c.reaction,
        )  # fmt: skip
    elif which == BEND:
        bend(
            low, high, c.ends, c.foot, c.beam_rest, c.length, c.made, c.broken, c.state, c.facing, c.constants, c.limit,
            advance, c.lost, c.yielded, c.beam_now,
        )  # fmt: skip
    elif which == ACCELERATE:
        accelerate(
            low, high, c.free, c.state, c.mass, c.inertia, c.load, c.tied, c.beam_now, c.gravity, c.wall_power, half,
            c.work, c.acceleration,
        )  # fmt: skip
    elif which == DAMP:
        damped(low, high, c.beam_now, half, c.beam_loss, c.lost)
    else:
        correct(low, high, c.state, c.mass, c.inertia, step, gear, c.acceleration)
