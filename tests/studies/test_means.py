"""Means over fills, some of which do not count."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan.studies.y06 import Means


def test_a_fill_that_does_not_count_is_left_out() -> None:
    """Two fills of 1 and 3 have the mean 2 and deviate by 1 each; a friction with one fill left has that for its mean.

    Of 2 + 1 fills 2 means are taken: one degree of freedom, a standard deviation of √2, and that is the error of a mean
    of one. With all four fills (1, 3 and 4, 8) it is √((1 + 1 + 4 + 4)/2) = √5, and √2.5 for a mean of two.
    """
    found = Means.of(np.array([[1.0, 3.0], [5.0, np.nan]]))
    assert found.value.tolist() == [2.0, 5.0]
    assert found.error == pytest.approx(math.sqrt(2.0))
    assert Means.of(np.array([[1.0, 3.0], [4.0, 8.0]])).error == pytest.approx(math.sqrt(2.5))
