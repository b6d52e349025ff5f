"""The quicker form that kernels use for pairs that stick."""

from __future__ import annotations

import numpy as np
import pytest

from barchan.kernels.compile import bind
from barchan.laws import Law, Surface
from barchan.laws.displacement import Displacement
from barchan.laws.hertz import Hertz
from barchan.laws.linear import Linear
from barchan.laws.stick_slip import StickSlip
from barchan.laws.viscous import Viscous

SURFACE = Surface(5e6, 2e6, 0.3, 0.5, 0.6, 0.0, 0.0, False)
SWITCHES = (
    "ADAPTIVE", "BRANCH", "CLUMPS", "DEFORMS", "MATERIALS", "MESHES", "PERIODIC", "REPEATED", "ROLLING", "SERVOS",
    "STICTION",
)  # fmt: skip


def _gap(x: float, y: float, z: float) -> tuple[float, float, float, float]:
    return z, 0.0, 0.0, 1.0


def _path(t: float) -> tuple[float, ...]:
    return 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


def _forms(law: Law):  # type: ignore[no-untyped-def]
    return bind(law, Hertz(), [_gap], [_path], dict.fromkeys(SWITCHES, False))


@pytest.mark.parametrize("law", [Hertz(), Linear(stiffness=1e4), Displacement()], ids=lambda law: law.key)
def test_both_forms_agree_to_the_last_bit_where_nothing_slides(law: Law) -> None:
    """Nothing may depend on which of the two forms a block of pairs was given: which one it is depends on the pair's
    neighbours in the list. So where the quicker one has an answer it is that of the law, and where it has none the law
    has cut something short, or was within 1e-14 of it. Contacts are drawn so that about half of them slide.
    """
    kernels, rng = _forms(law), np.random.default_rng(3)
    p = np.zeros(12)
    constants = law.constants(SURFACE)
    p[: len(constants)] = constants
    stuck = slid = 0
    for _ in range(4000):
        overlap, closing = 1e-6 * rng.random(), 1e-3 * rng.normal()
        slip = 1e-3 * 10 ** rng.uniform(-4, 0) * rng.normal(size=3)
        memory = np.zeros(6)
        memory[:3] = 10 ** rng.uniform(-10, -5.5) * rng.normal(size=3)
        numbers = (overlap, closing, *slip, 5e-4, 5e-6, 1e-6, *memory, *p)
        full, quick = kernels.law(*numbers), kernels.law_at_rest(*numbers)
        if np.isnan(sum(quick[:7])):
            slid += 1
            assert full[4:7] != tuple(memory[:3]) or np.isclose(
                np.linalg.norm(full[1:4]), SURFACE.friction * full[0], rtol=1e-12
            )
        else:
            stuck += 1
            assert full == quick
    assert stuck > 400 and slid > 400


@pytest.mark.parametrize("law", [Hertz(), Linear(stiffness=1e4), Displacement()], ids=lambda law: law.key)
def test_both_forms_agree_at_the_limit(law: Law) -> None:
    """The stretch of the spring at which the law begins to cut it short is found by halving. Just below and above it
    the quicker form answers as the law does or not at all, and from a ten-millionth below on it does answer.
    """
    kernels = _forms(law)
    constants = tuple(law.constants(SURFACE))
    p = (*constants, *(0.0,) * (12 - len(constants)))

    def contact(stretch: float) -> tuple[float, ...]:
        way = (0.6 * stretch, 0.0, 0.8 * stretch)
        return (1e-6, 0.0, 0.0, 0.0, 0.0, 5e-4, 5e-6, 1e-6, *way, 0.0, 0.0, 0.0, *p)

    low, high = 1e-12, 1e-4
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if kernels.law(*contact(middle))[4:7] == contact(middle)[8:11] else (low, middle)
    answers = 0
    for exponent in range(-16, -2):
        for side in (-1.0, 1.0):
            numbers = contact(low * (1.0 + side * 10.0**exponent))
            full, quick = kernels.law(*numbers), kernels.law_at_rest(*numbers)
            if not np.isnan(sum(quick[:7])):
                answers += 1
                assert quick == full
    assert answers >= 5
    assert not np.isnan(sum(kernels.law_at_rest(*contact(low * (1 - 1e-7)))[:7]))


def test_laws_without_such_a_form_have_none() -> None:
    """A law that branches, or never cuts anything short, is computed in one way only."""
    for law in (StickSlip(), Viscous()):
        assert not _forms(law).STICKS
    for law in (Hertz(), Displacement()):
        assert _forms(law).STICKS
    assert not _forms(Displacement(exponent=1.5)).STICKS  # it takes powers
