"""Files in other programs' formats, read by their own words, and what ought to be in them, from the recording."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import h5py
import numpy as np

from audit.figures import triangle_areas
from audit.taken import Taken


def spheres(frame: SimpleNamespace) -> dict[str, np.ndarray]:
    """What every export says of a sphere: its own velocity, its share of the mass; the rest is its grain's."""
    row = frame.sphere_grain
    weight = frame.sphere_radius**3 if frame.triangle_corners is None else triangle_areas(frame.triangle_corners)
    arm = frame.sphere_position - frame.position[row]
    return {
        "grain": frame.id[row], "group": frame.group[row], "position": frame.sphere_position,
        "velocity": frame.velocity[row] + np.cross(frame.spin[row], arm), "spin": frame.spin[row],
        "orientation": frame.orientation[row], "radius": frame.sphere_radius, "born": frame.born[row],
        "image": frame.image[row], "inertia": frame.inertia[row],
        "mass": (frame.mass / np.bincount(row, weight, len(frame.id)))[row] * weight,
    }  # fmt: skip


class Box(SimpleNamespace):
    """low (3,) m, edges (3, 3) m, repeats (3,) bool."""


def box(taken: Taken, frame: SimpleNamespace) -> Box:
    """The periodic box, and along open axes what all spheres of the recording ever reach."""
    full = [one for one in taken.frames if len(one.sphere_radius)]
    reach = [(one.sphere_position, one.sphere_radius[:, None]) for one in full]
    low = np.min([(place - radius).min(axis=0) for place, radius in reach], axis=0)
    high = np.max([(place + radius).max(axis=0) for place, radius in reach], axis=0)
    edges, repeats = np.diag(high - low), np.zeros(3, bool)
    if len(frame.cell):
        repeats = frame.cell[0, 3:6] > 0
        low = np.where(repeats, frame.cell[0, :3], low)
        edges = np.diag(np.where(repeats, frame.cell[0, 3:6], high - low))
        edges[2, 0] = frame.cell[0, 6]
    return Box(low=low, edges=edges, repeats=repeats)


def extxyz(path: Path) -> Iterator[dict[str, Any]]:
    """The frames of a file of extended XYZ."""
    lines = iter(path.read_text(encoding="utf-8").splitlines())
    for first in lines:
        head = dict(part.split("=", 1) for part in shlex.split(next(lines)))
        rows = [next(lines).split() for _ in range(int(first))]
        found: dict[str, Any] = {"time": float(head["Time"]), "step": int(head["Step"])}
        found["low"] = np.array(head["Origin"].split(), float)
        found["edges"] = np.array(head["Lattice"].split(), float).reshape(3, 3)
        found["repeats"] = np.array([one == "T" for one in head["pbc"].split()])
        at, words = 0, head["Properties"].split(":")
        for name, kind, count in zip(words[::3], words[1::3], map(int, words[2::3]), strict=True):
            values = [row[at : at + count] for row in rows]
            if kind != "S":
                found[name] = np.array(values, float).reshape(len(rows), count)
            at += count
        yield found


def dump(path: Path) -> Iterator[dict[str, Any]]:
    """The frames of a text dump of LAMMPS."""
    items = path.read_text(encoding="utf-8").split("ITEM: ")[1:]
    found: dict[str, Any] = {}
    for item in items:
        head, *rows = item.splitlines()
        if head.startswith("BOX BOUNDS"):
            words, bounds = head.split()[2:], np.array([row.split() for row in rows], float)
            found["repeats"] = np.array([word == "pp" for word in words[-3:]])
            tilt = bounds[:, 2] if "xy" in words else np.zeros(3)  # xy, xz, yz
            low, high = bounds[:, 0], bounds[:, 1]
            low = low - [min(0, tilt[0], tilt[1], tilt[0] + tilt[1]), min(0, tilt[2]), 0]
            high = high - [max(0, tilt[0], tilt[1], tilt[0] + tilt[1]), max(0, tilt[2]), 0]
            found["low"], found["edges"] = low, np.diag(high - low)
            found["edges"][1, 0], found["edges"][2, 0], found["edges"][2, 1] = tilt
        elif head.startswith("ATOMS"):
            names = head.split()[1:]
            values = np.array([row.split() for row in rows], float).reshape(len(rows), len(names))
            yield {**found, **{name: values[:, [k]] for k, name in enumerate(names)}}
        elif head in ("TIME", "TIMESTEP"):
            found[head.lower()] = float(rows[0])


def table(path: Path) -> dict[str, np.ndarray]:
    """The columns of a file of comma-separated values, by their names with units."""
    head, *rows = path.read_text(encoding="utf-8").splitlines()
    names = head.split(",")
    values = np.array([row.split(",") for row in rows], float).reshape(len(rows), len(names))
    return dict(zip(names, values.T, strict=True))


def polydata(path: Path) -> Iterator[dict[str, Any]]:
    """The steps of a VTKHDF file of polygons or points, read after VTK's description of the format."""
    with h5py.File(path, "r") as file:
        root = file["VTKHDF"]
        steps = root["Steps"]
        kind = "Polygons" if root["Polygons/NumberOfCells"][:].sum() else "Vertices"
        for k, time in enumerate(steps["Values"][:]):
            first, count = steps["PointOffsets"][k], root["NumberOfPoints"][k]
            found: dict[str, Any] = {"time": time, "Points": root["Points"][first : first + count]}
            cells = root[f"{kind}/NumberOfCells"][k]
            column = ("Vertices", "Lines", "Polygons", "Strips").index(kind)
            begin, corner = steps["CellOffsets"][k, column], steps["ConnectivityIdOffsets"][k, column]
            found["ends"] = root[f"{kind}/Offsets"][begin + k : begin + k + cells + 1]
            found["corners"] = root[f"{kind}/Connectivity"][
                corner : corner + root[f"{kind}/NumberOfConnectivityIds"][k]
            ]
            for group, rows in (("PointData", count), ("CellData", cells)):
                for name in root.get(group, ()):
                    begin = steps[f"{group}Offsets/{name}"][k]
                    found[name] = root[f"{group}/{name}"][begin : begin + rows]
            yield found
