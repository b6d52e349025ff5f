"""What the parameters of the laws mean, on the plain functions: no grain has to move for that."""

from __future__ import annotations

import math
from typing import Any

import pytest

from barchan.parts.laws import Contact, Surface
from barchan.parts.laws.displacement import Displacement
from barchan.parts.laws.path import Path
from barchan.parts.laws.viscous import Viscous

SURFACE = Surface(5e6, 2e6, 0.3, 0.5, None, 0.0, 0.0, False)
OVERLAP, RADIUS, MASS = 1e-4, 5e-3, 1e-2  # m, m, kg


def answer(law: Any, memory: tuple[float, ...], slip: float, step: float = 1e-9) -> tuple[float, float]:
    """Normal force and friction along slip, N, of a contact that is neither closing nor opening."""
    contact = Contact(OVERLAP, 0.0, (slip, 0.0, 0.0), RADIUS, MASS, step)
    normal, friction, _ = type(law).force(contact, memory, law.constants(SURFACE))
    assert friction[1] == friction[2] == 0.0
    return normal, friction[0]


def test_normal_force_is_hertz_s() -> None:
    """(4/3) E* √R* ξ^(3/2) = 4/3 · 5e6 · √5e-3 · 1e-6 = 0.4714 N."""
    assert answer(Viscous(), (0.0,), 0.0)[0] == pytest.approx(0.47140452, rel=1e-7)


def test_drag_of_viscous() -> None:
    """kt = 3 N s/m: 0.03 N at 1 cm/s, along the slip; at 1 m/s Coulomb's 0.5 · 0.4714 N is all there is."""
    assert answer(Viscous(drag=3.0), (0.0,), 0.01)[1] == pytest.approx(0.03, rel=1e-9)
    assert answer(Viscous(drag=3.0), (0.0,), -0.01)[1] == pytest.approx(-0.03, rel=1e-9)
    assert answer(Viscous(drag=3.0), (0.0,), 1.0)[1] == pytest.approx(0.23570226, rel=1e-7)


def test_spring_of_path() -> None:
    """kt = 200 N/m after 0.1 mm of path: 0.02 N against the motion, whichever way it goes; at most 0.2357 N."""
    assert answer(Path(spring=200.0), (1e-4,), 0.01)[1] == pytest.approx(0.02, rel=1e-9)
    assert answer(Path(spring=200.0), (1e-4,), -0.01)[1] == pytest.approx(-0.02, rel=1e-9)
    assert answer(Path(spring=200.0), (1.0,), 0.01)[1] == pytest.approx(0.23570226, rel=1e-7)


@pytest.mark.parametrize(("exponent", "share"), [(0.5, 1 - math.sqrt(0.5)), (1.5, 1 - 0.5**1.5)])
def test_shape_of_the_displacement_spring(exponent: float, share: float) -> None:
    """Half way to δmax = μ (2−ν)/(2(1−ν)) ξ = 0.5 · 1.7/1.4 · 0.1 mm the spring has 1 − (1/2)^γ of Coulomb's limit."""
    half = 0.5 * 0.5 * 1.7 / 1.4 * OVERLAP
    found = answer(Displacement(exponent=exponent), (half, 0.0, 0.0), 0.0)[1]
    assert found == pytest.approx(share * 0.23570226, rel=1e-7)


def test_retardation_of_displacement() -> None:
    """Unstretched, the spring's slope is γ μ Fn/δmax = 0.5 · 0.2357/6.0714e-5 = 1941.1 N/m; with kt = 1e-5 s the
    dashpot is 0.019411 N s/m, far below critical damping (2 √(0.01 · 1941) = 8.8): 1.9411e-5 N at 1 mm/s.
    """
    found = answer(Displacement(retardation=1e-5), (0.0, 0.0, 0.0), 1e-3)[1]
    assert found == pytest.approx(1.94108e-5, rel=1e-4)


@pytest.mark.parametrize("exponent", [0.5, 1.5])
def test_stored_energy_of_displacement_is_the_spring_s_work(exponent: float) -> None:
    """The energy stored in the tangential direction changes with the stretch as the force does it: dU/dδ = Ft."""
    law = Displacement(exponent=exponent)
    at, d, constants = 2e-5, 1e-9, law.constants(SURFACE)
    high, low = (
        Displacement.stored(OVERLAP, RADIUS, MASS, (at + side * d, 0.0, 0.0), constants)[1] for side in (1, -1)
    )
    assert (high - low) / (2 * d) == pytest.approx(answer(law, (at, 0.0, 0.0), 0.0)[1], rel=1e-5)


@pytest.mark.parametrize(("wall", "grain"), [(False, 2 * MASS), (True, MASS)])
def test_creep_speed_of_viscous(wall: bool, grain: float) -> None:
    """A grain's weight calls up all of its friction, μ m g, at the creep speed, and half of it at half that speed. The
    effective mass of two equal grains is half of one, so m is twice that of the contact; at a wall it is the same.
    """
    law = Viscous(creep_speed=0.02)
    contact = Contact(OVERLAP, 0.0, (0.01, 0.0, 0.0), RADIUS, MASS, 1e-9)
    _, friction, _ = type(law).force(contact, (0.0,), law.constants(SURFACE._replace(wall=wall)))
    assert friction[0] == pytest.approx(0.5 * 0.5 * grain * 9.81, rel=1e-3)


def test_the_dashpot_of_displacement_is_at_most_critical() -> None:
    """Beside an unstretched spring of k = 1941.1 N/m, see above, a mass of 0.01 kg is critically damped by 2 √(k m) =
    8.8116 N s/m: a retardation of 1 s, which would make it 1941 N s/m, gives that. At 1 mm/s it is 8.8116e-3 N, a
    twentieth of Coulomb's limit.
    """
    found = answer(Displacement(retardation=1.0), (0.0, 0.0, 0.0), 1e-3)[1]
    assert found == pytest.approx(8.8116e-3, rel=1e-4)
