"""How every grain adds up its contacts and is kicked, or held by stiction. A template: see `bound.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from barchan.kernels.bound import STICTION
from barchan.kernels.jit import apart, inlined, njit
from barchan.kernels.turning import rotated, spin_of
from barchan.solvers.soft.kernels.lanes import AT_ONCE, add_first, add_row, add_second, nothing, six_of
from barchan.solvers.soft.kernels.rows import LEVERS, SLOTS, U

from barchan.solvers.soft.layout import (  # isort: skip
    HELD_FORCE, HELD_LOSS, HELD_LOSS_POWER, HELD_WORK, HELD_WORK_POWER, LINKS, PAIRS, WALL_SLOTS, WALLS,
)  # fmt: skip


@njit(cache=True)
def let_go(g: int, held: Any) -> None:
    """Nothing holds this grain now: no power and no force."""
    for column in range(2, 7):
        held[g, column] = 0.0


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

    Its force is kept, for what is recorded. Its power is booked with the velocities after the kick: the sum of
    force · velocity · dt is then the change of kinetic energy to the last digit, however fast a grain is stopped.
    """
    nx, ny, nz, limit, ux, uy, uz, touching = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    cx, cy, cz = 0.0, 0.0, 0.0  # the walls' own friction
    let_go(g, held)
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
    held[g, HELD_LOSS_POWER] = -(dx * vx + dy * vy + dz * vz + ex * wx + ey * wy + ez * wz)
    held[g, HELD_WORK_POWER] = (dx * ux + dy * uy + dz * uz) / touching
    held[g, HELD_FORCE], held[g, HELD_FORCE + 1], held[g, HELD_FORCE + 2] = dx, dy, dz
    held[g, HELD_LOSS] += weight * held[g, HELD_LOSS_POWER]
    held[g, HELD_WORK] += weight * held[g, HELD_WORK_POWER]
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


@inlined
def gather_one(
    g: int, kick: float, spans: Any, links: Any, slots: Any, wall_slots: Any,
    gravity: Any, freedom: Any, stiction: Any, step: float, weight: float, inertia: Any, orientation: Any,
    motion: Any, force: Any, torque: Any, velocity: Any, angular: Any, held: Any, pull: Any, base: int, mask: int,
    row: int,
) -> None:  # fmt: skip
    """Let one grain add up its contacts, always in the order of the lists, and kick it for the time `kick` (s).

    spans: as in `sweep_rows.py`. The slots of its own pairs are in rows base + (pair & mask), those of others in the
    rows that `links` names. Force and torque are put into row `row`.
    """
    tethered = len(pull) > 0
    none = len(slots) // SLOTS - 1  # the last row is always zero
    begin, end = np.int64(spans[g, PAIRS]), np.int64(spans[g + 1, PAIRS])
    low, high = np.int64(spans[g, LINKS]), np.int64(spans[g + 1, LINKS])
    if LEVERS:
        total = add_first(nothing(), slots, begin, end, base, mask, none)
        for pair in range(begin + AT_ONCE, end):
            total = add_row(total, slots, base + (pair & mask), 0)
        total = add_second(total, slots, links, low, high, none)
        for e in range(low + AT_ONCE, high):
            total = add_row(total, slots, links[e], 1)
        fx, fy, fz, tx, ty, tz = six_of(total)
    else:
        fx, fy, fz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for pair in range(begin, end):
            at = U(base + (pair & mask)) * U(SLOTS)
            fx += slots[at]
            fy += slots[at + U(1)]
            fz += slots[at + U(2)]
            tx += slots[at + U(3)]
            ty += slots[at + U(4)]
            tz += slots[at + U(5)]
        for e in range(low, high):
            at = U(links[e]) * U(SLOTS)
            fx -= slots[at]
            fy -= slots[at + U(1)]
            fz -= slots[at + U(2)]
            tx += slots[at + U(6)]
            ty += slots[at + U(7)]
            tz += slots[at + U(8)]
    low, high = np.int64(spans[g, WALLS]), np.int64(spans[g + 1, WALLS])
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
            let_go(g, held)
        else:
            fx, fy, fz, tx, ty, tz = hold(
                g, low, high, wall_slots, stiction, step, weight, fx, fy, fz, tx, ty, tz, kick,
                motion, inertia, orientation, velocity, angular, held,
            )  # fmt: skip
    fx, fy, fz = freedom[0] * fx, freedom[1] * fy, freedom[2] * fz
    tx, ty, tz = freedom[3] * tx, freedom[4] * ty, freedom[5] * tz
    force[row, 0], force[row, 1], force[row, 2] = fx, fy, fz
    torque[row, 0], torque[row, 1], torque[row, 2] = tx, ty, tz
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
            held[g, HELD_LOSS_POWER] += late
            held[g, HELD_LOSS] += weight * late


@apart
def gather_stretch(
    begin: int, end: int, belated: int, late: Any, late_grain: Any, late_row: Any, onward: int, home: int, kick: float,
    spans: Any, links: Any, slots: Any, wall_slots: Any, gravity: Any,
    freedom: Any, stiction: Any, step: float, weight: float, inertia: Any, orientation: Any, motion: Any, force: Any,
    torque: Any, velocity: Any, angular: Any, held: Any, pull: Any, base: int, mask: int,
) -> None:  # fmt: skip
    """`gather_one` of the grains begin … end − 1, or of so many late ones; their forces from row `home` on if a drift
    follows.
    """
    for i in range(begin, end):
        g, shift = i, base
        if belated > 0:
            g = late_grain[i]
            shift = late_row[i] - np.int64(spans[g, PAIRS])
        if late[g] == belated:
            gather_one(
                g, kick, spans, links, slots, wall_slots, gravity, freedom, stiction,
                step, weight, inertia, orientation, motion, force, torque, velocity, angular, held, pull, shift, mask,
                home + i - begin if onward > 0 else g,
            )  # fmt: skip
