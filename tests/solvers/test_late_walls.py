"""A wall that appears where grains are: the error says so, and not only that something is too soft."""

from __future__ import annotations

from typing import Any

import pytest

from barchan.errors import RunError
from barchan.model.build import build
from barchan.scene import Scene
from barchan.solvers import create


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
