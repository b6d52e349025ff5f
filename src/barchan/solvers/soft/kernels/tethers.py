"""Tethers: springs and dashpots from grains to fixed points. A template: see `bound.py`."""

from __future__ import annotations

import math
from typing import Any

from barchan.kernels.jit import njit
from barchan.solvers.soft.layout import TETHER_DAMPING, TETHER_LENGTH, TETHER_LOSS, TETHER_POWER, TETHER_STIFFNESS


@njit(cache=True, error_model="numpy")
def pull_tethers(weight: float, row: Any, tether: Any, position: Any, motion: Any, pull: Any) -> None:
    """The forces of all tethers on their grains, (N, 3) N in `pull`, always added up in the order of the table.

    row: (T,) the tether's grain, −1 where it has gone. weight: time, s, with which the power enters the loss.
    """
    pull[:] = 0.0
    for t in range(len(row)):
        g = row[t]
        if g < 0:
            tether[t, TETHER_POWER] = 0.0
            continue
        dx, dy, dz = position[g, 0] - tether[t, 0], position[g, 1] - tether[t, 1], position[g, 2] - tether[t, 2]
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        per = 1.0 / length if length > 0.0 else 0.0
        nx, ny, nz = per * dx, per * dy, per * dz
        rate = nx * motion[g, 0] + ny * motion[g, 1] + nz * motion[g, 2]
        force = tether[t, TETHER_STIFFNESS] * (length - tether[t, TETHER_LENGTH]) + tether[t, TETHER_DAMPING] * rate
        pull[g, 0] -= force * nx
        pull[g, 1] -= force * ny
        pull[g, 2] -= force * nz
        tether[t, TETHER_POWER] = tether[t, TETHER_DAMPING] * rate * rate
        tether[t, TETHER_LOSS] += weight * tether[t, TETHER_POWER]
