"""One image of every grain: contacts, frames and series of one moment agree on it."""

from __future__ import annotations

import numpy as np
import pytest

from barchan.parts.observables.centre import Centre
from solvers import beams_lab, lab, relax_lab


def test_contacts_go_round_with_their_grains() -> None:
    """Two touching balls fly through a face, 0.6 mm beyond it, too little for new lists. Recorded inside, at the other
    end, each has its contact point on its surface. The series has the same centre of mass as the frame.
    """
    spots = [(0.0, 0.4995, 0.0), (0.0, 0.4995, 0.0998)]
    balls = lab.grains(spots, velocity=(0.0, 1.0, 0.0))
    machine = lab.solver(lab.kitchen([balls], [{**lab.FLOOR, "point": (0.0, 0.0, -0.0498)}]), 2e-5)
    machine.advance_to(1.1e-3)
    frame = machine.frame("contacts")
    assert frame.position[:, 1] == pytest.approx(-0.4994, abs=1e-4)
    assert frame.has("contacts") and len(frame.contacts.first) == 2
    first = np.searchsorted(frame.id, frame.contacts.first)
    away = np.linalg.norm(frame.contacts.point - frame.position[first], axis=1)
    assert away == pytest.approx(0.05, abs=3e-4)
    found = Centre().measure(machine.frame())
    assert found["centre_y"] == pytest.approx(np.average(frame.position[:, 1], weights=frame.mass))


def test_a_packing_has_one_centre() -> None:
    """Grains that relaxing has pushed through the faces are where the frame says, in the series too."""
    machine = relax_lab.relaxed(relax_lab.flat_scene(100, seed=3))
    frame = machine.frame()
    found = Centre().measure(machine.frame())
    middle = np.average(frame.position, axis=0, weights=frame.mass)
    assert [found[f"centre_{axis}"] for axis in "xyz"] == pytest.approx(middle)


def test_a_square_has_one_centre() -> None:
    """A square that has flown through a face, and is not taken back yet, is where the frame says."""
    box = {"low": (-0.01, 0.0, -0.01), "high": (0.01, 0.0, 0.01)}
    square = beams_lab.grain(0.0099, 0.002, velocity=(1.0, 0.0, 0.0))
    machine = beams_lab.solver(beams_lab.scene([square], periodic=(True, False, True), box=box), 1e-6)
    machine.advance(105)
    frame = machine.frame()
    assert frame.position[0, 0] == pytest.approx(0.009999 + 6e-6 - 0.02, abs=1e-9)
    found = Centre().measure(machine.frame())
    assert found["centre_x"] == pytest.approx(frame.position[0, 0])
