"""What comes next for a grain: other grains, walls, and what walls hold. A template: see `bound.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from barchan.kernels.turning import rotated
from barchan.kernels.wall_frames import frame_pose
from barchan.solvers.hard.kernels.pairs import NEVER
from barchan.solvers.hard.kernels.queue import inlined, inner
from barchan.solvers.hard.kernels.walls import first_zero, held_jolt, impact

from barchan.solvers.hard.layout import (  # isort: skip
    BEGUN, BREAKS, CELL, CELL_X, CELL_Y, CELL_Z, CLASS, CLOCK, COUNT, FRAME, GRAVITY, HELD, LAST, MARGIN, PARTNER,
    PARTNER_COUNT, PERIOD, PIVOT, RADIUS, ROAM, SHIFT, STILL, TURN, VX, VY, VZ, WANDER, WILD, X, Y, Z,
)  # fmt: skip

# Partners that are no grains: nothing, another look, and from FIRST_WALL downwards the pieces of walls.
NOTHING, LOOK, FIRST_WALL = -1, -2, -3
LONG = 1e299  # s, since the clock of a grain that is held


@inlined
def search_cells(
    i: int, t: float, horizon: float, face: int, grain: Any, link: Any, after: Any, head: Any, space: Any, cells: Any
) -> tuple[float, bool]:
    """Find the first grain that i meets before `horizon`; with a face, only in the cells that have come near with it.

    The partner is entered in `link`; the answer is the moment, and whether walls hold grains in those cells.
    """
    gx, gy, gz = space[GRAVITY], space[GRAVITY + 1], space[GRAVITY + 2]
    own = t - grain[i, CLOCK]
    vx, vy, vz = grain[i, VX] + gx * own, grain[i, VY] + gy * own, grain[i, VZ] + gz * own
    x = grain[i, X] + own * (grain[i, VX] + 0.5 * gx * own)
    y = grain[i, Y] + own * (grain[i, VY] + 0.5 * gy * own)
    z = grain[i, Z] + own * (grain[i, VZ] + 0.5 * gz * own)
    radius = grain[i, RADIUS]
    nx, ny, nz = cells[0], cells[1], cells[2]
    cx, cy, cz = link[i, CELL_X], link[i, CELL_Y], link[i, CELL_Z]
    x_first, x_last, y_first, y_last, z_first, z_last = cx - 1, cx + 1, cy - 1, cy + 1, cz - 1, cz + 1
    if face >= 0:
        if face == 0:
            x_last = x_first
        elif face == 1:
            x_first = x_last
        elif face == 2:
            y_last = y_first
        elif face == 3:
            y_first = y_last
        elif face == 4:
            z_last = z_first
        else:
            z_first = z_last
    best = horizon - t
    found, holding = -1, False
    for ix in range(x_first, x_last + 1):
        ox = x
        if ix < 0 or ix >= nx:
            if cells[3] == 0:
                continue
            if ix < 0:
                ix, ox = ix + nx, x + space[PERIOD]
            else:
                ix, ox = ix - nx, x - space[PERIOD]
        for iy in range(y_first, y_last + 1):
            oy = y
            if iy < 0 or iy >= ny:
                if cells[4] == 0:
                    continue
                if iy < 0:
                    iy, oy = iy + ny, y + space[PERIOD + 1]
                else:
                    iy, oy = iy - ny, y - space[PERIOD + 1]
            row = (ix * ny + iy) * nz
            for iz in range(z_first, z_last + 1):
                oz = z
                if iz < 0 or iz >= nz:
                    if cells[5] == 0:
                        continue
                    if iz < 0:
                        iz, oz = iz + nz, z + space[PERIOD + 2]
                    else:
                        iz, oz = iz - nz, z - space[PERIOD + 2]
                j = head[row + iz]
                while j >= 0:
                    since = t - grain[j, CLOCK]
                    if since > LONG:  # a wall holds it: see `search_held`
                        holding = True
                        j = after[j]
                        continue
                    dx = grain[j, X] + since * (grain[j, VX] + 0.5 * gx * since) - ox
                    dy = grain[j, Y] + since * (grain[j, VY] + 0.5 * gy * since) - oy
                    dz = grain[j, Z] + since * (grain[j, VZ] + 0.5 * gz * since) - oz
                    wx = grain[j, VX] + gx * since - vx
                    wy = grain[j, VY] + gy * since - vy
                    wz = grain[j, VZ] + gz * since - vz
                    closing = -(dx * wx + dy * wy + dz * wz)
                    if closing > 0.0 and j != i:
                        reach = radius + grain[j, RADIUS]
                        gap = dx * dx + dy * dy + dz * dz - reach * reach
                        root = closing * closing - gap * (wx * wx + wy * wy + wz * wz)
                        if root >= 0.0:
                            # Touching or overlapping, and approaching: at once.
                            time = max(gap, 0.0) / (closing + math.sqrt(root))
                            if time < best:
                                best, found = time, j
                    j = after[j]
    if found < 0:
        return horizon, holding
    link[i, PARTNER] = found
    link[i, PARTNER_COUNT] = link[found, COUNT]
    return t + best, holding


@inner
def search_walls(
    i: int, t: float, horizon: float, grain: Any, link: Any, space: Any, wall_start: Any, wall_list: Any, piece: Any,
    shape_table: Any, frame: Any, rest: Any, motion_kind: Any, motion_table: Any,
) -> float:  # fmt: skip
    """Find the first wall that i meets before `horizon`; the piece is entered in `link`, the answer is the moment."""
    cell = link[i, CELL]
    first, last = wall_start[cell], wall_start[cell + 1]
    if first == last:
        return horizon
    gx, gy, gz = space[GRAVITY], space[GRAVITY + 1], space[GRAVITY + 2]
    own = t - grain[i, CLOCK]
    vx, vy, vz = grain[i, VX] + gx * own, grain[i, VY] + gy * own, grain[i, VZ] + gz * own
    x = grain[i, X] + own * (grain[i, VX] + 0.5 * gx * own)
    y = grain[i, Y] + own * (grain[i, VY] + 0.5 * gy * own)
    z = grain[i, Z] + own * (grain[i, VZ] + 0.5 * gz * own)
    for entry in range(first, last):
        p = np.int64(wall_list[entry])
        f = piece[p, FRAME]
        until, broken = horizon, False
        for k in range(BREAKS, rest.shape[1]):
            moment = rest[f, k] + rest[f, BEGUN]
            if t < moment < until:
                until, broken = moment, True
        time, again = impact(
            p, t, until, x, y, z, vx, vy, vz, grain[i, RADIUS], space, grain, piece, shape_table, frame, rest,
            motion_kind, motion_table,
        )  # fmt: skip
        if time < horizon:
            horizon = time
            link[i, PARTNER] = LOOK if again else FIRST_WALL - p
        elif broken:
            horizon = until
            link[i, PARTNER] = LOOK
    return horizon


@inner
def far_off(
    j: int, f: int, pose: Any, window: float, x: float, y: float, z: float, vx: float, vy: float, vz: float,
    radius: float, grain: Any, space: Any, frame: Any, rest: Any,
) -> bool:  # fmt: skip
    """Whether a sphere certainly does not meet grain j, which frame f in this pose holds, within the window, s."""
    if frame[f, CLASS] == WILD:
        return False
    hx, hy, hz = rotated(pose[3], pose[4], pose[5], pose[6], grain[j, X], grain[j, Y], grain[j, Z])
    hx, hy, hz = hx + pose[0], hy + pose[1], hz + pose[2]
    wx, wy, wz = pose[10], pose[11], pose[12]
    vx, vy, vz = vx - pose[7] - wy * hz + wz * hy, vy - pose[8] - wz * hx + wx * hz, vz - pose[9] - wx * hy + wy * hx
    dx, dy, dz = x - hx, y - hy, z - hz
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    room = distance - radius - grain[j, RADIUS]
    if room <= 0.0:
        return False
    nx, ny, nz = dx / distance, dy / distance, dz / distance
    pull = -(nx * space[GRAVITY] + ny * space[GRAVITY + 1] + nz * space[GRAVITY + 2])
    bend = pull + held_jolt(f, hx, hy, hz, rest)
    return first_zero(room, nx * vx + ny * vy + nz * vz, bend) >= window


@inner
def search_held(
    i: int, t: float, horizon: float, grain: Any, link: Any, after: Any, head: Any, space: Any, cells: Any, piece: Any,
    shape_table: Any, frame: Any, rest: Any, motion_kind: Any, motion_table: Any,
) -> float:  # fmt: skip
    """Find the first collision before `horizon` of grain i with one that a wall holds; if i is held, with others.

    The partner is entered in `link`, the answer is the moment. Paths of held grains are those of their walls.
    """
    gx, gy, gz = space[GRAVITY], space[GRAVITY + 1], space[GRAVITY + 2]
    held = grain[i, CLOCK] == HELD
    posed = -1
    pose = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for dx in range(-1, 2):
        for dy in range(-1, 2):
            for dz in range(-1, 2):
                ix, iy, iz = link[i, CELL_X] + dx, link[i, CELL_Y] + dy, link[i, CELL_Z] + dz
                if cells[3] > 0:
                    ix = (ix + cells[0]) % cells[0]
                if cells[4] > 0:
                    iy = (iy + cells[1]) % cells[1]
                if cells[5] > 0:
                    iz = (iz + cells[2]) % cells[2]
                if ix < 0 or ix >= cells[0] or iy < 0 or iy >= cells[1] or iz < 0 or iz >= cells[2]:
                    continue
                j = np.int64(head[(ix * cells[1] + iy) * cells[2] + iz])
                while j >= 0:
                    if (grain[j, CLOCK] == HELD) != held:
                        free, fixed = (j, i) if held else (i, j)
                        f = int(grain[fixed, LAST])
                        if f != posed:
                            pose, posed = frame_pose(f, t, rest, frame, motion_kind, motion_table, rest[f, BEGUN]), f
                        own = t - grain[free, CLOCK]
                        # The image of the free grain that is nearest to the cell of the other one.
                        sx = image(link[free, CELL_X] - link[fixed, CELL_X], cells[0], space[PERIOD])
                        sy = image(link[free, CELL_Y] - link[fixed, CELL_Y], cells[1], space[PERIOD + 1])
                        sz = image(link[free, CELL_Z] - link[fixed, CELL_Z], cells[2], space[PERIOD + 2])
                        x = grain[free, X] + own * (grain[free, VX] + 0.5 * gx * own) + sx
                        y = grain[free, Y] + own * (grain[free, VY] + 0.5 * gy * own) + sy
                        z = grain[free, Z] + own * (grain[free, VZ] + 0.5 * gz * own) + sz
                        vx, vy, vz = grain[free, VX] + gx * own, grain[free, VY] + gy * own, grain[free, VZ] + gz * own
                        until = horizon
                        for k in range(BREAKS, rest.shape[1]):
                            moment = rest[f, k] + rest[f, BEGUN]
                            if t < moment < until:
                                until = moment
                        time, again = NEVER, False
                        if not far_off(
                            fixed, f, pose, until - t, x, y, z, vx, vy, vz, grain[free, RADIUS], grain, space, frame,
                            rest,
                        ):  # fmt: skip
                            time, again = impact(
                                -1 - fixed, t, until, x, y, z, vx, vy, vz, grain[free, RADIUS], space, grain, piece,
                                shape_table, frame, rest, motion_kind, motion_table,
                            )  # fmt: skip
                        if time < until:
                            horizon = time
                            link[i, PARTNER] = LOOK if again else j
                            link[i, PARTNER_COUNT] = link[j, COUNT]
                        elif until < horizon:
                            horizon = until
                            link[i, PARTNER] = LOOK
                    j = np.int64(after[j])
    return horizon


@inner
def image(apart: int, cells: int, period: float) -> float:
    """By how much a grain is to be moved, so that it is near one whose cell is `apart` cells before its own."""
    if apart > cells // 2:
        return -period
    if apart < -(cells // 2):
        return period
    return 0.0


@inner
def next_cell_time(i: int, t: float, grain: Any, space: Any, frame: Any, rest: Any) -> float:
    """When it is to be looked up in which cell a grain is that a wall holds: before cells are too far behind."""
    f = int(grain[i, LAST])
    if frame[f, CLASS] == STILL:
        return NEVER
    x, y, z = rest[f, 0] - rest[f, PIVOT], rest[f, 1] - rest[f, PIVOT + 1], rest[f, 2] - rest[f, PIVOT + 2]
    arm = math.sqrt(x * x + y * y + z * z)
    x, y, z = grain[i, X], grain[i, Y], grain[i, Z]
    arm += math.sqrt(x * x + y * y + z * z)
    if rest[f, ROAM] > 0.0 or rest[f, WANDER] > 0.0:
        arm += rest[f, WANDER] + rest[f, ROAM] * t + space[MARGIN]
    pace = rest[f, SHIFT] + rest[f, TURN] * arm
    return t + space[MARGIN] / pace if pace > 0.0 else NEVER
