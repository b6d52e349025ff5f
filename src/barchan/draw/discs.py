"""Discs in the x–z plane with what happens between them: shifts, dislocation lines, contacts and their modes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from barchan.draw.palette import INK, MUTED, PALETTE
from barchan.draw.units import length_unit, readable, time_text
from barchan.frame import Frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from barchan.measures.slides import Slide

PLAIN, EDGE = "#ece3d2", "#b9ad98"
STICKS, SLIPS = PALETTE[1], PALETTE[0]


def draw_slide(slide: Slide, ax: Axes) -> None:
    """The discs before a slide, coloured by how far they shift, slipped pairs and the line through them."""
    diameter = 2 * float(slide.before.radius.max())
    far = np.hypot(*slide.shift.T) / diameter
    colors = _discs(ax, slide.before, np.nan_to_num(far), np.isfinite(far))
    scale: Any = ax.figure
    arrow = "max" if np.nanmax(far, initial=0.0) > colors.get_clim()[1] else "neither"
    bar = scale.colorbar(colors, ax=ax, fraction=0.03, pad=0.01, extend=arrow)
    bar.set_label("shift (diameters)", color=INK, fontsize=8)
    bar.ax.tick_params(colors=MUTED, labelsize=7, length=2)
    bar.outline.set_visible(False)
    ax.plot(*slide.slipped.T, ".", color=INK, markersize=2.5, label="pairs that slip by more than a tenth")
    if slide.line is not None:
        label = f"dislocation line, {slide.line.steepness:.0f}°"
        ax.plot(*slide.line.ends.T, "--", color=PALETTE[0], linewidth=2.0, label=label)
    pace, clock = readable(slide.after.time, "s")
    title = f"From {pace * slide.before.time:.2f} to {pace * slide.after.time:.2f} {clock}"
    _dress(ax, title, slide.before, np.isfinite(far))


def draw_modes(frame: Frame, ax: Axes) -> None:
    """The discs of a frame with their contacts: lines between centres, told apart by the contact's mode."""
    from matplotlib.collections import LineCollection

    _discs(ax, frame, np.zeros(len(frame)), np.zeros(len(frame), bool))
    touching = frame.id[:0]
    if frame.has("contacts") and len(contacts := frame.contacts):
        touching = np.concatenate([contacts.first, contacts.second])
        flat = frame.position[:, [0, 2]]
        begin = flat[np.searchsorted(frame.id, contacts.first)]
        other = np.searchsorted(frame.id, np.maximum(contacts.second, 0))
        end = np.where(contacts.second[:, None] >= 0, flat[other], contacts.point[:, [0, 2]])
        for mode, color, label in ((1, STICKS, "sticks"), (2, SLIPS, "slips")):
            mine = contacts.mode == mode
            lines = np.stack([begin[mine], end[mine]], axis=1)
            ax.add_collection(LineCollection(list(lines), colors=color, linewidths=1.2, label=f"{label}: {mine.sum()}"))
    _dress(ax, f"Contacts, {time_text(frame.time, frame.time)}", frame, np.isin(frame.id, touching))


def _discs(ax: Axes, frame: Frame, values: np.ndarray, colored: np.ndarray) -> Any:
    """The discs, those that are `colored` by their values and the others plain; answers with the coloured ones."""
    from matplotlib.collections import EllipseCollection

    flat, size = frame.position[:, [0, 2]], 2 * frame.radius
    for mine, face in ((~colored, PLAIN), (colored, None)):
        discs = EllipseCollection(
            size[mine], size[mine], np.zeros(int(mine.sum())), units="xy", offsets=flat[mine],
            offset_transform=ax.transData, linewidths=0.3, edgecolors=EDGE,
        )  # fmt: skip
        if face is None:
            discs.set_array(values[mine])
            discs.set_cmap("YlGnBu")
            discs.set_clim(0.0, max(float(np.quantile(values[mine], 0.95)) if mine.any() else 0.0, 1e-3))
        else:
            discs.set_facecolor(face)
        ax.add_collection(discs)
    return discs


def _dress(ax: Axes, title: str, frame: Frame, shown: np.ndarray) -> None:
    """Labels, and limits round the discs `shown`."""
    flat = frame.position[shown][:, [0, 2]] if shown.any() else np.zeros((1, 2))
    low, high = flat.min(axis=0), flat.max(axis=0)
    room = 3 * float(frame.radius.max())
    ax.set_xlim(low[0] - room, high[0] + room)
    ax.set_ylim(low[1] - room, high[1] + 2 * room)
    ax.set_aspect("equal")
    unit, factor = length_unit(float((high - low).max()) + 2 * room)
    for axis, name in ((ax.xaxis, "x"), (ax.yaxis, "z")):
        axis.set_major_formatter(lambda place, _: f"{factor * place:g}")
        axis.set_label_text(f"{name} ({unit})", color=INK, fontsize=9)
    ax.set_title(title, color=INK, fontsize=10, fontweight="bold")
    ax.tick_params(colors=MUTED, labelsize=8, length=3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(MUTED)
    ax.legend(frameon=False, labelcolor=INK, fontsize=8, loc="upper right")
