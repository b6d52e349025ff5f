"""The quicker form that kernels use for pairs that stick."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from barchan.kernels.functions import compiled
from barchan.parts.laws import Contact, Law, Surface
from barchan.parts.laws.displacement import Displacement
from barchan.parts.laws.hertz import Hertz
from barchan.parts.laws.linear import Linear
from barchan.parts.laws.stick_slip import StickSlip
from barchan.parts.laws.viscous import Viscous
from barchan.solvers.soft.bindings import AT_REST, FORMS, rests

SURFACE = Surface(5e6, 2e6, 0.3, 0.5, 0.6, 0.0, 0.0, False)
Numbers = tuple[float, ...]


def _forms(law: Law) -> tuple[Callable[..., Numbers], Callable[..., Numbers]]:
    """The law as kernels call it, and its quicker form: normal force, friction (3), memory (3)."""

    def flat(at_rest: bool) -> Callable[..., Numbers]:
        force, p = compiled(law.form()[0], forms=AT_REST if at_rest else FORMS), law.constants(SURFACE)

        def answer(contact: Contact, memory: Any) -> Numbers:
            normal, friction, kept = force(contact, tuple(float(one) for one in memory), p)
            return (normal, *friction, *kept)

        return answer

    return flat(False), flat(True)


@pytest.mark.parametrize("law", [Hertz(), Linear(stiffness=1e4), Displacement()], ids=lambda law: law.key)
def test_both_forms_agree_to_the_last_bit_where_nothing_slides(law: Law) -> None:
    """Nothing may depend on which of the two forms a block of pairs was given: which one it is depends on the pair's
    neighbours in the list. So where the quicker one has an answer it is that of the law, and where it has none the law
    has cut something short, or was within 1e-14 of it. Contacts are drawn so that about half of them slide.
    """
    (whole, quicker), rng = _forms(law), np.random.default_rng(3)
    stuck = slid = 0
    for _ in range(4000):
        overlap, closing = 1e-6 * rng.random(), 1e-3 * rng.normal()
        slip = 1e-3 * 10 ** rng.uniform(-4, 0) * rng.normal(size=3)
        grown = rng.random() < 0.5  # a load that has grown since shrinks the stretch of `hertz`
        before = rng.uniform(0, 400) if grown else 1e9
        memory = np.array([*10 ** rng.uniform(-10, -5.5) * rng.normal(size=3), before])
        contact = Contact(overlap, closing, tuple(slip.tolist()), 5e-4, 5e-6, 1e-6, 5e-7)
        full, quick = whole(contact, memory), quicker(contact, memory)
        if np.isnan(sum(quick[:7])):
            slid += 1
            limit = np.isclose(np.linalg.norm(full[1:4]), SURFACE.friction * full[0], rtol=1e-12)
            assert grown or limit or full[4:7] != tuple(memory[:3])
        else:
            stuck += 1
            assert full == quick
    assert stuck > 400 and slid > 400


@pytest.mark.parametrize("law", [Hertz(), Linear(stiffness=1e4), Displacement()], ids=lambda law: law.key)
def test_both_forms_agree_at_the_limit(law: Law) -> None:
    """The stretch of the spring at which the law begins to cut it short is found by halving. Just below and above it
    the quicker form answers as the law does or not at all, and from a ten-millionth below on it does answer.
    """
    whole, quicker = _forms(law)
    contact = Contact(1e-6, 0.0, (0.0, 0.0, 0.0), 5e-4, 5e-6, 1e-6, 5e-7)

    def kept(stretch: float) -> tuple[float, ...]:
        return (0.6 * stretch, 0.0, 0.8 * stretch, 1e9)  # the load has not grown

    low, high = 1e-12, 1e-4
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if whole(contact, kept(middle))[4:7] == kept(middle)[:3] else (low, middle)
    answers = 0
    for exponent in range(-16, -2):
        for side in (-1.0, 1.0):
            memory = kept(low * (1.0 + side * 10.0**exponent))
            full, quick = whole(contact, memory), quicker(contact, memory)
            if not np.isnan(sum(quick[:7])):
                answers += 1
                assert quick == full
    assert answers >= 5
    assert not np.isnan(sum(quicker(contact, kept(low * (1 - 1e-7)))[:7]))


def test_laws_without_such_a_form_have_none() -> None:
    """A law that branches, or never cuts anything short, is computed in one way only."""
    for law in (StickSlip(), Viscous(), Displacement(exponent=1.5)):  # the last takes powers
        assert not rests(law)
    for law in (Hertz(), Displacement()):
        assert rests(law)
