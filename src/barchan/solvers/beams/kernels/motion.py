"""Beams between triangles, and carrying triangles through time.

A triangle's state is (x, z, angle) × (value, rate, and further derivatives); angles are counter-clockwise in the x–z
plane, so a spin about y is the negative rate. Functions work on the rows low … high of what they are given.

Gear's corrector moves places together with velocities, so x × v drifts away from what the torques say, though only as
the method's order lets it. A fourth row of the state therefore carries the triangle's angular momentum about the origin
(in the column of rates) with the same linear scheme, and the spin is what it leaves over: angular momentum adds up to
zero wherever torques do, to the last digits, and the order stays.
"""

from __future__ import annotations

import math
from typing import Any

from barchan.kernels.jit import njit

from barchan.solvers.beams.layout import (  # isort: skip
    BEAM_COLUMNS, BEAM_LENGTH, BEAM_LOSS, BEAM_STORED, BEAM_TURN_FIRST, BEAM_TURN_SECOND, BEAM_X, BEAM_Z, BY_FORCE,
    BY_MOMENT, BY_STRETCH, CRUSHED, DRAG_LOAD_TURN, DRAG_LOAD_X, DRAG_LOAD_Z, LEAST_LENGTH, LOAD_TURN, LOAD_X, LOAD_Z,
    WHIRL, WHOLE,
)  # fmt: skip

# Gear's corrector with five values, for forces that depend on velocities.
GEAR = (19.0 / 90.0, 3.0 / 4.0, 1.0, 1.0 / 2.0, 1.0 / 12.0)


@njit(cache=True)
def turned(angle: float) -> float:
    """An angle brought between −π and π."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@njit(cache=True)
def place_corners(low: int, high: int, state: Any, body: Any, facing: Any, world: Any, load: Any) -> None:
    """Where the corners are: world (rows, 6) m, from their places in the triangle's own frame; nothing acts on it yet.

    facing: (rows, 2) cosine and sine of its angle.
    """
    for t in range(low, high):
        load[t, :] = 0.0
        c, s = math.cos(state[t, 2, 0]), math.sin(state[t, 2, 0])
        facing[t, 0], facing[t, 1] = c, s
        for v in range(3):
            x, z = body[t, 2 * v], body[t, 2 * v + 1]
            world[t, 2 * v] = state[t, 0, 0] + c * x - s * z
            world[t, 2 * v + 1] = state[t, 1, 0] + s * x + c * z


@njit(cache=True, error_model="numpy")
def bend(
    low: int, high: int, ends: Any, foot: Any, rest: Any, length: Any, made: Any, broken: Any, state: Any,
    facing: Any, constants: Any, limit: Any, advance: float, lost: Any, yielded: Any, now: Any,
) -> None:  # fmt: skip
    """The forces of all beams: now (beams, BEAM_COLUMNS).

    foot: (beams, 4) m, the two ends in the frames of their triangles; rest: (beams, 2) angles of the chord in these
    frames, and length: m, when the beam is at rest; made: m, the length when it was made, which its bending stiffness
    and its breaking by stretch go by. constants: stretch stiffness E (N/m), bending stiffness E I (N m²),
    damping λ (kg/s), and λ I (kg m³/s). Where advance is 1, a beam that is beyond its limits yields, which takes lost
    (beams,) J, or is marked with minus the cause: it holds to the end of the step, and then breaks.
    """
    stretching, bending, damping, turning = constants[0], constants[1], constants[2], constants[3]
    for b in range(low, high):
        for c in range(BEAM_COLUMNS):
            now[b, c] = 0.0
        if broken[b] > WHOLE:
            continue
        i, k = ends[b, 0], ends[b, 1]
        ci, si, ck, sk = facing[i, 0], facing[i, 1], facing[k, 0], facing[k, 1]
        ix, iz = ci * foot[b, 0] - si * foot[b, 1], si * foot[b, 0] + ci * foot[b, 1]
        kx, kz = ck * foot[b, 2] - sk * foot[b, 3], sk * foot[b, 2] + ck * foot[b, 3]
        dx = state[k, 0, 0] + kx - state[i, 0, 0] - ix
        dz = state[k, 1, 0] + kz - state[i, 1, 0] - iz
        far = math.sqrt(dx * dx + dz * dz)
        ux, uz = dx / far, dz / far
        chord = math.atan2(dz, dx)
        first = turned(state[i, 2, 0] + rest[b, 0] - chord)
        second = turned(state[k, 2, 0] + rest[b, 1] - chord)
        size, span = length[b], made[b]
        pull = stretching * (far - size)
        over = bending / span
        at_first, at_second = -over * (4.0 * first + 2.0 * second), -over * (2.0 * first + 4.0 * second)
        stored = 0.5 * stretching * (far - size) ** 2 + 2.0 * over * (first**2 + first * second + second**2)
        moment = max(abs(at_first), abs(at_second))
        if advance > 0.0 and broken[b] == WHOLE:
            cause = WHOLE
            if far - span > limit[0] * span:
                cause = BY_STRETCH
            elif abs(pull) > limit[1]:
                cause = BY_FORCE
            elif moment > limit[2]:
                cause = BY_MOMENT
            broken[b] = -cause
            if abs(pull) > limit[3] or moment > limit[4]:
                # The rest shape follows so that force and moments stay at the yield limit.
                kept = min(max(pull, -limit[3]), limit[3])
                drawn = (pull - kept) / stretching
                length[b] = size + drawn
                ma, mb = min(max(at_first, -limit[4]), limit[4]), min(max(at_second, -limit[4]), limit[4])
                new_first, new_second = -(2.0 * ma - mb) / (6.0 * over), -(2.0 * mb - ma) / (6.0 * over)
                rest[b, 0] += new_first - first
                rest[b, 1] += new_second - second
                # Work at the limit: what the step went beyond it has not been felt by the triangles.
                lost[b] += kept * drawn - ma * (first - new_first) - mb * (second - new_second)
                first, second, at_first, at_second, pull = new_first, new_second, ma, mb, kept
                stored = 0.5 * kept * kept / stretching + 2.0 * over * (first**2 + first * second + second**2)
                yielded[b] = max(yielded[b], 1)
            if far < LEAST_LENGTH * span:
                yielded[b] = CRUSHED
        vx = state[k, 0, 1] - state[k, 2, 1] * kz - state[i, 0, 1] + state[i, 2, 1] * iz
        vz = state[k, 1, 1] + state[k, 2, 1] * kx - state[i, 1, 1] - state[i, 2, 1] * ix
        stretch_rate, turn_rate = vx * ux + vz * uz, (vz * ux - vx * uz) / far
        first_rate, second_rate = state[i, 2, 1] - turn_rate, state[k, 2, 1] - turn_rate
        brake = turning / span
        at_first -= brake * first_rate
        at_second -= brake * second_rate
        along = -pull - damping * stretch_rate  # on the second end, along the chord
        across = -(at_first + at_second) / far  # what keeps the moments in balance
        fx, fz = along * ux - across * uz, along * uz + across * ux
        now[b, BEAM_X], now[b, BEAM_Z] = fx, fz
        now[b, BEAM_TURN_FIRST] = at_first - (ix * fz - iz * fx)
        now[b, BEAM_TURN_SECOND] = at_second + (kx * fz - kz * fx)
        now[b, BEAM_STORED] = stored
        now[b, BEAM_LOSS] = damping * stretch_rate**2 + brake * (first_rate**2 + second_rate**2)
        now[b, BEAM_LENGTH] = far


@njit(cache=True)
def orbital(state: Any, t: int, mass: Any) -> float:
    """Angular momentum of a triangle's way about the origin, kg m²/s, without its spin."""
    return mass[t] * (state[t, 0, 0] * state[t, 1, 1] - state[t, 1, 0] * state[t, 0, 1])


@njit(cache=True)
def predict(low: int, high: int, state: Any, mass: Any, inertia: Any, step: float, gear: bool) -> None:
    """Carry the triangles over one step by Taylor's series; column 3 keeps the old acceleration for velocity Verlet."""
    h2, h3, h4 = step * step / 2.0, step**3 / 6.0, step**4 / 24.0
    for t in range(low, high):
        if gear:
            state[t, WHIRL, 0], state[t, WHIRL, 1] = 0.0, orbital(state, t, mass) + inertia[t] * state[t, 2, 1]
        for c in range(4 if gear else 3):
            x, v, a = state[t, c, 0], state[t, c, 1], state[t, c, 2]
            if gear:
                b, d = state[t, c, 3], state[t, c, 4]
                state[t, c, 0] = x + step * v + h2 * a + h3 * b + h4 * d
                state[t, c, 1] = v + step * a + h2 * b + h3 * d
                state[t, c, 2] = a + step * b + h2 * d
                state[t, c, 3] = b + step * d
            else:
                state[t, c, 0] = x + step * v + h2 * a
                state[t, c, 1] = v + step * a
                state[t, c, 3] = a


@njit(cache=True)
def correct(
    low: int, high: int, state: Any, mass: Any, inertia: Any, step: float, gear: bool, acceleration: Any
) -> None:  # fmt: skip
    """Bring the prediction in line with the accelerations (free, 4) that it led to."""
    h2 = step * step / 2.0
    for t in range(low, high):
        for c in range(4 if gear else 3):
            new = acceleration[t, c]
            if gear:
                miss = (new - state[t, c, 2]) * h2
                state[t, c, 0] += GEAR[0] * miss
                state[t, c, 1] += GEAR[1] * miss / step
                state[t, c, 2] = new
                state[t, c, 3] += GEAR[3] * miss * 6.0 / step**3
                state[t, c, 4] += GEAR[4] * miss * 24.0 / step**4
            else:
                state[t, c, 1] += 0.5 * step * (new - state[t, c, 3])
                state[t, c, 2] = new
        if gear:
            state[t, 2, 1] = (state[t, WHIRL, 1] - orbital(state, t, mass)) / inertia[t]


@njit(cache=True)
def accelerate(
    low: int, high: int, free: int, state: Any, mass: Any, inertia: Any, load: Any, tied: Any, now: Any, gravity: Any,
    wall_power: Any, half: float, work: Any, acceleration: Any,
) -> None:  # fmt: skip
    """Accelerations (free, 4) of the free triangles from contacts, beams and gravity, the last the torque about the
    origin; and the work of contacts, for the ledger.

    tied: (rows, 3) beams of a triangle: b + 1 where it is the first end, −b − 1 where it is the second, 0 for none.
    half: s, half a step, over which the powers before and now are entered into `work`; 0 leaves the work as it is.
    """
    for t in range(low, high):
        push = -(
            load[t, LOAD_X] * state[t, 0, 1] + load[t, LOAD_Z] * state[t, 1, 1] + load[t, LOAD_TURN] * state[t, 2, 1]
        )
        drag = -(
            load[t, DRAG_LOAD_X] * state[t, 0, 1]
            + load[t, DRAG_LOAD_Z] * state[t, 1, 1]
            + load[t, DRAG_LOAD_TURN] * state[t, 2, 1]
        )
        wall_push, wall_drag = 0.0, 0.0
        if t < free:
            wall_push, wall_drag = wall_power[t, 0], wall_power[t, 1]
        work[t, 0] += half * (work[t, 4] + push)
        work[t, 1] += half * (work[t, 5] + drag)
        work[t, 2] += half * (work[t, 6] + wall_push)
        work[t, 3] += half * (work[t, 7] + wall_drag)
        work[t, 4], work[t, 5], work[t, 6], work[t, 7] = push, drag, wall_push, wall_drag
        if t >= free:
            continue
        fx = load[t, LOAD_X] + load[t, DRAG_LOAD_X]
        fz = load[t, LOAD_Z] + load[t, DRAG_LOAD_Z]
        turn = load[t, LOAD_TURN] + load[t, DRAG_LOAD_TURN]
        for e in range(3):
            name = tied[t, e]
            if name > 0:
                fx, fz = fx - now[name - 1, BEAM_X], fz - now[name - 1, BEAM_Z]
                turn += now[name - 1, BEAM_TURN_FIRST]
            elif name < 0:
                fx, fz = fx + now[-name - 1, BEAM_X], fz + now[-name - 1, BEAM_Z]
                turn += now[-name - 1, BEAM_TURN_SECOND]
        acceleration[t, 0] = fx / mass[t] + gravity[0]
        acceleration[t, 1] = fz / mass[t] + gravity[2]
        acceleration[t, 2] = turn / inertia[t]
        ax, az = acceleration[t, 0], acceleration[t, 1]
        acceleration[t, WHIRL] = mass[t] * (state[t, 0, 0] * az - state[t, 1, 0] * ax) + turn


@njit(cache=True)
def damped(low: int, high: int, now: Any, half: float, before: Any, lost: Any) -> None:
    """Enter the power that beams lose, before and now, over half a step each."""
    for b in range(low, high):
        lost[b] += half * (before[b] + now[b, BEAM_LOSS])
        before[b] = now[b, BEAM_LOSS]


@njit(cache=True)
def farthest(rows: int, state: Any, origin: Any, step: float) -> float:
    """How far, m, a triangle has gone since the lists were made, with the next step's way."""
    worst = 0.0
    for t in range(rows):
        dx, dz = state[t, 0, 0] - origin[t, 0], state[t, 1, 0] - origin[t, 1]
        ahead = step * math.sqrt(state[t, 0, 1] ** 2 + state[t, 1, 1] ** 2)
        worst = max(worst, math.sqrt(dx * dx + dz * dz) + 1.5 * ahead)
    return worst
