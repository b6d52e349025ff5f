"""The colours of grains: sand, or a quantity on a scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from barchan.draw.palette import GAMMA, NO_NUMBER, linear
from barchan.draw.quantities import QUANTITIES, Setting
from barchan.draw.units import readable
from barchan.frame import Frame

Color = str
COLORS = ("group", "id", *(key for key in QUANTITIES if key != "id"))  # what a picture can be coloured by

SAND = ("#e3c696", "#dbba86", "#d2ad77", "#ead5ad", "#c99f68", "#deb97f", "#d6b184", "#e6cda2", "#b98c5a", "#eddcbc")
FAMILIES = (
    SAND,
    ("#6f8fa6", "#5f7f97", "#86a3b7", "#52728a", "#7797ad", "#9bb3c3"),  # slate
    ("#c46a4c", "#b65a3e", "#d27d5e", "#a84f36", "#cb7152", "#de9376"),  # brick
    ("#7f9a62", "#6f8a54", "#93ac78", "#627c48", "#88a26b", "#a5ba8d"),  # moss
    ("#8d7aa6", "#7d6a97", "#a08fb6", "#6f5c89", "#9583ad", "#b3a4c5"),  # heather
    ("#d9a441", "#cc952f", "#e2b45d", "#bd8725", "#dcab4d", "#eac47f"),  # ochre
)


@dataclass(frozen=True)
class Scale:
    """A quantity to colour by: its name and unit, its colour map and the ends of the colour bar."""

    name: str
    unit: str
    colormap: str
    low: float
    high: float
    beyond: bool = False  # some values are larger than `high`: the bar ends in an arrow

    def told(self, span: float, longest: float) -> tuple[float, str]:
        """The factor and the unit with which its numbers read best.

        A length is in the unit of axes that are `span` (m) long, a time in that of a run that lasts `longest` (s).
        """
        largest = {"m": span, "s": longest}.get(self.unit, max(abs(self.low), abs(self.high)))
        return readable(largest, self.unit)


def _scatter(number: np.ndarray) -> np.ndarray:
    """Evenly scattered values in 0 … 1, one for each whole number, the same every time (SplitMix64)."""
    with np.errstate(over="ignore"):
        x = number.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(11)).astype(float) / 2.0**53


def family_colours(frame: Frame) -> np.ndarray:
    """(N, 3) linear: every group has its family of tones, every grain its own tone."""
    chosen = np.empty((len(frame), 3))
    tone, brightness = _scatter(frame.id), 0.88 + 0.24 * _scatter(frame.id + 7_919)
    for group in np.unique(frame.group):
        family = np.array([linear(color) for color in FAMILIES[int(group) % len(FAMILIES)]])
        own = frame.group == group
        chosen[own] = family[(tone[own] * len(family)).astype(int)]
    return chosen * brightness[:, None]


def scale_for(frames: list[Frame], color: Color, setting: Setting = None) -> Scale | None:
    """The scale that suits all the frames; None where the colours are names, not numbers."""
    if color in ("group", "id"):
        return None
    shown, unit = QUANTITIES[color], QUANTITIES[color].unit_in(setting)
    found = [shown.values(frame, setting) for frame in frames]
    values = np.concatenate(found) if found else np.zeros(0)
    values = values[np.isfinite(values)]
    if not len(values):
        return Scale(shown.name, unit, shown.colormap, 0.0, 1.0)
    if shown.signed:
        high = float(np.abs(values).max()) or 1.0
        return Scale(shown.name, unit, shown.colormap, -high, high)
    low = 0.0 if shown.from_zero else float(values.min())
    high = float(np.quantile(values, 0.99)) if shown.from_zero else float(values.max())
    high = high if high > low else float(values.max())
    if not high > low:  # all the same: any scale will do
        high = low + (abs(low) or 1.0)
    return Scale(shown.name, unit, shown.colormap, low, high, beyond=float(values.max()) > high)


def grain_colours(frame: Frame, color: Color, scale: Scale | None, setting: Setting = None) -> np.ndarray:
    """Linear colours of the grains, (N, 3)."""
    if color == "group":
        return family_colours(frame)
    from matplotlib import colormaps

    if scale is None:
        return np.asarray(colormaps["turbo"](0.08 + 0.84 * _scatter(frame.id)))[:, :3] ** GAMMA
    values = QUANTITIES[color].values(frame, setting)
    position = np.clip((values - scale.low) / (scale.high - scale.low), 0.0, 1.0)
    colours = np.asarray(colormaps[scale.colormap](position))[:, :3] ** GAMMA
    colours[~np.isfinite(values)] = linear(NO_NUMBER)
    return colours
