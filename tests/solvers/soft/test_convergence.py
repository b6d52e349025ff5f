"""Velocity Verlet is of second order on a smooth contact, damping and friction included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solvers import lab
from solvers.plain import bindings


@pytest.mark.parametrize(("law", "solver"), bindings(("linear", "hertz", "displacement")))
def test_second_order_before_separation(law: str, solver: Any) -> None:
    """Two rough, damped spheres that overlap from the start and slide on each other below Coulomb's limit: all forces
    are smooth. The positions and spins at a time before they part have an error that falls with the square of the
    step, measured against a step thirty-two times as short (whose own error is then 1/1024 of the largest).
    """
    a = lab.material(friction=2.0, restitution=0.6)

    def final(time_step: float) -> np.ndarray:
        groups = [
            lab.grain((0.0, 0.0, 0.0), spin=(0.0, 0.0, 1.0)),
            lab.grain((0.098, 0.0, 0.0), size=0.1, velocity=(-0.3, 0.05, 0.02)),
        ]
        machine = solver(lab.scene(law, groups, a=a), time_step)
        machine.advance_to(1.2e-3)
        seen = machine.frame()
        assert len(machine.frame().contacts.first) == 1
        return np.concatenate([seen.position.ravel() / 1e-3, seen.spin.ravel()])

    reference = final(4e-5 / 32)
    found = [float(np.abs(final(4e-5 / 2**k) - reference).max()) for k in range(4)]
    assert 1.8 < lab.order_of(found) < 2.4
