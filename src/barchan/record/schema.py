"""The table of everything a recording holds: from it the writer, the reader and docs/file-format.md are made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from barchan.record.frame import BeamLines, Contacts, Corners, Frame, Strips

FORMAT_VERSION = 2  # raised when an older reader could no longer read the file

Per = Literal["grain", "sphere", "wall", "cell", "contact", "triangle", "beam", "strip"]
# What a frame may have, each in its holder, and the holder's name in a frame.
OPTIONAL = {"contact": Contacts, "triangle": Corners, "beam": BeamLines, "strip": Strips}
HOLDER = {"contact": "contacts", "triangle": "triangles", "beam": "beams", "strip": "strips"}
FIRST = {
    "grain": "id", "sphere": "sphere_grain", "wall": "wall_present", "cell": "cell", "contact": "first",
    "triangle": "triangle_corners", "beam": "beam_ends", "strip": "strip_wall",
}  # fmt: skip


@dataclass(frozen=True)
class Field:
    """One array of a frame, and where its rows lie in the file.

    Frames of one field lie one after another in the dataset `path`; `/barchan/offsets/<name>` says in which row each
    frame begins and `/barchan/frames/<per>s` how many rows it has. A `steady` field seldom changes: a frame that
    repeats the rows of the one before points to the same rows. Where every grain is one sphere, a field and its
    `twin` are the same dataset. The rows of a field that is `on_spheres` are repeated for the spheres of a clump, as
    point data; velocities there are the spheres' own.
    """

    name: str
    per: Per
    dtype: str
    row: tuple[int, ...]  # shape of one row
    unit: str
    meaning: str
    path: str
    steady: bool = False
    twin: str = ""
    on_spheres: bool = False
    later: bool = False  # not in every recording of this format: where it is missing, all its rows are zero

    @property
    def offsets(self) -> str:
        """Dataset that holds the first row of every frame."""
        return f"/barchan/offsets/{self.name}"

    @property
    def row_bytes(self) -> int:
        """Size of one row, in bytes."""
        return int(np.dtype(self.dtype).itemsize * np.prod(self.row, dtype=int))


def _grain(name: str, dtype: str, row: tuple[int, ...], unit: str, meaning: str, kind: str = "") -> Field:
    steady, on_spheres = "steady" in kind, "shown" in kind
    return Field(name, "grain", dtype, row, unit, meaning, f"/barchan/grains/{name}", steady, on_spheres=on_spheres)


def _contact(name: str, dtype: str, row: tuple[int, ...], unit: str, meaning: str) -> Field:
    return Field(name, "contact", dtype, row, unit, meaning, f"/barchan/contacts/{name}")


FIELDS: tuple[Field, ...] = (
    _grain("id", "int64", (), "", "name of the grain, kept for life; rows are ordered by it", "steady shown"),
    _grain("group", "int32", (), "", "index into the scene's grains, beyond them into its sources", "steady shown"),
    _grain("position", "float64", (3,), "m", "centre of mass"),
    _grain("velocity", "float64", (3,), "m/s", "of the centre of mass", "shown"),
    _grain("orientation", "float64", (4,), "", "unit quaternion (w, x, y, z)"),
    _grain("spin", "float64", (3,), "rad/s", "angular velocity, in the frame of the laboratory"),
    _grain("mass", "float64", (), "kg", "mass", "steady"),
    _grain("radius", "float64", (), "m", "bounding radius", "steady"),
    _grain("born", "float64", (), "s", "time of insertion", "steady shown"),
    Field("sphere_grain", "sphere", "int64", (), "", "row of the sphere's grain", "/barchan/spheres/grain", True),
    Field("sphere_position", "sphere", "float64", (3,), "m", "centre", "/VTKHDF/Points", twin="position"),
    Field("sphere_radius", "sphere", "float64", (), "m", "radius", "/VTKHDF/PointData/radius", True, "radius"),
    Field("wall_pose", "wall", "float64", (7,), "m, –", "shift p, quaternion q: point X₀ is now at p + q·X₀",
          "/barchan/walls/pose", True),
    Field("wall_present", "wall", "bool", (), "", "whether the wall is there", "/barchan/walls/present", True),
    Field("cell", "cell", "float64", (7,), "m", "the periodic box: lower corner, lengths (0: open) and by how much the "
          "image above is shifted along x", "/barchan/cell", True, later=True),
    _contact("first", "int64", (), "", "id of the first grain"),
    _contact("second", "int64", (), "", "id of the second grain, or −1 − w for wall w of the scene"),
    _contact("point", "float64", (3,), "m", "where they touch"),
    _contact("force", "float64", (3,), "N", "on the first grain"),
    _contact("overlap", "float64", (), "m", "depth of the contact"),
    Field("mode", "contact", "int8", (), "", "of the contact's law, counted from 1 (`stick-slip`, triangles: 1 sticks, "
          "2 slips); 0: it has none", "/barchan/contacts/mode", later=True),
    Field("face", "contact", "int64", (), "", "of the wall, counted from 0; 0 between grains. Triangles of a mesh that "
          "lie side by side in a plane are one face", "/barchan/contacts/face", later=True),
    Field("triangle_corners", "triangle", "float64", (6,), "m", "x and z of three corners of the triangle in the "
          "sphere's place (solver `beams`)", "/barchan/triangles/corners", later=True),
    Field("beam_ends", "beam", "int64", (2,), "", "rows of the two triangles", "/barchan/beams/ends", True, later=True),
    Field("beam_cause", "beam", "int8", (), "", "0: whole; broken by 1 stretch, 2 force, 3 moment",
          "/barchan/beams/cause", True, later=True),
    Field("beam_broken_at", "beam", "float64", (), "s", "when it broke; NaN: it is whole", "/barchan/beams/broken_at",
          True, later=True),
    Field("beam_yielded_at", "beam", "float64", (), "s", "when it first yielded; NaN: never",
          "/barchan/beams/yielded_at", True, later=True),
    Field("beam_sides", "beam", "int8", (2,), "", "sides of the two triangles that it joins, from the first corner on "
          "counted from 1; 0: not known", "/barchan/beams/sides", True, later=True),
    Field("strip_wall", "strip", "int64", (), "", "index into the scene's walls", "/barchan/strips/wall", True,
          later=True),
    Field("strip_corners", "strip", "float64", (6,), "m", "x and z of three corners of a triangle of which the wall is "
          "made, where it was made (solver `beams`)", "/barchan/strips/corners", True, later=True),
)  # fmt: skip

FIELD: dict[str, Field] = {field.name: field for field in FIELDS}


@dataclass(frozen=True)
class Dataset:
    """One row of the table in docs/file-format.md. F frames, S samples; N grains, M spheres, W walls, C contacts."""

    path: str
    dtype: str
    shape: str
    unit: str
    default: str
    meaning: str


_BESIDE: tuple[Dataset, ...] = (
    Dataset("/barchan (attribute format)", "int64", "()", "", "always there", "version of this table"),
    Dataset("/barchan (attribute finished)", "bool", "()", "", "always there", "whether the run came to its end"),
    Dataset("/barchan/scene", "string", "(1,)", "", "always there", "the scene, TOML"),
    Dataset("/barchan/meta", "string", "(1,)", "", "`{}`", "versions, seed, platform, JSON"),
    Dataset("/barchan/summary", "string", "(1,)", "", "`{}`", "what the run found at its end, JSON"),
    Dataset("/barchan/series/time", "float64", "(S,)", "s", "S = 0", "times of the samples"),
    Dataset("/barchan/series/step", "int64", "(S,)", "", "S = 0", "steps of the samples"),
    Dataset("/barchan/series/*name*", "float64", "(S,)", "attribute unit", "absent", "an observable"),
    Dataset("/barchan/frames/time", "float64", "(F,)", "s", "always there", "time; is /VTKHDF/Steps/Values"),
    Dataset("/barchan/frames/step", "int64", "(F,)", "", "always there", "steps done"),
    Dataset("/barchan/frames/grains", "int64", "(F,)", "", "always there", "N of each frame"),
    Dataset("/barchan/frames/spheres", "int64", "(F,)", "", "always there", "M; is /VTKHDF/NumberOfPoints"),
    Dataset("/barchan/frames/walls", "int64", "(F,)", "", "always there", "W of each frame"),
    Dataset("/barchan/frames/cells", "int64", "(F,)", "", "0", "1 in a frame of a periodic scene"),
    Dataset("/barchan/frames/contacts", "int64", "(F,)", "", "−1", "C of each frame; −1: contacts were not recorded"),
    Dataset("/barchan/frames/triangles", "int64", "(F,)", "", "−1", "T of each frame; −1: grains are of spheres"),
    Dataset("/barchan/frames/beams", "int64", "(F,)", "", "−1", "B of each frame; −1: grains are of spheres"),
    Dataset("/barchan/frames/strips", "int64", "(F,)", "", "−1", "Q of each frame; −1: grains are of spheres"),
    Dataset("/barchan/offsets/*field*", "int64", "(F,)", "", "always there", "first row of each frame in the field"),
)
_LETTER = {"grain": "N", "sphere": "M", "wall": "W", "cell": "1", "contact": "C", "triangle": "T", "beam": "B",
           "strip": "Q"}  # fmt: skip


def datasets() -> Iterator[Dataset]:
    """Every dataset of a recording, in the order of the documents."""
    for field in FIELDS:
        shape = ", ".join(("Σ" + _LETTER[field.per], *map(str, field.row)))
        default = "absent rows" if field.per == "cell" or field.per in OPTIONAL else "always there"
        yield Dataset(field.path, field.dtype, f"({shape})", field.unit, default, f"{field.name}: {field.meaning}")
    yield from _BESIDE


def markdown() -> str:
    """The table as it stands in docs/file-format.md."""
    head = "| name | type | shape | unit | default | meaning |\n|---|---|---|---|---|---|\n"
    return head + "".join(
        f"| {d.path} | {d.dtype} | {d.shape} | {d.unit or '–'} | {d.default} | {d.meaning} |\n" for d in datasets()
    )


def frame_arrays(frame: Frame) -> dict[str, np.ndarray]:
    """The arrays of a frame by field name, of the table's types and C order; without contacts if it has none."""
    arrays: dict[str, np.ndarray] = {}
    for field in FIELDS:
        holder = getattr(frame, HOLDER[field.per]) if field.per in OPTIONAL else frame
        if holder is None:
            continue
        array = np.asarray(getattr(holder, field.name))
        if array.ndim != 1 + len(field.row) or array.shape[1:] != field.row:
            raise ValueError(f"frame.{field.name} has shape {array.shape}, expected (n, …) with rows {field.row}")
        arrays[field.name] = np.ascontiguousarray(array.astype(field.dtype, casting="same_kind", copy=False))
    counts = {per: {len(arrays[f.name]) for f in FIELDS if f.per == per and f.name in arrays} for per in _LETTER}
    for per, lengths in counts.items():
        if len(lengths) > 1:
            raise ValueError(f"the frame's arrays per {per} differ in length: {sorted(lengths)}")
    return arrays


def frame_from(time: float, step: int, there: Collection[str], array: Callable[[Field], np.ndarray]) -> Frame:
    """A frame whose arrays are fetched by `array(field)`; `there` says which of `OPTIONAL` it has."""
    rows: dict[str, Any] = {field.name: array(field) for field in FIELDS if field.per not in OPTIONAL}
    more = {HOLDER[per]: OPTIONAL[per](**{f.name: array(f) for f in FIELDS if f.per == per}) for per in there}
    return Frame(time=time, step=step, **rows, **more)


def missing_rows(field: Field, count: int) -> np.ndarray:
    """The rows of a field that came later than the recording."""
    return np.zeros((count, *field.row), field.dtype)
