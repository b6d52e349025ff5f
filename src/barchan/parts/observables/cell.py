"""The periodic box."""

from __future__ import annotations

from typing import ClassVar

from barchan.frame import Frame
from barchan.parts.observables import Observable


class Cell(Observable):
    """The lengths of a periodic box, 0 along open axes, and by how much its image above is shifted along x."""

    key: ClassVar[str] = "cell"
    series = (("cell_x", "m"), ("cell_y", "m"), ("cell_z", "m"), ("cell_tilt", "m"))

    def measure(self, frame: Frame) -> dict[str, float]:
        return {name: float(value) for (name, _), value in zip(self.series, frame.box, strict=True)}
