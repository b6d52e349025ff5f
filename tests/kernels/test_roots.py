"""Roots made for speed are roots."""

from __future__ import annotations

import numpy as np
import pytest

from barchan.kernels.roots import fifth_root


def test_fifth_root_to_the_fifth() -> None:
    """y⁵ = x over a hundred powers of ten. A relative error ε of y is 5 ε in y⁵, and four products round."""
    for x in 10.0 ** np.linspace(-50, 50, 401):
        assert fifth_root(x) ** 5 == pytest.approx(x, rel=2e-14)
