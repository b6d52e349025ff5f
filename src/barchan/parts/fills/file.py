"""Places from a file: positions, and where they are there radii, velocities and spins."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
from pydantic import ValidationInfo, field_validator

from barchan.errors import FileError, Finding
from barchan.parts.fills import Fill, Given, Order
from barchan.schema.paths import resolved
from barchan.schema.problems import fault
from barchan.schema.quantities import LEAST, MOST

_NAMES = {
    "position": ("positions", "position", "x"),
    "radius": ("radii", "radius"),
    "velocity": ("velocities", "velocity", "v"),
    "spin": ("spins", "spin", "omega"),
}
_COLUMNS = {
    "position": ("x", "y", "z"),
    "radius": ("radius",),
    "velocity": ("vx", "vy", "vz"),
    "spin": ("wx", "wy", "wz"),
}


def read_grain_file(path: str | Path) -> Given:
    """The grains of an `.npz` or a `.csv` file with a header; FileError where it cannot be read or makes no sense.

    Arrays of an `.npz`: positions (or position, x), radii (radius), velocities (velocity, v), spins (spin, omega).
    Columns of a `.csv`: x, y, z, radius, vx, vy, vz, wx, wy, wz. Others are left alone.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        raise FileError(Finding(str(path), "is no ordinary file", "an .npz or .csv file of grains", "check the path"))
    try:
        found = _read_csv(path) if path.suffix.lower() == ".csv" else _read_npz(path)
    except FileNotFoundError:
        raise FileError(Finding(str(path), "there is no such file", "", "check the path")) from None
    except Exception as error:  # zip archives and arrays answer damage with errors of many kinds
        raise FileError(Finding(str(path), f"cannot be read: {error}", "an .npz or .csv file of grains")) from None
    if "position" not in found:
        raise FileError(
            Finding(str(path), "no positions", "an array `positions` (n, 3), or columns x, y, z", "add them")
        )
    _check(path, found)
    return Given(**found)


def _read_npz(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as archive:
        if not isinstance(archive, np.lib.npyio.NpzFile):
            raise ValueError("it holds a single array without a name")
        found: dict[str, np.ndarray] = {}
        for name, keys in _NAMES.items():
            for key in keys:
                if key in archive.files:
                    found.setdefault(name, np.array(archive[key], dtype=float))
    return found


def _read_csv(path: Path) -> dict[str, np.ndarray]:
    first, *rows = path.read_text(encoding="utf-8-sig").splitlines() or [""]
    header = [name.strip().lower() for name in first.split(",")]
    if not any(row.strip() for row in rows):
        raise ValueError("there are no rows below the header")
    table = np.loadtxt(rows, delimiter=",", ndmin=2)
    if table.shape[1] != len(header):
        raise ValueError(f"{len(header)} names in the header, {table.shape[1]} columns of numbers")
    found = {}
    for name, columns in _COLUMNS.items():
        if all(column in header for column in columns):
            values = table[:, [header.index(column) for column in columns]]
            found[name] = values[:, 0] if len(columns) == 1 else values
    return found


def _check(path: Path, found: dict[str, np.ndarray]) -> None:
    count = len(np.atleast_1d(found["position"]))
    problems = []
    for name, values in found.items():
        shape = (count,) if name == "radius" else (count, 3)
        if values.shape != shape or count == 0:
            problems.append(
                Finding(f"{path}: {name}", f"has the shape {values.shape}", f"must be {shape}, a row for each grain")
            )
        elif not np.all(np.abs(values) <= MOST):  # false for what is not a number, too
            row = int(np.argwhere(~(np.abs(values) <= MOST))[0, 0])
            problems.append(Finding(f"{path}: {name}[{row}]", f"{values[row]}", f"must be finite, up to {MOST:g}"))
        elif name == "radius" and values.min() < LEAST:
            row = int(values.argmin())
            problems.append(Finding(f"{path}: radius[{row}]", f"{values[row]:g} m", f"must be > 0, from {LEAST:g} on"))
    if problems:
        raise FileError(problems)


class FileFill(Fill):
    """Grains at the positions found in a file; `count` follows from it.

    `.npz` with an array `positions` (n, 3) in m and, if there, `radii` (n,) in m and `velocities` (n, 3) in m/s; or
    `.csv` with a header among x, y, z, radius, vx, vy, vz. Radii and velocities found there replace `size` (sizes are
    2 · radius) and `velocity`.
    """

    key: ClassVar[str] = "file"
    sized: ClassVar[bool] = True
    path: str
    """The file, .npz or .csv; a relative path starts from the folder of the scene file."""

    @field_validator("path")
    @classmethod
    def _resolved(cls, path: str, info: ValidationInfo) -> str:
        return resolved(path, (".npz", ".csv"), info)

    def check_count(self, count: int | None) -> None:
        if count is not None:
            raise fault(f"a count of {count}", "a fill of kind 'file' states its own number: leave `count` out")

    def grains(self, order: Order, rng: np.random.Generator) -> Given:
        return read_grain_file(self.path)
