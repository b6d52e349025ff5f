"""How restitution depends on the speed: laws of their own, and what holds for all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from barchan.kernels.functions import compiled
from barchan.parts.laws import Surface
from barchan.parts.restitutions.power import Power
from barchan.parts.restitutions.viscoelastic import Viscoelastic
from barchan.registry import parts
from samples import sample


def surface(restitution: float) -> Surface:
    return Surface(1e7, 1e7, 0.3, 0.5, restitution, 0.0, 0.0, False)


@pytest.mark.parametrize("key", parts("restitutions"))
def test_every_restitution_stays_between_0_and_1_and_never_grows_with_the_speed(key):
    for one in sample(parts("restitutions")[key], 5):
        for stated in (0.05, 0.6, 1.0):
            constants = one.constants(surface(stated))
            found = [type(one).rebound(v, *constants) for v in np.logspace(-9, 3, 49)]
            assert all(0 <= e <= 1 for e in found)
            assert np.all(np.diff(found) <= 1e-15)
            reference = getattr(one, "speed", 0.37)
            assert type(one).rebound(reference, *constants) == pytest.approx(stated, rel=1e-9)
            assert compiled(type(one).rebound)(0.3, *constants) == pytest.approx(type(one).rebound(0.3, *constants))
            assert 0 <= type(one).rebound(0.0, *constants) <= 1


def collision(beta: float) -> float:
    """εn of x'' = −x^(3/2) − β x' √x from x = 0 at speed 1, up to where the force would begin to pull."""

    def force(t, state):
        x = max(state[0], 0.0)
        return state[1], -(x**1.5) - beta * state[1] * math.sqrt(x)

    def pulls(t, state):
        return state[0] + beta * state[1] if t > 0.1 else 1.0

    pulls.terminal = True
    path = solve_ivp(force, (0, 50), (0.0, 1.0), events=pulls, rtol=1e-9, atol=1e-12, max_step=0.05)
    return -path.y[1, -1]


@pytest.mark.parametrize("beta", [0.01, 0.1, 0.5, 1.5, 5.0])
def test_viscoelastic_spheres_rebound_as_their_equation_of_motion_says(beta):
    """In units of the collision itself only β v^(1/5) is left: the formula against the integrated collision."""
    assert Viscoelastic.rebound(1.0, math.sqrt(beta), 0.0, 0.0) == pytest.approx(collision(beta), rel=3e-3)


def test_slow_viscoelastic_collisions_lose_as_the_fifth_root_of_the_speed():
    constants = Viscoelastic(speed=1.0).constants(surface(0.99))
    lost = [1 - Viscoelastic.rebound(v, *constants) for v in (1e-6, 1e-11)]
    assert lost[0] / lost[1] == pytest.approx(10, rel=0.01)


def test_a_power_law_is_elastic_below_the_speed_where_it_reaches_1():
    constants = Power(speed=1e-4, exponent=0.234).constants(surface(1.0))
    assert Power.rebound(1e-5, *constants) == 1.0
    assert Power.rebound(1e-2, *constants) == pytest.approx(100**-0.234)
