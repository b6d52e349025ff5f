"""Numbers for each grain, against statics."""

from __future__ import annotations

import numpy as np
import pytest

from barchan.errors import FrameError
from barchan.frame import Contacts, Frame
from barchan.measures.grains import contact_number, contact_sum, pressure, slipping
from draw.frames import frame_of

RADIUS, FORCE = 0.01, 7.0


def squeezed(shift: float = 0.0) -> Frame:
    """Three spheres in a row along x, between two walls that press with one force; ids 3, 5 and 9."""
    x = 2 * RADIUS * np.arange(3) + shift
    place = np.column_stack([x, np.zeros(3), np.zeros(3)])
    point = np.array([[x + shift, 0, 0] for x in (-RADIUS, RADIUS, 3 * RADIUS, 5 * RADIUS)])
    touching = Contacts(
        first=np.array([3, 3, 9, 9]), second=np.array([-1, 5, 5, -2]), point=point,
        force=FORCE * np.array([[1.0, 0, 0], [-1, 0, 0], [1, 0, 0], [-1, 0, 0]]), overlap=np.full(4, 1e-6),
        mode=np.array([1, 2, 1, 0], np.int8), face=np.zeros(4, np.int64), depth=np.full(4, 1e-4),
    )  # fmt: skip
    return frame_of(place, RADIUS, id=np.array([3, 5, 9]), contacts=touching)


def test_a_squeezed_row_has_the_pressure_of_its_force() -> None:
    """Each sphere carries F at both ends, at a distance R: σxx = 2 F R / V, and a third of it is the pressure."""
    frame = squeezed()
    volume = 4 / 3 * np.pi * RADIUS**3
    assert pressure(frame, np.full(3, volume)) == pytest.approx(2 * FORCE * RADIUS / volume / 3)
    assert contact_number(frame) == pytest.approx([2, 2, 2])
    assert contact_sum(frame) == pytest.approx([2 * FORCE] * 3)
    assert slipping(frame) == pytest.approx([0.5, 0.5, 0.0])


def test_a_contact_through_a_periodic_face_counts_at_its_nearest_image() -> None:
    """The same row in a box of ten radii, moved by a box: the contacts stay, and so does the pressure."""
    frame = squeezed(shift=10 * RADIUS)
    frame.contacts.point -= [10 * RADIUS, 0, 0]
    frame.cell = np.array([[0, 0, 0, 10 * RADIUS, 0, 0, 0]])
    volume = 4 / 3 * np.pi * RADIUS**3
    assert pressure(frame, np.full(3, volume)) == pytest.approx(2 * FORCE * RADIUS / volume / 3)


def test_a_contact_through_the_tilted_face_of_a_sheared_box() -> None:
    """A box whose image above is shifted along x by 3 radii: a contact R above the uppermost grain is known by its
    image below, which lies 3 R towards −x and a height of the box lower. The pressure is that of the contact itself.
    """
    height, tilt = 20 * RADIUS, 3 * RADIUS
    touching = Contacts(
        first=np.array([0, 0]), second=np.array([-1, -2]),
        point=np.array([[0, 0, -RADIUS], [-tilt, 0, RADIUS - height]]),
        force=FORCE * np.array([[0.3, 0, 1.0], [-0.3, 0, -1.0]]), overlap=np.full(2, 1e-6), mode=np.zeros(2, np.int8),
        face=np.zeros(2, np.int64), depth=np.full(2, 1e-4),
    )  # fmt: skip
    frame = frame_of(np.zeros((1, 3)), RADIUS, id=np.array([0]), contacts=touching)
    frame.cell = np.array([[0, 0, 0, 10 * RADIUS, 0, height, tilt]])
    volume = 4 / 3 * np.pi * RADIUS**3
    assert pressure(frame, np.array([volume])) == pytest.approx(2 * FORCE * RADIUS / volume / 3)


def test_without_contacts_it_says_so() -> None:
    with pytest.raises(FrameError, match=r"record\.contacts"):
        contact_number(frame_of(np.zeros((1, 3)), 1.0))
