"""A wall that appears where grains are: the error says so, and not only that something is too soft."""

from __future__ import annotations

from typing import Any

import pytest

from barchan.errors import RunError
from barchan.model.build import build
from barchan.scene import Scene
from barchan.solvers import create
from solvers import beams_lab as lab


@pytest.mark.parametrize("solver", ["soft", "beams"])
@pytest.mark.parametrize("how", ["by its time", "by an event"])
def test_a_wall_that_appears_in_grains_is_named(solver: str, how: str) -> None:
    """Nine tenths of the grain are behind it at once, which no softness explains."""
    by_time = how == "by its time"
    when: dict[str, Any] = {"appears": 1e-3} if by_time else {"present": False}
    event = {"name": "now", "when": {"kind": "time", "at": 1e-3}, "do": {"kind": "add_wall", "wall": "bar"}}
    grain = {"name": "g", "material": "a", "shape": "square" if solver == "beams" else "sphere", "size": 2e-3,
             "fill": {"kind": "points", "positions": [(0.0, 0.0, 0.0)]}}  # fmt: skip
    wall = {"name": "bar", "material": "a", "shape": "plane", "point": (0.0, 0.0, 9.5e-4), **when}
    scene = Scene(
        name="late", solver=solver, duration=0.01, gravity=(0.0, 0.0, 0.0), dimensions=2, grains=[grain], walls=[wall],
        materials={"a": {"density": 2500.0, "young": 1e6, "friction": 0.3}}, events=[] if by_time else [event],
    )  # fmt: skip
    machine = create(*build(scene), 1e-6)
    machine.advance_to(1e-3)
    if by_time:
        machine.meet_walls()
    else:
        machine.add_wall("bar")
    machine.advance(2)
    with pytest.raises(RunError, match="'bar' appeared where grains were"):
        machine.watch()


def _watched(machine: Any) -> None:
    for _ in range(200):
        machine.advance(5)
        machine.watch()


def test_a_strip_that_appears_in_a_grain_is_named_where_its_beams_give_way() -> None:
    """A strip of 0.6 mm that comes up inside a square of 2 mm holds half of a triangle, and drives the square apart.

    Its beams are weak, but of them alone the message must not speak.
    """
    bar = {"name": "bar", "shape": "line", "material": "a", "start": (-0.01, 0, 4e-4), "end": (0.01, 0, 4e-4),
           "appears": 1e-3}  # fmt: skip
    scene = lab.scene([lab.grain(0.0, 0.0)], beams={"stiffness": 1.0, "wall_thickness": 6e-4}, walls=[bar])
    machine = lab.solver(scene, 5e-6)
    machine.advance_to(1e-3)
    machine.watch()
    machine.meet_walls()
    with pytest.raises(
        RunError, match="'bar' appeared where grains were, which it must not, or its beams are too weak"
    ):
        _watched(machine)
