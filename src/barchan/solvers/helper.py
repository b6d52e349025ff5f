"""Another process that compiles for this one, on a second core.

The first run of a new kind of scene waits for its kernels, and numba compiles one after another. What another process
has compiled this one finds in the cache.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SWITCH = "BARCHAN_PREPARE"  # in the environment: "here" compiles everything in one process
PATIENCE = 120.0  # s


class Helper:
    """The other process; none where it would not help."""

    def __init__(self, kernel: Any, job: Callable[..., None], *given: Any) -> None:
        """kernel: what it takes longest to compile; where that is in the cache there is nothing to do."""
        self._process: subprocess.Popen[bytes] | None = None
        if _worth_while(kernel):
            # A function that only this process knows, or no room for another process: then all is compiled here.
            with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError, OSError):
                self._process = _ask(pickle.dumps((job, given)))

    @property
    def at_work(self) -> bool:
        """Whether there is any."""
        return self._process is not None

    def wait_for(self, kernel: Any) -> None:
        """Until it has compiled the kernel, or has ended."""
        process = self._process
        if process is not None:
            await_kernel(kernel, PATIENCE, lambda: process.poll() is None)

    def wait(self) -> None:
        """Until it is done; what it could not do is done here when it is needed."""
        if self._process is not None:
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


def await_kernel(kernel: Any, patience: float, still: Callable[[], bool] = lambda: True) -> None:
    """Wait so many s at most for what another process compiles, while it is at it."""
    end = time.monotonic() + patience
    while not _in_cache(kernel) and still() and time.monotonic() < end:
        time.sleep(0.02)


def _ask(order: bytes) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert process.stdin is not None
    with process.stdin:
        process.stdin.write(order)
    return process


def _worth_while(kernel: Any) -> bool:
    """Whether the kernel is not compiled yet, and there is a core to do it."""
    if os.environ.get(SWITCH) == "here" or _cores() < 2 or not sys.executable or hasattr(sys, "frozen"):
        return False
    return not _in_cache(kernel)


def _in_cache(kernel: Any) -> bool:
    """Whether numba has written compiled code of the kernel; it does so at once, under its final name."""
    source = Path(kernel.py_func.__code__.co_filename)
    return any((source.parent / "__pycache__").glob(f"{source.stem}.{kernel.py_func.__name__}-*.nbc"))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


if __name__ == "__main__":
    job, given = pickle.load(sys.stdin.buffer)
    job(*given)
