"""What benchmarks of beds share: timing a solver that steps, and its contacts."""

from __future__ import annotations

import time
from typing import Any

import numpy as np


def rates(solver: Any, grains: int, steps: int, seconds: float) -> list[float]:
    """Grain-steps per second of stretches of that many steps, over at least that long and three of them."""
    found: list[float] = []
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds or len(found) < 3:
        before = time.perf_counter()
        solver.advance(steps)
        found.append(grains * steps / (time.perf_counter() - before))
    return found


def contacts(solver: Any) -> int:
    """How often a grain touches something: a contact between two counts twice."""
    moment = solver.moment()
    return len(moment.contact_first) + int(np.count_nonzero(moment.contact_second >= 0))
