"""Never wrong in silence: what is checked while a hard-sphere run goes on, and what is said when it goes bad."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from barchan.errors import Finding, RunError
from barchan.solvers.base import GONE
from barchan.solvers.hard import ledger

if TYPE_CHECKING:
    from barchan.solvers.hard.solver import HardSolver

MOST_ENERGY_ERROR = 1e-6  # of all the energy that has been turned over: between events motion is exact

MOST_LEAPFROG_ERROR = 0.1  # likewise; a collision within a step sees a speed that is off by half a kick


def check(solver: HardSolver) -> None:
    """RunError at the first thing that is out of bounds: numbers, lost grains, energy."""
    grain = solver.arrays["grain"]
    bad = np.flatnonzero(~np.isfinite(grain[:, :12]).all(axis=1))
    if len(bad):
        raise _error(solver, int(bad[0]), "has a position, velocity or spin that is not a number", "", "")
    _lost(solver)
    _balance(solver)


def _lost(solver: HardSolver) -> None:
    box = solver.model.scene.box
    if box is None:
        return
    place = ledger.positions_at(solver, solver.time)
    outside = ((place < box.low) | (place > box.high)) & ~solver.model.periodic
    if outside.any():
        g = int(np.flatnonzero(outside.any(axis=1))[0])
        raise _error(
            solver, g, f"has left the box along {'xyz'[int(np.argmax(outside[g]))]}", "grains must stay inside `box`",
            "close the walls, enlarge the box or leave it out",
        )  # fmt: skip


def _balance(solver: HardSolver) -> None:
    book = ledger.energies(solver)
    solver.energy_error = abs(book["energy_error"]) / solver.turned_over(book)
    # What round-off leaves of large numbers that nearly cancel is no error.
    floor = 1e-9 * (abs(book["energy_total"]) + abs(book["potential_energy"]))
    most = MOST_LEAPFROG_ERROR if solver.dt else MOST_ENERGY_ERROR
    if solver.energy_error > most and abs(book["energy_error"]) > floor:
        speeds = np.linalg.norm(ledger.velocities_at(solver, solver.time), axis=1)
        raise _error(
            solver, int(np.argmax(speeds)) if len(speeds) else GONE,
            f"moves at {speeds.max(initial=0.0):.4g} m/s, and the energy ledger is out by "
            f"{100 * solver.energy_error:.2g}%", f"it must balance to {100 * most:.2g}%",
            "take a shorter time_step" if solver.dt else "between events motion is exact: this should not happen",
        )  # fmt: skip


def _error(solver: HardSolver, row: int, what: str, expected: str, remedy: str) -> RunError:
    """An error that names the grain and where it is."""
    if row == GONE:
        return RunError(Finding(f"t = {solver.time:.6g} s", f"a grain that has gone since {what}", expected, remedy))
    where = np.array2string(ledger.positions_at(solver, solver.time)[row], precision=4, separator=", ")
    return RunError(Finding(
        f"t = {solver.time:.6g} s", f"grain {solver.arrays['id'][row]} at {where} m {what}", expected, remedy
    ))  # fmt: skip
