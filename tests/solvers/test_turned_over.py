"""The energy that a run has turned over, against which its error is seen: it counts once, not on both sides."""

from __future__ import annotations

import pytest

from solvers import hard_lab, lab

DOWN = (0.0, 0.0, -9.81)


def test_a_fall_turns_its_height_over_once() -> None:
    """A hard ball falls 1 m and bounces with e = 0.5: at no time more than m g · 1 m has been turned over, and at the
    end nearly that, though it was released, moved, was lost and was raised again. Counted where it came from and where
    it went, it would be twice as much.
    """
    whole = lab.ball_mass(0.05) * 9.81
    machine = hard_lab.solver(hard_lab.scene(
        [hard_lab.grain((0.0, 0.0, 1.05))], [hard_lab.FLOOR], restitution=0.5, gravity=DOWN,
    ))  # fmt: skip
    for look in range(1, 60):
        machine.advance_to(0.02 * look)
        assert machine.turned_over(machine.frame().ledger) <= whole * (1 + 1e-12)
    assert machine.turned_over(machine.frame().ledger) > 0.9 * whole


def test_what_a_wall_gives_counts_once() -> None:
    """A belt takes a ball from rest to its speed v: the work of the belt, half of which friction takes, is all."""
    belt = {**lab.FLOOR, "motion": {"kind": "translate", "velocity": (0.5, 0.0, 0.0)}}
    ball = lab.grain((0.0, 0.0, 0.05 - 1e-6))
    machine = lab.solver(lab.scene("hertz", [ball], [belt], gravity=DOWN, rotation=False), 2e-5)
    machine.advance_to(0.3)
    book = machine.frame().ledger
    moved = lab.ball_mass(0.05) * 0.5**2
    assert book["wall_work"] == pytest.approx(moved, rel=0.02)
    assert machine.turned_over(book) == pytest.approx(moved, rel=0.02)


def test_a_gas_turns_its_first_energy_over() -> None:
    """Without gravity and walls the energy that was there at first is all, also when inelastic collisions have it."""
    machine = hard_lab.gas(30, 0.2, restitution=0.8)
    first = machine.kinetic_energy()
    machine.advance_to(3.0)
    assert machine.kinetic_energy() < 0.9 * first
    assert machine.turned_over(machine.frame().ledger) == pytest.approx(first)
