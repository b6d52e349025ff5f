"""Two spheres on parabolas: when they meet, and what the collision does. Cells that grains are found by.

Grains carry clocks of their own: a row says where a grain was, and how fast, when its trajectory last changed. Between
collisions all grains fall alike, so the distance of two grains follows a straight line, gravity or not.
"""

from __future__ import annotations

import math
from typing import Any

from barchan.kernels.bound import rebound
from barchan.solvers.hard.kernels.queue import entry, inlined, inner

from barchan.solvers.hard.layout import (  # isort: skip
    CELL_X, CLOCK, CONTACT_TIME, CORNER, DEEPEST, GRAVITY, HALF, HELD, LAST, MASS, MATERIAL, NORMAL, OVERLAPS, PAIRS,
    PERIOD, RADIUS, REST, REST_WORK, RESTED, SIZE, SLOW, SPARED, TANGENTIAL, TIMED, VIRIAL, VX, VY, VZ, WX, WY, WZ, X,
    Y, Z,
)  # fmt: skip

NEVER = math.inf
DEEP = 1e-9  # of the smaller radius: an overlap less deep is round-off


@inner
def fall_time(d: float, v: float, g: float) -> float:
    """When a point at height d ≥ 0 above a face, rising at v under the acceleration g, comes down to it; s."""
    if v >= 0.0:
        if g >= 0.0:
            return NEVER
        return (v + math.sqrt(v * v - 2.0 * g * d)) / -g
    root = v * v - 2.0 * g * d
    if root < 0.0:
        return NEVER
    return 2.0 * d / (math.sqrt(root) - v)


@inner
def leave_axis(low: float, size: float, v: float, g: float, below: bool, above: bool) -> tuple[float, bool]:
    """When a point `low` above the lower end of a cell leaves it along an axis, and whether through the upper end.

    `below`, `above`: whether there is a next cell at that end.
    """
    high = max(size - low, 0.0)
    low = max(low, 0.0)
    if g == 0.0:
        if v > 0.0:
            return high / v if above else NEVER, True
        return low / -v if v < 0.0 and below else NEVER, False
    down = fall_time(low, v, g) if below else NEVER
    up = fall_time(high, -v, -g) if above else NEVER
    return min(down, up), up < down


@inlined
def leave_cell(i: int, t: float, grain: Any, link: Any, space: Any, cells: Any) -> tuple[float, int]:
    """When grain i leaves its cell, and through which face: 2 · axis, and one more for the upper one."""
    since = t - grain[i, CLOCK]
    best, face = NEVER, -1
    for axis in range(3):
        c, g = link[i, CELL_X + axis], space[GRAVITY + axis]
        v = grain[i, VX + axis] + g * since
        x = grain[i, axis] + since * (grain[i, VX + axis] + 0.5 * g * since) - space[CORNER + axis]
        around = cells[3 + axis] > 0
        time, upper = leave_axis(
            x - c * space[SIZE + axis], space[SIZE + axis], v, g, around or c > 0, around or c < cells[axis] - 1
        )
        if time < best:
            best, face = time, 2 * axis + (1 if upper else 0)
    return t + best, face


@inlined
def push(factor: float, qx: float, qy: float, qz: float, dx: float, dy: float, dz: float, book: Any) -> None:
    """Add factor · q ⊗ d to the sum of impulses and branches."""
    book[VIRIAL] += factor * qx * dx
    book[VIRIAL + 1] += factor * qx * dy
    book[VIRIAL + 2] += factor * qx * dz
    book[VIRIAL + 3] += factor * qy * dx
    book[VIRIAL + 4] += factor * qy * dy
    book[VIRIAL + 5] += factor * qy * dz
    book[VIRIAL + 6] += factor * qz * dx
    book[VIRIAL + 7] += factor * qz * dy
    book[VIRIAL + 8] += factor * qz * dz


@inlined
def resolve_pair(
    i: int, j: int, t: float, kinds: int, grain: Any, space: Any, surfaces: Any, book: Any, tally: Any
) -> None:  # fmt: skip
    """Let grains i and j, both brought to time t, collide: Richardson's equations for rough spheres."""
    dx, dy, dz = grain[j, X] - grain[i, X], grain[j, Y] - grain[i, Y], grain[j, Z] - grain[i, Z]
    if dx > space[HALF]:
        dx -= space[PERIOD]
    elif dx < -space[HALF]:
        dx += space[PERIOD]
    if dy > space[HALF + 1]:
        dy -= space[PERIOD + 1]
    elif dy < -space[HALF + 1]:
        dy += space[PERIOD + 1]
    if dz > space[HALF + 2]:
        dz -= space[PERIOD + 2]
    elif dz < -space[HALF + 2]:
        dz += space[PERIOD + 2]
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    nx, ny, nz = dx / distance, dy / distance, dz / distance
    si, sj, mi, mj = grain[i, RADIUS], grain[j, RADIUS], grain[i, MASS], grain[j, MASS]
    depth = (si + sj - distance) / min(si, sj)
    if depth > DEEP:
        tally[OVERLAPS] += 1
        book[DEEPEST] = max(book[DEEPEST], depth)
    # u = v + ωj × sj − ωi × si, with si = si n, sj = −sj n
    ax = si * grain[i, WX] + sj * grain[j, WX]
    ay = si * grain[i, WY] + sj * grain[j, WY]
    az = si * grain[i, WZ] + sj * grain[j, WZ]
    ux = grain[j, VX] - grain[i, VX] - (ay * nz - az * ny)
    uy = grain[j, VY] - grain[i, VY] - (az * nx - ax * nz)
    uz = grain[j, VZ] - grain[i, VZ] - (ax * ny - ay * nx)
    un = ux * nx + uy * ny + uz * nz
    tx, ty, tz = ux - un * nx, uy - un * ny, uz - un * nz
    row = int(grain[i, MATERIAL]) * kinds + int(grain[j, MATERIAL])
    total = mi + mj
    reduced = mi * mj / total
    e = rebound(int(surfaces[row, 4]), abs(un), surfaces[row, 0], surfaces[row, 2], surfaces[row, 3])
    et = surfaces[row, 1]
    since = min(t - grain[i, LAST], t - grain[j, LAST])
    away = -e * un  # the speed at which they leave each other
    if e < 1.0 and since < space[CONTACT_TIME] and abs(un) < space[SLOW]:
        tally[TIMED] += 1
        book[SPARED] += 0.5 * reduced * (1.0 - e * e) * un * un
        away = -un
        if away < space[REST]:
            # Slip takes from what the contact time has spared; without a limit ever more collisions would be needed to
            # carry a heap's weight.
            tally[RESTED] += 1
            book[REST_WORK] += 0.5 * reduced * (space[REST] ** 2 - away * away)
            away = space[REST]
    else:
        book[NORMAL] += 0.5 * reduced * (1.0 - e * e) * un * un
    slip = 2.0 / 7.0 * (1.0 - et)
    if slip != 0.0:
        book[TANGENTIAL] += reduced / 7.0 * (1.0 - et * et) * (tx * tx + ty * ty + tz * tz)
    gain = un - away
    qx, qy, qz = gain * nx + slip * tx, gain * ny + slip * ty, gain * nz + slip * tz
    fi, fj = mj / total, mi / total
    push(-reduced, qx, qy, qz, dx, dy, dz, book)
    grain[i, VX] += fi * qx
    grain[i, VY] += fi * qy
    grain[i, VZ] += fi * qz
    grain[j, VX] -= fj * qx
    grain[j, VY] -= fj * qy
    grain[j, VZ] -= fj * qz
    if slip != 0.0:
        cx, cy, cz = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx  # n × u
        wi, wj = 2.5 * slip * fi / si, 2.5 * slip * fj / sj
        grain[i, WX] += wi * cx
        grain[i, WY] += wi * cy
        grain[i, WZ] += wi * cz
        grain[j, WX] += wj * cx
        grain[j, WY] += wj * cy
        grain[j, WZ] += wj * cz
    grain[i, LAST] = t
    grain[j, LAST] = t
    tally[PAIRS] += 1


@inlined
def bring(i: int, t: float, grain: Any, space: Any, attitude: Any) -> None:
    """Bring grain i along its parabola to time t, and turn it by its spin."""
    since = t - grain[i, CLOCK]
    for axis in range(3):
        g = space[GRAVITY + axis]
        grain[i, axis] += since * (grain[i, VX + axis] + 0.5 * g * since)
        grain[i, VX + axis] += g * since
    grain[i, CLOCK] = t
    x, y, z = grain[i, WX], grain[i, WY], grain[i, WZ]
    rate = math.sqrt(x * x + y * y + z * z)
    if rate > 0.0:
        w, half = math.cos(0.5 * rate * since), math.sin(0.5 * rate * since) / rate
        x, y, z = half * x, half * y, half * z
        a, b, c, d = attitude[i, 0], attitude[i, 1], attitude[i, 2], attitude[i, 3]
        attitude[i, 0] = w * a - x * b - y * c - z * d
        attitude[i, 1] = w * b + x * a + y * d - z * c
        attitude[i, 2] = w * c - x * d + y * a + z * b
        attitude[i, 3] = w * d + x * c - y * b + z * a


@entry
def kick(gain: Any, count: int, grain: Any) -> None:
    """Add `gain` (3,), m/s, to the velocities of all grains but those that walls hold."""
    for i in range(count):
        if grain[i, CLOCK] != HELD:
            for axis in range(3):
                grain[i, VX + axis] += gain[axis]


@entry
def bring_all(t: float, count: int, grain: Any, space: Any, attitude: Any) -> None:
    """Bring all grains to time t."""
    for i in range(count):
        if grain[i, CLOCK] != HELD:
            bring(i, t, grain, space, attitude)
