"""Deformations: how a periodic box changes during a run.

One file each, for every solver that can. A deformation is carried out along the scene's `duration`: for the solver
`relax`, which knows no time, that is the coordinate of its protocol; for soft spheres it is time, so that `duration`
sets the rate of strain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar, Literal

from barchan.registry import Part

Course = Callable[..., tuple[float, ...]]  # as of `stretch`
STILL = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0)  # numbers of a box that stays as it is


def share(t: float, duration: float, returns: float, smooth: float) -> tuple[float, float]:
    """How much of a deformation is there at t (s), from 0 to 1, and how fast that grows (1/s)."""
    way = min(max(t / duration, 0.0), 1.0)
    rate = 1.0 / duration
    if returns > 0.0:
        rate = 2.0 * rate if way < 0.5 else -2.0 * rate
        way = 1.0 - abs(1.0 - 2.0 * way)
    if smooth > 0.0:
        return 0.5 * (1.0 - math.cos(math.pi * way)), 0.5 * math.pi * math.sin(math.pi * way) * rate
    return way, rate


def stretch(
    t: float, duration: float, returns: float, smooth: float, shear: float, densification: float, directions: float
) -> tuple[float, float, float, float, float, float]:
    """Lengths along x, y and z over those at the start, and their logarithmic rates (1/s).

    shear: ln(x/x₀) − ln(z/z₀) at the end. densification: how much of its first value the packing fraction gains,
    evenly, while the box shrinks in so many `directions`.
    """
    part, rate = share(t, duration, returns, smooth)
    half, pace = 0.5 * shear * part, 0.5 * shear * rate
    denser = 1.0 + densification * part
    scale, even = denser ** (-1.0 / directions), -densification * rate / (denser * directions)
    return scale * math.exp(half), scale, scale * math.exp(-half), even + pace, even, even - pace


class Deformation(Part):
    """Base of deformations. The middle of the box stays where it is."""

    family: ClassVar[str] = "deformations"
    sets: ClassVar[str] = ""  # the number that it brings the box to, if it takes the volume of the box to know it
    # Lengths and rates of the box, as of the function `stretch`, at t and six `numbers`: where they are known before.
    stretch: ClassVar[Course | None] = None

    returns: bool = False
    """Whether it goes back the same way in the second half."""
    course: Literal["even", "smooth"] = "even"
    """How it grows along the duration: `smooth` is (1 − cos)/2, at rest at first and last, and sends out no waves."""

    def share(self, t: float, duration: float) -> float:
        """How much of the deformation is there at t, from 0 to 1."""
        return share(t, duration, float(self.returns), float(self.course == "smooth"))[0]

    def numbers(self, duration: float, fraction: float, directions: int) -> tuple[float, ...]:
        """What `stretch` takes after t; fraction: of the box, filled at the start, directions: that repeat."""
        raise TypeError(f"{type(self).__name__} does not follow a course of its own")

    def tilt(self, part: float) -> float:
        """By how much the image above is shifted along x, over the height, when so much of the deformation is there."""
        return 0.0

    def pressure(self, start: float | None, part: float) -> float | None:
        """The pressure, Pa (N/m), that the box is to hold then, if any; start: at the start, None where there is none.

        `relax` alone can hold one.
        """
        return None

    def limit(self, axis: int, ratio: float, fraction: float, directions: int) -> tuple[str, float] | None:
        """A field, and its value with which the box becomes shorter along an axis by this ratio."""
        return None


class Stretch(Deformation):
    """Base of what the function `stretch` describes."""

    stretch: ClassVar[Course | None] = staticmethod(stretch)

    def amounts(self, fraction: float) -> tuple[float, float]:
        """Its `shear` and `densification`."""
        raise TypeError(f"{type(self).__name__} does not say how far it goes")

    def numbers(self, duration: float, fraction: float, directions: int) -> tuple[float, ...]:
        smooth = float(self.course == "smooth")
        return duration, float(self.returns), smooth, *self.amounts(fraction), float(directions)
