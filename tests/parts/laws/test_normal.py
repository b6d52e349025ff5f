"""Forms of the laws that are made for speed give what their definitions say."""

from __future__ import annotations

import numpy as np

from barchan.parts.laws import Contact
from barchan.parts.laws.displacement import Displacement, DisplacementConstants, force


def test_square_roots_are_the_exponent_one_half() -> None:
    """The default exponent has a form of its own; the general one, told 1/2, answers with the same forces."""
    rooted, scalar = Displacement().form()
    assert rooted is not force and not scalar
    assert Displacement(exponent=1.5).form() == (force, True)
    rng = np.random.default_rng(5)
    p = DisplacementConstants(1e7, 0.0, 0.4, 0.5, 0.7, 0.5, 0.0, 0.5)
    for _ in range(200):
        slip = tuple(rng.normal(0.0, 0.1, 3).tolist())
        contact = Contact(rng.uniform(1e-5, 1e-3), rng.normal(0.0, 0.3), slip, 0.02, 0.05, 1e-5)
        memory = tuple(rng.normal(0.0, 5e-4, 3).tolist())
        normal, friction, kept = rooted(contact, memory, p)
        expected = force(contact, memory, p)
        assert normal == expected[0]
        np.testing.assert_allclose(friction, expected[1], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(kept, expected[2], rtol=1e-12)
