"""Contacts per grain and the worst overlap."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from barchan.observables import Moment, Observable


class Contacts(Observable):
    """Bodies that a grain touches on average, walls by their faces; at how many points; and the worst overlap over
    radius.

    A clump or a polygon may touch its neighbour with several of its pieces: that is one neighbour and several points.
    """

    key: ClassVar[str] = "contacts"
    series = (("contacts_per_grain", ""), ("contact_points_per_grain", ""), ("worst_overlap", ""))

    def measure(self, moment: Moment) -> dict[str, float]:
        count = max(len(moment.mass), 1)
        ends, points = (
            len(one) + int(np.count_nonzero(one >= 0)) for one in (moment.pairs[:, 1], moment.contact_second)
        )
        return {
            "contacts_per_grain": ends / count,
            "contact_points_per_grain": points / count,
            "worst_overlap": float(moment.contact_depth.max(initial=0.0)),
        }
