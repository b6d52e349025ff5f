"""Compiling on a second core: the pass over all forces, while the first core compiles what makes the lists.

The first run of a new kind of scene waits for its kernels; numba compiles one after another. The pass over all forces
takes as long as all that is needed before it, so another process compiles it, and this one finds it in the cache.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

from barchan.kernels import compile as kernel_compiler
from barchan.solvers.soft_arrays import Arrays, wall_arguments

SWITCH = "BARCHAN_PREPARE"  # in the environment: "here" compiles everything in one process
PATIENCE = 120.0  # s


class Helper:
    """Another process that compiles for this one; none where that would not help."""

    def __init__(self, kernels: Any, bound: tuple[Any, ...]) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if _worth_while(kernels):
            # A function that only this process knows, or no room for another process: then all is compiled here.
            with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError, OSError):
                self._process = _ask(pickle.dumps(bound))

    @property
    def at_work(self) -> bool:
        """Whether there is any."""
        return self._process is not None

    def share(self, kernels: Any) -> None:
        """Compile walls here, which comes last there: then they are found in the cache."""
        c = Arrays.empty()
        taken = wall_arguments(c, c.wall_slots, c.wall_work)
        kernel_compiler.compile_for(kernels.wall_pass, *taken, *(0.0,) * 4)

    def wait(self) -> None:
        """Until it is done; what it could not do is done here when it is needed."""
        if self._process is not None:
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


def _ask(order: bytes) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert process.stdin is not None
    with process.stdin:
        process.stdin.write(order)
    return process


def _worth_while(kernels: Any) -> bool:
    """Whether the pass is not compiled yet, and there is a core to do it."""
    if os.environ.get(SWITCH) == "here" or _cores() < 2 or not sys.executable or hasattr(sys, "frozen"):
        return False
    source = Path(kernels.evaluate.py_func.__code__.co_filename)
    return not any((source.parent / "__pycache__").glob(f"{source.stem}.evaluate-*.nbi"))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compile_forces(bound: tuple[Any, ...]) -> None:
    """Compile the pass over all forces for these laws, walls and switches, into the cache."""
    kernels = kernel_compiler.bind(*bound)
    kernel_compiler.compile_for(kernels.evaluate, Arrays.empty(), *(0.0,) * 7)


if __name__ == "__main__":
    compile_forces(pickle.load(sys.stdin.buffer))
