"""Where walls are, how they move, and which of their pieces are near a sphere. A template: see `bound.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from barchan.kernels.bound import REPEATED, Grids, surface_gap
from barchan.kernels.jit import njit, prange
from barchan.kernels.turning import rotated
from barchan.kernels.wall_frames import frame_pose
from barchan.solvers.soft.layout import HOP_LEEWAY, HOP_LEVER, HOP_LIMIT, HOP_RADIUS, HOPPED

AROUND = 6  # the last columns of `shape_table` where a box repeats walls: its lower corner and lengths, m


@njit(cache=True)
def move_walls(
    t: float, frames: int, rest: Any, motions: Any, motion_kind: Any, motion_table: Any, begun: Any, pose: Any
) -> None:  # fmt: skip
    """Where every frame of the walls' pieces is at time t, and how it moves; arguments as in `frame_pose`.

    begun: (frames,) s. pose: (frames, 16) origin 0–2, quaternion 3–6, velocity 7–9 and spin 10–12.
    """
    for p in range(frames):
        now = frame_pose(p, t, rest, motions, motion_kind, motion_table, begun[p])
        for k in range(13):  # not as a slice: its check of lengths takes 2 s to compile
            pose[p, k] = now[k]


@njit(cache=True)
def wall_pace(frames: int, pose: Any, axial: Any, reach: Any) -> float:
    """The fastest speed, m/s, at which a wall's surface moves within reach of the grains.

    reach: middle of the grains and their farthest distance from it, m. That a round wall turns about its own axis does
    not move its surface.
    """
    fastest = 0.0
    for p in range(frames):
        ox, oy, oz = pose[p, 0], pose[p, 1], pose[p, 2]
        wx, wy, wz = pose[p, 10], pose[p, 11], pose[p, 12]
        vx, vy, vz = pose[p, 7] + wy * oz - wz * oy, pose[p, 8] + wz * ox - wx * oz, pose[p, 9] + wx * oy - wy * ox
        ax, ay, az = rotated(pose[p, 3], pose[p, 4], pose[p, 5], pose[p, 6], 0.0, 0.0, 1.0)
        own = axial[p] * (wx * ax + wy * ay + wz * az)
        wx, wy, wz = wx - own * ax, wy - own * ay, wz - own * az
        dx, dy, dz = reach[0] - ox, reach[1] - oy, reach[2] - oz
        vx, vy, vz = vx + wy * dz - wz * dy, vy + wz * dx - wx * dz, vz + wx * dy - wy * dx
        speed = math.sqrt(vx * vx + vy * vy + vz * vz) + reach[3] * math.sqrt(wx * wx + wy * wy + wz * wz)
        fastest = max(fastest, speed)
    return fastest


@njit(cache=True)
def wall_velocity(f: int, x: float, y: float, z: float, pose: Any, axial: Any) -> tuple[float, float, float]:
    """How fast, m/s, frame f's surface moves at a point: as in `wall_pace` without turning that does not move it."""
    wx, wy, wz = pose[f, 10], pose[f, 11], pose[f, 12]
    ax, ay, az = rotated(pose[f, 3], pose[f, 4], pose[f, 5], pose[f, 6], 0.0, 0.0, 1.0)
    own = axial[f] * (wx * ax + wy * ay + wz * az)
    turn_x, turn_y, turn_z = wx - own * ax, wy - own * ay, wz - own * az
    # The velocity in `pose` is that of the point of the frame at the scene's origin: about its own origin it turns.
    ox, oy, oz = pose[f, 0], pose[f, 1], pose[f, 2]
    vx, vy, vz = pose[f, 7] + wy * oz - wz * oy, pose[f, 8] + wz * ox - wx * oz, pose[f, 9] + wx * oy - wy * ox
    dx, dy, dz = x - ox, y - oy, z - oz
    return vx + turn_y * dz - turn_z * dy, vy + turn_z * dx - turn_x * dz, vz + turn_x * dy - turn_y * dx


@njit(cache=True)
def wall_course(
    begin: int, steps: int, dt: float, leeway: float, pending: bool, trailing: bool, frames: int, rest: Any,
    motions: Any, motion_kind: Any, motion_table: Any, begun: Any, axial: Any, reach: Any, pose: Any, strayed: float,
    poses: Any, strays: Any,
) -> tuple[int, float]:  # fmt: skip
    """Where walls will be at the steps after step `begin`: poses, and how far they may have strayed by each drift.

    pending: the first drift is done and counted. trailing: the last step is followed by one more drift. Answers with
    the steps after which a wall may have gone farther than its leeway, m, since the list was made, and with the fastest
    that any moves at these steps, m/s.
    """
    fastest = 0.0
    if not pending:
        strayed += dt * wall_pace(frames, pose, axial, reach)
    strays[0] = strayed
    if not pending and strayed > leeway:
        return 0, fastest
    for s in range(steps):
        move_walls((begin + s + 1) * dt, frames, rest, motions, motion_kind, motion_table, begun, pose)
        poses[s] = pose
        pace = wall_pace(frames, pose, axial, reach)
        fastest = max(fastest, pace)
        if trailing or s < steps - 1:
            strayed += dt * pace
        strays[s + 1] = strayed
        if strayed > leeway:
            return s + 1, fastest
    return steps, fastest


@njit(cache=True)
def piece_gap(
    piece: int, x: float, y: float, z: float, frame: Any, pose: Any, kind: Any, shape_table: Any
) -> tuple[float, float, float, float]:
    """Distance of a point from a piece, m, and the unit normal from the piece to the point, in the scene's frame."""
    f = frame[piece]
    qw, qx, qy, qz = pose[f, 3], pose[f, 4], pose[f, 5], pose[f, 6]
    lx, ly, lz = rotated(qw, -qx, -qy, -qz, x - pose[f, 0], y - pose[f, 1], z - pose[f, 2])
    distance, nx, ny, nz = surface_gap(kind[piece], lx, ly, lz, shape_table, piece)
    nx, ny, nz = rotated(qw, qx, qy, qz, nx, ny, nz)
    return distance, nx, ny, nz


@njit(cache=True)
def turns_round(x: float, low: float, length: float, reach: float) -> tuple[float, int, int]:
    """How far a coordinate, m, is beyond a periodic box, and from which to which further turn its image may matter.

    That is one to either side where a face is nearer than reach, m. A length of 0: the axis does not repeat.
    """
    if length == 0.0:
        return 0.0, 0, 0
    turned = length * math.floor((x - low) / length)
    above = x - turned - low
    return turned, -1 if above < reach else 0, 1 if length - above < reach else 0


@njit(cache=True)
def ends_inside(x: float, low: float, length: float, slack: float, turn: int) -> bool:
    """Whether the foot of a gap lies in the box along an axis, wider by slack, m; asked of images alone."""
    return turn == 0 or (x > low - slack and x < low + length + slack)


@njit(cache=True)
def image_shift(
    piece: int, x: float, y: float, z: float, reach: float, slack: float, frame: Any, pose: Any, kind: Any,
    shape_table: Any,
) -> tuple[float, float, float]:  # fmt: skip
    """By how much, m, a point is to be taken back to meet the piece itself where it is near one of its images.

    A periodic box repeats what of a bounded piece lies in it. The point is brought into the box; where it is nearer to
    a face than reach, m, the surface beyond that face comes from the other end of the box, and counts if its nearest
    point lies there, in the box wider by slack, m, and is nearer than what is on this side.
    """
    at = shape_table.shape[1] - AROUND
    x_low, y_low, z_low = shape_table[piece, at], shape_table[piece, at + 1], shape_table[piece, at + 2]
    x_long, y_long, z_long = shape_table[piece, at + 3], shape_table[piece, at + 4], shape_table[piece, at + 5]
    ox, x_first, x_last = turns_round(x, x_low, x_long, reach)
    oy, y_first, y_last = turns_round(y, y_low, y_long, reach)
    oz, z_first, z_last = turns_round(z, z_low, z_long, reach)
    if x_first == x_last and y_first == y_last and z_first == z_last:
        return ox, oy, oz
    x, y, z = x - ox, y - oy, z - oz
    nearest, _, _, _ = piece_gap(piece, x, y, z, frame, pose, kind, shape_table)
    bx, by, bz = 0, 0, 0
    for ix in range(x_first, x_last + 1):
        for iy in range(y_first, y_last + 1):
            for iz in range(z_first, z_last + 1):
                px, py, pz = x - ix * x_long, y - iy * y_long, z - iz * z_long
                distance, nx, ny, nz = piece_gap(piece, px, py, pz, frame, pose, kind, shape_table)
                if (
                    distance < nearest
                    and ends_inside(px - distance * nx, x_low, x_long, slack, ix)
                    and ends_inside(py - distance * ny, y_low, y_long, slack, iy)
                    and ends_inside(pz - distance * nz, z_low, z_long, slack, iz)
                ):
                    nearest, bx, by, bz = distance, ix, iy, iz
    return ox + bx * x_long, oy + by * y_long, oz + bz * z_long


@njit(cache=True)
def wall_gap(
    piece: int, x: float, y: float, z: float, reach: float, slack: float, frame: Any, pose: Any, kind: Any,
    shape_table: Any,
) -> tuple[float, float, float, float]:  # fmt: skip
    """`piece_gap`, and in a periodic box that from the image of the piece which `image_shift` finds."""
    if REPEATED:
        ox, oy, oz = image_shift(piece, x, y, z, reach, slack, frame, pose, kind, shape_table)
        x, y, z = x - ox, y - oy, z - oz
    return piece_gap(piece, x, y, z, frame, pose, kind, shape_table)


@njit(cache=True, error_model="numpy")
def wall_hop(
    i: int, p: int, step: float, place: Any, grain: Any, start: Any, center: Any, motion: Any, frame: Any, pose: Any,
    kind: Any, shape_table: Any, axial: Any,
) -> float:  # fmt: skip
    """How far a step moves sphere i against piece p, in radii of the smallest sphere of its grain.

    0 if so far away that it neither comes to it within the step, nor may have passed it in the one before.
    """
    x, y, z, radius = place[i, 0], place[i, 1], place[i, 2], place[i, 3]
    a = grain[i]
    ax, ay, az = x - center[a, 0], y - center[a, 1], z - center[a, 2]
    wx, wy, wz = float(motion[a, 4]), float(motion[a, 5]), float(motion[a, 6])
    vx = motion[a, 0] + wy * az - wz * ay
    vy = motion[a, 1] + wz * ax - wx * az
    vz = motion[a, 2] + wx * ay - wy * ax
    if REPEATED:
        reach = radius + step * math.sqrt(vx * vx + vy * vy + vz * vz)
        ox, oy, oz = image_shift(p, x, y, z, reach, reach, frame, pose, kind, shape_table)
        x, y, z = x - ox, y - oy, z - oz
    distance, ux, uy, uz = piece_gap(p, x, y, z, frame, pose, kind, shape_table)
    gone_x, gone_y, gone_z = wall_velocity(
        frame[p], x - distance * ux, y - distance * uy, z - distance * uz, pose, axial
    )
    own = math.sqrt(gone_x * gone_x + gone_y * gone_y + gone_z * gone_z)
    vx, vy, vz = vx - gone_x, vy - gone_y, vz - gone_z
    way = step * math.sqrt(vx * vx + vy * vy + vz * vz)
    if distance - radius > way + step * own:  # twice the wall's: it may only just have begun to move
        return 0.0
    smallest = radius
    for s in range(start[a], start[a + 1]):
        smallest = min(smallest, place[s, 3])
    return way / smallest


@njit(cache=True, error_model="numpy")
def find_hops(
    contacts: int, sphere: Any, piece: Any, step: float, pace: float, hop: Any, place: Any, grain: Any, start: Any,
    center: Any, motion: Any, frame: Any, pose: Any, kind: Any, shape_table: Any, axial: Any,
) -> None:  # fmt: skip
    """Tell in hop[HOPPED] whether a step moves a grain too far against a wall; pace: m/s, of the fastest wall.

    While a list lasts no sphere is farther than its leeway from where it was, so none can go twice as far in a step:
    where that is little enough nobody looks.
    """
    spared = hop[HOP_LIMIT] * hop[HOP_RADIUS] - step * pace  # m, that grains may go whatever walls do
    if 2.0 * hop[HOP_LEEWAY] <= spared:
        return
    sure = 0.5 * (max(spared, 0.0) / step) ** 2
    for k in range(contacts):
        a = grain[sphere[k]]
        speed = motion[a, 0] * motion[a, 0] + motion[a, 1] * motion[a, 1] + motion[a, 2] * motion[a, 2]
        spin = motion[a, 4] * motion[a, 4] + motion[a, 5] * motion[a, 5] + motion[a, 6] * motion[a, 6]
        if speed + hop[HOP_LEVER] * hop[HOP_LEVER] * spin >= sure:
            way = wall_hop(
                sphere[k], piece[k], step, place, grain, start, center, motion, frame, pose, kind, shape_table, axial
            )
            if way > hop[HOP_LIMIT]:
                hop[HOPPED] = 1.0


@njit(cache=True, error_model="numpy")
def farthest_hop(
    contacts: int, sphere: Any, piece: Any, step: float, place: Any, grain: Any, start: Any, center: Any, motion: Any,
    frame: Any, pose: Any, kind: Any, shape_table: Any, axial: Any,
) -> tuple[float, int]:  # fmt: skip
    """The largest `wall_hop` of all near contacts, and whose it is."""
    most, whose = 0.0, 0
    for k in range(contacts):
        way = wall_hop(
            sphere[k], piece[k], step, place, grain, start, center, motion, frame, pose, kind, shape_table, axial
        )
        if way > most:
            most, whose = way, k
    return most, whose


@njit(cache=True, parallel=True)
def near_walls(
    place: Any, count: int, grids: Grids, present: Any, frame: Any, pose: Any, kind: Any, shape_table: Any, found: Any,
    found_count: Any,
) -> None:  # fmt: skip
    """For every sphere the pieces that it touches, in ascending order: found[i, :found_count[i]].

    Where a row is too short the count still says how long it should have been.
    """
    for i in prange(count):  # int64: see `inlined`
        found_count[i] = near_pieces(np.int64(i), place, grids, present, frame, pose, kind, shape_table, found)


@njit(cache=True)
def near_pieces(
    i: int, place: Any, grids: Grids, present: Any, frame: Any, pose: Any, kind: Any, shape_table: Any, found: Any
) -> int:  # fmt: skip
    """The pieces that sphere i touches, into found[i]; answers with how many there are."""
    room = found.shape[1]
    n = 0
    x, y, z, reach = place[i, 0], place[i, 1], place[i, 2], place[i, 3]
    for entry in range(len(grids.loose)):
        p = grids.loose[entry]
        if present[p]:
            distance, _, _, _ = wall_gap(p, x, y, z, reach, reach, frame, pose, kind, shape_table)
            if distance < reach:
                if n < room:
                    found[i, n] = p
                n += 1
    for g in range(len(grids.piece)):
        p = grids.piece[g]
        if not present[p]:
            continue
        if REPEATED:
            at = shape_table.shape[1] - AROUND
            x_long, y_long, z_long = shape_table[p, at + 3], shape_table[p, at + 4], shape_table[p, at + 5]
            ox, x_first, x_last = turns_round(x, shape_table[p, at], x_long, reach)
            oy, y_first, y_last = turns_round(y, shape_table[p, at + 1], y_long, reach)
            oz, z_first, z_last = turns_round(z, shape_table[p, at + 2], z_long, reach)
            for ix in range(x_first, x_last + 1):
                for iy in range(y_first, y_last + 1):
                    for iz in range(z_first, z_last + 1):
                        n = near_facets(
                            i, g, n, x - ox - ix * x_long, y - oy - iy * y_long, z - oz - iz * z_long, reach, grids,
                            frame, pose, kind, shape_table, found,
                        )  # fmt: skip
        else:
            n = near_facets(i, g, n, x, y, z, reach, grids, frame, pose, kind, shape_table, found)
    return n


@njit(cache=True)
def near_facets(
    i: int, g: int, n: int, x: float, y: float, z: float, reach: float, grids: Grids, frame: Any, pose: Any, kind: Any,
    shape_table: Any, found: Any,
) -> int:  # fmt: skip
    """Add the facets of mesh g nearer to a point than reach, m, to the n pieces in found[i]; how many there are then.

    A facet that was found at another image of the point is counted once, as far as the row is long enough.
    """
    room = found.shape[1]
    f = frame[grids.piece[g]]
    lx, ly, lz = rotated(
        pose[f, 3], -pose[f, 4], -pose[f, 5], -pose[f, 6], x - pose[f, 0], y - pose[f, 1], z - pose[f, 2]
    )
    lx, ly, lz = lx - grids.corner[g, 0], ly - grids.corner[g, 1], lz - grids.corner[g, 2]
    size, cells = grids.size[g], grids.cells[g]
    low_x, high_x = cell_range(lx, reach, size, cells[0])
    low_y, high_y = cell_range(ly, reach, size, cells[1])
    low_z, high_z = cell_range(lz, reach, size, cells[2])
    for cx in range(low_x, high_x):
        for cy in range(low_y, high_y):
            for cz in range(low_z, high_z):
                c = grids.offset[g] + (cx * cells[1] + cy) * cells[2] + cz
                for e in range(grids.start[c], grids.start[c + 1]):
                    p = grids.entries[e]
                    # A facet lies in several cells: it is looked at in the lowest of those searched.
                    if (
                        cx != max(low_x, grids.first[p, 0])
                        or cy != max(low_y, grids.first[p, 1])
                        or cz != max(low_z, grids.first[p, 2])
                    ):
                        continue
                    distance, _, _, _ = piece_gap(p, x, y, z, frame, pose, kind, shape_table)
                    if distance < reach:
                        k = min(n, room)
                        while k > 0 and found[i, k - 1] > p:
                            k -= 1
                        if REPEATED and k > 0 and found[i, k - 1] == p:
                            continue
                        if n < room:
                            for later in range(n, k, -1):
                                found[i, later] = found[i, later - 1]
                            found[i, k] = p
                        n += 1
    return n


@njit(cache=True)
def cell_range(x: float, reach: float, size: float, cells: int) -> tuple[int, int]:
    """The cells along an axis, first and last + 1, that x ± reach touches; x counts from the grid's corner."""
    low = min(max((x - reach) / size, 0.0), float(cells))
    high = min(max((x + reach) / size, -1.0), cells - 1.0)
    return math.floor(low), math.floor(high) + 1
