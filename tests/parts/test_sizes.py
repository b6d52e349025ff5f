"""Sizes drawn from distributions, against their analytic moments."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest, norm, truncnorm

from barchan.errors import SceneError
from barchan.parts.sizes.fixed import FixedSize
from barchan.parts.sizes.lognormal import LognormalSize
from barchan.parts.sizes.normal import NormalSize
from barchan.parts.sizes.table import TableSize
from barchan.parts.sizes.uniform import UniformSize

COUNT = 40_000


def drawn(size, seed: int = 1) -> np.ndarray:
    """COUNT sizes with a fixed seed."""
    return size.draw(COUNT, np.random.default_rng(seed))


def assert_mean(values: np.ndarray, mean: float, deviation: float) -> None:
    """The mean of n values scatters by σ/√n: 4.5 of these is missed by chance once in 150 000 seeds."""
    assert values.mean() == pytest.approx(mean, abs=4.5 * deviation / np.sqrt(len(values)))


def test_fixed_sizes_are_all_the_same():
    """Every grain has exactly the stated size."""
    assert np.all(drawn(FixedSize(value=0.005)) == 0.005)


def test_uniform_moments():
    """Mean (a + b)/2, variance (b − a)²/12; a sample variance scatters by σ²√((κ − 1)/n), with κ = 9/5 here."""
    sizes = drawn(UniformSize(low=1.0, high=3.0))
    assert sizes.min() >= 1.0 and sizes.max() <= 3.0
    assert_mean(sizes, 2.0, np.sqrt(1 / 3))
    assert sizes.var() == pytest.approx(1 / 3, abs=4.5 / 3 * np.sqrt(0.8 / COUNT))


def test_normal_is_cut_at_three_deviations():
    """By default low and high are mean ∓ 3σ: the mean stays, σ² becomes σ²(1 − 6 φ(3)/(2Φ(3) − 1)) = 0.9733 σ²."""
    sizes = drawn(NormalSize(mean=10.0, deviation=1.0))
    assert sizes.min() >= 7.0 and sizes.max() <= 13.0
    cut = 1 - 6 * norm.pdf(3) / (2 * norm.cdf(3) - 1)
    assert_mean(sizes, 10.0, np.sqrt(cut))
    assert sizes.var() == pytest.approx(cut, abs=4.5 * cut * np.sqrt(2 / COUNT))


@pytest.mark.parametrize(("low", "high"), [(9.5, 10.2), (12.0, 16.0), (4.0, 8.0), (15.0, 17.0)])
def test_normal_between_bounds_on_one_side_has_the_conditional_distribution(low, high):
    """Drawing again what lies outside gives the normal distribution given low < x < high.

    Kolmogorov's distance to it exceeds 2.5/√n by chance less than once in 100 000 seeds (2 exp(−2 · 2.5²)).
    """
    sizes = drawn(NormalSize(mean=10.0, deviation=1.0, low=low, high=high))
    assert sizes.min() >= low and sizes.max() <= high
    distance = kstest(sizes, truncnorm(low - 10.0, high - 10.0, loc=10.0).cdf).statistic
    assert distance < 2.5 / np.sqrt(COUNT)


@pytest.mark.parametrize(("low", "high"), [(16.5, 17.5), (2.5, 3.5)])
def test_far_tails_are_drawn_without_steps(low, high):
    """6.5 σ out a share of 4e-11 is left. Near 1 the integral has only 4e-11/1e-16 = 4e5 values, of which 40 000 draws
    would hit about 2000 twice (n²/2N); near 0 it has all the values of a float, and no draw is repeated.
    """
    sizes = drawn(NormalSize(mean=10.0, deviation=1.0, low=low, high=high))
    assert len(np.unique(sizes)) > COUNT - 5


def test_lognormal_logarithm_is_normal():
    """ln(size/median)/σ is a standard normal variable cut at ±3."""
    sizes = drawn(LognormalSize(median=0.01, sigma=0.4))
    logarithm = np.log(sizes / 0.01) / 0.4
    assert abs(logarithm).max() <= 3.0 + 1e-12
    assert kstest(logarithm, truncnorm(-3, 3).cdf).statistic < 2.5 / np.sqrt(COUNT)
    assert np.median(sizes) == pytest.approx(0.01, rel=4.5 * 0.4 * np.sqrt(np.pi / 2 / COUNT))


def test_table_shares_follow_the_weights():
    """The number of draws of weight p is binomial: it scatters by √(np(1 − p))."""
    sizes = drawn(TableSize(sizes=(1.0, 2.0, 4.0), weights=(3.0, 2.0, 5.0)))
    assert set(np.unique(sizes)) == {1.0, 2.0, 4.0}
    for size, share in ((1.0, 0.3), (2.0, 0.2), (4.0, 0.5)):
        number = np.count_nonzero(sizes == size)
        assert number == pytest.approx(share * COUNT, abs=4.5 * np.sqrt(COUNT * share * (1 - share)))


def test_bounds_that_cut_off_everything_are_refused():
    """Twenty deviations out nothing is left of a normal distribution (1e-89): the error says so, and where."""
    with pytest.raises(SceneError, match=r"grains\[3\]\.size: .* normal distribution .* 30 m and 40 m"):
        NormalSize(mean=10.0, deviation=1.0, low=30.0, high=40.0).draw(5, np.random.default_rng(0), "grains[3].size")


def test_equal_bounds_leave_one_size():
    """low = high is a fixed size, however unlikely it is."""
    assert np.all(drawn(NormalSize(mean=1.0, deviation=0.1, low=1.2, high=1.2)) == 1.2)


def test_the_same_seed_gives_the_same_sizes():
    """Draws depend on the generator alone."""
    size = LognormalSize(median=1.0, sigma=0.3)
    assert np.array_equal(drawn(size, 7), drawn(size, 7))
    assert not np.array_equal(drawn(size, 7), drawn(size, 8))
