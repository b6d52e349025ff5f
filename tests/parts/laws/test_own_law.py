"""A law of one's own, registered from a script, is used in scenes like the built-in ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import pytest

from barchan import registry
from barchan.parts.laws import Contact, Law, Surface
from barchan.schema.quantities import Stiffness
from solvers import lab
from solvers.plain import PlainSolver


class SpringConstants(NamedTuple):
    """Constants of a pair of materials."""

    stiffness: float  # N/m
    friction: float


def force(contact: Contact, memory: Any, p: SpringConstants) -> tuple[float, tuple[float, float, float], Any]:
    """A smooth spring without losses."""
    return p.stiffness * contact.overlap, (0.0, 0.0, 0.0), memory


def stored(overlap: float, radius: float, mass: float, memory: Any, p: SpringConstants) -> tuple[float, float]:
    """½ k ξ²."""
    return 0.5 * p.stiffness * overlap * overlap, 0.0


class Spring(Law):
    """A smooth spring without losses."""

    key: ClassVar[str] = "own spring"
    Constants = SpringConstants
    force = staticmethod(force)
    stored = staticmethod(stored)

    stiffness: Stiffness

    def constants(self, surface: Surface) -> SpringConstants:
        return SpringConstants(self.stiffness, surface.friction)

    def contact_time(self, surface: Surface, radius: float, mass: float, speed: float) -> float:
        return math.pi * math.sqrt(mass / self.stiffness)


@pytest.fixture
def own_spring() -> Iterator[type[Law]]:
    """The law, known to scenes for the time of a test."""
    yield registry.register(Spring)
    registry._found["laws"].pop(Spring.key)


def test_own_law_is_found_by_name_and_used(own_spring: type[Law]) -> None:
    """Equal grains on a spring without losses exchange their velocities after π √(m*/k), and a grazing component is
    left alone: there is no friction. The depth v √(m*/k) tells that the scene's own stiffness was used.
    """
    stiffness, mass, speed = 3e4, lab.ball_mass(0.05) / 2, 0.4
    groups = [lab.grain((0.0, 0.0, 0.0)), lab.grain((0.1, 0.0, 0.0), velocity=(-speed, 0.02, 0.0))]
    described = lab.scene({"law": "own spring", "stiffness": stiffness}, groups)
    unit = math.sqrt(mass / stiffness)
    machine = PlainSolver(described, math.pi * unit / 400)
    machine.advance(200)
    assert machine.frame().contacts.overlap.max() == pytest.approx(speed * unit, rel=2e-3)
    machine.advance(205)
    seen = machine.frame()
    assert not len(machine.frame().contacts.first)
    assert seen.velocity[0, 0] == pytest.approx(-speed, rel=2e-3)
    assert abs(seen.velocity[1, 0]) < 2e-3 * speed
    assert abs(seen.spin).max() < 1e-15


def test_own_law_is_written_and_read_like_any_other(own_spring: type[Law]) -> None:
    """Its parameters are validated and take units."""
    described = lab.scene({"law": "own spring", "stiffness": "30 N/mm"}, [lab.grain((0.0, 0.0, 0.0))])
    assert described.contact.stiffness == pytest.approx(3e4)
    again = lab.Scene.model_validate(described.to_dict())
    assert again == described
    with pytest.raises(Exception, match="stiffness"):
        lab.scene({"law": "own spring", "stiffness": "30 s"}, [lab.grain((0.0, 0.0, 0.0))])
