"""A scene that has run empty is no error, whatever the energy that went with the grains."""

from __future__ import annotations

from typing import Any

import pytest

from barchan.model.build import build
from barchan.scene import Scene
from barchan.solvers import create

SOLVERS: dict[str, dict[str, Any]] = {
    "soft": {"solver": "soft"},
    "hard": {"solver": "hard"},
    "beams": {"solver": "beams", "dimensions": 2},
}


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("look", [1e-3, 0.1], ids=["watched", "unwatched"])
def test_the_last_grain_leaves_with_no_energy_at_all(name: str, look: float) -> None:
    """A grain that starts at rest at the height 0 has the energy 0 for ever: as much from motion as it owes to height.
    When the drain has taken it, nothing is left but round-off, which must not be held against nothing: the ledger's
    error is that of m g 1.73 cm. Whether or not somebody has looked while it fell.
    """
    shape = "square" if name == "beams" else "sphere"
    drain = {"name": "drain", "material": "a", "shape": "plane", "point": (0.0, 0.0, -0.0173), "absorbing": True}
    grain = {"name": "g", "material": "a", "shape": shape, "size": 2e-3,
             "fill": {"kind": "points", "positions": [(0.0, 0.0, 0.0)]}}  # fmt: skip
    material = {"density": 2500.0, "young": 1e6, "friction": 0.3, "restitution": 0.5}
    scene = Scene(name="empty", duration=0.1, materials={"a": material}, grains=[grain], walls=[drain], **SOLVERS[name])
    machine = create(*build(scene), 0.0 if name == "hard" else 1e-5)
    for k in range(round(0.1 / look)):
        machine.advance_to((k + 1) * look)
        machine.watch()
    assert len(machine) == 0 and machine.gates()["drain"].number == 1
    assert machine.energy_error < 1e-9
