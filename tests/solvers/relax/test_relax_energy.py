"""The energy ledger of packings that are relaxed: what the box does is stored, or lost where the packing yields."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan.parts.observables.energy import Energy
from barchan.parts.observables.packing import Packing
from solvers import relax_lab as lab

PITCH, SIZE = 0.1, 0.102  # m, of a triangular lattice


def lattice(points: int, deformation: dict[str, object]) -> lab.RelaxSolver:
    """100 discs, each with six neighbours, in a box that deforms in so many points."""
    high = math.sqrt(3) / 2 * PITCH
    spots = [((i + 0.25 + 0.5 * (k % 2)) * PITCH, 0.0, (k + 0.5) * high) for i in range(10) for k in range(10)]
    group = {"name": "discs", "material": "a", "size": SIZE, "fill": {"kind": "points", "positions": spots}}
    box = {"low": (0.0, 0.0, 0.0), "high": (10 * PITCH, 0.0, 10 * high)}
    made = lab.flat_scene(fraction=None, grains=[group], box=box, deformation=deformation, frame_rate=float(points))
    machine = lab.solver(made)
    for point in range(points + 1):
        machine.advance_to(point / points)
    return machine


def test_work_of_a_lattice_that_is_compressed() -> None:
    """A triangular lattice stays one: E = 300 springs of k (d − p)²/2 at the pitch p that the fraction asks for, so the
    work of the box is known in closed form. What is left of the balance falls with the square of the step.
    """
    area = 100 * math.pi / 4 * SIZE**2
    before = area / (10 * PITCH * 10 * math.sqrt(3) / 2 * PITCH)
    errors = []
    for points in (5, 10, 20):
        machine = lattice(points, {"kind": "compression", "to": 1.05 * before})
        book = Energy().measure(machine.frame())
        pitch = PITCH / math.sqrt(1.05)
        stored = 150 * lab.STIFFNESS * np.array([(SIZE - PITCH) ** 2, (SIZE - pitch) ** 2])
        assert book["stored_energy"] == pytest.approx(stored[1])
        assert book["box_work"] == pytest.approx(stored[1] - stored[0], rel=0.01)
        assert book["dissipated_relaxing"] == pytest.approx(0.0, abs=1e-9 * stored[1])
        errors.append(book["energy_error"])
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.1)
    assert machine.statistics()["energy_error"] == pytest.approx(abs(errors[2]) / stored[1], rel=0.05)


@pytest.mark.parametrize("deformation", [{"kind": "simple-shear"}, {"kind": "pure-shear"}])
def test_work_of_a_shear(deformation: dict[str, object]) -> None:
    """A lattice sheared by 1% and not yet unstable: stored energy has grown by the work of the box, to 1e-3 of it."""
    machine = lattice(10, {**deformation, "strain": 0.01})
    book = Energy().measure(machine.frame())
    gained = book["stored_energy"] - 150 * lab.STIFFNESS * (SIZE - PITCH) ** 2
    assert gained > 0
    assert book["box_work"] == pytest.approx(gained, rel=1e-3)


def test_work_is_that_of_the_pressure() -> None:
    """A random packing from 0.86 to 0.90: the work is ∫ p dA over the points, by their own pressures and areas, and
    with what was stored at first it is what is stored and lost at the end, but for the error that is told.
    """
    machine = lab.solver(lab.flat_scene(100, seed=5, deformation={"kind": "compression", "to": 0.90}))
    first = machine.point.energy
    pressure, area = [], []
    for point in range(41):
        machine.advance_to(point / 40)
        if point == 0:
            begin = machine.point.energy
        moment = machine.frame()
        pressure.append(Packing().measure(moment)["stress_isotropic"])
        area.append(moment.box[0] * moment.box[2])
    book = Energy().measure(machine.frame())
    work = -np.sum(0.5 * np.diff(area) * (np.array(pressure[1:]) + pressure[:-1]))
    assert work > begin
    assert book["box_work"] == pytest.approx(work, rel=0.01)
    total = first + book["box_work"] + book["energy_error"]
    assert book["stored_energy"] + book["dissipated_relaxing"] == pytest.approx(total)
    assert abs(book["energy_error"]) < 0.05 * work
    assert book["dissipated_relaxing"] >= first - begin


def test_relaxing_takes_energy() -> None:
    """From a random start without a deformation: all that was stored and is not any more was taken."""
    machine = lab.solver(lab.flat_scene(50))
    first = machine.point.energy
    machine.advance_to(1.0)
    book = Energy().measure(machine.frame())
    assert book["dissipated_relaxing"] == pytest.approx(first - book["stored_energy"])
    assert book["dissipated_relaxing"] > 0.5 * first and book["box_work"] == 0.0
    assert abs(book["energy_error"]) < 1e-12 * first


def test_a_restored_packing_keeps_its_ledger() -> None:
    """A solver that comes back in the middle of a compression ends with the same ledger."""
    scene = lab.flat_scene(50, deformation={"kind": "compression", "to": 0.90})
    one = lab.solver(scene)
    one.advance_to(0.0)
    one.advance_to(0.5)
    other = lab.RelaxSolver.restored(one.model, *one.state())
    for machine in (one, other):
        machine.advance_to(1.0)
    assert one.energies() == other.energies() and one.energies()["box_work"] > 0
