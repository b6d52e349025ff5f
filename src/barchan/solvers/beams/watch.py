"""Never wrong in silence: what is checked while triangles move, and what is said when it goes bad."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from barchan.errors import Finding, RunError
from barchan.solvers import servo_limits
from barchan.solvers.base import GONE
from barchan.solvers.beams import ledger
from barchan.solvers.beams.layout import BEAM_LENGTH, CRUSHED, LEAST_LENGTH, SEVERAL, WALL_AREA

if TYPE_CHECKING:
    from barchan.solvers.beams.solver import BeamSolver

MOST_OVERLAP = 0.9  # of a triangle's area: beyond it two grains are about to pass through each other
MOST_ENERGY_ERROR = 0.1  # of all the energy that has been turned over
MOST_CREATED = 0.5  # of the same, that the paper's rules for overlaps may bring in
STRAIN = 1e-10  # of a beam: what it holds then is round-off
MOST_STRETCH = 0.9  # of a beam's length, drawn out: beyond it triangles of a grain are nowhere near each other
MOST_TURN = math.pi / 2  # rad, of two joined triangles against each other: beyond it they lie in each other
STIFFER, HARDER = "raise beams.stiffness or beams.inertia", "raise the limits of beams.yielding"
BREAK, SOONER = (
    "or let beams break (beams.breakage)",
    "or let them break sooner (beams.breakage.force acts under pressure too)",
)
SHORTER = "take a shorter time_step, stiffer materials (young) or slower impacts"


def check(solver: BeamSolver) -> None:
    """RunError at the first thing that is out of bounds: numbers, overlap, beams, lost grains, energy."""
    servo_limits.watch(solver)
    finite(solver)
    share, first, second = solver.arrays["worst"]
    if share > MOST_OVERLAP:
        wall = second == -1 or second >= solver.triangle_count
        other = "a wall" if wall else "other grains" if second == SEVERAL else "a triangle of another grain"
        raise _error(solver, int(first), f"has had {100 * share:.0f}% of its area in {other}",
                     f"overlaps must stay below {100 * MOST_OVERLAP:.0f}%",
                     f"{solver.too_deep(range(len(solver.model.scene.walls)) if wall else [])}: {SHORTER}",
                     )  # fmt: skip
    state = ledger.present(solver)
    _deformed(solver, state)
    _lost(solver)
    _balance(solver, ledger.energies(solver, state))


def finite(solver: BeamSolver) -> None:
    """RunError where a place or velocity is not a number."""
    state = solver.arrays["state"][: solver.triangle_count, :, :2]
    good = np.isfinite(state).all(axis=(1, 2))
    if not good.all():
        raise _error(solver, int(np.flatnonzero(~good)[0]), "has a place or velocity that is not a number", "",
                     f"forces grew without bound: {SHORTER}")  # fmt: skip


def _deformed(solver: BeamSolver, state: ledger.Present) -> None:
    """RunError where a beam holds triangles that no grain could have: turned inside out."""
    a, far = solver.arrays, state.beam_now[:, BEAM_LENGTH]
    angle = a["state"][:, 2, 0][a["ends"]]  # all triangles of a grain begin with the same
    turn = np.abs(angle[:, 1] - angle[:, 0])
    # A beam that yields may be drawn out as far as it likes, but pressed together only while something is left of it.
    drawn, crushed = far - a["length"] > MOST_STRETCH * a["made"], a["yielded"] == CRUSHED
    bad = crushed | ((a["broken"] == 0) & ((turn > MOST_TURN) | drawn))
    if bad.any():
        b = int(np.flatnonzero(bad)[0])
        what = f"is turned by {math.degrees(turn[b]):.0f}° against the next one in its grain"
        if crushed[b]:
            what = f"has had a beam pressed to less than {100 * LEAST_LENGTH:.0f}% of its length"
        elif drawn[b]:
            what = f"is held by a beam that is {far[b] / a['made'][b]:.2g} times as long as it was made"
        beams = solver.model.scene.beams
        remedy = f"{HARDER if beams.yielding else STIFFER}, {SOONER if beams.breakage else BREAK}"
        grain = a["grain"][a["ends"][b, 0]]
        cause = solver.too_deep(_walls_at(solver, state, grain), "its beams are too weak for what bears on it")
        raise _error(solver, int(a["ends"][b, 0]), what, "triangles of a grain must stay beside each other",
                     f"{cause}: {remedy}")  # fmt: skip


def _walls_at(solver: BeamSolver, state: ledger.Present, grain: int) -> list[int]:
    """The walls that a grain touches, and all smooth ones if it touches one."""
    a, n = solver.arrays, solver.triangle_count
    second = a["second"][state.pair[a["grain"][a["first"][state.pair]] == grain]]
    walls = np.searchsorted(a["wall_rows"][:, 1], second[second >= n], side="right").tolist()
    behind = (state.load[:n, WALL_AREA] > 0) & (a["grain"][:n] == grain)
    return sorted({*walls, *(a["smooth_wall"].tolist() if behind.any() else [])})


def _lost(solver: BeamSolver) -> None:
    box = solver.model.scene.box
    if box is None:
        return
    place = solver.arrays["state"][: solver.triangle_count, :2, 0]
    outside = (place < np.array(box.low)[[0, 2]]) | (place > np.array(box.high)[[0, 2]])
    outside &= ~solver.model.periodic[[0, 2]]
    if outside.any():
        row = int(np.flatnonzero(outside.any(axis=1))[0])
        raise _error(solver, row, "has left the box", "grains must stay inside `box`",
                     "close the walls, enlarge the box or leave it out")  # fmt: skip


def _balance(solver: BeamSolver, book: dict[str, float]) -> None:
    noise = STRAIN**2 * solver.model.scene.beams.stiffness * float(np.sum(solver.arrays["made"] ** 2))
    scale = max(solver.turned_over(book), noise)
    solver.energy_error = abs(book["energy_error"]) / scale
    created = -book["dissipated_normal"] / scale
    enough = max(abs(book["energy_error"]), -book["dissipated_normal"]) > 1e-12 * abs(book["energy_total"])
    if enough and (solver.energy_error > MOST_ENERGY_ERROR or created > MOST_CREATED):
        speed = np.linalg.norm(solver.arrays["state"][: solver.triangle_count, :2, 1], axis=1)
        fastest = int(np.argmax(speed)) if len(speed) else GONE
        worst = 100 * max(solver.energy_error, created)
        raise _error(solver, fastest, f"moves at {speed.max(initial=0.0):.4g} m/s, and the energy ledger is out by "
                     f"{worst:.0f}%", f"it must balance to {100 * MOST_ENERGY_ERROR:.0f}%",
                     f"energy came from nowhere: {SHORTER}")  # fmt: skip


def _error(solver: BeamSolver, row: int, what: str, expected: str, remedy: str) -> RunError:
    a, name = solver.arrays, "a triangle that has gone since"
    if row >= 0:
        where = np.array2string(a["state"][row, :2, 0], precision=4, separator=", ")
        name = f"triangle {row} of grain {a['id'][a['grain'][row]]} at x, z = {where} m"
    return RunError(Finding(f"t = {solver.time:.6g} s", f"{name} {what}", expected, remedy))
