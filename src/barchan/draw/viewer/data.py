"""What the page is told about a recording: once what stays, then each frame as it is asked for."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from barchan.analysis.grains import nearest, rows_of
from barchan.draw.camera import flat_view, point_box, sphere_box
from barchan.draw.colors import family_colours, scale_for, to_bytes
from barchan.draw.movie import SCOUTS
from barchan.draw.picture import Stage
from barchan.draw.polygons import crack_edges, outline_edges
from barchan.draw.quantities import QUANTITIES, grain_volume
from barchan.draw.render import placed
from barchan.draw.viewer.packing import pack
from barchan.errors import FileError, Finding
from barchan.record.frame import Frame
from barchan.record.recording import Recording

SHADES = 64  # of a colour map
PLOTTED = ("kinetic_energy", "pile_height", "contacts_per_grain", "outflow", "pressure", "grain_count")
MOST_SAMPLES = 4000  # of a series on the page


class Show:
    """A recording as the page sees it; several threads may ask at once."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.scene = recording.scene
        self.densities = self.scene.group_densities()
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
        polygons = any(one.triangles is not None for one in scouts)
        flat = "front" if polygons else flat_view(max(scouts, key=len))
        low, high = _corners(
            scouts, [line for one in scouts for wall in placed(stage.walls, one) for line in wall.lines]
        )
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
            "fields": self._fields(scouts),
            "shades": _shades(),
            "frame_rate": self.scene.frame_rate,
            "contacts": any(one.contacts is not None for one in scouts),
            **self.progress(),
        }  # fmt: skip

    def progress(self) -> dict[str, Any]:
        """How far the run is: times of frames, whether it is finished, and the observables."""
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
            "finished": finished or stopped,
            "sample_times": series["time"][::stride].tolist(),
            "series": [
                {"name": name, "unit": units[name], "values": _plain(shown[name][::stride])} for name in order
            ],
        }  # fmt: skip

    def _scouts(self) -> list[Frame]:
        count = len(self.recording)
        spread = np.unique(np.linspace(0, count - 1, min(SCOUTS, count)).round().astype(int))
        return [self.frame(int(k)) for k in spread]

    def _fields(self, scouts: Sequence[Frame]) -> list[dict[str, Any]]:
        """What grains can be coloured by in this run, with scales that suit all of it."""
        fields: list[dict[str, Any]] = [{"key": "group", "name": "group"}]
        recorded = [one for one in scouts if one.contacts is not None]
        for key, shown in QUANTITIES.items():
            frames = recorded if shown.from_contacts else list(scouts)
            if not frames:
                continue
            if key == "slip" and not any(one.contacts.mode.any() for one in recorded if one.contacts):
                continue
            scale = scale_for(frames, key, self.densities) if key != "id" else None
            ends = (scale.low, scale.high) if scale else (0.0, float(max(one.id.max(initial=1) for one in frames)))
            fields.append(
                {"key": key, "name": shown.name, "unit": shown.unit, "shades": shown.colormap, "range": list(ends)}
            )
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
            if name in QUANTITIES and (frame.contacts is not None or not QUANTITIES[name].from_contacts):
                arrays[f"field:{name}"] = QUANTITIES[name].values(frame, self.densities)
        if contacts and frame.contacts is not None:
            arrays["contacts"] = force_lines(frame)
        if frame.triangles is not None:
            arrays["triangles"] = np.asarray(frame.triangles.triangle_corners, float)
            arrays["edges"], arrays["cracks"] = outline_edges(frame).reshape(-1, 4), crack_edges(frame).reshape(-1, 4)
        about = {"time": frame.time, "step": frame.step, "steady": _key(frame), "index": index, "grains": len(frame)}
        return pack(arrays, about, coarse=coarse)

    def grain(self, index: int, name: int) -> dict[str, Any]:
        """The numbers of the grain with id `name` in frame `index`."""
        frame = self.frame(index)
        row = int(rows_of(frame, np.array([name]))[0])
        if row < 0:
            raise FileError(Finding("grain", str(name), "it is not in this frame"))
        group = self.scene.group_names()[int(frame.group[row])]
        told: list[list[Any]] = [["id", name, ""], ["group", group, ""]]
        for key, unit in (("position", "m"), ("velocity", "m/s"), ("spin", "rad/s"), ("orientation", "")):
            told.append([key, np.asarray(getattr(frame, key)[row], float).tolist(), unit])
        told += [["radius", float(frame.radius[row]), "m"], ["mass", float(frame.mass[row]), "kg"]]
        told.append(["volume", float(grain_volume(frame, self.densities)[row]), "m³"])
        told.append(["time of insertion", float(frame.born[row]), "s"])
        if frame.contacts is not None:
            for key in ("contacts", "force", "stress"):
                shown = QUANTITIES[key]
                told.append([shown.name, float(shown.values(frame, self.densities)[row]), shown.unit])
        return {"index": index, "id": name, "numbers": told}


def force_lines(frame: Frame) -> np.ndarray:
    """Contacts as lines (C, 8): from centre to centre, or to the contact at a wall or a periodic face, in m; the size
    of the force (N) and the mode."""
    touching = frame.contacts
    assert touching is not None
    first, second = rows_of(frame, touching.first), rows_of(frame, touching.second)
    known = first >= 0
    first, second, point = first[known], second[known], touching.point[known]
    begin = frame.position[first]
    between = frame.position[np.maximum(second, 0)] - begin
    direct = (second >= 0) & np.isclose(nearest(frame, between), between).all(axis=1)
    end = np.where(direct[:, None], begin + between, begin + nearest(frame, point - begin))
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


def _plain(values: np.ndarray) -> list[float | None]:
    """Numbers as JSON can have them."""
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in values]
