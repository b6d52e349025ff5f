"""The way a box is deformed, point by point, each predicted from the one before and then relaxed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from barchan.errors import Finding, RunError
from barchan.model import course
from barchan.parts.deformations import Deformation
from barchan.parts.observables import unit_in
from barchan.solvers import common
from barchan.solvers.relax import strain as relax_strain
from barchan.solvers.relax.cell import Cell, least_period
from barchan.solvers.relax.landscape import Landscape, Point

if TYPE_CHECKING:
    from barchan.solvers.relax.solver import RelaxSolver

YIELDED = 0.1  # of the mean radius: a grain that ends so far from its prediction
PRESSED = 1e-9  # relative accuracy of a pressure that is held
TRIES = 60  # steps of the box towards a pressure


def by_place(position: np.ndarray, radius: float) -> np.ndarray:
    """The order in which neighbours in space are neighbours in memory; radius: mean, m."""
    return np.lexsort(np.floor(position / (4 * radius)).astype(np.int64).T)


def cell_at(deformation: Deformation, start: Cell, fraction: float, t: float, duration: float) -> Cell:
    """The box at t; fraction: filled at the start."""
    x, y, z = start.lengths
    by: tuple[float, ...] = (1.0, 1.0, 1.0)
    if deformation.stretch is not None:
        directions = sum(length > 0 for length in start.lengths)
        by = deformation.stretch(t, *deformation.numbers(duration, fraction, directions))
    ahead = deformation.tilt(deformation.share(t, duration)) * z * by[2]
    return Cell((x * by[0], y * by[1], z * by[2]), start.tilt * by[0] + ahead).reduced()


def corner(solver: RelaxSolver) -> np.ndarray:
    """The lower corner of the present box, (3,) m."""
    return common.corner(solver.model, np.array(solver.landscape.cell.lengths))


def go(solver: RelaxSolver, t: float) -> None:
    """From the solver's coordinate to t, in one step, or in more where the packing yields."""
    deformation, duration = solver.model.scene.deformation, solver.model.scene.duration
    if deformation is None:
        return
    pressure = deformation.pressure(solver.pressure_at_start, deformation.share(t, duration))
    if pressure is not None:
        hold_pressure(solver, pressure)
        return
    _leap(solver, deformation, solver.time, t, solver.model.scene.relax.splits)


class Before(NamedTuple):
    """A relaxed point, as far as the work of its box is to be known."""

    energy: float  # J
    virial: np.ndarray  # (3, 3) J, volume times stress
    cell: Cell


def before(solver: RelaxSolver) -> Before:
    """The present point, to be handed to `book` once the box has changed and the packing is relaxed."""
    return Before(solver.point.energy, relax_strain.virial(solver.landscape, solver.point), solver.landscape.cell)


def book(solver: RelaxSolver, begin: Before, tilt: float, *, yielded: bool) -> None:
    """Enter the work that the box has done since `begin`, by the mean of the stresses at both ends.

    tilt: m, of the present box, not reduced. Where the packing `yielded` what is missing was lost; elsewhere it is the
    error of the mean, which falls with the third power of the step.
    """
    land = solver.landscape
    strain = np.zeros((3, 3))
    for k, (now, then) in enumerate(zip(land.cell.lengths, begin.cell.lengths, strict=True)):
        strain[k, k] = math.log(now / then) if then else 0.0
    if begin.cell.lengths[2]:
        wide = land.cell.lengths[0] / begin.cell.lengths[0] if begin.cell.lengths[0] else 1.0
        strain[0, 2] = (tilt - wide * begin.cell.tilt) / land.cell.lengths[2]
    work = -0.5 * float(np.sum((begin.virial + relax_strain.virial(land, solver.point)) * strain))
    solver.box_work += work
    if yielded:
        solver.lost += work - (solver.point.energy - begin.energy)


def _step(solver: RelaxSolver, target: Cell) -> None:
    """Change the box, relax the packing, and enter the work."""
    begin = before(solver)
    carried = carry(solver, target, tangent=False)
    solver.relax()
    book(solver, begin, target.tilt, yielded=_strayed(solver, carried))


def _strayed(solver: RelaxSolver, carried: np.ndarray) -> bool:
    """Whether a grain has ended far from where the box, or the tangent, has taken it, (N, 3) m."""
    land = solver.landscape
    return bool(np.linalg.norm(land.position(solver.point) - carried, axis=1).max() > YIELDED * land.radius.mean())


def _leap(solver: RelaxSolver, deformation: Deformation, begin: float, end: float, splits: int) -> None:
    land, duration = solver.landscape, solver.model.scene.duration
    volume = solver.cell_at_start.volume(flat=land.flat)  # 0 where the box is open along y
    fraction = course.filled(land.radius, flat=land.flat) / volume if volume else 0.0
    place, cell, first = land.position(solver.point), land.cell, before(solver)
    target = cell_at(deformation, solver.cell_at_start, fraction, end, duration)
    way = deformation.share(end, duration) - deformation.share(begin, duration)
    ahead = deformation.tilt(way) * cell.lengths[2]
    whole = _with_turns(cell.tilt + ahead, target)
    predicted = carry(solver, whole, tangent=solver.model.scene.relax.predict == "tangent")
    solver.relax()
    strayed = _strayed(solver, predicted)
    if splits > 0 and strayed:
        land.start_anew(place, cell)
        solver.point = land.point()
        middle = 0.5 * (begin + end)
        _leap(solver, deformation, begin, middle, splits - 1)
        _leap(solver, deformation, middle, end, splits - 1)
        return
    book(solver, first, whole.tilt, yielded=strayed)


def _with_turns(tilt: float, then: Cell) -> Cell:
    """The box with the one of its tilts, not reduced, that is next to this (m): grains are carried all the way."""
    if then.tilt == tilt:
        return then
    width = then.lengths[0]
    return replace(then, tilt=then.tilt + width * math.floor((tilt - then.tilt) / width + 0.5))


def carry(solver: RelaxSolver, target: Cell, *, tangent: bool) -> np.ndarray:
    """Change the box and take the grains along; answers with where they were taken, (N, 3) m."""
    land, middle = solver.landscape, solver.model.low + 0.5 * solver.model.box
    cell = land.cell
    solver.changed += 1
    _check_room(solver, target)
    change = np.zeros((3, 3))
    for k in range(3):
        change[k, k] = target.lengths[k] / cell.lengths[k] if cell.lengths[k] else 1.0
    if cell.lengths[2]:
        change[0, 2] = (target.tilt - change[0, 0] * cell.tilt) / cell.lengths[2]
    place = land.position(solver.point) - middle
    carried = place @ change.T
    if tangent and not land.is_loose(solver.point):
        carried += land.spread(_bounded(land, relax_strain.Tangent(land, solver.point).drift(change - np.eye(3))))
    land.start_anew(carried + middle, target.reduced())
    solver.point = land.point(into=solver.point)
    return land.base


def _check_room(solver: RelaxSolver, target: Cell) -> None:
    """RunError where a box is too short for its grains: where it goes to is not always known before."""
    land, least = solver.landscape, least_period(solver.landscape.radius)
    for axis, length in zip("xyz", target.lengths, strict=True):
        if 0 < length < least:
            raise RunError(Finding(
                f"t = {solver.time:.6g} s",
                f"the box shrinks to {length:.4g} m along {axis}, from a packing fraction of {filled(land):.4g}",
                f"below {least:.4g} m a grain could touch the same neighbour on both sides",
                f"go less far, or take more grains, in a box that is longer along {axis}",
            ))  # fmt: skip


def _bounded(land: Landscape, drift: np.ndarray) -> np.ndarray:
    """The drift of grains, none where some would go too far for the tangent to be true."""
    far = float(np.abs(drift).max())
    return drift if math.isfinite(far) and far < YIELDED * float(land.radius.mean()) else np.zeros_like(drift)


def filled(land: Landscape) -> float:
    """The packing fraction."""
    return course.filled(land.radius, flat=land.flat) / land.cell.volume(flat=land.flat)


def jamming_point(solver: RelaxSolver, *, accuracy: float = 1e-6, stride: float = 2e-3) -> float:
    """The packing fraction at which the packing begins to carry load, by bisection.

    Where it is jammed the box grows, where it is loose it shrinks, by `stride` of the packing fraction at first and by
    half as much after every change of direction, until that is below `accuracy`. The solver is left jammed, within
    `accuracy` above the point.
    """
    land = solver.landscape
    if not solver.relaxed:
        solver.relax()
    way = 0.0
    while True:
        jammed = not land.is_loose(solver.point)
        ahead = -1.0 if jammed else 1.0
        if way and ahead != way:
            stride *= 0.5
        if jammed and stride < accuracy:
            return filled(land)
        way = ahead
        scale = (1 + way * stride) ** (-1 / sum(length > 0 for length in land.cell.lengths))
        x, y, z = (length * scale for length in land.cell.lengths)
        _step(solver, Cell((x, y, z), land.cell.tilt * scale))


def hold_pressure(solver: RelaxSolver, wanted: float) -> None:
    """Change the box evenly until the relaxed packing carries this pressure, Pa (N/m)."""
    land = solver.landscape
    for _ in range(TRIES):
        now = relax_strain.pressure(land, solver.point)
        if abs(now - wanted) <= PRESSED * wanted:
            return
        if land.is_loose(solver.point):
            strain = -1e-3
        else:
            bulk = max(relax_strain.Tangent(land, solver.point).moduli().bulk, now)
            strain = float(np.clip((now - wanted) / (land.components * bulk), -0.01, 0.01))
        x, y, z = (length * (1 + strain) for length in land.cell.lengths)
        _step(solver, Cell((x, y, z), land.cell.tilt * (1 + strain)))
    raise RunError(Finding(
        f"t = {solver.time:.6g} s",
        f"the pressure came to {now:.6g}, not to {wanted:.6g} {unit_in('Pa', flat=land.flat)}",
        remedy="go there in more points (a higher frame_rate), or from a denser packing",
    ))  # fmt: skip


def contacts(landscape: Landscape, point: Point) -> tuple[np.ndarray, ...]:
    """First and second grain (or −1 − wall), force on the first (N), branch to it (m), overlap (m), face."""
    first, second, branch, touch = relax_strain.pairs(landscape, point)
    once = first < second
    first, second, branch = first[once], second[once].astype(np.int64), branch[once]
    overlap = landscape.radius[first] + landscape.radius[second] - np.linalg.norm(branch, axis=1)
    force = touch[once, 4][:, None] * branch
    walls = landscape.wall_contacts(point)
    return (
        np.concatenate([first, walls[0]]), np.concatenate([second, walls[1]]), np.concatenate([force, walls[2]]),
        np.concatenate([branch, walls[3]]), np.concatenate([overlap, walls[4]]),
        np.concatenate([np.zeros(len(first), np.int64), walls[5]]),
    )  # fmt: skip
