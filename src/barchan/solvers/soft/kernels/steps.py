"""Steps of velocity Verlet. A template: see `bound.py`.

The state of a grain is position, velocity, orientation and angular momentum. Without torque the angular momentum
stays as it is to the last bit, whatever the shape of the grain.
"""

from __future__ import annotations

import math

from barchan.kernels.bound import CLUMPS, DEFORMS, SERVOS, Arrays
from barchan.kernels.jit import njit
from barchan.kernels.pointers import call_forces
from barchan.kernels.servos import drift_servos
from barchan.solvers.soft.kernels.box import deform_box
from barchan.solvers.soft.kernels.drift import BLIND, LOOK, drift, farthest, put_back
from barchan.solvers.soft.kernels.surfaces import wall_pace
from barchan.solvers.soft.layout import GONE_BY_WALLS, HOPPED, MAY_STRAY, PER_LEEWAY

SURE = 0.999  # of its leeway: what a sphere may have gone if nobody has looked


@njit(cache=True, nogil=True)
def verlet_steps(c: Arrays, begin: int, steps: int, drifted: bool, dt: float, forces: int) -> tuple[int, bool]:
    """Velocity Verlet from step number `begin`, at most `steps` of them.

    Comes back early, with a drift done and its forces still to be found, where a sphere has gone farther than its
    leeway since the list was made, or a wall may have; and after a step in which a wall has swallowed a grain, or which
    was too long for one near a wall (see `touch_wall`).
    Answers with the steps finished and whether a drift is pending.

    While spheres cannot have gone that far, as fast as they go, nobody looks. forces: the address of `evaluate`.
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
                worst = deform_box((begin + s + 1) * dt, c.course, c.box, c.inverse, worst, c.strayed[PER_LEEWAY])
            if SERVOS:
                drift_servos((begin + s) * dt, dt, c.servo, c.servo_table, c.servo_row, c.motion_table)
            c.strayed[GONE_BY_WALLS] += dt * wall_pace(c.frames, c.pose, c.axial, c.reach)
            if not (worst <= 1.0) or c.strayed[GONE_BY_WALLS] > c.strayed[MAY_STRAY]:
                done, pending = s, True
                break
        onward = 0
        if s + 1 < steps:
            onward = LOOK if CLUMPS or DEFORMS or not (far + 2.0 * pace < SURE) else BLIND
        worst = call_forces(forces, c, (begin + s + 1) * dt, 0.5 * dt, dt, 1.0, dt, dt, 0.5 * dt, onward)
        drifted = False
        if c.swallowed[0] > 0.0 or c.hop[HOPPED] > 0.0:
            done = s + 1
            break
    if not CLUMPS:
        put_back(c.grains, c.place, c.position)
    return done, pending
