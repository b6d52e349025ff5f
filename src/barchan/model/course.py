"""The deformation of a scene's box: its numbers, and what they bring the box to before the end."""

from __future__ import annotations

import math

import numpy as np

from barchan.errors import Finding
from barchan.parts.deformations import STILL
from barchan.scene.scene import Scene

MOMENTS = 65  # at which a box is looked at, ends and turning point among them


def of(scene: Scene, box: np.ndarray, radius: np.ndarray) -> tuple[float, ...]:
    """The parameters of `stretch` for a scene with periodic lengths `box` (3,) m and spheres of `radius` (M,) m."""
    if scene.deformation is None:
        return STILL
    return scene.deformation.numbers(scene.duration, _fraction(scene, box, radius), int((box > 0).sum()))


def _fraction(scene: Scene, box: np.ndarray, radius: np.ndarray) -> float:
    """The packing fraction at the start; 0 where the box is open."""
    space = volume(box, flat=scene.dimensions == 2)
    return filled(radius, flat=scene.dimensions == 2) / space if space > 0 else 0.0


def filled(radius: np.ndarray, *, flat: bool) -> float:
    """Volume, m³ (m² in two dimensions), of spheres of `radius` (M,) m."""
    return float((np.pi * radius**2 if flat else 4 / 3 * np.pi * radius**3).sum())


def volume(box: np.ndarray, *, flat: bool) -> float:
    """Of a box with periodic lengths (3,) m, m³ (m² in two dimensions); 0 where it is open."""
    return float(np.prod(box[[0, 2]] if flat else box))


def unfilled(scene: Scene) -> list[Finding]:
    """What keeps a packing fraction, or a pressure, from being known: a box that is open along y in space."""
    deformation = scene.deformation
    if deformation is None or not deformation.sets or scene.dimensions == 2 or scene.periodic[1]:
        return []
    what, expected = f"{deformation.key} of a box that is open along y", f"its {deformation.sets} is not known"
    return [Finding("deformation", what, expected, "set periodic = [true, true, true]")]


def thinning(scene: Scene, box: np.ndarray, radius: np.ndarray, least: float) -> list[Finding]:
    """Axes that are long enough at the start and become shorter than `least` (m) on the way, with the moment of it.

    box: periodic lengths (3,) m at the start, radius: of the spheres (M,) m.
    """
    deformation, findings = scene.deformation, list[Finding]()
    if deformation is None:
        return findings
    shortest = _lengths(scene, box, radius)[:, :3].min(axis=0)
    for axis in np.flatnonzero((box >= least) & (shortest < least)):
        fraction, directions = _fraction(scene, box, radius), int((box > 0).sum())
        limit = deformation.limit(int(axis), float(box[axis] / least), fraction, directions)
        along, most = "xyz"[axis], _towards_zero(limit[1]) if limit else ""
        findings.append(Finding(
            f"deformation.{limit[0]}" if limit else "deformation",
            f"{getattr(deformation, limit[0]):g}" if limit else deformation.key,
            f"{f'from {most} on' if limit else 'with it'} the box is shorter than {least:.4g} m along {along}, and a "
            "grain could touch the same neighbour on both sides",
            f"go {f'no further than {most}' if limit else 'less far'}, or take more grains, in a box that is longer "
            f"along {along}",
        ))  # fmt: skip
    return findings


def _towards_zero(value: float) -> str:
    """Three digits, not rounded up: what is told as allowed must be so."""
    unit = 10.0 ** (math.floor(math.log10(abs(value) or 1.0)) - 2)
    return f"{math.trunc(value / unit) * unit:.3g}"


def fastest(scene: Scene, box: np.ndarray, radius: np.ndarray) -> float:
    """The highest speed, m/s, at which an image moves."""
    lengths = _lengths(scene, box, radius)[:: MOMENTS // 8]
    return float(np.abs(lengths[:, :3] * lengths[:, 3:]).max())


def _lengths(scene: Scene, box: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Lengths, m, and logarithmic rates, 1/s, (MOMENTS, 6), of a box as far as they are known before."""
    deformation = scene.deformation
    if deformation is None or deformation.stretch is None:
        return np.append(box, np.zeros(3))[None]
    values, times = of(scene, box, radius), np.linspace(0, scene.duration, MOMENTS)
    return np.array([deformation.stretch(t, *values) for t in times]) * np.append(box, np.ones(3))
