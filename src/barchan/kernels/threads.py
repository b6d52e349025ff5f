"""How many threads the kernels use. The bits of a run do not depend on it."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numba

from barchan.errors import Finding, SceneError


def most() -> int:
    """How many threads there may be: the processors that this process may use, or $NUMBA_NUM_THREADS."""
    return int(numba.config.NUMBA_NUM_THREADS)


def now() -> int:
    """How many threads the kernels called from this thread use at present."""
    return int(numba.get_num_threads())


def idle() -> int:
    """How many threads find a processor that has nothing else to do just now; at least one.

    Threads wait for each other several times a step, so one that has to share its processor slows all of them down.
    """
    return max(1, most() - _busy())


def _busy() -> int:
    """Processes and threads of others that are running now: the median of a few looks, a hundredth of a second apart.

    Where the system does not tell, the load of the last minute stands in for it.
    """
    try:
        looks = []
        for _ in range(7):
            running = Path("/proc/loadavg").read_text().split()[3].partition("/")[0]
            looks.append(int(running) - 1)  # this one is running too
            time.sleep(0.01)
        return int(statistics.median(looks))
    except (OSError, ValueError, IndexError):
        return round(os.getloadavg()[0])


@contextmanager
def at_most(count: int) -> Iterator[None]:
    """Let the kernels use no more than so many threads for a while, and at least one."""
    before = numba.get_num_threads()
    numba.set_num_threads(min(before, max(count, 1)))
    try:
        yield
    finally:
        numba.set_num_threads(before)


def use(count: int) -> None:
    """Let the kernels called from this thread use that many threads; SceneError if there cannot be so many."""
    if not 1 <= count <= most():
        raise SceneError(Finding(
            "threads", str(count), f"must be between 1 and {most()}, the processors that Barchan may use here",
            "set NUMBA_NUM_THREADS to allow another number",
        ))  # fmt: skip
    numba.set_num_threads(count)
