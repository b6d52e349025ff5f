"""Whether all grains that were made are there or have gone through a gate: the same question to every solver."""

from __future__ import annotations

import numpy as np

from barchan.errors import Finding, RunError
from barchan.frame import Frame
from barchan.solvers.base import Solver


def check(solver: Solver, frame: Frame) -> None:
    """RunError where the grains of a frame and those that have gone are not those that were made."""
    names, times = np.unique(frame.id, return_counts=True)
    if np.any(times > 1):
        twice = int(names[times > 1][0])
        raise _error(frame, f"grain {twice} is there {int(times.max())} times", "every grain is one")
    gone = {name: gate.number for name, gate in solver.gates().items() if not gate.inward and gate.number}
    if len(names) + sum(gone.values()) != solver.made:
        where = "".join(f", {number} of them at {name}" for name, number in gone.items())
        raise _error(
            frame, f"{len(names)} grains are there and {sum(gone.values())} have gone{where}, of {solver.made} made",
            "those that are there and those that have gone must be those that were made",
        )  # fmt: skip


def _error(frame: Frame, what: str, expected: str) -> RunError:
    remedy = "no scene should bring this about: please report it, with the scene"
    return RunError(Finding(f"t = {frame.time:.6g} s", what, expected, remedy))
