"""Which figures of a run deserve a second look: the same for the terminal and for the report."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

OVERLAP, BALANCE = 0.1, 0.01  # of a radius or a triangle; of the energy turned over


class Verdict(NamedTuple):
    """A figure of a run, and whether it is sound."""

    row: str  # its words in the summary's table
    words: str
    value: float
    limit: float
    advice: str  # what to do where it is not sound

    @property
    def good(self) -> bool:
        """Whether the figure is within its limit; what is not a number is not."""
        return self.value <= self.limit

    @property
    def told(self) -> str:
        """The figure beside its limit."""
        return f"{100 * self.value:.2g}% (up to {100 * self.limit:g}%)"

    def __str__(self) -> str:
        return f"look again: {self.words}: {self.told}. {self.advice}"


_DEEP = (
    "Contact laws hold for small overlaps: take stiffer materials (young; the step follows), slower impacts or "
    "a shorter fall, or say why they may be deep"
)
_JUDGED = (
    ("worst_overlap", "worst overlap", "worst overlap, of the smaller radius", OVERLAP, _DEEP),
    ("overlap_share", "worst overlap", "worst overlap, of the smaller triangle", OVERLAP, _DEEP),
    (
        "energy_error", "energy balance", "energy that is not accounted for, of what was turned over", BALANCE,
        "Take a shorter time_step, or look for what moves too fast for it",
    ),
    (
        "energy_made", "made by contacts", "energy that contacts gave beyond what they got, of what was turned over",
        BALANCE, "Take a contact law that cannot give more than it got",
    ),
)  # fmt: skip


def verdicts(summary: Mapping[str, Any]) -> Iterator[Verdict]:
    """A verdict for each figure of a summary that can be judged."""
    for name, row, words, limit, advice in _JUDGED:
        if name in summary:
            value = abs(float(summary[name]))
            yield Verdict(row, words, math.inf if math.isnan(value) else value, limit, advice + ".")
