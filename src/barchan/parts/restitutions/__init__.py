"""Restitution of hard spheres: what part of its approach speed a collision gives back.

One file each. `rebound(speed, a, b, c) -> εn` is a plain scalar function of the approach speed (m/s, ≥ 0); a, b and c
come from two materials, once, before the run. It must stay within 0 … 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from barchan.parts.laws import Surface
from barchan.registry import Part


class Restitution(Part):
    """Base of the ways in which restitution depends on speed."""

    family: ClassVar[str] = "restitutions"
    rebound: ClassVar[Callable[..., float]]

    def constants(self, surface: Surface) -> tuple[float, float, float]:
        """What `rebound` takes beside the speed, for a pair of materials, which both state a restitution."""
        raise TypeError(f"{type(self).__name__} has no constants")
