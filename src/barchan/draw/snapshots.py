"""Snapshots in rows, as papers show them: one row a run, all seen from the same place at the same scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from barchan.draw.camera import View
from barchan.draw.colors import INK, Color
from barchan.draw.picture import Picture, Stage, length_unit, scale_bar, time_text
from barchan.record.frame import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CELL = 2.6  # inches, width of a snapshot


def draw_snapshots(
    rows: Sequence[tuple[str, Sequence[Frame]]],
    walls: Sequence[Any] | None = None,
    *,
    view: View = "front",
    color: Color = "group",
) -> Figure:
    """A figure with a row of snapshots for each (label, frames); `walls` are drawn in all of them.

    `view` and `color` as in `draw_scene`.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    stage = Stage.of([frame for _, frames in rows for frame in frames], walls, view, color)
    columns = max(len(frames) for _, frames in rows)
    height = CELL * stage.aspect
    margin, head, gap = 0.35, 0.06, 0.22  # inches: left of a row, above the figure, above a snapshot for its time
    width, tall = margin + columns * CELL, head + len(rows) * (height + gap)
    figure = Figure(figsize=(width, tall), dpi=130, facecolor="white")
    FigureCanvasAgg(figure)
    for r, (label, frames) in enumerate(rows):
        bottom = (tall - head - (r + 1) * (height + gap)) / tall
        figure.text(
            0.10 / width, bottom + 0.5 * height / tall, label, rotation=90, ha="left", va="center", color=INK,
            fontsize=9, fontweight="bold",
        )  # fmt: skip
        for k, frame in enumerate(frames):
            place = ((margin + k * CELL) / width, bottom, 0.97 * CELL / width, height / tall)
            axes = figure.add_axes(place)
            picture = Picture(stage, ax=axes, fine=True)
            picture.show(frame)
            axes.set_axis_off()
            for text in axes.texts:
                text.set_visible(False)
            title = time_text(frame.time, stage.longest)
            if (r, k) == (len(rows) - 1, len(frames) - 1):  # one bar for all: they have the same scale
                left, right, low, high = picture.window.extent
                unit, _ = length_unit(max(right - left, high - low))
                _, label = scale_bar(axes, picture.image.get_extent(), unit)
                label.set_visible(False)
                title = f"{title}; bar: {label.get_text()}"
            axes.set_title(title, color=INK, fontsize=8, pad=2)
    return figure
