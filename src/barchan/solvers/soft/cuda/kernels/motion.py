"""How grains move on the GPU: forces added up, kicks and drift. A template: see `bound.py`.

A batch is some steps that the host launches one after another without looking. halt[s] says whether step s of the batch
may find its forces: a drift that has taken a sphere too far from where it was when the list was made writes it, and all
later steps of the batch pass it on and do nothing. Every launch reads and writes another entry, so no thread can see
what another one of the same launch decides.

A drift also stops the batch where it leaves a grain faster than a step surely allows near walls. The host then goes on
with `hop_step` before every step for a while; as long as all grains are slow, nobody looks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda

from barchan.kernels.bound import CLUMPS, REAL, STICTION
from barchan.kernels.cuda_device import THREADS, device, kernel, step_kernel
from barchan.kernels.turning import rotated, spin_of, turned
from barchan.solvers.soft.cuda.kernels.contacts import find_hop, pair_forces, touch_walls, wall_forces
from barchan.solvers.soft.kernels.gather import hold, late_power, let_go
from barchan.solvers.soft.layout import FAST, HELD_LOSS, HELD_LOSS_POWER, SWALLOWED, WORN

SMALL_TURN = 0.01  # as in `solvers/soft/kernels/drift.py`


@device
def kicked(
    g: int, c: Any, motion: Any, dt: float, fx: Any, fy: Any, fz: Any, tx: Any, ty: Any, tz: Any
) -> Any:  # fmt: skip
    """Gravity, stiction and half a kick; answers with force, torque, velocity and angular momentum."""
    mass = motion[g, 3]
    kick = REAL(0.5 * dt)
    cx, cy, cz, rx, ry, rz = fx, fy, fz, tx, ty, tz
    fx += mass * c.gravity[0]
    fy += mass * c.gravity[1]
    fz += mass * c.gravity[2]
    if STICTION:
        low, high = c.wall_start[c.start[g]], c.wall_start[c.start[g + 1]]
        if high == low:
            let_go(g, c.held)
        else:
            ax, ay, az, bx, by, bz = hold(
                g, low, high, c.wall_slots, c.stiction, dt, dt, float(fx), float(fy), float(fz), float(tx), float(ty),
                float(tz), 0.5 * dt, motion, c.inertia, c.orientation, c.velocity, c.angular, c.held,
            )  # fmt: skip
            fx, fy, fz, tx, ty, tz = REAL(ax), REAL(ay), REAL(az), REAL(bx), REAL(by), REAL(bz)
    fx, fy, fz = c.freedom[0] * fx, c.freedom[1] * fy, c.freedom[2] * fz
    tx, ty, tz = c.freedom[3] * tx, c.freedom[4] * ty, c.freedom[5] * tz
    per = kick / mass
    vx, vy, vz = c.velocity[g, 0] + per * fx, c.velocity[g, 1] + per * fy, c.velocity[g, 2] + per * fz
    lx, ly, lz = c.angular[g, 0] + kick * tx, c.angular[g, 1] + kick * ty, c.angular[g, 2] + kick * tz
    if STICTION:
        if high > low:
            c.velocity[g, 0], c.velocity[g, 1], c.velocity[g, 2] = vx, vy, vz
            c.angular[g, 0], c.angular[g, 1], c.angular[g, 2] = lx, ly, lz
            late = late_power(g, cx, cy, cz, rx, ry, rz, c.inertia, c.orientation, motion, c.velocity, c.angular)
            c.held[g, HELD_LOSS_POWER] += late
            c.held[g, HELD_LOSS] += dt * late
    return fx, fy, fz, tx, ty, tz, vx, vy, vz, lx, ly, lz


@device
def drifted(
    g: int, c: Any, dt: float, sure: float, place: Any, motion: Any, at: int, new_place: Any, new_motion: Any, fx: Any,
    fy: Any, fz: Any, tx: Any, ty: Any, tz: Any, vx: Any, vy: Any, vz: Any, lx: Any, ly: Any, lz: Any,
) -> int:  # fmt: skip
    """Half a kick and a whole drift; bits of `halt`: whether a sphere of the grain has gone too far since the list was
    made, and whether the grain may go too far in the next step.

    at: the grain's row in the new arrays. sure: as in `find_hop`.
    """
    h, step = REAL(0.5 * dt), REAL(dt)
    mass, moment = motion[g, 3], motion[g, 7]
    per = h / mass
    ax, ay, az = per * fx, per * fy, per * fz
    vx, vy, vz = vx + ax, vy + ay, vz + az
    c.velocity[g, 0], c.velocity[g, 1], c.velocity[g, 2] = vx, vy, vz
    ax, ay, az = vx + ax, vy + ay, vz + az
    new_motion[at, 0], new_motion[at, 1], new_motion[at, 2] = ax, ay, az
    pace = ax * ax + ay * ay + az * az
    tx, ty, tz = h * tx, h * ty, h * tz
    lx, ly, lz = lx + tx, ly + ty, lz + tz
    c.angular[g, 0], c.angular[g, 1], c.angular[g, 2] = lx, ly, lz
    if CLUMPS:
        x, y, z = c.position[g, 0] + dt * vx, c.position[g, 1] + dt * vy, c.position[g, 2] + dt * vz
        c.position[g, 0], c.position[g, 1], c.position[g, 2] = x, y, z
        ia, ib, ic = c.inertia[g, 0], c.inertia[g, 1], c.inertia[g, 2]
        qw, qx, qy, qz = c.orientation[g, 0], c.orientation[g, 1], c.orientation[g, 2], c.orientation[g, 3]
        wx, wy, wz = spin_of(qw, qx, qy, qz, lx, ly, lz, ia, ib, ic)
        mw, mx, my, mz = turned(qw, qx, qy, qz, 0.5 * dt * wx, 0.5 * dt * wy, 0.5 * dt * wz)
        wx, wy, wz = spin_of(mw, mx, my, mz, lx, ly, lz, ia, ib, ic)
        qw, qx, qy, qz = turned(qw, qx, qy, qz, dt * wx, dt * wy, dt * wz)
        c.orientation[g, 0], c.orientation[g, 1], c.orientation[g, 2], c.orientation[g, 3] = qw, qx, qy, qz
        wx, wy, wz = spin_of(qw, qx, qy, qz, lx + tx, ly + ty, lz + tz, ia, ib, ic)
        new_motion[at, 4], new_motion[at, 5], new_motion[at, 6] = wx, wy, wz
        fast = FAST if pace + c.lever * (wx * wx + wy * wy + wz * wz) >= sure else 0
        far = 0.0
        for i in range(c.start[g], c.start[g + 1]):
            ox, oy, oz = rotated(qw, qx, qy, qz, c.offset[i, 0], c.offset[i, 1], c.offset[i, 2])
            ox, oy, oz = ox + x, oy + y, oz + z
            new_place[i, 0], new_place[i, 1], new_place[i, 2] = ox, oy, oz
            mx, my, mz = ox - c.origin[i, 0], oy - c.origin[i, 1], oz - c.origin[i, 2]
            far = max(far, mx * mx + my * my + mz * mz)
        return fast if c.wear[g] * far <= 1.0 else fast | WORN
    fast = FAST if pace >= REAL(sure) else 0
    x, y, z = place[g, 0] + dt * vx, place[g, 1] + dt * vy, place[g, 2] + dt * vz
    per = REAL(1.0) / moment
    rx = c.turn[g, 0] + step * per * lx
    ry = c.turn[g, 1] + step * per * ly
    rz = c.turn[g, 2] + step * per * lz
    if rx * rx + ry * ry + rz * rz > REAL(SMALL_TURN):
        qw, qx, qy, qz = c.orientation[g, 0], c.orientation[g, 1], c.orientation[g, 2], c.orientation[g, 3]
        qw, qx, qy, qz = turned(qw, qx, qy, qz, float(rx), float(ry), float(rz))
        c.orientation[g, 0], c.orientation[g, 1], c.orientation[g, 2], c.orientation[g, 3] = qw, qx, qy, qz
        rx, ry, rz = REAL(0.0), REAL(0.0), REAL(0.0)
    c.turn[g, 0], c.turn[g, 1], c.turn[g, 2] = rx, ry, rz
    new_motion[at, 4], new_motion[at, 5], new_motion[at, 6] = per * (lx + tx), per * (ly + ty), per * (lz + tz)
    new_motion[at, 3], new_motion[at, 7] = mass, moment
    new_place[at, 0], new_place[at, 1], new_place[at, 2], new_place[at, 3] = x, y, z, place[g, 3]
    mx, my, mz = x - c.origin[g, 0], y - c.origin[g, 1], z - c.origin[g, 2]
    return fast if c.wear[g] * (mx * mx + my * my + mz * mz) <= 1.0 else fast | WORN


@device
def kept(
    g: int, c: Any, fx: Any, fy: Any, fz: Any, tx: Any, ty: Any, tz: Any, vx: Any, vy: Any, vz: Any, lx: Any, ly: Any,
    lz: Any,
) -> None:  # fmt: skip
    """Leave a grain at the end of a step."""
    c.velocity[g, 0], c.velocity[g, 1], c.velocity[g, 2] = vx, vy, vz
    c.angular[g, 0], c.angular[g, 1], c.angular[g, 2] = lx, ly, lz
    c.force[g, 0], c.force[g, 1], c.force[g, 2] = fx, fy, fz
    c.torque[g, 0], c.torque[g, 1], c.torque[g, 2] = tx, ty, tz


@device
def stop(c: Any, s: int, why: int) -> None:
    """Let a batch end before the forces of step s; why: bits of `halt`."""
    if why & ~c.halt[s] != 0:  # most threads find it told
        cuda.atomic.or_(c.halt, s, why)


@kernel
def depart(c: Any, place: Any, motion: Any, new_place: Any, new_motion: Any, dt: float, sure: float) -> None:
    """The first drift of a batch, from the forces that were kept."""
    g = cuda.grid(1)
    if g >= c.grains:
        return
    found = drifted(
        g, c, dt, sure, place, motion, g, new_place, new_motion, c.force[g, 0], c.force[g, 1], c.force[g, 2],
        c.torque[g, 0], c.torque[g, 1], c.torque[g, 2], c.velocity[g, 0], c.velocity[g, 1], c.velocity[g, 2],
        c.angular[g, 0], c.angular[g, 1], c.angular[g, 2],
    )  # fmt: skip
    if found != 0:
        stop(c, 0, found)


@kernel
def hop_step(
    c: Any, place: Any, motion: Any, hop: Any, hop_with: Any, axial: Any, dt: float, s: int, limit: float, sure: float
) -> None:
    """Whether step s moves a sphere too far against a wall, one thread a sphere; see `find_hop`.

    A launch of its own, where grains are fast: in `wall_step` it would take registers of every step.
    """
    i = cuda.grid(1)
    if i < c.spheres and c.halt[s] == 0:
        center, pose = c.position if CLUMPS else place, c.poses[s * c.moving]
        find_hop(i, c, place, motion, center, pose, hop, hop_with, axial, dt, s, limit, sure)


@kernel
def wall_step(c: Any, place: Any, motion: Any, dt: float, s: int) -> None:
    """The beginning of step s, one thread a sphere: what each feels from walls."""
    i = cuda.grid(1)
    if i < c.spheres and c.halt[s] == 0:
        touch_walls(
            i, c, place, motion, c.position if CLUMPS else place, c.poses[s * c.moving], c.swallowed, s, dt
        )  # fmt: skip


@step_kernel(REAL)
def whole_step(
    c: Any, place: Any, motion: Any, new_place: Any, new_motion: Any, dt: float, s: int, last: int, sure: float
) -> None:
    """Step s of a batch for grains of one sphere: forces, two half kicks and the drift of the next step.

    last: the batch ends with the forces of this step, without a drift. sure: as in `find_hop`.
    """
    g, lane = cuda.grid(1), cuda.threadIdx.x
    if c.halt[s] != 0:
        if g == 0:
            c.halt[s + 1] = c.halt[s]
        return
    # The new rows of a block are put together first: whole stretches are written faster than a number here and there.
    spots = cuda.shared.array((THREADS, 5), np.float64)
    rows = cuda.shared.array((THREADS, 9), REAL)
    if g < c.grains:
        fx, fy, fz, tx, ty, tz = pair_forces(g, c, place, motion, dt)
        fx, fy, fz, tx, ty, tz = wall_forces(g, c, fx, fy, fz, tx, ty, tz)
        fx, fy, fz, tx, ty, tz, vx, vy, vz, lx, ly, lz = kicked(g, c, motion, dt, fx, fy, fz, tx, ty, tz)
        if last != 0:
            kept(g, c, fx, fy, fz, tx, ty, tz, vx, vy, vz, lx, ly, lz)
        else:
            found = drifted(
                g, c, dt, sure, place, motion, lane, spots, rows, fx, fy, fz, tx, ty, tz, vx, vy, vz, lx, ly, lz
            )  # fmt: skip
            if found != 0:
                stop(c, s + 1, found)
    if last == 0:
        cuda.syncthreads()
        base = g - lane
        count = min(THREADS, c.grains - base)
        for k in range(lane, 4 * count, THREADS):
            new_place[base + (k >> 2), k & 3] = spots[k >> 2, k & 3]
        for k in range(lane, 8 * count, THREADS):
            new_motion[base + (k >> 3), k & 7] = rows[k >> 3, k & 7]


@step_kernel(REAL, clumps=True)
def sphere_forces(c: Any, place: Any, motion: Any, dt: float, s: int) -> None:
    """The first part of step s for grains of any shape, one thread a sphere: what each sphere feels."""
    i = cuda.grid(1)
    if i >= c.spheres or c.halt[s] != 0:
        return
    fx, fy, fz, tx, ty, tz = pair_forces(i, c, place, motion, dt)
    fx, fy, fz, tx, ty, tz = wall_forces(i, c, fx, fy, fz, tx, ty, tz)
    c.felt[0, i], c.felt[1, i], c.felt[2, i] = fx, fy, fz
    c.felt[3, i], c.felt[4, i], c.felt[5, i] = tx, ty, tz


@kernel
def grain_step(c: Any, place: Any, motion: Any, dt: float, s: int, last: int, sure: float) -> None:
    """The second part, one thread a grain: what its spheres feel, the kicks and the drift, if no wall takes a grain."""
    g = cuda.grid(1)
    if g >= c.grains:
        return
    if c.halt[s] != 0:
        if g == 0:
            c.halt[s + 1] = c.halt[s]
        return
    low, high = c.start[g], c.start[g + 1]
    fx, fy, fz = c.felt[0, low], c.felt[1, low], c.felt[2, low]
    tx, ty, tz = c.felt[3, low], c.felt[4, low], c.felt[5, low]
    for i in range(low + 1, high):
        fx, fy, fz = fx + c.felt[0, i], fy + c.felt[1, i], fz + c.felt[2, i]
        tx, ty, tz = tx + c.felt[3, i], ty + c.felt[4, i], tz + c.felt[5, i]
    fx, fy, fz, tx, ty, tz, vx, vy, vz, lx, ly, lz = kicked(g, c, motion, dt, fx, fy, fz, tx, ty, tz)
    if last != 0 or c.swallowed[s] != 0:
        kept(g, c, fx, fy, fz, tx, ty, tz, vx, vy, vz, lx, ly, lz)
        found = SWALLOWED if c.swallowed[s] != 0 and g == 0 else 0
    else:
        found = drifted(
            g, c, dt, sure, place, motion, g, place, motion, fx, fy, fz, tx, ty, tz, vx, vy, vz, lx, ly, lz
        )  # fmt: skip
    if found != 0:
        stop(c, s + 1, found)
