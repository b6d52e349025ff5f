"""What studies make of repeated runs: means, exponents with their errors, races."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

from barchan.simulation.progress import Silent
from barchan.studies.k02 import Fit
from barchan.studies.krijgsman import exponent, exponent_error, race
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


def test_the_error_of_an_exponent_is_the_scatter_of_repeated_fits() -> None:
    """Samples about x^0.8 with a known scatter, drawn 400 times: slopes scatter as each of them says, to 10%."""
    rng = np.random.default_rng(3)
    slopes, told = [], []
    for _ in range(400):
        samples = {x: x**0.8 * rng.normal(1.0, 0.3, size=20 + 10 * k) for k, x in enumerate((100, 300, 1000))}
        slopes.append(exponent(list(samples), [many.mean() for many in samples.values()])[0])
        told.append(exponent_error(samples))
    assert np.mean(slopes) == pytest.approx(0.8, abs=0.01)
    assert np.mean(told) == pytest.approx(np.std(slopes), rel=0.1)


def test_a_race_ends_when_it_is_decided() -> None:
    """With all the time it wants the trust region comes to its end, with none it does not; both use one thread."""
    before = numba.get_num_threads()
    assert race(60, 1e6, Silent()).arrived
    stopped = race(60, 1e-6, Silent())
    assert not stopped.arrived and stopped.second < stopped.first
    assert numba.get_num_threads() == before


@pytest.mark.parametrize("jammed", [None, 0.84])
def test_the_law_of_relaxation_is_found_again(jammed) -> None:
    """Of 50/(φ − 0.84)^1.3 with 5% of noise: factor and power, with φj fitted or known, to three of their errors."""
    fractions = np.array([0.85, 0.86, 0.87, 0.88, 0.90, 0.92, 0.95])
    noise = np.random.default_rng(2).normal(0.0, 0.05, len(fractions))
    found = Fit.of(fractions, 50.0 / (fractions - 0.84) ** 1.3 * np.exp(noise), jammed)
    assert abs(found.power - 1.3) < 3 * found.error < 0.5
    assert found.factor == pytest.approx(50.0, rel=0.6)
    assert found.jammed == pytest.approx(0.84, abs=3e-3)
