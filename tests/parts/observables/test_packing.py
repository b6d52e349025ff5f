"""Fabric and rattlers of contacts that are known one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan import registry
from barchan.frame import Contacts, Frame
from barchan.parts.observables import _packing
from barchan.parts.observables.packing import Packing
from draw.frames import frame_of


def frame(radius: list[float], contacts: list[tuple[int, int]], branch: np.ndarray) -> Frame:
    """Discs in a box of 1 m² that touch so; branch: (C, 3) m, to the first centre from the second, where the first is
    the one in the middle.
    """
    n, c = len(radius), len(contacts)
    first, second = np.array(contacts, np.int64).reshape(-1, 2).T
    place = np.full((n, 3), 0.5)
    place[second] = place[first] - branch
    touching = Contacts(
        first=first, second=second, point=place[first] - 0.5 * branch, force=10 * branch, overlap=np.full(c, 0.01),
        mode=np.zeros(c, np.int8), face=np.zeros(c, np.int64), depth=np.full(c, 0.1),
    )  # fmt: skip
    known = {"contacts": touching, "flat": True, "solid": math.pi * np.array(radius) ** 2}
    return frame_of(place, np.array(radius), cell=np.array([[0.0, 0, 0, 1, 0, 1, 0]]), known=known)


def test_fabric_counts_the_sizes_of_both_discs() -> None:
    """F = Σ π (r₁² + r₂²) n⊗n/A (Krijgsman and Luding 2016, eq. 14): along x for discs of 0.1 and 0.05 m, along z for
    two of 0.1 m. Stress is the force of 10 N/m times the branch, along either axis.
    """
    branch = np.array([[0.14, 0, 0], [0, 0, -0.19]])
    seen = frame([0.1, 0.05, 0.1], [(0, 1), (0, 2)], branch)
    x, z = math.pi * (0.1**2 + 0.05**2), math.pi * (0.1**2 + 0.1**2)
    assert _packing.fabric(seen, Packing().part(seen)) == pytest.approx(np.diag([x, z]), abs=1e-15)
    values = registry.part("observables", "packing")().measure(seen)
    assert values["fabric_isotropic"] == pytest.approx(0.5 * (x + z))
    assert values["fabric_deviatoric"] == pytest.approx(0.5 * (z - x))
    assert values["stress_isotropic"] == pytest.approx(0.5 * 10 * (0.14**2 + 0.19**2))
    assert values["stress_deviatoric"] == pytest.approx(0.5 * 10 * (0.19**2 - 0.14**2))


def test_a_grain_held_by_a_rattler_is_a_rattler() -> None:
    """Four discs that all touch each other hold with three contacts each. A fifth touches two of them and a sixth: with
    three contacts it seems to hold, until the sixth, which nothing else touches, is taken away.
    """
    inner = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    contacts = [*inner, (4, 0), (4, 1), (4, 5)]
    seen = frame([0.1] * 6, contacts, np.tile([0.1, 0, 0.1], (len(contacts), 1)))
    held, inside = _packing.backbone(seen)
    assert held.tolist() == [True] * 4 + [False] * 2
    assert seen.pairs[inside, :2].tolist() == [list(pair) for pair in inner]
    values = registry.part("observables", "packing")().measure(seen)
    assert values["rattler_share"] == pytest.approx(2 / 6)
    assert values["coordination"] == pytest.approx(2 * 9 / 6)
    assert values["coordination_held"] == pytest.approx(3.0)
