"""Plots of what the analysis of a heap finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from barchan.draw.charts import blank_figure
from barchan.draw.palette import INK
from barchan.draw.units import length_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from barchan.measures.pile import Angle, RadialProfile


def draw_profile(profile: RadialProfile, *, angle: Angle | None = None, ax: Axes | None = None) -> Axes:
    """Height of a heap's surface against the distance from its middle, with its spread over the ring.

    With `angle` the legend states it. Without `ax` the plot gets a figure of its own, `ax.figure`.
    """
    if ax is None:
        ax = blank_figure(6.4, 3.2).add_subplot()
    unit, factor = length_unit(float(profile.radius[-1]))
    known = np.isfinite(profile.height)
    radius, height, spread = (factor * one[known] for one in (profile.radius, profile.height, profile.spread))
    label = "surface" if angle is None else f"surface, angle of repose {angle}"
    ax.fill_between(radius, height - spread, height + spread, color="#d9b47a", alpha=0.35, linewidth=0.0)
    ax.plot(radius, height, color="#8d6432", linewidth=1.6, label=label)
    ax.axvline(factor * profile.foot, color="#8d6432", linestyle=":", linewidth=1.0, label="foot")
    ax.set_xlabel(f"distance from the middle ({unit})", color=INK)
    ax.set_ylabel(f"height ({unit})", color=INK)
    ax.set_ylim(bottom=0.0)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, labelcolor=INK, fontsize=8)
    return ax
