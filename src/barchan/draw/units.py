"""Units in which numbers read well, from grains of nanometres to heaps of kilometres."""

from __future__ import annotations

import math

import numpy as np

Ladder = tuple[tuple[float, str, float], ...]  # the least number that is told in a unit, its name, and the factor to it

LENGTHS: Ladder = (
    (1.5e9, "Gm", 1e-9), (1.5e6, "Mm", 1e-6), (1.5e3, "km", 1e-3), (1.5, "m", 1.0), (0.05, "cm", 1e2),
    (5e-4, "mm", 1e3), (5e-7, "µm", 1e6), (5e-10, "nm", 1e9), (1e-13, "pm", 1e12),
)  # fmt: skip
SPEEDS: Ladder = (
    (1.5e3, "km/s", 1e-3), (0.05, "m/s", 1.0), (5e-5, "mm/s", 1e3), (5e-8, "µm/s", 1e6), (1e-11, "nm/s", 1e9),
)  # fmt: skip
TIMES: Ladder = (
    (2 * 31557600.0, "yr", 1 / 31557600.0), (2 * 86400.0, "d", 1 / 86400.0), (2 * 3600.0, "h", 1 / 3600.0),
    (600.0, "min", 1 / 60.0), (0.1, "s", 1.0), (1e-4, "ms", 1e3), (1e-7, "µs", 1e6), (1e-10, "ns", 1e9),
    (1e-14, "ps", 1e12),
)  # fmt: skip
MASSES: Ladder = (
    (1e10, "Mt", 1e-9), (1e7, "kt", 1e-6), (1e4, "t", 1e-3), (0.1, "kg", 1.0), (1e-3, "g", 1e3), (1e-6, "mg", 1e6),
    (1e-9, "µg", 1e9), (1e-12, "ng", 1e12), (1e-15, "pg", 1e15), (1e-18, "fg", 1e18), (1e-22, "ag", 1e21),
)  # fmt: skip
EYE = (8.0, 100.0)  # 1/s, pictures that make a motion, and neither crawl nor fly past
PLAYED = 25.0  # 1/s, pictures where real time is none of these
PREFIXES = ("T", "G", "M", "k", "", "m", "µ", "n", "p", "f", "a", "z")


def _prefixed(unit: str) -> Ladder:
    return tuple((10.0 ** (12 - 3 * k), prefix + unit, 10.0 ** (3 * k - 12)) for k, prefix in enumerate(PREFIXES))


LADDERS = {"m": LENGTHS, "m/s": SPEEDS, "s": TIMES, "kg": MASSES} | {
    unit: _prefixed(unit) for unit in ("J", "W", "N", "Pa", "N/m")
}


def readable(largest: float, unit: str) -> tuple[float, str]:
    """The factor and the unit with which numbers up to `largest` read best; `unit` is that of the numbers.

    It stays where nothing better is known, and where the largest is round-off.
    """
    steps = LADDERS.get(unit, ()) if math.isfinite(largest) else ()
    return next(((factor, name) for least, name, factor in steps if largest >= least), (1.0, unit))


def readable_values(values: np.ndarray, unit: str) -> tuple[float, str]:
    """The factor and the unit with which all of these numbers, in `unit`, read best; not-a-numbers do not count."""
    sound = np.abs(values[np.isfinite(values)])
    return readable(float(np.max(sound, initial=0.0)), unit)


def length_unit(span: float) -> tuple[str, float]:
    """The unit in which a length of `span` (m) reads best, and how many of it make a metre."""
    factor, name = readable(span, "m")
    return name, factor


def clock(longest: float) -> tuple[float, str, int]:
    """The factor, the unit and the number of decimals with which times of a run that lasts `longest` (s) are told."""
    factor, unit = readable(longest, "s")
    return factor, unit, 1 if factor * longest >= 10.0 else 2 if factor * longest >= 1.0 else 3


def time_text(time: float, longest: float) -> str:
    """A time (s) in the unit and with as many decimals as suit a run that lasts `longest` (s)."""
    factor, unit, decimals = clock(longest)
    return f"t = {factor * time:.{decimals}f} {unit}"


def round_below(wish: float) -> float:
    """The greatest of 1, 2 and 5 times a power of ten that does not exceed `wish`."""
    decade = 10.0 ** math.floor(math.log10(wish))
    return max(step * decade for step in (1.0, 2.0, 5.0) if step * decade <= wish)


def playing_pace(frame_rate: float) -> float:
    """How much time (s) of a run with so many frames a second (1/s) passes in a second of looking at it.

    It is real time where that shows as many pictures as an eye can follow; else a round time that shows about `PLAYED`.
    """
    if EYE[0] <= frame_rate <= EYE[1]:
        return 1.0
    wish = PLAYED / frame_rate
    factor, _ = readable(wish, "s")
    return round_below(factor * wish) / factor
