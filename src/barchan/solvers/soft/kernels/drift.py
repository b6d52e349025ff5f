"""How grains drift, and where their spheres are. A template: see `bound.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.kernels.bound import CLUMPS
from barchan.kernels.jit import apart, inlined, njit, prange
from barchan.kernels.turning import rotated, spin_of, turned

SMALL_TURN = 0.01  # rad²: a sphere's rotations are summed up to there before its orientation is turned
LOOK, BLIND = 1, 2  # to see how far spheres have gone since the list was made; or only how far in this step


@njit(cache=True, error_model="numpy")
def place_spheres(grains: int, start: Any, offset: Any, position: Any, orientation: Any, place: Any) -> None:
    """Put every sphere where its grain's position and orientation say."""
    for g in range(grains):
        qw, qx, qy, qz = orientation[g, 0], orientation[g, 1], orientation[g, 2], orientation[g, 3]
        for i in range(start[g], start[g + 1]):
            x, y, z = rotated(qw, qx, qy, qz, offset[i, 0], offset[i, 1], offset[i, 2])
            place[i, 0] = position[g, 0] + x
            place[i, 1] = position[g, 1] + y
            place[i, 2] = position[g, 2] + z


@inlined
def drift_one(
    g: int, dt: float, start: Any, offset: Any, inertia: Any, force: Any, torque: Any, position: Any, velocity: Any,
    orientation: Any, angular: Any, turn: Any, motion: Any, place: Any, origin: Any, wear: Any, row: int, look: bool,
) -> float:  # fmt: skip
    """`drift` of one grain; answers with the square of its farthest way over its leeway.

    Its force and torque are in row `row`. Of a single sphere the place alone is moved: `put_back` is for its position;
    and if not to `look` where it was, the answer is for this step alone: that is less to fetch from memory.
    """
    h = 0.5 * dt
    per = h / motion[g, 3]
    ax, ay, az = per * force[row, 0], per * force[row, 1], per * force[row, 2]
    vx, vy, vz = velocity[g, 0] + ax, velocity[g, 1] + ay, velocity[g, 2] + az
    velocity[g, 0], velocity[g, 1], velocity[g, 2] = vx, vy, vz
    motion[g, 0], motion[g, 1], motion[g, 2] = vx + ax, vy + ay, vz + az
    tx, ty, tz = h * torque[row, 0], h * torque[row, 1], h * torque[row, 2]
    lx, ly, lz = angular[g, 0] + tx, angular[g, 1] + ty, angular[g, 2] + tz
    angular[g, 0], angular[g, 1], angular[g, 2] = lx, ly, lz
    if CLUMPS:
        x, y, z = position[g, 0] + dt * vx, position[g, 1] + dt * vy, position[g, 2] + dt * vz
        position[g, 0], position[g, 1], position[g, 2] = x, y, z
        a, b, c = inertia[g, 0], inertia[g, 1], inertia[g, 2]
        qw, qx, qy, qz = orientation[g, 0], orientation[g, 1], orientation[g, 2], orientation[g, 3]
        wx, wy, wz = spin_of(qw, qx, qy, qz, lx, ly, lz, a, b, c)
        mw, mx, my, mz = turned(qw, qx, qy, qz, h * wx, h * wy, h * wz)
        wx, wy, wz = spin_of(mw, mx, my, mz, lx, ly, lz, a, b, c)
        qw, qx, qy, qz = turned(qw, qx, qy, qz, dt * wx, dt * wy, dt * wz)
        orientation[g, 0], orientation[g, 1], orientation[g, 2], orientation[g, 3] = qw, qx, qy, qz
        wx, wy, wz = spin_of(qw, qx, qy, qz, lx + tx, ly + ty, lz + tz, a, b, c)
        motion[g, 4], motion[g, 5], motion[g, 6] = wx, wy, wz
        far = 0.0
        for i in range(start[g], start[g + 1]):
            ox, oy, oz = rotated(qw, qx, qy, qz, offset[i, 0], offset[i, 1], offset[i, 2])
            ox, oy, oz = ox + x, oy + y, oz + z
            place[i, 0], place[i, 1], place[i, 2] = ox, oy, oz
            mx, my, mz = ox - origin[i, 0], oy - origin[i, 1], oz - origin[i, 2]
            far = max(far, mx * mx + my * my + mz * mz)
        return wear[g] * far
    per = 1.0 / motion[g, 7]
    rx, ry, rz = turn[g, 0] + dt * per * lx, turn[g, 1] + dt * per * ly, turn[g, 2] + dt * per * lz
    if rx * rx + ry * ry + rz * rz > SMALL_TURN:
        qw, qx, qy, qz = orientation[g, 0], orientation[g, 1], orientation[g, 2], orientation[g, 3]
        qw, qx, qy, qz = turned(qw, qx, qy, qz, rx, ry, rz)
        orientation[g, 0], orientation[g, 1], orientation[g, 2], orientation[g, 3] = qw, qx, qy, qz
        rx, ry, rz = 0.0, 0.0, 0.0
    turn[g, 0], turn[g, 1], turn[g, 2] = rx, ry, rz
    motion[g, 4], motion[g, 5], motion[g, 6] = per * (lx + tx), per * (ly + ty), per * (lz + tz)
    x, y, z = place[g, 0] + dt * vx, place[g, 1] + dt * vy, place[g, 2] + dt * vz
    place[g, 0], place[g, 1], place[g, 2] = x, y, z
    if look:
        mx, my, mz = x - origin[g, 0], y - origin[g, 1], z - origin[g, 2]
    else:
        mx, my, mz = dt * vx, dt * vy, dt * vz
    return wear[g] * (mx * mx + my * my + mz * mz)


@apart
def drift_stretch(
    begin: int, end: int, belated: int, late: Any, late_grain: Any, home: int, dt: float, start: Any, offset: Any,
    inertia: Any, force: Any, torque: Any, position: Any, velocity: Any, orientation: Any, angular: Any, turn: Any,
    motion: Any, place: Any, origin: Any, wear: Any, look: bool,
) -> float:  # fmt: skip
    """`drift_one` of the grains begin … end − 1, or of so many late ones; their forces are in rows from `home` on."""
    way = 0.0
    for i in range(begin, end):
        g = i
        if belated > 0:
            g = late_grain[i]
        if late[g] == belated:
            far = drift_one(
                g, dt, start, offset, inertia, force, torque, position, velocity, orientation, angular, turn, motion,
                place, origin, wear, home + i - begin, look,
            )  # fmt: skip
            way = max(way, far)
    return way


@njit(cache=True, parallel=True, error_model="numpy")
def drift(
    grains: int, dt: float, start: Any, offset: Any, inertia: Any, force: Any, torque: Any, position: Any,
    velocity: Any, orientation: Any, angular: Any, turn: Any, motion: Any, place: Any, origin: Any,
    wear: Any,
) -> float:  # fmt: skip
    """Half a kick and a whole drift; `motion` gets velocities predicted for the new time.

    Answers with the square of the farthest way that any sphere has gone since the pair list was made, over its leeway.
    wear: 1/m², one over the square of each grain's leeway.
    """
    worst = 0.0
    for g in prange(grains):
        way = drift_one(
            np.int64(g), dt, start, offset, inertia, force, torque, position, velocity, orientation, angular, turn,
            motion, place, origin, wear, np.int64(g), True,
        )  # fmt: skip
        worst = max(worst, way)
    return worst


@njit(cache=True, error_model="numpy")
def farthest(grains: int, place: Any, origin: Any, wear: Any) -> float:
    """What `drift` answers, of grains that are single spheres."""
    worst = 0.0
    for g in range(grains):
        x, y, z = place[g, 0] - origin[g, 0], place[g, 1] - origin[g, 1], place[g, 2] - origin[g, 2]
        worst = max(worst, wear[g] * (x * x + y * y + z * z))
    return worst


@njit(cache=True)
def put_back(grains: int, place: Any, position: Any) -> None:
    """The positions of grains that are single spheres, after their places have drifted."""
    for g in range(grains):
        for k in range(3):
            position[g, k] = place[g, k]
