"""What the page is told about a recording: once what stays, then each frame as it is asked for."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from barchan.draw.camera import flat_view, point_box, sphere_box
from barchan.draw.colors import Scale, family_colours, scale_for
from barchan.draw.movie import SCOUTS
from barchan.draw.palette import to_bytes
from barchan.draw.picture import Stage
from barchan.draw.polygons import crack_edges, outline_edges
from barchan.draw.quantities import QUANTITIES, grain_volume, is_flat
from barchan.draw.render import placed
from barchan.draw.units import clock, playing_pace, readable, readable_values
from barchan.draw.viewer.packing import pack
from barchan.errors import FileError, Finding
from barchan.frame import Frame
from barchan.record.recording import Recording
from barchan.scene.beams_frame import Corners

VECTORS = (("position", "m"), ("velocity", "m/s"), ("spin", "rad/s"), ("orientation", ""))  # of a grain
SHADES = 64  # of a colour map
PLOTTED = ("kinetic_energy", "pile_height", "contacts_per_grain", "outflow", "pressure", "grain_count")
MOST_SAMPLES = 4000  # of a series on the page
PACES = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)  # of the pace at which a run is best looked at
PLAIN_PACES = (0.01, 100.0)  # those between are told as so many times real time


class Show:
    """A recording as the page sees it; several threads may ask at once."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.scene = recording.scene
        self._lock = threading.Lock()
        if not len(recording):
            raise FileError(Finding(str(recording.path), "has no frames yet", remedy="wait for the first one"))

    def refresh(self) -> None:
        """Look at what a run that goes on has recorded since."""
        with self._lock:
            self.recording.refresh()

    def frame(self, index: int) -> Frame:
        """Frame `index`; FileError where there is none."""
        with self._lock:
            if not 0 <= index < len(self.recording):
                raise FileError(Finding("frame", str(index), f"there are {len(self.recording)}, from 0"))
            return self.recording[index]

    # -------------------------------------------------------- once

    def about(self) -> dict[str, Any]:
        """All that is the same in every frame, and the observables."""
        scouts = self._scouts()
        stage = Stage.of(scouts, self.scene, "auto", "group")
        polygons = any(one.table(Corners) is not None for one in scouts)
        flat = "front" if polygons else flat_view(max(scouts, key=len), self.scene.dimensions)
        low, high = _corners(
            scouts, [line for one in scouts for wall in placed(stage.walls, one) for line in wall.lines]
        )
        span = float(np.max(high - low))
        return {
            "name": self.scene.name,
            "description": self.scene.description,
            "groups": self.scene.group_names(),
            "view": flat or ("front" if stage.camera.names else "iso"),
            "flat": flat is not None,
            "polygons": polygons,
            "low": low.tolist(),
            "high": high.tolist(),
            "ground": stage.ground.level if flat is None and np.isfinite(stage.ground.level) else None,
            "walls": [
                {"name": wall.name, "color": drawn.color, "lines": [line.ravel().tolist() for line in drawn.lines],
                 "triangles": drawn.triangles.ravel().tolist()}
                for wall, drawn in zip(self.scene.walls, stage.walls, strict=True)
            ],
            "fields": self._fields(scouts, span),
            "shades": _shades(),
            "length": readable(span, "m"),
            "paces": _paces(self.scene.frame_rate),
            "contacts": any(one.has("contacts") for one in scouts),
            **self.progress(),
        }  # fmt: skip

    def progress(self) -> dict[str, Any]:
        """How far the run is: times of frames, whether it is finished, and the observables; with how to tell them.

        Numbers are in SI, and each comes with `told`: the factor and the unit in which the page shows it.
        """
        with self._lock:
            series, units = self.recording.series, self.recording.units
            times, finished = self.recording.times.tolist(), self.recording.finished
        stopped = bool(self.recording.summary.get("stopped"))
        stride = max(1, -(-len(series["time"]) // MOST_SAMPLES))
        shown = {name: values for name, values in series.items() if name not in ("time", "step")}
        varied = [name for name, values in shown.items() if np.isfinite(values).any() and np.nanmax(np.abs(values)) > 0]
        order = sorted(varied, key=lambda name: PLOTTED.index(name) if name in PLOTTED else len(PLOTTED))
        return {
            "times": times,
            "clock": clock(self._longest()),
            "finished": finished or stopped,
            "sample_times": series["time"][::stride].tolist(),
            "series": [
                {"name": name, "told": readable_values(shown[name], units[name]),
                 "values": _plain(shown[name][::stride])}
                for name in order
            ],
        }  # fmt: skip

    def _longest(self) -> float:
        """The last time (s) of which anything is known."""
        with self._lock:
            known = (self.recording.times, self.recording.series["time"])
        return max(float(np.max(times, initial=0.0)) for times in known)

    def _scouts(self) -> list[Frame]:
        count = len(self.recording)
        spread = np.unique(np.linspace(0, count - 1, min(SCOUTS, count)).round().astype(int))
        return [self.frame(int(k)) for k in spread]

    def _fields(self, scouts: Sequence[Frame], span: float) -> list[dict[str, Any]]:
        """What grains can be coloured by in this run, which is `span` (m) large, with scales that suit all of it."""
        fields: list[dict[str, Any]] = [{"key": "group", "name": "group"}]
        recorded = [one for one in scouts if one.has("contacts")]
        for key, shown in QUANTITIES.items():
            frames = recorded if shown.from_contacts else list(scouts)
            if not frames:
                continue
            if key == "slip" and not any(one.contacts.mode.any() for one in recorded):
                continue
            if key == "points" and not any(len(one.sphere_radius) > len(one) for one in recorded):
                continue  # they are the contacts
            scale = scale_for(frames, key, self.scene)
            if scale is None:  # names, which the page shows as numbers
                last = float(max(one.id.max(initial=1) for one in frames))
                scale = Scale(shown.name, shown.unit, shown.colormap, 0.0, last)
            fields.append({
                "key": key, "name": scale.name, "told": scale.told(span, self._longest()), "shades": scale.colormap,
                "range": [scale.low, scale.high],
            })  # fmt: skip
        return fields

    # -------------------------------------------------------- frame by frame

    def steady(self, index: int) -> bytes:
        """What seldom changes: names, groups, sizes and tints of the grains of frame `index`."""
        return pack(_steady(self.frame(index)), {})

    def moment(self, index: int, fields: Sequence[str], *, contacts: bool = False, coarse: bool = False) -> bytes:
        """Places, and the values of `fields`, in frame `index`; with its contacts where they are asked for."""
        frame = self.frame(index)
        arrays: dict[str, np.ndarray] = {
            "place": np.asarray(frame.sphere_position, float), "pose": np.asarray(frame.wall_pose, float),
            "present": frame.wall_present.astype(np.uint8), "cell": np.asarray(frame.cell, float),
        }  # fmt: skip
        for name in fields:
            if name in QUANTITIES and (frame.has("contacts") or not QUANTITIES[name].from_contacts):
                arrays[f"field:{name}"] = QUANTITIES[name].values(frame, self.scene)
        if contacts and frame.has("contacts"):
            arrays["contacts"] = force_lines(frame)
        if triangles := frame.table(Corners):
            arrays["triangles"] = np.asarray(triangles.triangle_corners, float)
            arrays["edges"], arrays["cracks"] = outline_edges(frame).reshape(-1, 4), crack_edges(frame).reshape(-1, 4)
        about = {"time": frame.time, "step": frame.step, "steady": _key(frame), "index": index, "grains": len(frame)}
        return pack(arrays, about, coarse=coarse)

    def grain(self, index: int, name: int) -> dict[str, Any]:
        """The numbers of the grain with id `name` in frame `index`, in the units in which they read best."""
        frame = self.frame(index)
        row = int(frame.rows_of(np.array([name]))[0])
        if row < 0:
            raise FileError(Finding("grain", str(name), "it is not in this frame"))
        group = self.scene.group_names()[int(frame.group[row])]
        volume = grain_volume(frame, self.scene)[row]
        filled = ("area", volume, "m²") if is_flat(self.scene) else ("volume", volume, "m³")
        numbers: list[tuple[str, Any, str]] = [
            *((key, getattr(frame, key)[row], unit) for key, unit in VECTORS),
            ("radius", frame.radius[row], "m"), ("mass", frame.mass[row], "kg"),
            filled, ("time of insertion", frame.born[row], "s"),
        ]  # fmt: skip
        if frame.has("contacts"):
            shown = [QUANTITIES[key] for key in ("contacts", "force", "stress")]
            numbers += [(one.name, one.values(frame, self.scene)[row], one.unit_in(self.scene)) for one in shown]
        told = [_told(*number) for number in numbers]
        return {"index": index, "id": name, "numbers": [["id", name, ""], ["group", group, ""], *told]}


def force_lines(frame: Frame) -> np.ndarray:
    """Contacts as lines (C, 8): from centre to centre, or to the contact at a wall or a periodic face, in m; the size
    of the force (N) and the mode."""
    touching = frame.contacts
    first, second = frame.rows_of(touching.first), frame.rows_of(touching.second)
    known = first >= 0
    first, second, point = first[known], second[known], touching.point[known]
    begin = frame.position[first]
    between = frame.position[np.maximum(second, 0)] - begin
    direct = (second >= 0) & np.isclose(frame.nearest(between), between).all(axis=1)
    end = np.where(direct[:, None], begin + between, begin + frame.nearest(point - begin))
    force = np.linalg.norm(touching.force[known], axis=1)
    return np.column_stack([begin, end, force, touching.mode[known]])


def _key(frame: Frame) -> int:
    """Frames with the same key have the same steady part, which follows from these arrays."""
    key = 0
    for array in (frame.id, frame.group, frame.sphere_radius, frame.sphere_grain):
        key = zlib.crc32(np.ascontiguousarray(array).data, key)
    return key


def _steady(frame: Frame) -> dict[str, np.ndarray]:
    return {
        "id": frame.id.astype(np.uint32), "group": frame.group.astype(np.uint32),
        "radius": np.asarray(frame.sphere_radius, np.float32), "grain": frame.sphere_grain.astype(np.uint32),
        "tint": to_bytes(family_colours(frame)),
    }  # fmt: skip


def _corners(frames: Sequence[Frame], lines: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The box round walls and grains, m, without those few grains that have flown far off."""
    box = point_box(lines)
    for frame in frames:
        box = box.joined(sphere_box(frame.sphere_position, frame.sphere_radius))
    return (box.low, box.high) if np.all(box.span >= 0.0) else (np.zeros(3), np.ones(3))


def _shades() -> dict[str, list[int]]:
    """The colour maps in use, as bytes r, g, b of `SHADES` shades."""
    from matplotlib import colormaps

    names = {shown.colormap for shown in QUANTITIES.values()}
    ramp = np.linspace(0.0, 1.0, SHADES)
    return {
        name: (255 * np.asarray(colormaps[name](ramp))[:, :3]).round().astype(int).ravel().tolist() for name in names
    }


def _told(name: str, value: Any, unit: str) -> list[Any]:
    """A number or a vector as the page shows it: its name, itself, and its unit."""
    numbers = np.asarray(value, float)
    factor, unit = readable_values(np.atleast_1d(numbers), unit)
    return [name, (factor * numbers).tolist(), unit]


def _paces(frame_rate: float) -> list[list[Any]]:
    """How fast a run with so many frames (1/s) may be played: so many s in a second, and the words for it."""
    usual = playing_pace(frame_rate)
    plain = PLAIN_PACES[0] <= usual <= PLAIN_PACES[1]
    paces = [(one * usual, *readable(one * usual, "s")) for one in PACES]
    return [[pace, f"× {pace:g}" if plain else f"{factor * pace:.4g} {unit}/s"] for pace, factor, unit in paces]


def _plain(values: np.ndarray) -> list[float | None]:
    """Numbers as JSON can have them."""
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in values]
