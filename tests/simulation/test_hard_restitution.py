"""Runs of hard spheres whose restitution depends on the speed, against what follows from the restitution alone."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import barchan as bc
from parts.restitutions.test_restitutions import collision

GRAVITY, RADIUS, HEIGHT = 9.81, 0.02, 0.48  # m/s², m, m of the ball's lowest point


def dropped(folder, *restitution):
    """A ball dropped on to a plate, recorded every 10 ms: moments, s, and heights of its lowest point, m."""
    changes = ["solver=hard", "duration=1.2", "frame_rate=100", "materials.rubber.friction=0.5", *restitution]
    with bc.run(bc.load("drop", changes), folder, progress=bc.Silent()).recording as recording:
        return recording.times, np.array([frame.position[0, 2] for frame in recording]) - RADIUS


def flights(speeds, times):
    """Height against time, m, of a ball that falls HEIGHT and leaves the plate with these speeds, m/s, one by one."""
    height, begin = HEIGHT - GRAVITY * times**2 / 2, math.sqrt(2 * HEIGHT / GRAVITY)
    for speed in speeds:
        since = times - begin
        height = np.where(since > 0, speed * since - GRAVITY * since**2 / 2, height)
        begin += 2 * speed / GRAVITY
    return height, begin


def test_a_dropped_ball_with_a_power_law(tmp_path):
    """ε = ε0 (v/v0)^−c, so with v* = v0 ε0^(1/c), where ε is 1, ln(v/v*) shrinks by 1 − c at every bounce.

    Bounces are exact: only round-off remains, over five of them.
    """
    stated, exponent = 0.6, 0.25
    times, found = dropped(
        tmp_path / "run", "restitution.kind=power", "restitution.speed=1", f"restitution.exponent={exponent}",
        f"materials.rubber.restitution={stated}",
    )  # fmt: skip
    least = stated ** (1 / exponent)
    first = math.sqrt(2 * GRAVITY * HEIGHT)
    speeds = [least * (first / least) ** ((1 - exponent) ** k) for k in range(1, 6)]
    expected, end = flights(speeds, times)
    seen = times < min(end, times[-1])
    assert seen.sum() > 90
    assert found[seen] == pytest.approx(expected[seen], abs=1e-12)


def test_a_dropped_viscoelastic_ball(tmp_path):
    """The speeds after bounces from the integrated equation of motion of a collision, in which only β v^(1/5) matters.

    The formula in use is good to 0.2% of a speed, so after five bounces to 1% of it, 2% of a height.
    """
    _, found = dropped(
        tmp_path / "run", "restitution.kind=viscoelastic", "restitution.speed=1", "materials.rubber.restitution=0.7"
    )
    beta = brentq(lambda one: collision(one) - 0.7, 0.01, 2.0, xtol=1e-6)
    speed, speeds = math.sqrt(2 * GRAVITY * HEIGHT), []
    for _ in range(5):
        speed *= collision(beta * speed**0.2)
        speeds.append(speed)
    tops = [speed**2 / (2 * GRAVITY) for speed in speeds]
    bottoms = np.flatnonzero((found[1:-1] < found[:-2]) & (found[1:-1] < found[2:])) + 1
    seen = [found[a : b + 1].max() for a, b in itertools.pairwise(bottoms)][:3]
    assert len(seen) == 3
    assert seen == pytest.approx(tops[: len(seen)], rel=0.02)


def test_a_viscoelastic_gas_cools_as_kinetic_theory_says(tmp_path):
    """A grain of a gas with velocities σ collides ν = 4 √π n d² g σ times a second, with Carnahan and Starling's g.

    Normal speeds u in collisions have the density u/(2σ²) exp(−u²/4σ²), and one takes (1 − ε(u)²) m u²/4:
    (3/2) dσ²/dt = −(ν/2) ⟨(1 − ε²) u²⟩/4. With 1 − ε ~ u^(1/5) that is σ² ~ (1 + t/τ)^(−5/3), so that σ^(−6/5) grows
    evenly; with a constant ε, which gives (1 + t/τ)^(−2), its second half would grow by 1.2 times as much as the first.
    1500 grains tell σ² to √(2/(3 · 1500)) = 2%; later, eddies, which cool more slowly, make themselves felt.
    """
    stated, at = 0.9, 0.1
    changes = ["duration=5", "frame_rate=5", "restitution.kind=viscoelastic", f"restitution.speed={at}"]
    result = bc.run(
        bc.load("granular-gas", [*changes, f"materials.glass.restitution={stated}"]), tmp_path / "run",
        progress=bc.Silent(),
    )  # fmt: skip
    series = result.recording.series
    beta = brentq(lambda one: collision(one) - stated, 0.01, 1.0, xtol=1e-6)  # at that speed
    grid = np.linspace(0.2, 1.2, 9)  # fifth roots of u over the speed
    table = np.array([collision(beta * root) for root in grid])
    count, size, side = 1500, 3e-3, 0.06
    fraction = count * math.pi / 6 * size**3 / side**3
    crowding = (1 - fraction / 2) / (1 - fraction) ** 3
    x = np.linspace(0.0, 8.0, 801)[1:]  # u/σ

    def cooling(t, state):
        sigma = math.sqrt(state[0])
        rate = 4 * math.sqrt(math.pi) * count / side**3 * size**2 * crowding * sigma
        restitution = np.interp((x * sigma / at) ** 0.2, grid, table)
        weight = x / 2 * np.exp(-(x**2) / 4) * x[0]
        return [-rate / 12 * np.sum(weight * (1 - restitution**2) * x**2) * state[0]]

    mass = count * 2500 * math.pi / 6 * size**3
    found = 2 * series["kinetic_energy"] / (3 * mass)
    path = solve_ivp(cooling, (0, 5), [found[0]], t_eval=series["time"], rtol=1e-8)
    assert found[-1] < 0.03 * found[0]
    assert found == pytest.approx(path.y[0], rel=0.06)
    straight = found**-0.6
    half = len(straight) // 2
    early, late = straight[half] - straight[0], straight[-1] - straight[len(straight) - 1 - half]
    assert late / early == pytest.approx(1.0, abs=0.05)
