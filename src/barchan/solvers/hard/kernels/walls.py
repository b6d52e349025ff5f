"""When a sphere meets a wall, and what the collision does. A template: see `bound.py`.

The moment of impact is found on the true distance d from the surface, for every shape and motion alike, by steps that
cannot pass a contact. The ball about c = x + μ n that touches the surface where it is nearest is empty of surface, so

    d(x + w) ≥ d + n·w − w²/(2μ),

where μ is infinite for convex surfaces and, for surfaces of revolution, how far the normal n goes on until it meets the
axis. With the bounds on speed and acceleration this is a parabola below d(t), and its first zero is the next place to
look. For a plane it is d(t) itself, so the first step hits; elsewhere the steps shrink like Newton's, and a path that
only just touches is not missed.
"""

from __future__ import annotations

import math
from typing import Any

from barchan.kernels.bound import rebound, surface_gap
from barchan.kernels.turning import rotated
from barchan.kernels.wall_frames import frame_pose
from barchan.solvers.hard.kernels.pairs import DEEP, NEVER, push
from barchan.solvers.hard.kernels.queue import entry, inner

from barchan.solvers.hard.layout import (  # isort: skip
    BEGUN, CLASS, CLOCK, CONTACT_TIME, CORNER, DEEPEST, ELASTIC_REST, FRAME, GAP, GRAVITY, HELD, JOLT, LAST, LEAVES,
    MASS, MATERIAL, MATRIX, NORMAL, OVERLAPS, PAIRS, PIECE_MATERIAL, PIVOT, RADIUS, REST, REST_WORK, RESTED, ROAM,
    ROUND, SHIFT, SHIFTED, SHIFTING, SIZE, SLOW, SPARED, SPINNING, STILL, TANGENTIAL, TIMED, TURN, TURNING, VX, VY, VZ,
    WALL_WORK, WALLS, WANDER, WILD, WX, WY, WZ, X, Y, Z,
)  # fmt: skip

TOUCH = 1e-12  # of the radius: a gap that counts as none
MOST_STEPS = 200  # of one search; then the grain is looked at again from there
SKIM = (
    1e-4  # of a radius, how far a grain goes from a surface of which no acceleration is known, before it is looked at
)
GLIDE = 1e-5  # of the tangential speed, at which a grain leaves a surface at least
BRIEF = 1e-6  # of the time it takes to fall a radius: a flight shorter than this is rest


@inner
def frame_of(p: int, grain: Any, piece: Any, frame: Any) -> tuple[int, bool]:
    """The frame of a piece or of a grain that is held, and whether it stays in place, be it that a round one spins."""
    if p < 0:
        f = int(grain[-1 - p, LAST])
        return f, frame[f, CLASS] == STILL
    f = piece[p, FRAME]
    return f, frame[f, CLASS] <= SPINNING


@inner
def gap_of(
    p: int, x: float, y: float, z: float, grain: Any, piece: Any, shape_table: Any
) -> tuple[float, float, float, float]:
    """Distance of a point, in the frame's coordinates, from a piece or a grain that is held, and the normal there."""
    if p >= 0:
        return surface_gap(piece[p, GAP], x, y, z, shape_table, p)
    j = -1 - p
    x, y, z = x - grain[j, X], y - grain[j, Y], z - grain[j, Z]
    r = math.sqrt(x * x + y * y + z * z)
    return r - grain[j, RADIUS], x / r, y / r, z / r


@inner
def wall_view(
    p: int, t: float, x: float, y: float, z: float, grain: Any, piece: Any, shape_table: Any, frame: Any, rest: Any,
    motion_kind: Any, motion_table: Any,
) -> tuple[float, float, float, float, float, float, float, float]:  # fmt: skip
    """Distance of a point from piece p at time t, unit normal towards it, velocity of the surface there, and μ.

    A grain j that a wall holds is a piece too, with the number −1 − j.
    """
    vx, vy, vz = 0.0, 0.0, 0.0
    f, still = frame_of(p, grain, piece, frame)
    if still:
        x, y, z = x - rest[f, 0], y - rest[f, 1], z - rest[f, 2]
        lx = rest[f, MATRIX] * x + rest[f, MATRIX + 1] * y + rest[f, MATRIX + 2] * z
        ly = rest[f, MATRIX + 3] * x + rest[f, MATRIX + 4] * y + rest[f, MATRIX + 5] * z
        lz = rest[f, MATRIX + 6] * x + rest[f, MATRIX + 7] * y + rest[f, MATRIX + 8] * z
        distance, mx, my, mz = gap_of(p, lx, ly, lz, grain, piece, shape_table)
        nx = rest[f, MATRIX] * mx + rest[f, MATRIX + 3] * my + rest[f, MATRIX + 6] * mz
        ny = rest[f, MATRIX + 1] * mx + rest[f, MATRIX + 4] * my + rest[f, MATRIX + 7] * mz
        nz = rest[f, MATRIX + 2] * mx + rest[f, MATRIX + 5] * my + rest[f, MATRIX + 8] * mz
    else:
        ox, oy, oz, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz = frame_pose(
            f, t, rest, frame, motion_kind, motion_table, rest[f, BEGUN]
        )
        lx, ly, lz = rotated(qw, -qx, -qy, -qz, x - ox, y - oy, z - oz)
        distance, mx, my, mz = gap_of(p, lx, ly, lz, grain, piece, shape_table)
        nx, ny, nz = rotated(qw, qx, qy, qz, mx, my, mz)
        cx, cy, cz = x - distance * nx, y - distance * ny, z - distance * nz
        vx, vy, vz = vx + wy * cz - wz * cy, vy + wz * cx - wx * cz, vz + wx * cy - wy * cx
    clearance = NEVER
    inward = -(mx * lx + my * ly)  # times the distance from the axis
    if p >= 0 and inward > 0.0 and rest[f, ROUND] > 0.0:
        clearance = (lx * lx + ly * ly) / inward
    return distance, nx, ny, nz, vx, vy, vz, clearance


@inner
def held_jolt(f: int, x: float, y: float, z: float, rest: Any) -> float:
    """The highest acceleration, m/s², that a grain which frame f holds, and which is at this place, ever has."""
    ax, ay, az = x - rest[f, PIVOT], y - rest[f, PIVOT + 1], z - rest[f, PIVOT + 2]
    return float(rest[f, JOLT] + rest[f, TURN] ** 2 * math.sqrt(ax * ax + ay * ay + az * az))


@inner
def first_zero(room: float, rate: float, bend: float) -> float:
    """The first zero δ > 0 of room + rate δ − bend δ²/2, for room > 0; s."""
    root = rate * rate + 2.0 * bend * room
    if root < 0.0:
        return NEVER
    if rate < 0.0:
        return 2.0 * room / (math.sqrt(root) - rate)
    return (rate + math.sqrt(root)) / bend if bend > 0.0 else NEVER


@inner
def impact(
    p: int, now: float, until: float, x: float, y: float, z: float, vx: float, vy: float, vz: float, radius: float,
    space: Any, grain: Any, piece: Any, shape_table: Any, frame: Any, rest: Any, motion_kind: Any, motion_table: Any,
) -> tuple[float, bool]:  # fmt: skip
    """When a sphere that is at (x, y, z) now meets piece p, before `until`; NEVER if it does not.

    True beside a time: nothing happens up to then, and the search is to be taken up again there.
    """
    gx, gy, gz = space[GRAVITY], space[GRAVITY + 1], space[GRAVITY + 2]
    weight = math.sqrt(gx * gx + gy * gy + gz * gz)
    f, still = frame_of(p, grain, piece, frame)
    moving = STILL if still else max(frame[f, CLASS], SHIFTING)
    if not still and frame[f, CLASS] == SPINNING:
        moving = TURNING  # what a spinning wall holds goes round
    tolerance = TOUCH * radius
    t = now
    for _ in range(MOST_STEPS):
        since = t - now
        px = x + since * (vx + 0.5 * gx * since)
        py = y + since * (vy + 0.5 * gy * since)
        pz = z + since * (vz + 0.5 * gz * since)
        ux, uy, uz = vx + gx * since, vy + gy * since, vz + gz * since
        distance, nx, ny, nz, sx, sy, sz, clear = wall_view(
            p, t, px, py, pz, grain, piece, shape_table, frame, rest, motion_kind, motion_table
        )
        room = distance - radius
        rate = nx * (ux - sx) + ny * (uy - sy) + nz * (uz - sz)
        touching = room <= tolerance
        if touching and rate < 0.0:
            return t, False
        pull = -(nx * gx + ny * gy + nz * gz)  # how gravity bends the gap towards zero
        window = until - t
        speed, skim = 0.0, 0.0
        if moving == STILL and clear == NEVER:
            bend = pull
        elif p < 0 and moving < WILD:
            # A sphere on a known path: the gap along the present normal is never more than the gap.
            reach = distance + grain[-1 - p, RADIUS]
            bend = pull + held_jolt(f, px - reach * nx, py - reach * ny, pz - reach * nz, rest)
            pace = math.sqrt(ux * ux + uy * uy + uz * uz) + math.sqrt(sx * sx + sy * sy + sz * sz)
            skim = SKIM * radius / pace
        else:
            # Speeds are bounded over a window in which the grain goes four radii at most.
            own = math.sqrt(ux * ux + uy * uy + uz * uz)
            window = min(window, 8.0 * radius / (own + math.sqrt(own * own + 8.0 * weight * radius)))
            if moving >= TURNING and rest[f, ROAM] > 0.0:
                window = min(window, 4.0 * radius / rest[f, ROAM])
            speed = own
            if weight > 0.0:  # else the window may have no end
                speed += weight * window
            bend = pull
            if moving == SHIFTING:
                speed += rest[f, SHIFT]
                bend += rest[f, JOLT]
            elif moving >= TURNING:
                ax, ay, az = px - rest[f, PIVOT], py - rest[f, PIVOT + 1], pz - rest[f, PIVOT + 2]
                arm = math.sqrt(ax * ax + ay * ay + az * az) + 4.0 * radius
                if rest[f, ROAM] > 0.0 or rest[f, WANDER] > 0.0:
                    arm += rest[f, WANDER] + rest[f, ROAM] * t + 4.0 * radius
                speed += rest[f, SHIFT] + rest[f, TURN] * arm
                bend = weight + rest[f, TURN] * (rest[f, TURN] * arm + 2.0 * speed)
            bend += speed * speed / clear
            skim = SKIM * radius / speed
        if touching:
            if moving == WILD:
                step = skim
            elif bend <= 0.0:
                step = window
            else:
                # From the surface it comes back after 2 rate/bend; from within it may turn back in half of that.
                step = (2.0 if room >= -tolerance else 1.0) * rate / bend
                if step < BRIEF * math.sqrt(radius / bend):
                    if pull > 0.0 or moving == STILL:
                        return t, False
                    step = skim
        else:
            step = 0.0 if moving == WILD else first_zero(room, rate, bend)
            if speed > 0.0:
                step = max(step, room / speed)
                if moving == WILD and rate >= 0.0:
                    step = max(step, skim)
        later = t + min(step, window)
        if later >= until:
            return NEVER, False
        if later <= t:  # the gap is below what the clock can tell
            if rate < 0.0:
                return t, False
            later = math.nextafter(t, NEVER)
        t = later
    return t, True


@inner
def resolve_wall(
    i: int, p: int, t: float, dx: float, dy: float, dz: float, kinds: int, grain: Any, space: Any, surfaces: Any,
    wall_surfaces: Any, book: Any, tally: Any, piece: Any, shape_table: Any, frame: Any, rest: Any, motion_kind: Any,
    motion_table: Any,
) -> None:  # fmt: skip
    """Let grain i, brought to time t, collide with piece p, or with what a wall holds: both are infinitely heavy.

    (dx, dy, dz) is the way from the grain to the periodic image that is meant.
    """
    x, y, z, s, m = grain[i, X] + dx, grain[i, Y] + dy, grain[i, Z] + dz, grain[i, RADIUS], grain[i, MASS]
    distance, nx, ny, nz, sx, sy, sz, _ = wall_view(
        p, t, x, y, z, grain, piece, shape_table, frame, rest, motion_kind, motion_table
    )
    f, _ = frame_of(p, grain, piece, frame)
    if p >= 0 and frame[f, CLASS] == SPINNING:
        pose = frame_pose(f, t, rest, frame, motion_kind, motion_table, rest[f, BEGUN])
        cx, cy, cz = x - distance * nx, y - distance * ny, z - distance * nz
        wx, wy, wz = pose[10], pose[11], pose[12]
        sx, sy, sz = pose[7] + wy * cz - wz * cy, pose[8] + wz * cx - wx * cz, pose[9] + wx * cy - wy * cx
    if (s - distance) / s > DEEP:
        tally[OVERLAPS] += 1
        book[DEEPEST] = max(book[DEEPEST], (s - distance) / s)
    row = int(grain[i, MATERIAL]) * kinds
    if p < 0:
        row += int(grain[-1 - p, MATERIAL])
        strike(i, t, m, s, nx, ny, nz, sx, sy, sz, row, grain, space, surfaces, book, tally)
        tally[PAIRS] += 1
    else:
        row += piece[p, PIECE_MATERIAL]
        strike(i, t, m, s, nx, ny, nz, sx, sy, sz, row, grain, space, wall_surfaces, book, tally)
        tally[WALLS] += 1


@inner
def strike(
    i: int, t: float, m: float, s: float, nx: float, ny: float, nz: float, sx: float, sy: float, sz: float, row: int,
    grain: Any, space: Any, surfaces: Any, book: Any, tally: Any,
) -> None:  # fmt: skip
    """What an infinitely heavy body that moves at (sx, sy, sz) where it is touched does to grain i; n points to i."""
    # u = v + ω × (−s n) − velocity of the surface
    ux = grain[i, VX] - s * (grain[i, WY] * nz - grain[i, WZ] * ny) - sx
    uy = grain[i, VY] - s * (grain[i, WZ] * nx - grain[i, WX] * nz) - sy
    uz = grain[i, VZ] - s * (grain[i, WX] * ny - grain[i, WY] * nx) - sz
    un = ux * nx + uy * ny + uz * nz
    tx, ty, tz = ux - un * nx, uy - un * ny, uz - un * nz
    slide = math.sqrt(tx * tx + ty * ty + tz * tz)
    e = rebound(int(surfaces[row, 4]), abs(un), surfaces[row, 0], surfaces[row, 2], surfaces[row, 3])
    et = surfaces[row, 1]
    least = space[ELASTIC_REST]
    if e < 1.0:
        least = space[REST]
        if t - grain[i, LAST] < space[CONTACT_TIME] and abs(un) < space[SLOW]:
            tally[TIMED] += 1
            book[SPARED] += 0.5 * m * (1.0 - e * e) * un * un
            e = 1.0
    away = -e * un  # the speed at which it leaves
    book[NORMAL] += 0.5 * m * (un * un - away * away)
    least = max(least, GLIDE * slide)
    if away < least:
        tally[RESTED] += 1
        book[REST_WORK] += 0.5 * m * (least * least - away * away)
        away = least
    slip = 2.0 / 7.0 * (1.0 - et)
    book[TANGENTIAL] += m / 7.0 * (1.0 - et * et) * slide * slide
    gain = away - un
    qx, qy, qz = gain * nx - slip * tx, gain * ny - slip * ty, gain * nz - slip * tz
    book[WALL_WORK] += m * (qx * sx + qy * sy + qz * sz)
    push(m * s, qx, qy, qz, nx, ny, nz, book)
    grain[i, VX] += qx
    grain[i, VY] += qy
    grain[i, VZ] += qz
    if slip != 0.0:
        w = 2.5 * slip / s
        grain[i, WX] += w * (ny * tz - nz * ty)
        grain[i, WY] += w * (nz * tx - nx * tz)
        grain[i, WZ] += w * (nx * ty - ny * tx)
    grain[i, LAST] = t


@inner
def hold(
    i: int, p: int, t: float, grain: Any, attitude: Any, space: Any, book: Any, piece: Any, frame: Any, rest: Any,
    motion_kind: Any, motion_table: Any,
) -> None:  # fmt: skip
    """Let piece p hold grain i, brought to time t, from now on: it becomes a part of the wall.

    Its kinetic energy is lost to the wall; its potential energy leaves the sum over grains and stays in the books.
    """
    f = piece[p, FRAME]
    ox, oy, oz, qw, qx, qy, qz, _, _, _, _, _, _ = frame_pose(
        f, t, rest, frame, motion_kind, motion_table, rest[f, BEGUN]
    )
    m, s = grain[i, MASS], grain[i, RADIUS]
    moving, turning, height = 0.0, 0.0, 0.0
    for axis in range(3):
        moving += grain[i, VX + axis] ** 2
        turning += grain[i, WX + axis] ** 2
        height -= space[GRAVITY + axis] * grain[i, X + axis]
        grain[i, VX + axis] = 0.0
        grain[i, WX + axis] = 0.0
    book[NORMAL] += 0.5 * m * (moving + 0.4 * s * s * turning)
    book[SHIFTED] += m * height
    grain[i, X], grain[i, Y], grain[i, Z] = rotated(
        qw, -qx, -qy, -qz, grain[i, X] - ox, grain[i, Y] - oy, grain[i, Z] - oz
    )
    a, b, c, d = attitude[i, 0], attitude[i, 1], attitude[i, 2], attitude[i, 3]
    attitude[i, 0] = qw * a + qx * b + qy * c + qz * d
    attitude[i, 1] = qw * b - qx * a - qy * d + qz * c
    attitude[i, 2] = qw * c + qx * d - qy * a - qz * b
    attitude[i, 3] = qw * d - qx * c + qy * b - qz * a
    grain[i, CLOCK], grain[i, LAST], grain[i, LEAVES] = HELD, f, t


@entry
def walls_near_cells(
    pieces: Any, ranges: Any, reach: float, space: Any, cells: Any, grain: Any, piece: Any, shape_table: Any,
    frame: Any, rest: Any, motion_kind: Any, motion_table: Any, start: Any, entries: Any, fill: bool,
) -> None:  # fmt: skip
    """List the pieces that a grain of radius up to `reach` may touch while its centre is in a cell.

    pieces: those that are there. ranges: (P, 6) first and last + 1 cell along each axis that a piece lies near. Cells
    at an open end of the grid reach on without end, so all pieces are near them; so are pieces that move, everywhere.
    Called twice: first it counts into start[cell + 1]; then, with `fill`, it writes entries from start[cell] on and
    leaves start[cell] where the next cell begins.
    """
    half = 0.0
    for axis in range(3):
        half += (0.5 * space[SIZE + axis]) ** 2
    near = reach + math.sqrt(half)
    for p in pieces:
        moving = frame[piece[p, FRAME], CLASS] > SPINNING
        for ix in range(cells[0]):
            for iy in range(cells[1]):
                for iz in range(cells[2]):
                    outer = (
                        (cells[3] == 0 and (ix == 0 or ix == cells[0] - 1))
                        or (cells[4] == 0 and (iy == 0 or iy == cells[1] - 1))
                        or (cells[5] == 0 and (iz == 0 or iz == cells[2] - 1))
                    )
                    if not moving and not outer:
                        if (
                            ix < ranges[p, 0] or ix >= ranges[p, 1] or iy < ranges[p, 2] or iy >= ranges[p, 3]
                            or iz < ranges[p, 4] or iz >= ranges[p, 5]
                        ):  # fmt: skip
                            continue
                        x = space[CORNER] + (ix + 0.5) * space[SIZE]
                        y = space[CORNER + 1] + (iy + 0.5) * space[SIZE + 1]
                        z = space[CORNER + 2] + (iz + 0.5) * space[SIZE + 2]
                        if wall_view(
                            p, 0.0, x, y, z, grain, piece, shape_table, frame, rest, motion_kind, motion_table
                        )[0] > near:  # fmt: skip
                            continue
                    cell = (ix * cells[1] + iy) * cells[2] + iz
                    if fill:
                        entries[start[cell]] = p
                        start[cell] += 1
                    else:
                        start[cell + 1] += 1


@entry
def distances(
    points: Any, pieces: Any, t: float, grain: Any, piece: Any, shape_table: Any, frame: Any, rest: Any,
    motion_kind: Any, motion_table: Any, out: Any,
) -> None:  # fmt: skip
    """out[k]: how far point k is from piece pieces[k] at time t, m."""
    for k in range(len(pieces)):
        out[k] = wall_view(
            pieces[k], t, points[k, 0], points[k, 1], points[k, 2], grain, piece, shape_table, frame, rest,
            motion_kind, motion_table,
        )[0]  # fmt: skip
