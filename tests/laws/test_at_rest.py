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
SWITCHES = ("BRANCH", "CLUMPS", "DEFORMS", "MATERIALS", "MESHES", "PERIODIC", "ROLLING", "SERVOS", "STICTION")


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


def test_laws_without_such_a_form_have_none() -> None:
    """A law that branches, or never cuts anything short, is computed in one way only."""
    for law in (StickSlip(), Viscous()):
        assert not _forms(law).STICKS
    for law in (Hertz(), Displacement()):
        assert _forms(law).STICKS
    assert not _forms(Displacement(exponent=1.5)).STICKS  # it takes powers
