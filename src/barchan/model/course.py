"""The course of a deforming box: how long it is along every axis at a time, and how fast it grows.

Plain functions of numbers: the solver `relax` calls them, the soft-sphere solver compiles them into its steps.
"""

from __future__ import annotations

import math

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.scene.deformation import AnyDeformation, Compression, PressureControl, PureShear
from barchan.scene.scene import Scene

STILL = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0)  # numbers of a box that stays as it is


def share(t: float, duration: float, returns: float, smooth: float) -> tuple[float, float]:
    """How much of a deformation is there at t (s), from 0 to 1, and how fast that grows (1/s)."""
    way = min(max(t / duration, 0.0), 1.0)
    rate = 1.0 / duration
    if returns > 0.0:
        rate = 2.0 * rate if way < 0.5 else -2.0 * rate
        way = 1.0 - abs(1.0 - 2.0 * way)
    if smooth > 0.0:
        return 0.5 * (1.0 - math.cos(math.pi * way)), 0.5 * math.pi * math.sin(math.pi * way) * rate
    return way, rate


def stretch(
    t: float, duration: float, returns: float, smooth: float, shear: float, densification: float, directions: float
) -> tuple[float, float, float, float, float, float]:
    """Lengths along x, y and z over those at the start, and their logarithmic rates (1/s).

    shear: ln(x/x₀) − ln(z/z₀) at the end. densification: how much of its first value the packing fraction gains,
    evenly, while the box shrinks in so many `directions`.
    """
    part, rate = share(t, duration, returns, smooth)
    half, pace = 0.5 * shear * part, 0.5 * shear * rate
    denser = 1.0 + densification * part
    scale, even = denser ** (-1.0 / directions), -densification * rate / (denser * directions)
    return scale * math.exp(half), scale, scale * math.exp(-half), even + pace, even, even - pace


def numbers(deformation: AnyDeformation | None, duration: float, fraction: float, directions: int) -> tuple[float, ...]:
    """The parameters of `stretch` after t; fraction: of the box, filled at the start."""
    if deformation is None:
        return STILL
    shear, densification = 0.0, 0.0
    if isinstance(deformation, PureShear):
        shear = deformation.strain
    elif isinstance(deformation, Compression):
        densification = deformation.to / fraction - 1
    else:
        raise SceneError(Finding("deformation", deformation.key, "does not follow a course of its own"))
    smooth = float(deformation.course == "smooth")
    return duration, float(deformation.returns), smooth, shear, densification, float(directions)


def of(scene: Scene, box: np.ndarray, radius: np.ndarray) -> tuple[float, ...]:
    """The parameters of `stretch` for a scene with periodic lengths `box` (3,) m and spheres of `radius` (M,) m."""
    flat, directions = scene.dimensions == 2, int((box > 0).sum())
    space = volume(box, flat=flat)
    fraction = filled(radius, flat=flat) / space if space > 0 else 0.0
    return numbers(scene.deformation, scene.duration, fraction, directions)


def filled(radius: np.ndarray, *, flat: bool) -> float:
    """Volume, m³ (m² in two dimensions), of spheres of `radius` (M,) m."""
    return float((np.pi * radius**2 if flat else 4 / 3 * np.pi * radius**3).sum())


def volume(box: np.ndarray, *, flat: bool) -> float:
    """Of a box with periodic lengths (3,) m, m³ (m² in two dimensions); 0 where it is open."""
    return float(np.prod(box[[0, 2]] if flat else box))


def unfilled(scene: Scene) -> list[Finding]:
    """What keeps a packing fraction, or a pressure, from being known: a box that is open along y in space."""
    deformation = scene.deformation
    if not isinstance(deformation, Compression | PressureControl) or scene.dimensions == 2 or scene.periodic[1]:
        return []
    number = "packing fraction" if isinstance(deformation, Compression) else "pressure"
    what, expected = f"{deformation.key} of a box that is open along y", f"its {number} is not known"
    return [Finding("deformation", what, expected, "set periodic = [true, true, true]")]


def thinning(scene: Scene, box: np.ndarray, radius: np.ndarray, least: float) -> list[Finding]:
    """Axes that are long enough at the start and become shorter than `least` (m) on the way, with the moment of it.

    box: periodic lengths (3,) m at the start, radius: of the spheres (M,) m.
    """
    deformation, flat = scene.deformation, scene.dimensions == 2
    if not isinstance(deformation, PureShear | Compression):
        return []
    _, _, _, shear, densification, directions = of(scene, box, radius)
    findings = []
    for axis in np.flatnonzero(box >= least):
        room = math.log(box[axis] / least)  # that an axis may shrink by, as a logarithm
        grown = math.log1p(densification) / directions - 0.5 * shear * (1, 0, -1)[axis]
        if grown <= room:
            continue
        if isinstance(deformation, PureShear):
            field, limit = "strain", math.copysign(2 * room, deformation.strain)
        else:
            field, limit = "to", filled(radius, flat=flat) / volume(box, flat=flat) * (box[axis] / least) ** directions
        along, most = "xyz"[axis], _towards_zero(limit)
        findings.append(Finding(
            f"deformation.{field}", f"{getattr(deformation, field):g}",
            f"from {most} on the box is shorter than {least:.4g} m along {along}, and a grain could touch the same "
            "neighbour on both sides",
            f"go no further than {most}, or take more grains, in a box that is longer along {along}",
        ))  # fmt: skip
    return findings


def _towards_zero(value: float) -> str:
    """Three digits, not rounded up: what is told as allowed must be so."""
    unit = 10.0 ** (math.floor(math.log10(abs(value) or 1.0)) - 2)
    return f"{math.trunc(value / unit) * unit:.3g}"


def fastest(scene: Scene, box: np.ndarray, radius: np.ndarray) -> float:
    """The highest speed, m/s, at which an image moves."""
    if not isinstance(scene.deformation, PureShear | Compression):
        return 0.0
    values = of(scene, box, radius)
    times = np.linspace(0, scene.duration, 9)
    return max(float(np.abs(box * stretch(t, *values)[:3] * np.array(stretch(t, *values)[3:])).max()) for t in times)
