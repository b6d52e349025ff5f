"""A run at a glance: what its time series say, in four panels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from barchan.draw.charts import blank_figure
from barchan.draw.palette import INK, MUTED
from barchan.draw.units import readable, readable_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STORED = (
    ("kinetic_energy", "kinetic", "#c0563b"),
    ("potential_energy", "potential", "#3f7196"),
    ("stored_energy", "elastic", "#6f9a4d"),
    ("tether_energy", "in tethers", "#4fb39a"),
    ("beam_energy", "in beams", "#b0457b"),
)
LOST = (
    ("dissipated_normal", "lost: normal", "#7a6a95"),
    ("dissipated_friction", "lost: friction", "#d29a3a"),
    ("dissipated_rolling", "lost: rolling", "#8d6e53"),
    ("dissipated_stiction", "lost: stiction", "#999999"),
    ("dissipated_tethers", "lost: tethers", "#4fb39a"),
    ("dissipated_beams", "lost: beams", "#b0457b"),
    ("dissipated_drag", "lost: drag", "#5d8aa8"),
    ("dissipated_relaxing", "lost: relaxing", "#9c5a3c"),
)
LEFT = ("outflow_energy", "left with grains", "#555555")
GIVEN = (
    ("inflow_energy", "came with grains", "#222222"),
    ("wall_work", "work of walls", "#2e8b8b"),
    ("box_work", "work of the box", "#a0522d"),
    ("rest_work", "work at rest", "#b8860b"),
    ("event_work", "work of events", "#d6336c"),
)
STYLES = {"-": STORED, "--": LOST, "-.": (LEFT, *GIVEN)}  # the first two and what left are together what was given
ENERGIES = tuple(name for entries in STYLES.values() for name, _, _ in entries)
FEW = 4  # curves whose legend fits into a corner
LINE = 0.085  # of the height of the axes: a line of the legend
UNSEEN = 1e-6  # of the largest curve: a smaller one would be the axis
CHANGED = 0.01  # of the range of potential energy: more than that and it is another one at the end
SERIES_UNITS = {
    "kinetic_energy": "J",
    "pile_height": "m",
    "outflow": "kg",
    "grain_count": "",
    "contacts_per_grain": "",
}


class Series(Protocol):
    """What a summary is drawn from: a recording's time series and their units."""

    @property
    def times(self) -> Any: ...

    @property
    def series(self) -> Mapping[str, Any]: ...


class _Data:
    """The series of a recording with their times; a series that is missing, empty or not finite is not there.

    Times are in the unit `clock`.
    """

    def __init__(self, recording: Series) -> None:
        self._series = {name: np.asarray(values, float) for name, values in recording.series.items()}
        own = [self._series["time"]] if "time" in self._series else []
        self._clocks = [*own, np.asarray(recording.times, float)]
        pace, self.clock = readable(max(float(np.max(one, initial=0.0)) for one in self._clocks), "s")
        self._clocks = [pace * one for one in self._clocks]
        self._units: Mapping[str, str] = getattr(recording, "units", None) or {}

    def __contains__(self, name: str) -> bool:
        values = self._series.get(name)
        if values is None or values.ndim != 1 or not len(values):
            return False
        return bool(np.any(np.isfinite(values))) and any(len(times) == len(values) for times in self._clocks)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._series[name]

    def time(self, name: str) -> np.ndarray:
        """The times of a series: the series `time` beside it, or those of the frames."""
        return next(times for times in self._clocks if len(times) == len(self._series[name]))

    def unit(self, name: str) -> str:
        """Unit of a series, as recorded or as usual."""
        unit = self._units.get(name, SERIES_UNITS.get(name, ""))
        return "" if unit in ("1", "dimensionless") else unit


def _draw_energies(axes: Axes, data: _Data) -> None:
    curves = {name: data[name] for name in ENERGIES if name in data}
    from_end = _counts_from_its_end(curves)
    if from_end:
        potential = curves["potential_energy"]
        curves["potential_energy"] = potential - potential[np.isfinite(potential)][-1]
    most = {name: float(np.nanmax(np.abs(values))) for name, values in curves.items()}
    largest = max(most.values(), default=0.0)
    factor, unit = readable(largest, "J")
    drawn = 0
    for style, entries in STYLES.items():
        for name, label, color in entries:
            if most.get(name, 0.0) > UNSEEN * largest:
                told = f"{label}, less its end" if from_end and name == "potential_energy" else label
                axes.plot(data.time(name), factor * curves[name], style, color=color, label=told, linewidth=1.5)
                drawn += 1
    axes.set_ylabel(f"energy ({unit})")
    if drawn:
        many = drawn > FEW
        if many:  # no corner is large enough: room for the legend above the curves
            low, high = axes.get_ylim()
            legend_share = min(0.5, LINE * (0.5 + -(-drawn // 2)))
            axes.set_ylim(low, low + (high - low) / (1.0 - legend_share))
        legend = axes.legend(fontsize=7, ncols=2 if many else 1, labelcolor=INK, loc="upper left" if many else "best")
        legend.get_frame().set(linewidth=0.0, alpha=0.75)  # to be read over curves
    axes.set_title("Energy")


def _counts_from_its_end(curves: Mapping[str, np.ndarray]) -> bool:
    """Whether the end of potential energy is its best zero, which is anywhere where the same grains fall all the time.

    It is not where grains come and go, as in a scene that begins empty, or where gravity changes.
    """
    if "potential_energy" not in curves:
        return False
    low, high = np.nanmin(curves["potential_energy"]), np.nanmax(curves["potential_energy"])
    changes = [curves[name] for name in ("inflow_energy", "outflow_energy", "event_work") if name in curves]
    return all(np.nanmax(np.abs(change)) <= CHANGED * (high - low) for change in changes)


def _draw_one(axes: Axes, data: _Data, name: str, title: str, label: str, color: str) -> None:
    factor, unit = readable_values(data[name], data.unit(name))
    axes.plot(data.time(name), factor * data[name], color=color, linewidth=1.5)
    axes.set_ylabel(f"{label} ({unit})" if unit else label)
    axes.set_title(title)
    if np.nanmin(data[name]) >= 0.0:
        axes.set_ylim(bottom=0.0)


def _draw_height(axes: Axes, data: _Data) -> None:
    _draw_one(axes, data, "pile_height", "Height of the pile", "height", "#c08a3e")


def _draw_contacts(axes: Axes, data: _Data) -> None:
    _draw_one(axes, data, "contacts_per_grain", "Contacts", "contacts per grain", "#3f7196")


def _draw_grains(axes: Axes, data: _Data) -> None:
    """Grains in the scene, and what has flowed out beside it where that is recorded."""
    if "outflow" in data and np.nanmax(np.abs(data["outflow"])) > 0.0:
        _draw_one(axes, data, "outflow", "Outflow", "outflow", "#2e8b8b")
        if "grain_count" in data:
            beside = axes.twinx()
            beside.plot(data.time("grain_count"), data["grain_count"], ":", color=MUTED, linewidth=1.3)
            beside.set_ylabel("grains (dotted)", color=INK, fontsize=9)
            beside.tick_params(colors=MUTED, labelsize=8, length=3)
            beside.spines[["top", "left", "bottom"]].set_visible(False)
            beside.spines["right"].set_color(MUTED)
            beside.set_ylim(bottom=0.0)
        return
    name = "grain_count" if "grain_count" in data else "outflow"
    label = "grains" if name == "grain_count" else "outflow"
    _draw_one(axes, data, name, "Grains in the scene" if name == "grain_count" else "Outflow", label, "#2e8b8b")


PANELS: tuple[tuple[tuple[str, ...], Callable[[Axes, _Data], None]], ...] = (
    (ENERGIES, _draw_energies),
    (("pile_height",), _draw_height),
    (("outflow", "grain_count"), _draw_grains),
    (("contacts_per_grain",), _draw_contacts),
)


def draw_summary(recording: Series) -> Figure:
    """Energies, height of the pile, outflow or number of grains, and contacts per grain against time.

    Energies in grains and contacts, what was lost and what left with grains are together what was given and what was
    there. Potential energy counts from its end, and the legend says so, unless grains come and go or gravity changes. A
    panel whose series were not recorded is left out.
    """
    figure = blank_figure(9.0, 6.2)
    data = _Data(recording)
    for place, (names, draw) in enumerate(PANELS, start=1):
        if any(name in data for name in names):
            axes = figure.add_subplot(2, 2, place)
            draw(axes, data)
            _style(axes, data.clock)
    if not figure.axes:
        figure.text(0.5, 0.5, "no time series were recorded", ha="center", va="center", color=MUTED)
    return figure


def _style(axes: Axes, clock: str) -> None:
    axes.set_xlabel(f"time ({clock})")
    axes.title.set(color=INK, fontsize=10, fontweight="bold")
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set(color=INK, fontsize=9)
    axes.tick_params(colors=MUTED, labelsize=8, length=3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(MUTED)
    axes.grid(color="#e6e8eb", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.margins(x=0.0)
