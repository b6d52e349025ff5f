"""Stress in the plane: a force over a length, and the mean of two components."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan.draw.colors import scale_for
from barchan.draw.quantities import QUANTITIES
from barchan.errors import SceneError
from barchan.parts.observables.stress import Stress
from barchan.simulation.plan import Measures
from solvers import relax_lab

PITCH, SIZE = 0.1, 0.102  # m
FORCE = relax_lab.STIFFNESS * (SIZE - PITCH)  # N, of a spring, at each contact


def square() -> relax_lab.RelaxSolver:
    """100 discs on a square lattice that repeats: each is pushed by four neighbours with the same force."""
    spots = np.stack(np.meshgrid(np.arange(10), [0.0], np.arange(10), indexing="ij"), axis=-1).reshape(-1, 3)
    group = {"name": "discs", "material": "a", "size": SIZE, "fill": {"kind": "points", "positions": []}}
    group["fill"]["positions"] = ((spots + np.array([0.5, 0.0, 0.5])) * PITCH).tolist()
    scene = relax_lab.flat_scene(fraction=None, grains=[group], observables=["stress", "packing"])
    return relax_lab.solver(scene)


def test_pressure_is_half_of_the_trace() -> None:
    """Across each pitch of a square lattice one contact carries f: σxx = σzz = f/p, and that is the pressure. A third
    of the trace would be two thirds of it.
    """
    found = Stress().measure(square().frame())
    assert found["pressure"] == pytest.approx(FORCE / PITCH)
    assert found["stress_xx"] == pytest.approx(-FORCE / PITCH)
    assert found["stress_zz"] == pytest.approx(-FORCE / PITCH)
    assert found["stress_yy"] == 0.0


def test_pressure_in_a_disc() -> None:
    """Four forces f on a disc, p/2 from its centre, put 2 f p into its area π d²/4; half of that is the pressure. The
    viewer and pictures show it in N/m.
    """
    machine = square()
    frame, scene = machine.frame("contacts"), machine.model.scene
    stress = QUANTITIES["stress"].values(frame, scene)
    assert stress == pytest.approx(np.full(100, FORCE * PITCH / (math.pi / 4 * SIZE**2)))
    scale = scale_for([frame], "stress", scene)
    assert scale is not None and scale.unit == "N/m"


def test_units_go_with_the_dimensions() -> None:
    """Series of stresses are N/m in the plane and Pa in space; fractions have no unit in either."""
    flat = dict(Measures.of(square().model.scene).series)
    assert (flat["pressure"], flat["stress_isotropic"], flat["packing_fraction"]) == ("N/m", "N/m", "")
    space = dict(Measures.of(relax_lab.round_scene(observables=["stress", "packing"])).series)
    assert (space["pressure"], space["stress_isotropic"]) == ("Pa", "Pa")


def test_a_pressure_to_go_to_has_the_unit_of_its_dimensions() -> None:
    """`to` is N/m in the plane, Pa in space; the other unit is refused there, a plain number is taken as it is."""
    assert relax_lab.flat_scene(deformation={"kind": "pressure", "to": "5 N/m"}).deformation.to == 5.0
    assert relax_lab.flat_scene(deformation={"kind": "pressure", "to": "1 N/mm"}).deformation.to == 1000.0
    assert relax_lab.round_scene(deformation={"kind": "pressure", "to": "2 kPa"}).deformation.to == 2000.0
    assert relax_lab.flat_scene(deformation={"kind": "pressure", "to": 5}).deformation.to == 5.0
    with pytest.raises(SceneError, match=r"deformation\.to: .*in two dimensions a pressure is a force over a length"):
        relax_lab.flat_scene(deformation={"kind": "pressure", "to": "5 Pa"})
    with pytest.raises(SceneError, match=r"deformation\.to: .*must be a quantity in Pa"):
        relax_lab.round_scene(deformation={"kind": "pressure", "to": "5 N/m"})
