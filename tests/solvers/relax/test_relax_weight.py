"""Packings under gravity: what hangs in the air comes down, by every minimiser, and nothing falls through the floor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from barchan.model.build import build
from barchan.scene import Scene
from barchan.solvers.relax.solver import RelaxSolver

FLOOR = {"name": "floor", "material": "a", "shape": "plane"}
BOX = {"name": "box", "material": "a", "shape": "box", "low": (0, 0, 0), "high": (0.3, 0.3, 2)}
SIZE, GRAVITY = 0.05, 9.81
WEIGHT = 1000.0 * np.pi / 6 * SIZE**3 * GRAVITY  # N


def relaxed(grains: dict[str, Any], wall: dict[str, Any], minimiser: str, stiffness: float = 1e3) -> RelaxSolver:
    scene = Scene(
        name="weight", solver="relax", duration=1.0, frame_rate=4.0, walls=[wall],
        materials={"a": {"density": 1000.0, "young": 1e5}},
        grains=[{"name": "g", "material": "a", "size": SIZE, **grains}],
        relax={"potential": {"kind": "harmonic", "stiffness": stiffness}, "minimiser": minimiser},
    )  # fmt: skip
    machine = RelaxSolver(*build(scene), 1.0)
    machine.advance_to(1.0)
    return machine


@pytest.mark.parametrize("minimiser", ["newton", "fire", "trust-region"])
@pytest.mark.parametrize("stiffness", [1e2, 1e3, 1e6])
def test_a_sphere_comes_down_and_sinks_in_by_its_weight(minimiser: str, stiffness: float) -> None:
    """k δ = m g: it comes to lie at r − m g/k, though nothing touches it where it starts, eight radii above."""
    machine = relaxed({"fill": {"kind": "points", "positions": [(0.0, 0.0, 0.2)]}}, FLOOR, minimiser, stiffness)
    assert machine.positions()[0, 2] == pytest.approx(0.5 * SIZE - WEIGHT / stiffness, abs=1e-10)
    assert machine.balance() < 1e-9


@pytest.mark.parametrize("minimiser", ["newton", "fire", "trust-region"])
def test_a_cloud_becomes_a_bed(minimiser: str) -> None:
    """Sixty spheres that hang apart in a box: the floor bears the weight of all, and forces balance."""
    region = {"kind": "box", "low": (0, 0, 0.2), "high": (0.3, 0.3, 1.0)}
    machine = relaxed({"count": 60, "fill": {"kind": "random", "region": region}}, BOX, minimiser)
    assert machine.balance() < 1e-9
    place = machine.positions()
    assert place[:, 2].min() > 0.0 and place[:, 2].max() < 0.2
    lowest = place[place[:, 2] < 0.5 * SIZE, 2]
    assert 1e3 * np.sum(0.5 * SIZE - lowest) == pytest.approx(60 * WEIGHT, rel=1e-6)


def test_a_stiff_floor_is_judged_by_round_off() -> None:
    """At 1e12 N/m a position's last digit is worth 1e-5 of the weight: the balance is what can be had, and is told."""
    machine = relaxed({"fill": {"kind": "points", "positions": [(0.0, 0.0, 0.02499)]}}, FLOOR, "newton", 1e12)
    assert machine.positions()[0, 2] == pytest.approx(0.5 * SIZE, abs=1e-11)
    assert machine.balance() < 1e-3
