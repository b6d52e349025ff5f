"""Grains in a drum that turns about the y axis: the slope of their surface, and whether they centrifuge.

The surface is where the volume fraction, on a grid as fine as the grains, falls below half of what it is in a packing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import attrgetter
from typing import Annotated

import numpy as np
from pydantic import Field

from barchan.frame import Frame
from barchan.measures.named import Grains, measured
from barchan.measures.pile import Angle
from barchan.schema.quantities import PositiveLength

HALF = 0.3  # volume fraction at the surface: half of a packing's
FIT_FROM, FIT_TO = -0.75, 0.0  # parts of the drum's radius: the uphill half, as downhill grains pile up

Free = Annotated[Grains, Field(description="The groups of the grains that are free; the others line the drum.")]
Radius = Annotated[PositiveLength, Field(description="That of the drum.")]
DrumLength = Annotated[PositiveLength, Field(description="That of the drum, along y.")]


def surface(frame: Frame, free: np.ndarray, length: float) -> tuple[np.ndarray, np.ndarray]:
    """x (k,) m of columns one grain wide and the height z (k,) m of the surface there; nan where there is none.

    free: (N,) bool, the grains that count. length: m, of the drum along y.
    """
    place, radius = frame.position[free][:, [0, 2]], frame.radius[free]
    if not len(place):
        return np.zeros(0), np.zeros(0)
    pitch = 2.0 * float(np.median(radius))
    corner = np.floor(place.min(axis=0) / pitch - 1.0) * pitch
    cells = np.ceil((place.max(axis=0) - corner) / pitch).astype(int) + 2
    filled = np.zeros(cells)
    at = (place - corner) / pitch - 0.5
    index, share = np.floor(at).astype(int), at - np.floor(at)
    volume = 4.0 / 3.0 * math.pi * radius**3 / (pitch * pitch * length)
    for dx in (0, 1):  # every grain is shared among the four cells round it
        for dz in (0, 1):
            part = np.abs(1 - dx - share[:, 0]) * np.abs(1 - dz - share[:, 1])
            np.add.at(filled, (index[:, 0] + dx, index[:, 1] + dz), volume * part)
    x = corner[0] + (np.arange(cells[0]) + 0.5) * pitch
    return x, np.array([_top(column, corner[1], pitch) for column in filled])


def _top(column: np.ndarray, low: float, pitch: float) -> float:
    """The height, m, that best divides a column into a part fuller than `HALF` and an emptier one above it."""
    dense = np.flatnonzero(column >= HALF)
    if not len(dense):
        return math.nan
    # The last cell of the fuller part, which begins with the first dense cell; the one above is emptier.
    k = int(dense[0] + np.argmax(np.cumsum(column[dense[0] :] - HALF)))
    return float(low + (k + 0.5 + (column[k] - HALF) / (column[k] - column[k + 1])) * pitch)


@measured({"slope": "", "axis_height": "m"}, taken=tuple)
def slope(frame: Frame, free: Free, radius: Radius, length: DrumLength) -> tuple[float, float]:
    """Rise and height at the axis of the straight line through the surface's uphill half: z = height − rise x, m."""
    x, z = surface(frame, free, length)
    mine = np.isfinite(z) & (x >= FIT_FROM * radius) & (x <= FIT_TO * radius)
    if mine.sum() < 3:
        return math.nan, math.nan
    fall, height = np.polyfit(x[mine], z[mine], 1)
    return -float(fall), float(height)


@measured({"dynamic_angle": "rad", "dynamic_angle_error": "rad"}, taken=attrgetter("value", "error"))
def dynamic_angle(frames: Sequence[Frame], free: Free, radius: Radius, length: DrumLength) -> Angle:
    """The dynamic angle of repose in a drum whose top turns towards +x: mean over the frames.

    Its error is the standard error of that mean, of frames so far apart that each is a look of its own. radius, length:
    m, of the drum. free: (N,) bool, as in `surface`.
    """
    angles = np.arctan([slope(frame, free, radius, length)[0] for frame in frames])
    error = float(np.std(angles, ddof=1)) / math.sqrt(len(angles)) if len(angles) > 1 else math.nan
    return Angle(float(np.mean(angles)), error)


@measured({"carried_over": ""})
def carried_over(frames: Sequence[Frame], free: Free, radius: Radius) -> float:
    """How much the drum carries over its top, in layers as thick as the glued one; mean over the frames.

    What is in the drum's top quarter and the outer third of its radius, over a quarter of the glued grains, those that
    are not free, which line it all round.
    """
    layers = []
    for frame in frames:
        x, z, mass = frame.position[:, 0], frame.position[:, 2], frame.mass
        top = free & (z > np.abs(x)) & (np.hypot(x, z) > 2.0 / 3.0 * radius)
        layers.append(4.0 * float(mass[top].sum() / mass[~free].sum()))
    return float(np.mean(layers))


@measured({"ring_layers": ""})
def ring_layers(frames: Sequence[Frame], free: Free, radius: Radius) -> float:
    """How many layers, like the glued one, stay at the rim past the top; mean over the frames. 0 where grains fall.

    What is within one and a half grains of the rim in the quarter that comes after the top, over a quarter of the glued
    grains.
    """
    layers = []
    for frame in frames:
        x, z, mass = frame.position[:, 0], frame.position[:, 2], frame.mass
        past = free & (x > 0.0) & (z > 0.0) & (np.hypot(x, z) > radius - 3.0 * frame.radius)
        layers.append(4.0 * float(mass[past].sum() / mass[~free].sum()))
    return float(np.mean(layers))
