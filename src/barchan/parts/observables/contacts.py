"""Contacts per grain and the worst overlap."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from barchan.frame import Frame
from barchan.parts.observables import Observable


class Contacts(Observable):
    """Bodies that a grain touches on average, walls by their faces; at how many points; and the worst overlap over
    radius.

    A clump or a polygon may touch its neighbour with several of its pieces: that is one neighbour and several points.
    """

    key: ClassVar[str] = "contacts"
    needs = ("contacts",)
    series = (("contacts_per_grain", ""), ("contact_points_per_grain", ""), ("worst_overlap", ""))

    def measure(self, frame: Frame) -> dict[str, float]:
        count = max(len(frame.mass), 1)
        ends, points = (len(one) + int(np.count_nonzero(one >= 0)) for one in (frame.pairs[:, 1], frame.ends[1]))
        return {
            "contacts_per_grain": ends / count,
            "contact_points_per_grain": points / count,
            "worst_overlap": float(frame.contacts.depth.max(initial=0.0)),
        }
