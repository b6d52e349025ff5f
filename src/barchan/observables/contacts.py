"""Contacts per grain and the worst overlap."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from barchan.observables import Moment, Observable


class Contacts(Observable):
    """Grains that a grain touches, on average (walls included), and the worst overlap over radius."""

    key: ClassVar[str] = "contacts"
    series = (("contacts_per_grain", ""), ("worst_overlap", ""))

    def measure(self, moment: Moment) -> dict[str, float]:
        # A clump may touch its neighbour with several spheres: that is one neighbour.
        pairs = np.unique(np.stack([moment.contact_first, moment.contact_second], axis=1), axis=0)
        ends = len(pairs) + int(np.count_nonzero(pairs[:, 1] >= 0))
        return {
            "contacts_per_grain": ends / max(len(moment.mass), 1),
            "worst_overlap": float(moment.contact_depth.max(initial=0.0)),
        }
