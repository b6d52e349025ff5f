"""Roots that laws take, in operations that become vector instructions."""

from __future__ import annotations

import math

import numpy as np

from barchan.kernels.jit import njit

# Taken as a whole number, the bits of a float are its logarithm, about: these are those of 1, times 6/5.
GUESS = 1.2 * 1023.0 * 2.0**52


SURE = 1.0 - 1e-14  # below that share of a limit's square nothing is cut short, however numbers are rounded


@njit(error_model="numpy", forceinline=True)
def uncut(most: float, square: float) -> float:
    """`laws.cap` where it cuts nothing short: 1, or not a number where it might."""
    return 1.0 if square <= SURE * most * most else math.nan


@njit(error_model="numpy", forceinline=True)
def fifth_root(x: float) -> float:
    """x^(1/5) for 0 < x, to round-off.

    x^(−1/5) is guessed from the bits of x, 12% out at most; five steps of Newton's method for y^(−5) = x, each of which
    squares the error and triples it, do the rest.
    """
    y = np.int64(GUESS - 0.2 * np.float64(np.float64(x).view(np.int64))).view(np.float64)
    part = 0.2 * x
    for _ in range(5):
        square = y * y
        y *= 1.2 - part * (square * square * y)
    square = y * y
    return x * (square * square)
