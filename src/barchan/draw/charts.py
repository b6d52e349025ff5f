"""Plain charts: curves in panels, for the figures of studies and for one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from barchan.draw.palette import INK, MUTED, PALETTE
from barchan.draw.units import readable, readable_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Look = Literal["line", "points", "crosses", "both", "dashed", "band"]
LEVEL = 1e-6  # of its size: what varies less is round-off, not a curve
STYLES = {"line": "-", "points": "o", "crosses": "x", "both": "o-", "dashed": "--"}


@dataclass(frozen=True)
class Curve:
    """Values y against x; `band` shades between y and `to` instead."""

    x: Sequence[float] | np.ndarray
    y: Sequence[float] | np.ndarray
    label: str = ""
    look: Look = "line"
    color: str = ""  # left out: the next of the palette
    to: Sequence[float] | np.ndarray | None = None


@dataclass(frozen=True)
class Panel:
    """Axes with their labels, which state the units."""

    x_label: str
    y_label: str
    curves: Sequence[Curve]
    title: str = ""
    log_x: bool = False
    log_y: bool = False
    from_zero: bool = False  # the y axis begins at 0


def time_panel(time: np.ndarray, values: np.ndarray, words: str, unit: str, label: str = "") -> Panel:
    """A curve over time (s), both in units that read well; `words` say what it shows, in `unit`."""
    pace, clock = readable(float(np.max(time, initial=0.0)), "s")
    factor, told = readable_values(values, unit)
    return Panel(
        f"time ({clock})", f"{words} ({told})" if told else words, [Curve(pace * time, factor * values, label)]
    )


def blank_figure(width: float, height: float) -> Figure:
    """A white figure of that size in inches, for axes to be added to."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=130, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def draw_panels(panels: Sequence[Panel], *, columns: int = 2) -> Figure:
    """A figure with one axes for each panel, row by row."""
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    figure = blank_figure(5.0 * columns + 0.6, 3.4 * rows + 0.2)
    for place, panel in enumerate(panels, start=1):
        draw_panel(panel, figure.add_subplot(rows, columns, place))
    return figure


def _spread(ax: Axes) -> None:
    """Let a curve that is level but for round-off be a level line, with numbers that can be read beside it."""
    low, high = ax.get_ylim()
    size = max(abs(low), abs(high))
    if high - low < LEVEL * size:
        ax.set_ylim((low + high) / 2 - 0.1 * size, (low + high) / 2 + 0.1 * size)


def draw_panel(panel: Panel, ax: Axes) -> None:
    """Draw one panel into the axes."""
    for k, curve in enumerate(panel.curves):
        color = curve.color or PALETTE[k % len(PALETTE)]
        if curve.look == "band":
            other = np.zeros(len(curve.x)) if curve.to is None else curve.to
            ax.fill_between(curve.x, curve.y, other, color=color, alpha=0.25, linewidth=0.0, label=curve.label or None)
        else:
            ax.plot(
                curve.x, curve.y, STYLES[curve.look], color=color, linewidth=1.5, markersize=4.0,
                label=curve.label or None,
            )  # fmt: skip
    if panel.log_x:
        ax.set_xscale("log")
    if panel.log_y:
        ax.set_yscale("log")
    else:
        _spread(ax)
    if panel.from_zero and not panel.log_y:
        ax.set_ylim(0.0, ax.get_ylim()[1])  # asked for first, so that the margin above is kept
    ax.set_xlabel(panel.x_label, color=INK, fontsize=9)
    ax.set_ylabel(panel.y_label, color=INK, fontsize=9)
    ax.set_title(panel.title, color=INK, fontsize=10, fontweight="bold")
    ax.tick_params(colors=MUTED, which="both", labelsize=8, length=3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(MUTED)
    ax.grid(color="#e6e8eb", linewidth=0.6)
    ax.set_axisbelow(True)
    if any(curve.label for curve in panel.curves):
        ax.legend(frameon=False, labelcolor=INK, fontsize=8)
