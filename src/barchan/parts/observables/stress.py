"""The mean stress that contacts and motion carry."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from barchan.frame import Frame
from barchan.parts.observables._packing import kinetic_stress, stress
from barchan.parts.observables._volume import Measured

COMPONENTS = ("xx", "yy", "zz", "xy", "xz", "yz")


class Stress(Measured):
    """The mean stress that contacts carry, that of the grains' motion beside it, and the pressures of both.

    `stress` is Love's, −(1/V) Σ force ⊗ branch over all contacts, tension positive; of hard spheres the mean since the
    sample before, −(1/V) Σ impulse ⊗ branch a second. `kinetic_stress` is −(1/V) Σ m v ⊗ v, v relative to the mean
    velocity. `pressure` is that of contacts alone, `kinetic_pressure` that of the motion, and `total_pressure` their
    sum; all positive in compression.

    V is a stated `volume` (m³; m² in two dimensions) or `region`, else the periodic box, along open axes the extent of
    the grains' surfaces. The pressure is the mean of the normal components, with the sign that makes compression
    positive; in two dimensions there are two of them, and all are N/m.
    """

    key: ClassVar[str] = "stress"
    needs = ("contacts", "flat")
    note = "Of stress tension is positive, of pressure compression."
    series = (
        *((f"stress_{c}", "Pa") for c in COMPONENTS), ("pressure", "Pa"),
        *((f"kinetic_stress_{c}", "Pa") for c in COMPONENTS), ("kinetic_pressure", "Pa"), ("total_pressure", "Pa"),
    )  # fmt: skip

    def measure(self, frame: Frame) -> dict[str, float]:
        part = self.part(frame)
        values = _named("", stress(frame, part)) | _named("kinetic_", kinetic_stress(frame, part))
        return {**values, "total_pressure": values["pressure"] + values["kinetic_pressure"]}


def _named(kind: str, found: np.ndarray) -> dict[str, float]:
    """The components, tension positive, and the pressure of a stress that is positive in compression."""
    tensor, axes = np.zeros((3, 3)), np.array([0, 2] if len(found) == 2 else [0, 1, 2])
    tensor[np.ix_(axes, axes)] = -found
    values = {f"{kind}stress_{c}": float(tensor["xyz".index(c[0]), "xyz".index(c[1])]) for c in COMPONENTS}
    return {**values, f"{kind}pressure": float(np.trace(found)) / len(found)}
