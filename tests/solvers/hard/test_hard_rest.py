"""Collapse and rest: time goes on, and the rules that see to it keep books."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barchan.errors import RunError
from solvers.hard_lab import FLOOR, GRAVITY, grain, grains, scene, solver
from solvers.inside import peek

DOWN = (0.0, 0.0, -GRAVITY)


def test_a_bouncing_ball_comes_to_rest_and_time_goes_on():
    """e = 0.5 from 1 m: infinitely many bounces end at √(2h/g) (1 + e)/(1 − e) = 1.35 s; the run goes beyond.

    From then on the ball hops no higher than g tc²/8 with the contact time tc, and the books say what that took.
    """
    machine = solver(scene([grain((0, 0, 1.05))], [FLOOR], gravity=DOWN, restitution=0.5))
    start = machine.frame().ledger["potential_energy"]
    machine.advance_to(3.0)
    seen, told = machine.frame(), machine.statistics()
    tc = told["contact_time"]
    assert tc == pytest.approx(0.1 * math.sqrt(0.1 / GRAVITY))
    assert 0 <= seen.position[0, 2] - 0.05 <= 1.01 * GRAVITY * tc**2 / 8
    assert told["timed_collisions"] > 0
    assert told["collisions"] < 20 + 1.7 / (0.2 * tc)
    book = machine.frame().ledger
    assert book["dissipated_normal"] == pytest.approx(start - seen.mass[0] * GRAVITY * 0.05, rel=1e-3)
    assert abs(book["energy_error"]) < 1e-12 * start
    assert book["spared_energy"] > 0
    machine.watch()


def test_grains_put_down_at_rest_stay_where_they_are():
    """A row of grains at rest on the floor, touching each other, has no approach speed at all to begin with."""
    machine = solver(scene([grains([(0.1 * k, 0, 0.05) for k in range(3)])], [FLOOR], gravity=DOWN, restitution=0.8))
    machine.advance_to(0.5)
    seen, told = machine.frame(), machine.statistics()
    assert np.allclose(seen.position, [(0.1 * k, 0, 0.05) for k in range(3)], atol=1e-4)
    assert told["rested_collisions"] >= 3
    book = machine.frame().ledger
    assert book["rest_work"] > 0
    assert abs(book["energy_error"]) < 1e-14  # of 1.9 J


def test_three_grains_that_collapse_in_a_row():
    """Three grains in a line with e < 7 − 4√3 = 0.07 collide for ever in a finite time; the contact time ends it.

    Nearly all of the energy of their relative motion is gone by then: what is left moves with the common velocity.
    """
    row = [grain((-0.15, 0, 0), velocity=(1, 0, 0)), grain((0, 0, 0)), grain((0.2, 0, 0), velocity=(-1, 0, 0))]
    machine = solver(scene(row, restitution=0.05))
    machine.advance_to(1.0)
    assert machine.time == 1.0
    told = machine.statistics()
    assert told["timed_collisions"] > 0
    assert machine.kinetic_energy() < 0.01 * machine.energy_at_start
    assert abs(machine.frame().ledger["energy_error"]) < 1e-12 * machine.energy_at_start


def test_an_elastic_grain_on_the_floor_does_not_stall():
    machine = solver(scene([grain((0, 0, 0.05))], [FLOOR], gravity=DOWN))
    machine.advance_to(0.01)
    assert machine.time == 0.01
    assert machine.frame().ledger["rest_work"] < 1e-9 * 1.3 * GRAVITY * 0.1  # of m g d


def test_a_grain_that_a_wall_crushes_is_told():
    """A plate comes down on a grain that lies on the floor: rigid bodies have no answer, and the run says so."""
    plate = {"shape": "disk", "center": (0, 0, 0.2), "radius": 0.3}
    plate |= {"motion": {"kind": "translate", "velocity": (0, 0, -1)}}
    machine = solver(scene([grain((0, 0, 0.06))], [FLOOR, plate], gravity=DOWN, restitution=0.5))
    with pytest.raises(RunError, match="crush"):
        machine.advance_to(0.2)
    assert peek(machine, "clock")[0] == pytest.approx(0.1, abs=1e-3)


def test_grains_on_grains_keep_hopping_and_the_books_say_what_that_took():
    """Three lossy grains in a column on an elastic floor. The floor gives nothing, so what keeps them apart is pairs'.

    Without a limit the column would come to rest at the floor's own, √(g d)/10⁵, and collide ten thousand times more
    often: its weight is carried by impulses of the mass times the speed. Relative speeds after a timed collision are at
    least g tc/4, so a column of height H needs no more than about g (H/d) / (g tc/4) of them a second and grain.
    """
    column = [(0, 0, 0.05 + 0.1 * k) for k in range(3)]
    materials = {
        "a": {"density": 2500.0, "restitution": 0.5, "tangential_restitution": 0.5},
        "floor": {"density": 2500.0, "restitution": 1.0},
    }
    elastic = [{"between": ["a", "floor"], "restitution": 1.0, "tangential_restitution": 1.0}]
    floor = {**FLOOR, "material": "floor"}
    machine = solver(scene([grains(column)], [floor], gravity=DOWN, materials=materials, pairs=elastic))
    machine.advance_to(1.0)
    before = machine.step
    machine.advance_to(2.0)
    told, book = machine.statistics(), machine.frame().ledger
    assert book["rest_work"] > 0
    assert abs(book["energy_error"]) < 1e-13
    assert (machine.step - before) / 3 < 3 * 3 / (told["contact_time"] / 4)
    assert np.all(np.diff(machine.frame().position[:, 2]) >= 0.1 * (1 - 1e-9))
