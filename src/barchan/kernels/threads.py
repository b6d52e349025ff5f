"""How many threads the kernels use. The bits of a run do not depend on it."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numba

from barchan.errors import Finding, SceneError

_lost = False  # whether this process was forked from one with threads that do not live on in it


def _note_fork() -> None:
    """In a process that was forked just now: see whether kernels had threads of GNU OpenMP before.

    Those are not there in the new process, and cannot be made again: a parallel kernel would wait for them for ever, so
    numba ends the process. Other kinds of threads are made anew.
    """
    global _lost
    with suppress(ValueError):  # no threads were made yet
        if numba.threading_layer() == "omp":
            from numba.np.ufunc import omppool  # type: ignore[attr-defined]

            _lost = _lost or omppool.openmp_vendor == "GNU"


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


def refuse_lost() -> None:
    """SceneError in a process that was forked and in which parallel kernels cannot run."""
    if _lost:
        raise SceneError(Finding(
            "this process", "was forked from one in which Barchan had computed, whose threads are not in it",
            "a process that computes must be forked before that, or begin afresh",
            'start it with multiprocessing.get_context("spawn") or ("forkserver"): '
            'ProcessPoolExecutor(mp_context=get_context("spawn"))',
        ))  # fmt: skip


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
    refuse_lost()
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
