"""Observables on arrangements whose numbers are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan import registry
from barchan.measures import pile as analysis
from barchan.parts.observables.centre import Centre
from barchan.parts.observables.contacts import Contacts
from barchan.parts.observables.count import Count
from barchan.parts.observables.energy import Energy
from barchan.parts.observables.pile import Pile
from barchan.parts.observables.stress import Stress
from draw.frames import empty_frame
from solvers import beams_lab, lab

DOWN = (0.0, 0.0, -lab.GRAVITY)


def column(count: int) -> lab.SoftSolver:
    """Spheres of 0.1 m, one on top of another on a floor, at rest."""
    places = [(0.0, 0.0, 0.0499 + 0.0998 * k) for k in range(count)]
    a = lab.material(restitution=0.1, young=1e8)
    machine = lab.solver(lab.scene("hertz", [lab.grains(places)], [lab.FLOOR], a=a, gravity=DOWN, rotation=False), 2e-5)
    machine.advance_to(0.6)
    assert abs(machine.frame().velocity).max() < 1e-5
    return machine


@pytest.mark.parametrize("side", [2, 4])
def test_contacts_of_a_cubic_lattice(side: int) -> None:
    """A grain of a simple cubic lattice has six neighbours, less at the surface: 3 n² (n − 1) contacts with two ends
    each for n³ grains, 6 (1 − 1/n) a grain. An overlap of 0.1 mm is 0.2 % of the radius of 5 cm.
    """
    places = 0.0999 * np.stack(np.meshgrid(*(np.arange(side),) * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    moment = lab.solver(lab.scene("hertz", [lab.grains(places)]), 1e-5).frame()
    measured = Contacts().measure(moment)
    assert measured["contacts_per_grain"] == pytest.approx(6 * (1 - 1 / side))
    assert measured["worst_overlap"] == pytest.approx(1e-4 / 0.05)


def test_contacts_of_clumps_and_walls() -> None:
    """Two cubes that touch face to face with four spheres each are neighbours once; each touches the floor once."""
    cubes = lab.grains([(0.0, 0.0, 0.0499), (0.0999, 0.0, 0.0499)], shape="cube")
    moment = lab.solver(lab.scene("hertz", [cubes], [lab.FLOOR]), 1e-5).frame()
    assert len(moment.contacts.first) == 4 + 2 * 4
    measured = Contacts().measure(moment)
    assert measured["contacts_per_grain"] == pytest.approx(2.0)
    assert measured["contact_points_per_grain"] == pytest.approx((2 * 4 + 2 * 4) / 2)


def test_stress_of_a_column_is_its_weight_over_area() -> None:
    """The floor carries the whole weight n m g; the stress over an area A grows evenly from 0 at the top to n m g/A at
    the floor, so its mean is half of that, negative because tension is positive: −σzz = n m g/(2 A).
    """
    count, area = 5, 0.02
    machine = column(count)
    weight = count * lab.ball_mass(0.05) * lab.GRAVITY
    moment = machine.frame()
    at_floor = moment.contacts.force[moment.contacts.second < 0]
    np.testing.assert_allclose(at_floor.sum(axis=0), (0.0, 0.0, weight), atol=1e-4 * weight)
    top = float(machine.frame().position[:, 2].max()) + 0.05
    measured = Stress(volume=area * top).measure(moment)
    assert measured["stress_zz"] == pytest.approx(-weight / (2 * area), rel=2e-3)
    assert measured["pressure"] == pytest.approx(weight / (6 * area), rel=2e-3)
    for name in ("stress_xx", "stress_yy", "stress_xy", "stress_xz", "stress_yz"):
        assert abs(measured[name]) < 1e-4 * weight / area


def test_pile_count_and_energy_of_a_column() -> None:
    """The top of five grains, less the overlaps; their mean height; how many there are; and their energy at rest."""
    machine = column(5)
    moment, seen = machine.frame(), machine.frame()
    pile = Pile().measure(moment)
    top = np.sort(seen.position[:, 2] + 0.05)
    assert pile["pile_height"] == pytest.approx(top[-2] + 0.96 * (top[-1] - top[-2]))  # four gaps, 99 % of the way
    assert pile["mean_height"] == pytest.approx(seen.position[:, 2].mean())
    assert Count().measure(moment) == {"grain_count": 5.0, "outflow": 0.0}
    energy = Energy().measure(moment)
    assert energy["potential_energy"] == pytest.approx(5 * lab.ball_mass(0.05) * lab.GRAVITY * pile["mean_height"])
    assert energy["kinetic_energy"] < 1e-9 * energy["potential_energy"]


def test_a_pile_is_as_high_as_its_grains_not_as_the_spheres_about_them() -> None:
    """A rod of three spheres of radius r in a row, 0.3 m long in all, that lies flat is 2 r high, and not as high as
    the sphere about it; one that stands is 0.3 m high. A square of 2 mm with its edges along x and z ends 1 mm above
    its middle, and stood on a corner √2 mm above it.
    """
    radius, apart = 0.05, 0.1
    for axis, top in ((0, 1.0 + radius), (2, 1.15)):
        rod = [{"position": tuple(k * apart * np.eye(3)[axis]), "radius": radius} for k in (-1, 0, 1)]
        moment = lab.solver(lab.scene("hertz", [lab.grains([(0.0, 0.0, 1.0)], shape=rod)]), 1e-5).frame()
        assert moment.radius[0] == pytest.approx(0.15)
        assert Pile().measure(moment)["pile_height"] == pytest.approx(top)
    square = beams_lab.solver(beams_lab.scene([beams_lab.grain(0.0, 5e-3)]), 1e-6)
    for angle, top in ((0.0, 6e-3), (math.pi / 4, 5e-3 + math.sqrt(2) * 1e-3)):
        beams_lab.turn(square, slice(0, square.triangle_count), angle)
        beams_lab.restart(square)
        assert Pile().measure(square.frame())["pile_height"] == pytest.approx(top)
        assert analysis.pile_height(square.frame()) == pytest.approx(2 * (top - 5e-3))
        assert analysis.floor_height(square.frame()) == pytest.approx(1e-2 - top)


def test_the_centre_of_two_falls_freely() -> None:
    """Of a sphere and one of twice its radius, so eight times its mass, the centre lies 8/9 of the way to the second.
    Falling apart from each other, it falls as one body does: z = z₀ − g t²/2, vz = −g t.
    """
    small, large = lab.grain((0.0, 0.0, 1.0)), lab.grain((0.9, 0.0, 1.9), size=0.2)
    machine = lab.solver(lab.scene("hertz", [small, large], [lab.FLOOR], gravity=DOWN), 1e-4)
    machine.advance_to(0.1)
    found = Centre().measure(machine.frame())
    assert found["centre_x"] == pytest.approx(0.8)
    assert found["centre_z"] == pytest.approx(1.8 - lab.GRAVITY * 0.1**2 / 2, rel=1e-9)
    assert found["drift_z"] == pytest.approx(-lab.GRAVITY * 0.1, rel=1e-9)
    assert found["centre_y"] == found["drift_x"] == found["drift_y"] == 0.0


@pytest.mark.parametrize("key", registry.parts("observables"))
def test_every_observable_measures_what_it_announces(key: str) -> None:
    """Names are those announced, with the lines that the method adds, and every value is a finite number."""
    observable = registry.part("observables", key)()
    machine = lab.solver(lab.scene("hertz", [lab.grain((0.0, 0.0, 0.05))], [lab.FLOOR], gravity=DOWN), 1e-5)
    machine.advance(10)
    measured = observable.measure(machine.frame())
    assert sorted(measured) == sorted(name for name, _ in observable.numbers(machine.method.ledger))
    assert all(np.isfinite(value) for value in measured.values())


def test_nothing_is_nowhere() -> None:
    """Where no grain is left there is no height and no centre: 0 would be a place. Counts and sums are 0."""
    above = lab.scene("hertz", [lab.grains([(0.0, 0.0, 1.0)])], [lab.FLOOR])
    seen = lab.solver(above, 1e-5).frame()
    empty = empty_frame(known={"contacts": seen.contacts, "flat": False, "inserted": 0})
    assert all(math.isnan(value) for value in (*Pile().measure(empty).values(), *Centre().measure(empty).values()))
    assert Count().measure(empty)["grain_count"] == 0.0
    assert Stress().measure(empty)["pressure"] == 0.0
