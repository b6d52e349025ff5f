"""How many contacts are in which mode, for laws whose contacts have modes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from barchan.frame import Frame
from barchan.parts.observables import Observable


class Modes(Observable):
    """Contacts that stick and that slip (law `stick-slip`, or triangles), walls included, and the share that slips."""

    key: ClassVar[str] = "modes"
    needs = ("contacts",)
    series = (("sticking_contacts", ""), ("slipping_contacts", ""), ("slipping_share", ""))

    def measure(self, frame: Frame) -> dict[str, float]:
        stick, slip = (int(np.count_nonzero(frame.contacts.mode == mode)) for mode in (1, 2))
        return {
            "sticking_contacts": float(stick),
            "slipping_contacts": float(slip),
            "slipping_share": slip / max(stick + slip, 1),
        }
