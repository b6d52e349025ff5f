"""Loops of the minimisers that are worth compiling: conjugate gradients in a trust region, and inertia."""

from __future__ import annotations

import math
from typing import Any

from barchan.kernels.jit import njit, prange
from barchan.solvers.relax.kernels.energy import evaluate, product
from barchan.solvers.relax.layout import ACCURATE, BLOCK, EDGE, NEGATIVE


@njit(cache=True, parallel=True)
def dot(a: Any, b: Any, sums: Any) -> float:
    """a · b, summed in blocks of fixed length; a and b are (count, components)."""
    count, blocks = len(a), (len(a) + BLOCK - 1) // BLOCK
    for k in prange(blocks):
        total = 0.0
        for i in range(k * BLOCK, min(count, (k + 1) * BLOCK)):
            for c in range(a.shape[1]):
                total += a[i, c] * b[i, c]
        sums[k, 0] = total
    total = 0.0
    for k in range(blocks):
        total += sums[k, 0]
    return total


@njit(cache=True)
def _to_edge(pp: float, pd: float, dd: float, radius: float) -> float:
    """τ ≥ 0 with |p + τ d| = radius."""
    return (-pd + math.sqrt(max(pd * pd - dd * (pp - radius * radius), 0.0))) / dd


@njit(cache=True, parallel=True, error_model="numpy")
def _along(count, step, p, r, d, kd, sums):
    """p += step d and r += step kd; answers with r·r, p·p, p·d, p·r and d·r, summed in blocks of fixed length."""
    blocks = (count + BLOCK - 1) // BLOCK
    for b in prange(blocks):
        rr, pp, pd, pr, dr = 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(b * BLOCK, min(count, (b + 1) * BLOCK)):
            for c in range(p.shape[1]):
                there, left, way = p[i, c] + step * d[i, c], r[i, c] + step * kd[i, c], d[i, c]
                p[i, c], r[i, c] = there, left
                rr += left * left
                pp += there * there
                pd += there * way
                pr += there * left
                dr += way * left
        sums[b, 0], sums[b, 1], sums[b, 2], sums[b, 3], sums[b, 4] = rr, pp, pd, pr, dr
    rr, pp, pd, pr, dr = 0.0, 0.0, 0.0, 0.0, 0.0
    for b in range(blocks):
        rr, pp, pd, pr, dr = rr + sums[b, 0], pp + sums[b, 1], pd + sums[b, 2], pr + sums[b, 3], dr + sums[b, 4]
    return rr, pp, pd, pr, dr


@njit(cache=True, parallel=True, error_model="numpy")
def steihaug(
    count, start, touch_length, touch_second, touch, wall_block, gradient, radius, accuracy, most, p, r, d, kd, sums,
):  # fmt: skip
    """Steihaug's conjugate gradients (Krijgsman and Luding 2016, Algorithm 2): p minimises the model within `radius`.

    Answers the number of Hessian products, the model's change m(p) − m(0), and why it ended. The residual r ends as the
    model's gradient at p.
    """
    for i in prange(count):
        for c in range(p.shape[1]):
            p[i, c] = 0.0
            r[i, c] = gradient[i, c]
            d[i, c] = -gradient[i, c]
    rr = dot(r, r, sums)
    first = rr
    pp, pd, dd = 0.0, 0.0, rr
    products, why = 0, 0
    step = 0.0
    while why == 0:
        curvature = product(count, start, touch_length, touch_second, touch, wall_block, d, kd, sums)
        products += 1
        if curvature <= 0.0:
            step, why = _to_edge(pp, pd, dd, radius), NEGATIVE
        else:
            step = rr / curvature
            if pp + 2.0 * step * pd + step * step * dd >= radius * radius:
                step, why = _to_edge(pp, pd, dd, radius), EDGE
        before = rr
        rr, pp, pd, pr, dr = _along(count, step, p, r, d, kd, sums)
        if why != 0:
            break
        if math.sqrt(rr) < accuracy * math.sqrt(first) or products >= most:
            why = ACCURATE
            break
        ratio = rr / before
        for i in prange(count):
            for c in range(p.shape[1]):
                d[i, c] = ratio * d[i, c] - r[i, c]
        pd, dd = ratio * pd - pr, rr - 2.0 * ratio * dr + ratio * ratio * dd
    # m(p) − m(0) = g·p + ½ p·Kp, and Kp = r − g
    return products, 0.5 * (dot(gradient, p, sums) + dot(r, p, sums)), why


@njit(cache=True, parallel=True, error_model="numpy")
def _kick(count, gradient, velocity, moved, step, keep, kick, most):
    """One step of inertia: v ← keep v − kick gradient, x ← x + step v; a grain moves by at most `most`."""
    for i in prange(count):
        size = 0.0
        for c in range(velocity.shape[1]):
            velocity[i, c] = keep * velocity[i, c] - kick * gradient[i, c]
            size += velocity[i, c] * velocity[i, c]
        size = step * math.sqrt(size)
        if size > most:
            for c in range(velocity.shape[1]):
                velocity[i, c] *= most / size
        for c in range(velocity.shape[1]):
            moved[i, c] += step * velocity[i, c]


@njit(cache=True, error_model="numpy")
def _farthest(moved):
    """The largest displacement squared."""
    largest = 0.0
    for i in range(len(moved)):
        size = 0.0
        for c in range(moved.shape[1]):
            size += moved[i, c] * moved[i, c]
        largest = max(largest, size)
    return largest


@njit(cache=True, error_model="numpy")
def descend(
    most_steps, reach, target, settings, state, velocity, count, moved, base, radius, material, kinds, weight, start,
    length, second, apart, table, wall_table, rest, kind, shape_table, piece_material, gradient, touch_length,
    touch_second, touch, wall_block, sums,
):  # fmt: skip
    """Roll downhill until `most_steps`, until a grain has moved `reach` m, or until it is calm.

    Calm: the largest force on a grain is below `target` times the mean contact force. settings: longest step, most a
    grain may move in a step (m), loosest mean overlap (m) of a packing that carries load, damping: the share of its
    velocity that a grain loses in a step; 0 stands for FIRE (Bitzek and others 2006); and the mean weight (N) of a
    grain, which counts where contacts bear less. state: step, mixing, steps since
    the power was last negative. The gradient must be that of `moved` on entry, and is on return. Answers with the
    number of gradients taken.
    """
    blocks = (count + BLOCK - 1) // BLOCK
    damping = settings[3]
    taken, over = 0, False
    while not over:
        step = state[0]
        if damping > 0.0:
            step = settings[0]
            keep, kick = (1.0 - 0.5 * damping) / (1.0 + 0.5 * damping), step / (1.0 + 0.5 * damping)
        elif -dot(gradient, velocity, sums) <= 0.0:
            step = max(0.5 * step, 1e-3 * settings[0])
            state[0], state[1], state[2] = step, 0.1, 0.0
            keep, kick = 0.0, step
        else:
            speed, force = dot(velocity, velocity, sums), dot(gradient, gradient, sums)
            keep, kick = 1.0 - state[1], step + state[1] * math.sqrt(speed / max(force, 1e-300))
            state[2] += 1.0
            if state[2] > 5.0:
                state[0], state[1] = min(1.1 * step, settings[0]), 0.99 * state[1]
        _kick(count, gradient, velocity, moved, step, keep, kick, settings[1])
        taken += 1
        over = taken >= most_steps or _farthest(moved) > reach * reach
        evaluate(
            count, moved, base, radius, material, kinds, weight, start, length, second, apart, table, wall_table, rest,
            kind, shape_table, piece_material, gradient, touch_length, touch_second, touch, wall_block, sums, over,
        )  # fmt: skip
        force, overlap, touching, largest = 0.0, 0.0, 0.0, 0.0
        for b in range(blocks):
            force += sums[b, 1]
            overlap += sums[b, 2]
            touching += sums[b, 3]
            largest = max(largest, sums[b, 4])
        most = max(touching, 1.0)
        calm = math.sqrt(largest) * most <= target * max(force, settings[4] * most)
        calm = calm or (settings[4] == 0.0 and overlap <= settings[2] * touching)
        if calm and not over:
            evaluate(
                count, moved, base, radius, material, kinds, weight, start, length, second, apart, table, wall_table,
                rest, kind, shape_table, piece_material, gradient, touch_length, touch_second, touch, wall_block, sums,
                True,
            )  # fmt: skip
        over = over or calm
    return taken
