"""How often hard spheres have met, and how often the rules for collapse and rest have acted."""

from __future__ import annotations

from typing import ClassVar

from barchan.frame import Frame
from barchan.parts.observables import Observable


class Collisions(Observable):
    """Collisions of hard spheres since the start, and those in which the solver's own rules have acted.

    `timed_collisions` came within the contact time after another one and were elastic, `rested_collisions` were with
    walls and too slow; the energies of both are lines of the ledger. `overlaps` began with spheres inside each other or
    in a wall by more than round-off, at most by `deepest_overlap` of the smaller radius.
    """

    key: ClassVar[str] = "collisions"
    needs = ("steps",)
    series = (
        ("collisions", ""), ("wall_collisions", ""), ("timed_collisions", ""), ("rested_collisions", ""),
        ("overlaps", ""), ("deepest_overlap", ""),
    )  # fmt: skip

    def measure(self, frame: Frame) -> dict[str, float]:
        return {name: float(frame.steps.get(name, 0)) for name, _ in self.series}
