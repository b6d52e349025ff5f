"""Bogacki–Shampine 2(3)."""

from __future__ import annotations

from typing import ClassVar

from barchan.parts.integrators import RungeKutta


class BogackiShampine(RungeKutta):
    """Bogacki–Shampine 2(3), for comparison with rkf45: four evaluations a step, order 2."""

    key: ClassVar[str] = "bogacki-shampine"
    stages = ((), (1 / 2,), (0.0, 3 / 4), (2 / 9, 1 / 3, 4 / 9))
    lower = (7 / 24, 1 / 4, 1 / 3, 1 / 8)
    higher = (2 / 9, 1 / 3, 4 / 9, 0.0)
    order = 2
