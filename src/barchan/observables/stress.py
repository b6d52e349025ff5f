"""The mean stress that contacts carry."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from barchan.observables import Moment
from barchan.observables._packing import stress
from barchan.observables._volume import Measured

COMPONENTS = ("xx", "yy", "zz", "xy", "xz", "yz")


class Stress(Measured):
    """Love's mean stress −(1/V) Σ force ⊗ branch over all contacts, tension positive, and its pressure.

    V is a stated `volume` (m³; m² in two dimensions) or `region`, else the periodic box, along open axes the extent of
    the grains' surfaces. The pressure is the mean of the normal components, with the sign that makes compression
    positive; in two dimensions there are two of them, and all are N/m.
    """

    key: ClassVar[str] = "stress"
    series = (*((f"stress_{c}", "Pa") for c in COMPONENTS), ("pressure", "Pa"))

    def measure(self, moment: Moment) -> dict[str, float]:
        found = stress(moment, self.part(moment))
        tensor, axes = np.zeros((3, 3)), np.array([0, 2] if moment.flat else [0, 1, 2])
        tensor[np.ix_(axes, axes)] = -found
        values = {f"stress_{c}": float(tensor["xyz".index(c[0]), "xyz".index(c[1])]) for c in COMPONENTS}
        return {**values, "pressure": float(np.trace(found)) / len(found)}
