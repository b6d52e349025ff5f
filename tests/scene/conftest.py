"""Parts of the tests' own, so that these tests depend on no particular law, shape or motion."""

from __future__ import annotations

import copy
from typing import Any, ClassVar

import pytest

from barchan import registry
from barchan.parts.laws import Law
from barchan.parts.motions import Motion
from barchan.parts.wall_shapes import Shape
from barchan.registry import Part
from barchan.schema.quantities import Angle, Coefficient, Position, PositiveLength, Spin


class Rubber(Law):
    """A law with a parameter."""

    key: ClassVar[str] = "test-rubber"
    softness: Coefficient = 0.25


class Glue(Law):
    """Another law with another parameter."""

    key: ClassVar[str] = "test-glue"
    tack: Coefficient = 2.0


class Pole(Shape):
    """A shape with a required and an optional field."""

    key: ClassVar[str] = "test-pole"
    radius: PositiveLength
    foot: Position = (0.0, 0.0, 0.0)


class Nod(Motion):
    """A motion."""

    key: ClassVar[str] = "test-nod"
    spin: Spin
    phase: Angle = 0.0


class Leap(Part):
    """An integrator."""

    family: ClassVar[str] = "integrators"
    key: ClassVar[str] = "test-leap"
    order: int = 2


class Count(Part):
    """An observable."""

    family: ClassVar[str] = "observables"
    key: ClassVar[str] = "test-count"
    above: PositiveLength = 1.0


@pytest.fixture(autouse=True)
def own_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts above are known during each test of this folder, and whatever it registers is forgotten after it."""
    for family in registry.FAMILIES:
        monkeypatch.setitem(registry._found, family, registry.parts(family))
    for part in (Rubber, Glue, Pole, Nod, Leap, Count):
        registry.register(part)


_FIELDS: dict[str, Any] = {
    "name": "test",
    "duration": 2,
    "integrator": {"kind": "test-leap"},
    "contact": {"law": "test-rubber", "softness": 0.5},
    "materials": {"sand": {"density": 2500.0}, "steel": {"density": 7800.0, "young": 2e11}},
    "grains": [
        {
            "name": "bed",
            "material": "sand",
            "size": 0.005,
            "count": 10,
            "fill": {"kind": "random", "region": {"kind": "box", "low": [0, 0, 0], "high": [1, 1, 1]}},
        }
    ],
    "walls": [
        {"name": "mast", "shape": "test-pole", "radius": 0.1, "material": "steel"},
        {"name": "stake", "shape": "test-pole", "radius": 0.2, "material": "steel"},
    ],
}


@pytest.fixture
def fields() -> dict[str, Any]:
    """The plain dict of a small sound scene, to be changed at will."""
    return copy.deepcopy(_FIELDS)
