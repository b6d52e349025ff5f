"""Never wrong in silence: what is checked while a soft-sphere run goes on, and what is said when it goes bad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from barchan.errors import Finding, RunError
from barchan.model.timestep import SPARED
from barchan.parts.laws import Law
from barchan.solvers import servo_limits
from barchan.solvers.base import GONE
from barchan.solvers.soft import ledger

if TYPE_CHECKING:
    from barchan.solvers.soft.solver import SoftSolver

MOST_OVERLAP = 0.8  # of the smaller radius: beyond it two grains are about to pass through each other
AT_REST = 0.01  # of the energy of all grains at the speed of the fastest impact: less is as good as rest
MOST_ENERGY_ERROR = 0.1  # of all the energy that has been turned over
MOST_GIVEN = 1e-3  # of all the energy that has been turned over: what a passive law may seem to give
OF_START = 1e-2  # of what contacts held at the start, which steps resolve to (π/30)²/2
ROUND_OFF = 1e-9  # of the most energy there was, or of what a fall by one diameter frees
SHORTER = "take a shorter time_step, stiffer materials (young) or slower impacts"
FINER = "take a smaller integrator.tolerance and integrator.shortest"


def check(solver: SoftSolver) -> None:
    """RunError at the first thing that is out of bounds: numbers, overlap, lost grains, energy."""
    servo_limits.watch(solver)
    finite(solver)
    depth, first, second = solver.lists.deepest()
    if depth > MOST_OVERLAP:
        rows = np.flatnonzero(solver.arrays["id"] == first)
        other = f"grain {second}" if second >= 0 else f"wall {solver.model.walls.names[-1 - second]!r}"
        raise _error(
            solver, int(rows[0]) if len(rows) else GONE,
            f"has been {100 * depth:.0f}% of the smaller radius deep in {other}",
            f"overlaps must stay below {100 * MOST_OVERLAP:.0f}%",
            f"{solver.too_deep([-1 - second] if second < 0 else [])}: {SHORTER}",
        )  # fmt: skip
    _lost(solver)
    state, done = ledger.account(solver)
    _balance(solver, ledger.energies(solver, state, done))
    _given(solver, state, done)


def hops(solver: SoftSolver, step: float) -> None:
    """RunError where a step, s, has moved a grain too far against a wall: it might pass through it unseen."""
    if not solver.hopped:
        return
    c, k = solver.packed(), solver.kernels
    way, contact = k.farthest_hop(
        c.wall_contacts, c.wall_sphere, c.wall_piece, step, c.place, c.grain, c.start,
        c.position if k.CLUMPS else c.place, c.motion, c.frame, c.pose, c.kind, c.shape_table, c.axial,
    )  # fmt: skip
    raise too_far(solver, int(c.grain[c.wall_sphere[contact]]), int(c.wall_piece[contact]), way, step)


def too_far(solver: SoftSolver, grain: int, piece: int, way: float, step: float) -> RunError:
    """The error of a grain (its row) that a step, s, has moved so many radii against a piece of a wall."""
    scene, walls = solver.model.scene, solver.model.walls
    field, limit = solver.stepping.field, scene.wall_step_limit
    return _error(
        solver, grain,
        f"is moved by {way:.3g} of its smallest sphere's radius against wall {walls.names[walls.wall[piece]]!r} in a "
        f"step of {step:.3g} s", f"wall_step_limit is {limit:g}: it might pass through the wall unseen",
        f"take a {field} of at most {SPARED * limit / way * step:.2g} s, slower walls or impacts, or a greater "
        "wall_step_limit",
    )  # fmt: skip


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
    scale = solver.turned_over(book)
    if solver.stepping.chooses:  # and steps over what is slow against the scene's impacts
        scale = max(scale, AT_REST * 0.5 * float(solver.arrays["motion"][: len(solver), 3].sum()) * solver.impact**2)
    solver.energy_error = abs(book["energy_error"]) / scale
    lossy = solver.stepping.chooses and book["energy_error"] < 0  # long steps lose energy, by choice
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
            f"energy came from nowhere: {solver.stepping.remedy}",
        )  # fmt: skip


def guards(solver: SoftSolver, law: Law) -> bool:
    """Whether the run ends where contacts under this law give more energy than they got.

    It may where the law is not passive, and where steps choose their length: they give and take by their tolerance.
    """
    return law.passive and not solver.stepping.chooses


def gifts(solver: SoftSolver) -> dict[str, Any]:
    """What a summary says of laws that may give energy: how much, over the energy turned over, and their names."""
    may = {law.key for law in (solver.model.law, solver.model.wall_law) if not guards(solver, law)}
    return {"energy_made": solver.gift / max(solver.turned, 1e-300), "makers": sorted(may)} if may else {}


def _given(solver: SoftSolver, state: ledger.Stored, done: tuple[np.ndarray, np.ndarray]) -> None:
    """RunError where contacts under a passive law have given more than they got; what other laws gave is noted.

    done: the solver's `work_done`. It ends with half a step at the present velocities; what contacts hold has grown by
    as much only up to a term of second order, which the same with the velocities of the next half step has otherwise.
    """
    taken, limit = ledger.dissipated(solver, state, done), _unseen(solver)
    for row, law in enumerate((solver.model.law, solver.model.wall_law)):
        if not guards(solver, law):
            solver.gift = max(solver.gift, -float(taken[row].min()))
        elif taken[row].min() < -limit:
            later = solver.work_done(motion=ledger.motion_ahead(solver))
            lines = np.maximum(taken, ledger.dissipated(solver, state, later))[row]
            given, part = -float(lines.min()), int(lines.argmin())
            if given > limit:
                raise RunError(Finding(
                    f"t = {solver.time:.6g} s",
                    f"{('normal forces', 'friction')[part]} {('between grains', 'at walls')[row]} gave {given:.3g} J "
                    f"more than went in, {100 * given / solver.turned:.2g}% of the energy turned over",
                    f"the law {law.key!r} is passive: it gives back no more than it got", SHORTER,
                ))  # fmt: skip


def _unseen(solver: SoftSolver) -> float:
    """What contacts under a passive law may seem to give, J, since steps are not infinitely short."""
    size = 2 * solver.arrays["bound"] * solver.arrays["motion"][: len(solver), 3]
    fall = float(size.sum() * np.linalg.norm(solver.arrays["gravity"]))
    limit = MOST_GIVEN * solver.turned + OF_START * float(np.sum(solver.stored_at_start))
    return max(limit, ROUND_OFF * max(solver.turned, fall))


def _name(solver: SoftSolver, body: int) -> str:
    return f"grain {body}" if body >= 0 else f"wall {solver.model.walls.names[-1 - body]!r}"


def _error(solver: SoftSolver, grain: int, what: str, expected: str, remedy: str) -> RunError:
    """An error that names the grain, where it is and what it touches."""
    a = solver.arrays
    if grain == GONE:
        return RunError(Finding(f"t = {solver.time:.6g} s", f"a grain that has gone since {what}", expected, remedy))
    seen = ledger.touching(solver, ledger.states(solver))
    own = a["id"][grain]
    mine = np.flatnonzero((seen.first == own) | (seen.second == own))
    others = {_name(solver, int(seen.second[k] if seen.first[k] == own else seen.first[k])) for k in mine}
    touches = f"; it touches {', '.join(sorted(others)[:6])}{' …' if len(others) > 6 else ''}" if others else ""
    where = np.array2string(a["position"][grain], precision=4, separator=", ")
    return RunError(Finding(
        f"t = {solver.time:.6g} s", f"grain {a['id'][grain]} at {where} m {what}{touches}", expected, remedy
    ))  # fmt: skip
