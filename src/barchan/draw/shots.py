"""Snapshots of flat grains beside each other, in the colour of their speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from barchan.draw.charts import blank_figure
from barchan.draw.palette import GAMMA
from barchan.draw.polygons import add_polygons
from barchan.frame import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Shot(NamedTuple):
    """A frame of flat grains with a title and the lines of its walls, each (K, 2) m."""

    frame: Frame
    title: str
    lines: Sequence[np.ndarray]


def draw_shots(
    shots: Sequence[Shot], *, fastest: float, across: tuple[float, float], up: tuple[float, float]
) -> Figure:
    """Frames beside each other in mm, grains in the colour of their speed up to `fastest` (m/s); limits in m."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    scale, colours = Normalize(0.0, fastest), colormaps["viridis"]
    figure = blank_figure(11.0, 4.6)
    panels = np.ravel(figure.subplots(1, len(shots), sharey=True))
    for axes, shot in zip(panels, shots, strict=True):
        shade = colours(scale(np.linalg.norm(shot.frame.velocity, axis=1)))[:, :3]
        add_polygons(axes, shot.frame, shade**GAMMA, scale=1e3, beams=False)
        for line in shot.lines:
            axes.plot(*(1e3 * line).T, color="0.35", linewidth=1.2)
        axes.set_aspect("equal")
        axes.set_xlim(1e3 * across[0], 1e3 * across[1])
        axes.set_ylim(1e3 * up[0], 1e3 * up[1])
        axes.set_xlabel("x (mm)", fontsize=8)
        axes.tick_params(labelsize=7)
        axes.set_title(shot.title, fontsize=9)
    panels[0].set_ylabel("z (mm)", fontsize=8)
    bar = figure.colorbar(ScalarMappable(scale, colours), ax=list(panels), shrink=0.8, extend="max")
    bar.set_label("speed (m/s)", fontsize=8)
    bar.ax.tick_params(labelsize=7)
    return figure
