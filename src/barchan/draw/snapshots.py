"""Snapshots in rows, as papers show them: one row a run, all seen from the same place at the same scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from barchan.draw.camera import View
from barchan.draw.colors import Color
from barchan.draw.palette import INK
from barchan.draw.picture import Engine, Picture, Stage, color_bar, cut_off, move, scale_bar
from barchan.draw.quantities import Setting
from barchan.draw.units import length_unit, time_text
from barchan.frame import Frame
from barchan.record.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CELL = 2.6  # inches, width of a snapshot
BAR = 1.0  # inches, width of a colour bar with its numbers


def draw_snapshots(
    rows: Sequence[tuple[str, Sequence[Frame]]],
    setting: Setting = None,
    *,
    view: View = "front",
    color: Color = "group",
    engine: Engine = "raster",
) -> Figure:
    """A figure with a row of snapshots for each (label, frames), all in one setting.

    `setting`, `view`, `color` and `engine` as in `draw_scene`.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    stage = Stage.of([frame for _, frames in rows for frame in frames], setting, view, color)
    columns = max(len(frames) for _, frames in rows)
    height = CELL * stage.aspect
    labelled = any(label for label, _ in rows)
    margin = 0.35 if labelled else 0.06  # inches: left of a row
    head, gap = 0.06, 0.22  # above the figure, above a snapshot for its time
    width = margin + columns * CELL + (BAR if stage.scale else 0.0)
    tall = head + len(rows) * (height + gap)
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
            picture = Picture(stage, ax=axes, fine=True, bar=False, engine=engine)
            picture.show(frame)
            axes.set_axis_off()
            for text in axes.texts:
                text.set_visible(False)
            title = time_text(frame.time, stage.longest)
            if (r, k) == (len(rows) - 1, len(frames) - 1):  # one bar for all: they have the same scale
                upright = stage.camera.names is not None  # heaps end in the lower corners then
                _, told = scale_bar(axes, picture.image.get_extent(), length_unit(picture.span)[0], above=upright)
                told.set_visible(False)
                title = f"{title}; bar: {told.get_text()}"
            axes.set_title(title, color=INK, fontsize=8, pad=2)
    if stage.scale is not None:
        color_bar(figure, stage.scale, None, span=picture.span, longest=stage.longest)
        move(figure.axes[-1], -cut_off(figure)[1])
    return figure


def draw_strip(
    recording: Recording,
    count: int,
    setting: Setting = None,
    *,
    view: View = "auto",
    color: Color = "group",
    engine: Engine = "raster",
) -> Figure:
    """A row of `count` snapshots of a recording, from its first frame to its last at equal intervals."""
    chosen = np.unique(np.linspace(0, len(recording) - 1, count).round().astype(int)) if count > 1 else [-1]
    frames = [recording[int(k)] for k in chosen]
    return draw_snapshots([("", frames)], setting, view=view, color=color, engine=engine)
