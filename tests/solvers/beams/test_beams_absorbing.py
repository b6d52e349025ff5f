"""Walls that take flat grains away: smooth ones and strips of triangles, and what is booked when they do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from barchan.errors import SceneError
from barchan.model.build import build
from barchan.solvers.beams import checks, ledger
from barchan.solvers.beams.solver import BeamSolver
from solvers import beams_lab as lab
from solvers.inside import peek

PLANE = {"shape": "plane", "point": (0.0, 0.0, -0.01), "normal": (0.0, 0.0, 1.0)}
LINE = {"shape": "line", "start": (-0.01, 0.0, -0.0102), "end": (0.01, 0.0, -0.0102)}  # its upper side is at −1 cm
DEEP = {"beams": {"wall_thickness": 4e-4}}
MASS = 1000.0 * 0.01 * 2e-3**2  # kg, of a square of 2 mm that is 1 cm thick


def drain(shape: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "drain", "material": "a", "absorbing": True, "shape": shape, **more}


@pytest.mark.parametrize("shape", [PLANE, LINE], ids=["plane", "strip"])
@pytest.mark.parametrize("contact", ["paper", "exact"])
def test_a_grain_is_taken_when_it_touches(shape: dict[str, Any], contact: str) -> None:
    """A square of 2 mm falls from z = 0: its lower side touches the wall 9 mm below after √(2 · 9 mm/g), and is gone at
    the step after. It leaves with the momentum and the energy of its fall, and nothing has pushed it.
    """
    scene = lab.scene([lab.grain(0.0, 0.0)], walls=[drain(shape)], gravity=(0.0, 0.0, -9.81),
                      beams={"wall_thickness": 4e-4, "contact": contact})  # fmt: skip
    machine = lab.solver(scene, 1e-5)
    when = np.sqrt(2 * 9e-3 / 9.81)
    machine.advance(int(when / 1e-5))
    assert len(machine) == 1
    machine.advance(2)
    assert len(machine) == 0 and machine.triangle_count == 0
    gate = machine.gates()["drain"]
    assert gate.number == 1 and gate.mass == pytest.approx(MASS)
    assert gate.momentum[2] == pytest.approx(-MASS * 9.81 * when, rel=1e-3)
    assert gate.energy == pytest.approx(0.0, abs=1e-9 * MASS * 9.81 * 9e-3)  # it started at rest at the height 0
    book = ledger.energies(machine, ledger.present(machine))
    assert book["outflow_energy"] == pytest.approx(gate.energy, abs=1e-12)
    assert abs(book["wall_work"]) < 1e-15 and abs(book["dissipated_normal"]) < 1e-15
    machine.advance(100)
    machine.watch()


def test_only_what_touches_goes_and_the_rest_goes_on() -> None:
    """Two of three grains fall on the drain, at different times, one of them beside a floor that bears the third; each
    is counted by the wall that took it.
    """
    walls = [
        drain({**LINE, "start": (-0.01, 0, -0.0102), "end": (-0.002, 0, -0.0102)}),
        {"name": "floor", "material": "a", "shape": {**LINE, "start": (0.004, 0, -0.0102)}},
        drain({**LINE, "start": (-0.02, 0, -0.0202), "end": (-0.012, 0, -0.0202)}, name="deep"),
    ]
    grains = [lab.grain(-0.006, 0.0), lab.grain(0.008, -0.008), lab.grain(-0.016, 0.0)]
    machine = lab.solver(lab.scene(grains, walls=walls, gravity=(0.0, 0.0, -9.81), **DEEP), 4e-6)
    machine.advance(round(0.05 / machine.dt))
    assert peek(machine, "id").tolist() == [1, 2]
    machine.advance(round(0.03 / machine.dt))
    assert peek(machine, "id").tolist() == [1]
    gates = machine.gates()
    assert (gates["drain"].number, gates["deep"].number) == (1, 1)
    assert machine.positions()[0, 2] == pytest.approx(-0.009, abs=2e-3)
    machine.watch()


def test_a_piece_goes_by_itself_and_a_drain_that_is_not_there_takes_nothing() -> None:
    """Of two pieces of a broken grain only the one that touches goes. Before the wall appears nothing does."""
    walls = [drain({"shape": "plane", "point": (5e-4, 0.0, 0.0), "normal": (-1.0, 0.0, 0.0)}, appears=1e-3)]
    points = ((0.0, -1e-3), (1.7e-3, 0.0), (0.0, 1e-3), (-1.7e-3, 0.0))  # two triangles and one beam, across x = 0
    machine = lab.solver(lab.scene([lab.polygon(0.0, 0.0, *points)], walls=walls), 1e-6)
    machine.advance(900)
    assert machine.triangle_count == 2
    peek(machine, "broken")[:] = -1
    machine.advance(200)
    assert len(machine) == 2
    machine.meet_walls()
    machine.advance(1)
    assert len(machine) == 1 and machine.positions()[0, 0] < 0
    assert machine.statistics()["grains_in"] == 1


def test_the_same_bits_after_a_restore() -> None:
    scene = lab.scene(
        [lab.grain(0.0, 0.0), lab.grain(0.004, 0.003)], walls=[drain(LINE)], gravity=(0, 0, -9.81), **DEEP
    )
    straight, halfway = lab.solver(scene, 1e-5), lab.solver(scene, 1e-5)
    straight.advance(4800)
    halfway.advance(4500)  # the first has gone
    restored = BeamSolver.restored(halfway.model, *halfway.state())
    restored.advance(300)
    assert len(straight) == len(restored) == 1
    assert np.array_equal(peek(straight, "state"), peek(restored, "state"))


def test_sticky_walls_are_refused() -> None:
    scene = lab.scene([lab.grain(0.0, 0.0)], walls=[{"name": "glue", "material": "a", "sticky": True, "shape": PLANE}])
    with pytest.raises(SceneError) as caught:
        checks.check(*build(scene))
    assert [finding.where for finding in caught.value.findings] == ["walls[0].sticky"]
