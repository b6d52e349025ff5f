"""When a change is too slow: what a series of ratios says, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

SURE = 0.95  # confidence of an interval
RESAMPLES = 4000
NARROW = 0.03  # width of an interval at which a benchmark has been measured
FEWEST = 20  # pairs of turns, however narrow the interval is before
COLD_STARTS = 5  # pairs

FINE, TOO_SLOW, NOT_MEASURED = "fine", "too slow", "not measured"
EXIT_CODES = {FINE: 0, TOO_SLOW: 1, NOT_MEASURED: 3}


@dataclass(frozen=True)
class Limit:
    """What is asked of an interval of speed new / speed old."""

    slow: float  # a change is too slow where the interval's upper end lies below it
    widest: float  # width of an interval that still counts as measured


SINCE_PREVIOUS = Limit(0.97, 0.04)
SINCE_BASE = Limit(0.95, 0.04)  # losses add up
COLD_START = Limit(0.90, 0.13)  # few pairs: as wide beside the loss that is allowed as the other one, 4/3 of it

RULE = (
    f"The gate: too slow is a change where the upper end of a {SURE:.0%} interval of speed new / speed old lies below\n"
    f"{SINCE_PREVIOUS.slow:.2f} against the revision before, below {SINCE_BASE.slow:.2f} against the base, and below "
    f"{COLD_START.slow:.2f} for the cold start.\n"
    f"An interval wider than {SINCE_BASE.widest:.0%} (cold start: {COLD_START.widest:.0%}) counts as not measured: "
    "repeat it when the machine is quiet."
)


@dataclass(frozen=True)
class Interval:
    """A median, and between what it lies."""

    low: float
    median: float
    high: float
    count: int  # of the ratios that it comes from

    @property
    def width(self) -> float:
        """From end to end."""
        return self.high - self.low

    def as_dict(self) -> dict[str, Any]:
        """For a file."""
        return {name: round(value, 5) for name, value in asdict(self).items()}


def interval(ratios: Sequence[float], *, seed: int = 1) -> Interval:
    """The median of the ratios and its bootstrap interval: from medians of as many, drawn from them with repeats."""
    values = np.asarray(ratios, dtype=float)
    drawn = np.random.default_rng(seed).integers(len(values), size=(RESAMPLES, len(values)))
    medians = np.median(values[drawn], axis=1)
    low, high = np.quantile(medians, [(1 - SURE) / 2, (1 + SURE) / 2])
    return Interval(float(low), float(np.median(values)), float(high), len(values))


def measured(ratios: Sequence[float]) -> bool:
    """Whether that is enough."""
    return len(ratios) >= FEWEST and interval(ratios).width < NARROW


def verdict(found: Interval | None, limit: Limit, fewest: int = FEWEST) -> str:
    """What the gate says about it; None: nothing was found."""
    if found is None or found.count < fewest or found.width > limit.widest:
        return NOT_MEASURED
    return TOO_SLOW if found.high < limit.slow else FINE


def exit_code(verdicts: Iterable[str]) -> int:
    """0: all is fine; 1: something is too slow; 3: nothing is, as far as known, and something was not measured."""
    said = set(verdicts)
    return next((EXIT_CODES[one] for one in (TOO_SLOW, NOT_MEASURED) if one in said), EXIT_CODES[FINE])
