"""The mean stress that contacts carry."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from annotated_types import Gt

from barchan.observables import Moment, Observable
from barchan.scene.quantities import Unit

COMPONENTS = ("xx", "yy", "zz", "xy", "xz", "yz")


class Stress(Observable):
    """Love's mean stress −(1/V) Σ force ⊗ branch over all contacts, tension positive, and its pressure.

    `volume` (m³) is what the stress is averaged over; left out, it is the box round all grains.
    """

    key: ClassVar[str] = "stress"
    series = (*((f"stress_{c}", "Pa") for c in COMPONENTS), ("pressure", "Pa"))

    volume: Annotated[float, Gt(0), Unit("m^3")] | None = None

    def measure(self, moment: Moment) -> dict[str, float]:
        if not len(moment.mass):
            return {name: 0.0 for name, _ in self.series}
        low = (moment.position - moment.radius[:, None]).min(axis=0)
        high = (moment.position + moment.radius[:, None]).max(axis=0)
        volume = self.volume or float(np.prod(high - low))
        tensor = -np.einsum("ci,cj->ij", moment.contact_force, moment.contact_branch) / volume
        values = {f"stress_{c}": float(tensor["xyz".index(c[0]), "xyz".index(c[1])]) for c in COMPONENTS}
        return {**values, "pressure": -float(np.trace(tensor)) / 3}
