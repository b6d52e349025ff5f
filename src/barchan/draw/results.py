"""How each kind of result is drawn: what `result.plot(ax)` does.

Each kind is known by the name of its class and imports what it is drawn with, so that a curve loads no kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from barchan.draw.charts import Curve, Panel, blank_figure, draw_panel, time_panel
from barchan.draw.palette import INK, MUTED
from barchan.draw.units import length_unit
from barchan.scene.beams_frame import Corners

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from barchan.draw.quantities import Setting
    from barchan.frame import Frame
    from barchan.measures.flow import Flow
    from barchan.measures.motion import FractureSurface
    from barchan.measures.pile import RadialProfile
    from barchan.measures.slides import Slide
    from barchan.measures.steps import StepStatistics
    from barchan.measures.terrain import HeightMap
    from barchan.record.recording import Recording
    from barchan.simulation.loop import RunResult


def plot(result: Any, ax: Axes | None) -> Axes:
    """Draw a result into the axes, or into a figure of its own."""
    for kind in type(result).__mro__:
        if kind.__name__ in PAINTERS:
            return PAINTERS[kind.__name__](result, ax)
    raise TypeError(f"nothing is known about drawing a {type(result).__name__}")


def _axes(ax: Axes | None, width: float = 6.4, height: float = 3.6) -> Axes:
    return blank_figure(width, height).add_subplot() if ax is None else ax


def _scene(frame: Frame, setting: Setting, ax: Axes | None) -> Axes:
    from barchan.draw.picture import draw_scene

    color = "speed" if frame.table(Corners) else "group"
    figure = draw_scene(frame, setting, ax=ax, color=color)
    return figure.axes[0] if ax is None else ax


def _frame(frame: Frame, ax: Axes | None) -> Axes:
    return _scene(frame, None, ax)


def _recording(recording: Recording, ax: Axes | None) -> Axes:
    """The last frame, with the walls."""
    from barchan.draw.movie import recorded_scene

    return _scene(recording[-1], recorded_scene(recording), ax)


def _run_result(run: RunResult, ax: Axes | None) -> Axes:
    with run.recording as recording:
        return _recording(recording, ax)


def _radial_profile(profile: RadialProfile, ax: Axes | None) -> Axes:
    from barchan.draw.profile import draw_profile

    return draw_profile(profile, ax=ax)


def _flow(flow: Flow, ax: Axes | None) -> Axes:
    ax = _axes(ax)
    label = f"mean rate {flow.mean_rate:.4g} kg/s"
    draw_panel(time_panel(flow.time, flow.mass, "mass that has passed", "kg", label), ax)
    return ax


def _fracture_surface(surface: FractureSurface, ax: Axes | None) -> Axes:
    ax = _axes(ax)
    unit, factor = length_unit(float(np.ptp(surface.x)))
    label = f"moving above, still below ({100 * surface.purity:.0f}% of the grains)"
    curve = Curve(factor * surface.x, factor * surface.height, label, "both")
    draw_panel(Panel(f"x ({unit})", f"height ({unit})", [curve]), ax)
    return ax


def _step_statistics(statistics: StepStatistics, ax: Axes | None) -> Axes:
    ax = _axes(ax)
    label = f"{statistics.accepted} accepted, {statistics.rejected} rejected"
    draw_panel(time_panel(statistics.time, statistics.interval_mean, "mean step", "s", label), ax)
    return ax


def _slide(slide: Slide, ax: Axes | None) -> Axes:
    from barchan.draw.discs import draw_slide

    ax = _axes(ax, 7.2, 4.2)
    draw_slide(slide, ax)
    return ax


def _height_map(heights: HeightMap, ax: Axes | None) -> Axes:
    ax = _axes(ax, 5.6, 4.4)
    unit, factor = length_unit(float(max(np.ptp(heights.x), np.ptp(heights.y))))
    shown = np.where(heights.covered, factor * heights.height, np.nan)
    longer = max(heights.x, heights.y, key=len)
    half = 0.5 * float(longer[1] - longer[0]) if len(longer) > 1 else 0.5  # a cell reaches so far round its point
    ends = (heights.x[0] - half, heights.x[-1] + half, heights.y[0] - half, heights.y[-1] + half)
    extent = tuple(factor * end for end in ends)
    image = ax.imshow(shown, origin="lower", extent=extent, cmap="YlOrBr")
    bar = ax.figure.colorbar(image, ax=ax)
    bar.set_label(f"height ({unit})", color=INK, fontsize=9)
    bar.ax.tick_params(colors=MUTED, labelsize=8)
    ax.set_xlabel(f"x ({unit})", color=INK, fontsize=9)
    ax.set_ylabel(f"y ({unit})", color=INK, fontsize=9)
    ax.tick_params(colors=MUTED, labelsize=8)
    return ax


PAINTERS: dict[str, Callable[[Any, Axes | None], Axes]] = {
    "Frame": _frame,
    "Recording": _recording,
    "RunResult": _run_result,
    "RadialProfile": _radial_profile,
    "Flow": _flow,
    "FractureSurface": _fracture_surface,
    "StepStatistics": _step_statistics,
    "Slide": _slide,
    "HeightMap": _height_map,
}
