"""A recording read by h5py alone, after the table in docs/file-format.md: nothing here knows Barchan."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import h5py
import numpy as np

GRAIN = ("id", "group", "position", "velocity", "orientation", "spin", "mass", "radius", "born", "image", "inertia")
CONTACT = ("first", "second", "point", "force", "overlap", "mode", "face", "depth")
# Where a field lies, and which number of rows of a frame counts it.
FIELDS = {
    **{name: (f"grains/{name}", "grains") for name in GRAIN},
    "sphere_grain": ("spheres/grain", "spheres"),
    "sphere_position": ("/VTKHDF/Points", "spheres"),
    "sphere_radius": ("/VTKHDF/PointData/radius", "spheres"),
    "sphere_offset": ("spheres/offset", "spheres"),
    "wall_pose": ("walls/pose", "walls"),
    "wall_present": ("walls/present", "walls"),
    "cell": ("cell", "cells"),
    **{name: (f"contacts/{name}", "contacts") for name in CONTACT},
    "triangle_corners": ("triangles/corners", "triangles"),
    "beam_ends": ("beams/ends", "beams"),
    "beam_sides": ("beams/sides", "beams"),
    "beam_cause": ("beams/cause", "beams"),
    "beam_broken_at": ("beams/broken_at", "beams"),
    "beam_yielded_at": ("beams/yielded_at", "beams"),
    "strip_wall": ("strips/wall", "strips"),
    "strip_corners": ("strips/corners", "strips"),
}


@dataclass(frozen=True)
class Taken:
    """A whole recording in memory."""

    path: Path
    scene: dict[str, Any]
    frames: list[SimpleNamespace]  # as FIELDS, with time and step; contacts are None where none were recorded
    times: np.ndarray  # (S,) s, of the samples
    series: dict[str, np.ndarray]
    units: dict[str, str]
    events: dict[str, float]  # s, when each came

    @property
    def flat(self) -> bool:
        """Whether it is two-dimensional."""
        return bool(self.scene["dimensions"] == 2)

    @property
    def axes(self) -> list[int]:
        """The components that count."""
        return [0, 2] if self.flat else [0, 1, 2]


def take(path: Path) -> Taken:
    """Read a finished recording."""
    with h5py.File(path, "r") as file:
        own = file["barchan"]
        times, steps = own["frames/time"][:], own["frames/step"][:]
        frames = [_frame(own, index, float(times[index]), int(steps[index])) for index in range(len(times))]
        series = {name: own[f"series/{name}"][:] for name in own["series"]}
        units = {name: _text(own[f"series/{name}"].attrs["unit"]) for name in own["series"]}
        text, summary = _text(own["scene"][0]), json.loads(_text(own["summary"][0]))
        sampled = series.pop("time")
    scene = tomllib.loads(text)
    return Taken(path, scene, frames, sampled, series, units, summary.get("events", {}))


def tables(path: Path) -> set[str]:
    """The names of all datasets of a recording."""
    found: set[str] = set()
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, one: found.add(f"/{name}") if isinstance(one, h5py.Dataset) else None)
    return found


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _frame(own: Any, index: int, time: float, step: int) -> SimpleNamespace:
    found: dict[str, Any] = {"time": time, "step": step}
    for name, (where, per) in FIELDS.items():
        count = int(own[f"frames/{per}"][index])
        first = int(own[f"offsets/{name}"][index]) if count > 0 else 0
        found[name] = own[where][first : first + max(count, 0)] if count >= 0 else None
    return SimpleNamespace(**found)


def grains_of(scene: dict[str, Any]) -> list[dict[str, Any]]:
    """What the groups of grains are made of, in the order of their numbers: groups, then sources."""
    return [*scene.get("grains", ()), *scene.get("sources", ())]
