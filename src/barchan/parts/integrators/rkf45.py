"""Runge–Kutta–Fehlberg 4(5)."""

from __future__ import annotations

from typing import ClassVar

from barchan.parts.integrators import RungeKutta


class RungeKuttaFehlberg(RungeKutta):
    """Runge–Kutta–Fehlberg 4(5), the adaptive method of Yee's paper: six evaluations a step, order 4."""

    key: ClassVar[str] = "rkf45"
    stages = (
        (),
        (1 / 4,),
        (3 / 32, 9 / 32),
        (1932 / 2197, -7200 / 2197, 7296 / 2197),
        (439 / 216, -8.0, 3680 / 513, -845 / 4104),
        (-8 / 27, 2.0, -3544 / 2565, 1859 / 4104, -11 / 40),
    )
    lower = (25 / 216, 0.0, 1408 / 2565, 2197 / 4104, -1 / 5, 0.0)
    higher = (16 / 135, 0.0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55)
    order = 4
