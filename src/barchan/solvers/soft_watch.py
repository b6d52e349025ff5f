"""Never wrong in silence: what is checked while a soft-sphere run goes on, and what is said when it goes bad."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from barchan.errors import Finding, RunError
from barchan.solvers import common, soft_ledger
from barchan.solvers.common import GONE

if TYPE_CHECKING:
    from barchan.solvers.soft import SoftSolver

MOST_OVERLAP = 0.8  # of the smaller radius: beyond it two grains are about to pass through each other
AT_REST = 0.01  # of the energy of all grains at the speed of the fastest impact: less is as good as rest
MOST_ENERGY_ERROR = 0.1  # of all the energy that has been turned over
SHORTER = "take a shorter time_step, stiffer materials (young) or slower impacts"
FINER = "take a smaller integrator.tolerance and integrator.shortest"


def check(solver: SoftSolver) -> None:
    """RunError at the first thing that is out of bounds: numbers, overlap, lost grains, energy."""
    finite(solver)
    depth, first, second = solver.lists.deepest()
    if depth > MOST_OVERLAP:
        rows = np.flatnonzero(solver.arrays["id"] == first)
        other = f"grain {second}" if second >= 0 else f"wall {solver.model.walls.names[-1 - second]!r}"
        raise _error(
            solver, int(rows[0]) if len(rows) else GONE,
            f"has been {100 * depth:.0f}% of the smaller radius deep in {other}",
            f"overlaps must stay below {100 * MOST_OVERLAP:.0f}%",
            f"{common.too_deep(solver, [-1 - second] if second < 0 else [])}: {SHORTER}",
        )  # fmt: skip
    _lost(solver)
    _balance(solver, soft_ledger.energies(solver, soft_ledger.stored(solver)))


def finite(solver: SoftSolver) -> None:
    """RunError where a position, velocity or spin is not a number."""
    a, n = solver.arrays, len(solver)
    good = np.ones(n, bool)
    for name in ("position", "velocity", "orientation", "angular"):
        good &= np.isfinite(a[name][:n]).all(axis=1)
    if not good.all():
        g = int(np.flatnonzero(~good)[0])
        raise _error(solver, g, "has a position, velocity or spin that is not a number", "",
                     f"forces grew without bound: {SHORTER}")  # fmt: skip


def _lost(solver: SoftSolver) -> None:
    scene, a = solver.model.scene, solver.arrays
    if scene.box is None:
        return
    position = a["position"][: len(solver)]
    outside = ((position < scene.box.low) | (position > scene.box.high)) & ~solver.model.periodic
    if outside.any():
        g = int(np.flatnonzero(outside.any(axis=1))[0])
        axis = "xyz"[int(np.argmax(outside[g]))]
        raise _error(
            solver, g, f"has left the box along {axis}, at {np.array2string(position[g], precision=4)} m",
            "grains must stay inside `box`", "close the walls, enlarge the box or leave it out",
        )  # fmt: skip


def _balance(solver: SoftSolver, book: dict[str, float]) -> None:
    scale = common.turned_over(solver, book)
    if solver.model.scene.integrator.adaptive:  # which steps over what is slow against the scene's impacts
        scale = max(scale, AT_REST * 0.5 * float(solver.arrays["motion"][: len(solver), 3].sum()) * solver.impact**2)
    solver.energy_error = abs(book["energy_error"]) / scale
    lossy = solver.model.scene.integrator.adaptive and book["energy_error"] < 0  # long steps lose energy, by choice
    # A contact that gives back more than was put into it shows as a dissipation that falls below zero.
    missing = max(0.0 if lossy else abs(book["energy_error"]), -book["dissipated_normal"])
    error = missing / scale
    if error > MOST_ENERGY_ERROR and missing > 1e-12 * abs(book["energy_total"]):
        speeds = np.linalg.norm(solver.arrays["velocity"], axis=1)
        g = int(np.argmax(speeds)) if len(speeds) else GONE
        raise _error(
            solver, g,
            f"moves at {speeds.max(initial=0.0):.4g} m/s, and the energy ledger is out by {100 * error:.0f}%",
            f"it must balance to {100 * MOST_ENERGY_ERROR:.0f}%",
            f"energy came from nowhere: {FINER if solver.model.scene.integrator.adaptive else SHORTER}",
        )  # fmt: skip


def _name(solver: SoftSolver, index: int) -> str:
    if index < 0:
        return f"wall {solver.model.walls.names[-1 - index]!r}"
    return f"grain {solver.arrays['id'][index]}"


def _error(solver: SoftSolver, grain: int, what: str, expected: str, remedy: str) -> RunError:
    """An error that names the grain, where it is and what it touches."""
    a = solver.arrays
    if grain == GONE:
        return RunError(Finding(f"t = {solver.time:.6g} s", f"a grain that has gone since {what}", expected, remedy))
    seen = soft_ledger.touching(solver, soft_ledger.states(solver))
    mine = np.flatnonzero((seen.first == grain) | (seen.second == grain))
    others = {_name(solver, int(seen.second[k] if seen.first[k] == grain else seen.first[k])) for k in mine}
    touches = f"; it touches {', '.join(sorted(others)[:6])}{' …' if len(others) > 6 else ''}" if others else ""
    where = np.array2string(a["position"][grain], precision=4, separator=", ")
    return RunError(Finding(
        f"t = {solver.time:.6g} s", f"grain {a['id'][grain]} at {where} m {what}{touches}", expected, remedy
    ))  # fmt: skip
