"""Compiling on a second core: the pass over all forces and the steps, while the first core compiles what makes lists.

The first run of a new kind of scene waits for its kernels; numba compiles one after another. The pass over all forces
and the steps take as long as all else, so another process compiles them, and this one finds them in the cache. Of what
they call it compiles a part first, which the other process then finds.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from barchan.kernels import compile as kernel_compiler
from barchan.kernels.compile import compile_for
from barchan.kernels.soft_state import State
from barchan.solvers.soft_arrays import Arrays, wall_arguments

SWITCH = "BARCHAN_PREPARE"  # in the environment: "here" compiles everything in one process
PATIENCE = 120.0  # s


class Helper:
    """Another process that compiles for this one; none where that would not help."""

    def __init__(self, kernels: Any, bound: tuple[Any, ...], *, adaptive: bool = False) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if _worth_while(kernels):
            # A function that only this process knows, or no room for another process: then all is compiled here.
            with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError, OSError):
                self._process = _ask(pickle.dumps((bound, adaptive)))

    @property
    def at_work(self) -> bool:
        """Whether there is any."""
        return self._process is not None

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


def share(kernels: Any, *, adaptive: bool) -> None:
    """Compile what the other process needs last: walls, and what steps call beside forces."""
    c = Arrays.empty()
    compile_for(kernels.wall_pass, *wall_arguments(c, c.wall_slots, c.wall_work), *(0.0,) * 4)
    if adaptive:
        y, base, slopes, weights = State.of(c), np.zeros((0, 13)), np.zeros((0, 0, 13)), np.zeros(0)
        compile_for(kernels.save_state, y, base)
        compile_for(kernels.set_state, y, base, slopes, weights, 0, 0.0, 0.0)
        compile_for(kernels.keep_slopes, y, slopes, 0)
        compile_for(kernels.largest_difference, y, slopes, weights, weights, 0, 0.0)
        compile_for(kernels.largest_surprise, y, base, slopes, 0, 0.0)
    else:
        compile_for(
            kernels.drift, c.grains, 0.0, c.start, c.offset, c.inertia, c.force, c.torque, c.position, c.velocity,
            c.orientation, c.angular, c.turn, c.motion, c.place, c.origin, c.wear,
        )  # fmt: skip


def compile_steps(bound: tuple[Any, ...], adaptive: bool) -> None:
    """Compile the pass over all forces for these laws, walls and switches, and the steps, into the cache."""
    kernels, c = kernel_compiler.bind(*bound), Arrays.empty()
    compile_for(kernels.evaluate, c, *(0.0,) * 7)
    if adaptive:
        row, table, cube, counts = np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0, 0)), np.zeros(0, np.int64)
        compile_for(
            kernels.runge_kutta_steps, c, 0.0, 0.0, table, row, row, 0, row, False, table, cube, table, row, row, counts
        )
    else:
        compile_for(kernels.verlet_steps, c, 0, 0, False, 0.0)


if __name__ == "__main__":
    compile_steps(*pickle.load(sys.stdin.buffer))
