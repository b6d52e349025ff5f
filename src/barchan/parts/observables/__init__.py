"""Observables: what a run can measure as it goes.

One file each, numbers with a name and a unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from barchan.frame import Frame
from barchan.registry import Part


def unit_in(unit: str, *, flat: bool) -> str:
    """The unit that a number has in this scene: stresses and moduli in two dimensions are forces over lengths."""
    return "N/m" if flat and unit == "Pa" else unit


class Observable(Part):
    """Base of observables: numbers from a frame, live or recorded.

    `needs` says what of a frame it takes that not every frame has (`contacts`, `ledger`, …): see `frame.py`. Where a
    frame lacks it `measure` is a FrameError; `frame.has(*needs)` says so before.
    """

    family: ClassVar[str] = "observables"
    series: ClassVar[tuple[tuple[str, str], ...]] = ()  # name and unit of each number
    needs: ClassVar[tuple[str, ...]] = ()
    note: ClassVar[str] = ""  # what is said wherever they are printed, such as which sign means what

    @classmethod
    def numbers(cls, ledger: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """`series`, where methods add these lines to the ledger of energy."""
        return cls.series

    def measure(self, frame: Frame) -> dict[str, float]:
        """A value for every name in `series`."""
        raise TypeError(f"{type(self).__name__} measures nothing")
