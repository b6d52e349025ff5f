"""How grains move under their forces: drift, gather, kick. A template: see `bound.py`.

The state of a grain is position, velocity, orientation and angular momentum. Without torque the angular momentum
stays as it is to the last bit, whatever the shape of the grain.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

from barchan.kernels.bound import CLUMPS, DEFORMS, MESHES, SERVOS, STICTION
from barchan.kernels.soft_box import deform_box, resist
from barchan.kernels.soft_meshes import join_facets
from barchan.kernels.soft_pairs import SLOTS, pair_pass
from barchan.kernels.soft_servos import drift_servos, push_servos
from barchan.kernels.soft_tethers import pull_tethers
from barchan.kernels.soft_walls import WALL_SLOTS, move_walls, wall_pace, wall_pass
from barchan.kernels.wall_frames import rotated

U = np.uint64
SMALL_TURN = 0.01  # rad²: a sphere's rotations are summed up to there before its orientation is turned


@njit(cache=True, error_model="numpy")
def spin_of(
    qw: float, qx: float, qy: float, qz: float, lx: float, ly: float, lz: float, a: float, b: float, c: float
) -> tuple[float, float, float]:
    """Angular velocity, rad/s, of a body with orientation q, angular momentum l and principal moments a, b, c."""
    if a == b and b == c:
        return lx / a, ly / a, lz / a
    x, y, z = rotated(qw, -qx, -qy, -qz, lx, ly, lz)
    return rotated(qw, qx, qy, qz, x / a, y / b, z / c)


@njit(cache=True, error_model="numpy")
def turned(
    qw: float, qx: float, qy: float, qz: float, x: float, y: float, z: float
) -> tuple[float, float, float, float]:
    """The orientation q after a further rotation by the vector x, y, z (rad, scene's frame); a unit quaternion."""
    angle = math.sqrt(x * x + y * y + z * z)
    half = 0.5 * angle
    s = math.sin(half) / angle if angle > 1e-9 else 0.5
    rw, rx, ry, rz = math.cos(half), s * x, s * y, s * z
    aw = rw * qw - rx * qx - ry * qy - rz * qz
    ax = rw * qx + rx * qw + ry * qz - rz * qy
    ay = rw * qy - rx * qz + ry * qw + rz * qx
    az = rw * qz + rx * qy - ry * qx + rz * qw
    per = 1.0 / math.sqrt(aw * aw + ax * ax + ay * ay + az * az)
    return aw * per, ax * per, ay * per, az * per


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


@njit(cache=True, parallel=True, error_model="numpy")
def drift(
    grains: int, dt: float, start: Any, offset: Any, inertia: Any, force: Any, torque: Any, position: Any,
    velocity: Any, orientation: Any, angular: Any, turn: Any, motion: Any, place: Any, origin: Any,
) -> float:  # fmt: skip
    """Half a kick and a whole drift; `motion` gets velocities predicted for the new time.

    Answers with the square of the farthest way, m², that any sphere has gone since the pair list was made.
    """
    worst = 0.0
    h = 0.5 * dt
    for g in prange(grains):
        per = h / motion[g, 3]
        ax, ay, az = per * force[g, 0], per * force[g, 1], per * force[g, 2]
        vx, vy, vz = velocity[g, 0] + ax, velocity[g, 1] + ay, velocity[g, 2] + az
        velocity[g, 0], velocity[g, 1], velocity[g, 2] = vx, vy, vz
        motion[g, 0], motion[g, 1], motion[g, 2] = vx + ax, vy + ay, vz + az
        x, y, z = position[g, 0] + dt * vx, position[g, 1] + dt * vy, position[g, 2] + dt * vz
        position[g, 0], position[g, 1], position[g, 2] = x, y, z
        tx, ty, tz = h * torque[g, 0], h * torque[g, 1], h * torque[g, 2]
        lx, ly, lz = angular[g, 0] + tx, angular[g, 1] + ty, angular[g, 2] + tz
        angular[g, 0], angular[g, 1], angular[g, 2] = lx, ly, lz
        if CLUMPS:
            a, b, c = inertia[g, 0], inertia[g, 1], inertia[g, 2]
            qw, qx, qy, qz = orientation[g, 0], orientation[g, 1], orientation[g, 2], orientation[g, 3]
            wx, wy, wz = spin_of(qw, qx, qy, qz, lx, ly, lz, a, b, c)
            mw, mx, my, mz = turned(qw, qx, qy, qz, h * wx, h * wy, h * wz)
            wx, wy, wz = spin_of(mw, mx, my, mz, lx, ly, lz, a, b, c)
            qw, qx, qy, qz = turned(qw, qx, qy, qz, dt * wx, dt * wy, dt * wz)
            orientation[g, 0], orientation[g, 1], orientation[g, 2], orientation[g, 3] = qw, qx, qy, qz
            wx, wy, wz = spin_of(qw, qx, qy, qz, lx + tx, ly + ty, lz + tz, a, b, c)
            motion[g, 4], motion[g, 5], motion[g, 6] = wx, wy, wz
            for i in range(start[g], start[g + 1]):
                ox, oy, oz = rotated(qw, qx, qy, qz, offset[i, 0], offset[i, 1], offset[i, 2])
                ox, oy, oz = ox + x, oy + y, oz + z
                place[i, 0], place[i, 1], place[i, 2] = ox, oy, oz
                mx, my, mz = ox - origin[i, 0], oy - origin[i, 1], oz - origin[i, 2]
                worst = max(worst, mx * mx + my * my + mz * mz)
        else:
            per = 1.0 / motion[g, 7]
            rx, ry, rz = turn[g, 0] + dt * per * lx, turn[g, 1] + dt * per * ly, turn[g, 2] + dt * per * lz
            if rx * rx + ry * ry + rz * rz > SMALL_TURN:
                qw, qx, qy, qz = orientation[g, 0], orientation[g, 1], orientation[g, 2], orientation[g, 3]
                qw, qx, qy, qz = turned(qw, qx, qy, qz, rx, ry, rz)
                orientation[g, 0], orientation[g, 1], orientation[g, 2], orientation[g, 3] = qw, qx, qy, qz
                rx, ry, rz = 0.0, 0.0, 0.0
            turn[g, 0], turn[g, 1], turn[g, 2] = rx, ry, rz
            motion[g, 4], motion[g, 5], motion[g, 6] = per * (lx + tx), per * (ly + ty), per * (lz + tz)
            place[g, 0], place[g, 1], place[g, 2] = x, y, z
            mx, my, mz = x - origin[g, 0], y - origin[g, 1], z - origin[g, 2]
            worst = max(worst, mx * mx + my * my + mz * mz)
    return worst


@njit(cache=True, error_model="numpy")
def hold(
    g: int, low: int, high: int, wall_slots: Any, stiction: Any, step: float, weight: float,
    fx: float, fy: float, fz: float, tx: float, ty: float, tz: float, kick: float, motion: Any, inertia: Any,
    orientation: Any, velocity: Any, angular: Any, held: Any,
) -> tuple[float, float, float, float, float, float]:  # fmt: skip
    """Stiction: a grain that its Coulomb limit at the walls can hold is brought to rest there.

    It can where the tangential force, with and without the walls' own friction, is below the limit.

    The tangential force is replaced by −m ks vt/tq, the torque along the mean wall normal N is removed and −kτ I ω/tq
    is added; neither may do more than bring the grain to rest within one step. The limit is μ times the load that the
    walls carry: the force along N of a grain at rest is zero in sum, so the sum cannot be the measure.

    Its power is booked with the velocities after the kick: the sum of force · velocity · dt is then the change of
    kinetic energy to the last digit, however fast a grain is stopped.
    """
    nx, ny, nz, limit, ux, uy, uz, touching = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    cx, cy, cz = 0.0, 0.0, 0.0  # the walls' own friction
    held[g, 2], held[g, 3] = 0.0, 0.0
    for k in range(low, high):
        at = (k // 16) * 16 * WALL_SLOTS + k % 16
        wx, wy, wz = wall_slots[at + 96], wall_slots[at + 112], wall_slots[at + 128]
        if wx != 0.0 or wy != 0.0 or wz != 0.0:
            touching += 1.0
            nx, ny, nz = nx + wx, ny + wy, nz + wz
            limit += wall_slots[at + 192]
            push = wall_slots[at] * wx + wall_slots[at + 16] * wy + wall_slots[at + 32] * wz
            cx += wall_slots[at] - push * wx
            cy += wall_slots[at + 16] - push * wy
            cz += wall_slots[at + 32] - push * wz
            ux, uy, uz = ux + wall_slots[at + 144], uy + wall_slots[at + 160], uz + wall_slots[at + 176]
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if touching == 0.0 or size < 1e-6:
        return fx, fy, fz, tx, ty, tz
    nx, ny, nz = nx / size, ny / size, nz / size
    along = fx * nx + fy * ny + fz * nz
    px, py, pz = fx - along * nx, fy - along * ny, fz - along * nz
    ax, ay, az = px - cx, py - cy, pz - cz
    if max(px * px + py * py + pz * pz, ax * ax + ay * ay + az * az) >= limit * limit:
        return fx, fy, fz, tx, ty, tz
    mass = motion[g, 3]
    vx, vy, vz = motion[g, 0] - ux / touching, motion[g, 1] - uy / touching, motion[g, 2] - uz / touching
    speed = vx * nx + vy * ny + vz * nz
    rate = mass * min(stiction[0] / stiction[2], 1.0 / step)
    dx, dy, dz = -rate * (vx - speed * nx) - px, -rate * (vy - speed * ny) - py, -rate * (vz - speed * nz) - pz
    twist = tx * nx + ty * ny + tz * nz
    rate = min(stiction[1] / stiction[2], 1.0 / step)
    wx, wy, wz = motion[g, 4], motion[g, 5], motion[g, 6]
    qw, qx, qy, qz = orientation[g, 0], orientation[g, 1], orientation[g, 2], orientation[g, 3]
    bx, by, bz = rotated(qw, -qx, -qy, -qz, wx, wy, wz)
    bx, by, bz = rotated(qw, qx, qy, qz, inertia[g, 0] * bx, inertia[g, 1] * by, inertia[g, 2] * bz)
    ex, ey, ez = -rate * bx - twist * nx, -rate * by - twist * ny, -rate * bz - twist * nz
    per = kick / mass
    vx, vy, vz = (
        velocity[g, 0] + per * (fx + dx) - ux / touching,
        velocity[g, 1] + per * (fy + dy) - uy / touching,
        velocity[g, 2] + per * (fz + dz) - uz / touching,
    )
    wx, wy, wz = spin_of(
        qw, qx, qy, qz, angular[g, 0] + kick * (tx + ex), angular[g, 1] + kick * (ty + ey),
        angular[g, 2] + kick * (tz + ez), inertia[g, 0], inertia[g, 1], inertia[g, 2],
    )  # fmt: skip
    held[g, 2] = -(dx * vx + dy * vy + dz * vz + ex * wx + ey * wy + ez * wz)
    held[g, 3] = (dx * ux + dy * uy + dz * uz) / touching
    held[g, 0] += weight * held[g, 2]
    held[g, 1] += weight * held[g, 3]
    return fx + dx, fy + dy, fz + dz, tx + ex, ty + ey, tz + ez


@njit(cache=True, error_model="numpy")
def late_power(
    g: int, fx: float, fy: float, fz: float, tx: float, ty: float, tz: float, inertia: Any, orientation: Any,
    motion: Any, velocity: Any, angular: Any,
) -> float:  # fmt: skip
    """Power of the contacts of a grain, W, with the velocities they were told less that with those they left it with.

    Where stiction sets in or lets go within a step the two differ much, and contacts have booked the former.
    """
    wx, wy, wz = spin_of(
        orientation[g, 0], orientation[g, 1], orientation[g, 2], orientation[g, 3],
        angular[g, 0], angular[g, 1], angular[g, 2], inertia[g, 0], inertia[g, 1], inertia[g, 2],
    )  # fmt: skip
    push = fx * (motion[g, 0] - velocity[g, 0]) + fy * (motion[g, 1] - velocity[g, 1])
    push += fz * (motion[g, 2] - velocity[g, 2])
    return push + tx * (motion[g, 4] - wx) + ty * (motion[g, 5] - wy) + tz * (motion[g, 6] - wz)


@njit(cache=True, parallel=True, error_model="numpy")
def gather(
    grains: int, kick: float, pair_range: Any, link_start: Any, links: Any, slots: Any, wall_range: Any,
    wall_slots: Any, gravity: Any, freedom: Any, stiction: Any, step: float, weight: float, inertia: Any,
    orientation: Any, motion: Any, force: Any, torque: Any, velocity: Any, angular: Any, held: Any, pull: Any,
) -> None:  # fmt: skip
    """Let every grain add up its contacts, always in the order of the lists, and kick it for the time `kick` (s)."""
    tethered = len(pull) > 0
    for g in prange(grains):
        fx, fy, fz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for pair in range(pair_range[g], pair_range[g + 1]):
            at = (U(pair) >> U(4)) * U(16 * SLOTS) + (U(pair) & U(15))
            fx += slots[at]
            fy += slots[at + U(16)]
            fz += slots[at + U(32)]
            tx += slots[at + U(48)]
            ty += slots[at + U(64)]
            tz += slots[at + U(80)]
        for e in range(link_start[g], link_start[g + 1]):
            link = np.uint64(links[e])
            at = (link >> U(4)) * U(16 * SLOTS) + (link & U(15))
            fx -= slots[at]
            fy -= slots[at + U(16)]
            fz -= slots[at + U(32)]
            tx += slots[at + U(96)]
            ty += slots[at + U(112)]
            tz += slots[at + U(128)]
        low, high = wall_range[g], wall_range[g + 1]
        for k in range(low, high):
            spot = (k // 16) * 16 * WALL_SLOTS + k % 16
            fx += wall_slots[spot]
            fy += wall_slots[spot + 16]
            fz += wall_slots[spot + 32]
            tx += wall_slots[spot + 48]
            ty += wall_slots[spot + 64]
            tz += wall_slots[spot + 80]
        mass = motion[g, 3]
        cx, cy, cz, rx, ry, rz = fx, fy, fz, tx, ty, tz
        fx += mass * gravity[0]
        fy += mass * gravity[1]
        fz += mass * gravity[2]
        if tethered:
            fx += pull[g, 0]
            fy += pull[g, 1]
            fz += pull[g, 2]
        if STICTION:
            if high == low:
                held[g, 2], held[g, 3] = 0.0, 0.0
            else:
                fx, fy, fz, tx, ty, tz = hold(
                    g, low, high, wall_slots, stiction, step, weight, fx, fy, fz, tx, ty, tz, kick,
                    motion, inertia, orientation, velocity, angular, held,
                )  # fmt: skip
        fx, fy, fz = freedom[0] * fx, freedom[1] * fy, freedom[2] * fz
        tx, ty, tz = freedom[3] * tx, freedom[4] * ty, freedom[5] * tz
        force[g, 0], force[g, 1], force[g, 2] = fx, fy, fz
        torque[g, 0], torque[g, 1], torque[g, 2] = tx, ty, tz
        per = kick / mass
        velocity[g, 0] += per * fx
        velocity[g, 1] += per * fy
        velocity[g, 2] += per * fz
        angular[g, 0] += kick * tx
        angular[g, 1] += kick * ty
        angular[g, 2] += kick * tz
        if STICTION:
            if high > low and kick > 0.0:
                late = late_power(g, cx, cy, cz, rx, ry, rz, inertia, orientation, motion, velocity, angular)
                held[g, 2] += late
                held[g, 0] += weight * late


@njit(cache=True)
def evaluate(
    c: Any, t: float, half: float, step: float, advance: float, weight: float, hold_weight: float, kick: float
) -> None:  # fmt: skip
    """All forces at time t: walls moved, contacts, gather. `c` holds the arrays (see `solvers/soft_arrays.py`).

    weight and hold_weight: times, s, with which the power of contacts, and of stiction and tethers, enters the ledger.
    """
    move_walls(t, c.frames, c.rest, c.motion_range, c.motion_kind, c.motion_table, c.begun, c.pose)
    pair_pass(
        c.blocks, c.first, c.second, c.place, c.grain, c.position, c.motion, c.material, c.kinds, c.table, c.box,
        c.inverse, c.memory, c.slots, c.work, c.deepest, half, step, advance, weight,
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
def verlet_steps(c: Any, begin: int, steps: int, drifted: bool, dt: float, limit: float) -> tuple[int, bool]:
    """Velocity Verlet from step number `begin`, at most `steps` of them.

    Comes back early, with a drift done and its forces still to be found, where a sphere has gone farther than √limit
    since the list was made, or a wall may have; and after a step in which a wall has swallowed a grain. Answers with
    the steps finished and whether a drift is pending.
    """
    for s in range(steps):
        if not drifted:
            worst = drift(
                c.grains, dt, c.start, c.offset, c.inertia, c.force, c.torque, c.position, c.velocity, c.orientation,
                c.angular, c.turn, c.motion, c.place, c.origin,
            )  # fmt: skip
            if DEFORMS:
                worst = deform_box((begin + s + 1) * dt, c.course, c.box, c.inverse, worst)
            if SERVOS:
                drift_servos((begin + s) * dt, dt, c.servo, c.servo_table, c.servo_row, c.motion_table)
            c.strayed[0] += dt * wall_pace(c.frames, c.pose, c.axial, c.reach)
            if not (worst <= limit) or c.strayed[0] * c.strayed[0] > limit:
                return s, True
        evaluate(c, (begin + s + 1) * dt, 0.5 * dt, dt, 1.0, dt, dt, 0.5 * dt)
        drifted = False
        if c.swallowed[0] > 0.0:
            return s + 1, False
    return steps, False
