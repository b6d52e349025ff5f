"""Periodic boxes that become too short for their grains: told before the run where the scene says how far it goes."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from barchan.errors import RunError, SceneError
from barchan.scene import Scene
from barchan.simulation.plan import Plan
from solvers import lab
from solvers import relax_lab as relax

ACROSS = 0.2  # m
PLACES = [(0.2 * i + 0.25, 0, 0.3 * k + 0.25) for i in range(3) for k in range(6)]
CASES = [
    ({"kind": "pure-shear", "strain": 4.0}, "strain", "z"),
    ({"kind": "pure-shear", "strain": -4.0, "returns": True}, "strain", "x"),
    ({"kind": "compression", "to": 1.9, "course": "smooth"}, "to", "x"),
]


def scene(solver: str, deformation: dict[str, Any]) -> Scene:
    """Equal discs in a box of 1 by 2 m."""
    return Scene(
        name="laboratory", solver=solver, duration=1.0, dimensions=2, gravity=(0, 0, 0), deformation=deformation,
        periodic=(True, False, True), box={"low": (0, 0, 0), "high": (1, 0, 2)},
        contact={"law": "linear", "stiffness": 1000.0}, materials={"a": lab.material(friction=0.0, restitution=1.0)},
        grains=[{"name": "discs", **lab.grains(PLACES, size=ACROSS)}],
    )  # fmt: skip


@pytest.mark.parametrize("solver", ["soft", "relax"])
@pytest.mark.parametrize(("deformation", "field", "axis"), CASES, ids=["shear", "back and forth", "compression"])
def test_a_box_that_would_become_too_thin_is_refused_before_the_run(solver, deformation, field, axis):
    """With the field, the strain (or fraction) from which on it is, the axis, and a limit that is true.

    What is told as allowed must be, and 1% more must not.
    """
    with pytest.raises(SceneError) as raised:
        Plan.of(scene(solver, deformation))
    (text,) = [str(one) for one in raised.value.findings]
    assert text.startswith(f"deformation.{field}: ") and f"along {axis}, and" in text
    told = float(re.search(r"go no further than (\S+),", text, re.IGNORECASE)[1])
    least = float(re.search(r"shorter than (\S+) m", text)[1])
    assert least >= 2 * ACROSS, "half of it: two grains that touch"
    start = {"x": 1.0, "z": 2.0}[axis]
    fraction = len(PLACES) * math.pi / 4 * ACROSS**2 / 2
    by_hand = 2 * math.log(start / least) if field == "strain" else fraction * (start / least) ** 2
    assert 0.99 * by_hand < abs(told) < 1.001 * by_hand, "three digits, cut off"
    Plan.of(scene(solver, {**deformation, field: told}))
    with pytest.raises(SceneError, match="same neighbour"):
        Plan.of(scene(solver, {**deformation, field: 1.01 * told}))


def test_a_box_that_a_pressure_makes_too_thin_stops_the_run_with_its_reason():
    """How far the box must shrink for a pressure is not known before; the box is refused, not a minimiser blamed."""
    machine = relax.solver(
        relax.flat_scene(24, deformation={"kind": "pressure", "to": 1e6}, frame_rate=1.0, relax={"predict": "affine"})
    )
    machine.advance_to(0.0)
    with pytest.raises(RunError, match="a grain could touch the same neighbour on both sides") as raised:
        machine.advance_to(1.0)
    assert "more grains" in str(raised.value)
    assert min(machine.landscape.cell.lengths[k] for k in (0, 2)) >= 4 * machine.landscape.radius.max()
