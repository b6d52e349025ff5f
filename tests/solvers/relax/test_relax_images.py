"""Frames of energy minimisation say how many periods of the sheared box a disc is away."""

from __future__ import annotations

import numpy as np

from barchan.model.build import build
from barchan.solvers.relax.solver import RelaxSolver
from solvers import relax_lab as lab


def test_a_sheared_box_takes_its_grains_along() -> None:
    """Discs that do not touch go where the box takes them: x = x₀ + γ (z₀ − ½) about the middle of a unit square, also
    those that begin some periods away, whose images above are shifted by the tilt. That goes from ½ to −½ m when it is
    reduced, twice on the way to γ = 2.3; without it in the sum, or with another one, x is wrong by 1 m and more.
    """
    fill = {"kind": "points", "positions": [(0.2, 0, 0.1), (0.5, 0, 0.35), (0.8, 0, 0.6), (0.4, 0, 0.85)]}
    group = {"name": "g", "material": "a", "size": 0.1, "fill": fill}
    scene = lab.flat_scene(fraction=None, grains=[group], deformation={"kind": "simple-shear", "strain": 2.3})
    model, made = build(scene)
    made.position[1:] += [(2, 0, 3), (-1, 0, -2), (0, 0, 1)]
    begin = made.position.copy()
    machine = RelaxSolver(model, made, 1.0)
    for turn in range(1, 13):
        machine.advance_to(turn / 12)
        frame = machine.frame()
        there = begin.copy()
        there[:, 0] += 2.3 * turn / 12 * (begin[:, 2] - 0.5)
        np.testing.assert_allclose(frame.unwrapped, there, rtol=0, atol=1e-12 * np.abs(there).max())
        assert np.all((frame.position >= 0) & (frame.position <= 1))
        if turn == 6:
            machine = RelaxSolver.restored(machine.model, *machine.state())
    assert np.array_equal(frame.image[:, 2], (0, 3, -2, 1))
