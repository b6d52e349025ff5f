"""The table of everything a recording holds: from it the writer, the reader and docs/file-format.md are made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from barchan.frame import Contacts, Field, Frame, Table, fields_of
from barchan.scene.scene import METHODS

FORMAT_VERSION = 2  # raised when an older reader could no longer read the file

TABLE: dict[str, type[Table]] = {
    one.per: one for method in METHODS.values() for one in method.tables
}  # by what they have rows of
OPTIONAL = ("contact", *TABLE)  # rows that a frame may have none of
FIELDS: tuple[Field, ...] = tuple(field for kind in (Frame, Contacts, *TABLE.values()) for field in fields_of(kind))
FIELD: dict[str, Field] = {field.name: field for field in FIELDS}
FIRST = {field.per: field.name for field in reversed(FIELDS)}  # the field that says how many rows there are
_LETTER = {"grain": "N", "sphere": "M", "wall": "W", "cell": "1", "contact": "C"}
_LETTER |= {per: table.letter for per, table in TABLE.items()}


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
    *(
        Dataset(f"/barchan/frames/{per}s", "int64", "(F,)", "", "−1", f"{one.letter} of each frame; −1: {one.absent}")
        for per, one in TABLE.items()
    ),
    Dataset("/barchan/offsets/*field*", "int64", "(F,)", "", "always there", "first row of each frame in the field"),
)


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
    """The arrays of a frame by field name, of the table's types and C order; of contacts only such as it holds."""
    arrays: dict[str, np.ndarray] = {}
    for holder in (frame, frame.known.get("contacts"), *frame.tables):
        for field in () if holder is None else fields_of(type(holder)):
            array = np.asarray(getattr(holder, field.name))
            if array.ndim != 1 + len(field.row) or array.shape[1:] != field.row:
                raise ValueError(f"frame.{field.name} has shape {array.shape}, expected (n, …) with rows {field.row}")
            arrays[field.name] = np.ascontiguousarray(array.astype(field.dtype, casting="same_kind", copy=False))
    for per in _LETTER:
        lengths = {len(arrays[field.name]) for field in FIELDS if field.per == per and field.name in arrays}
        if len(lengths) > 1:
            raise ValueError(f"the frame's arrays per {per} differ in length: {sorted(lengths)}")
    return arrays


def frame_from(time: float, step: int, there: Collection[str], array: Callable[[Field], np.ndarray]) -> Frame:
    """A frame whose arrays are fetched by `array(field)`; `there` says which of `OPTIONAL` it has."""

    def made(kind: type) -> dict[str, Any]:
        return {field.name: array(field) for field in fields_of(kind)}

    tables = tuple(kind(**made(kind)) for per, kind in TABLE.items() if per in there)
    known = {"contacts": Contacts(**made(Contacts))} if "contact" in there else {}
    return Frame(time=time, step=step, **made(Frame), tables=tables, known=known)


def missing_rows(field: Field, count: int) -> np.ndarray:
    """The rows of a field that came later than the recording."""
    return np.full((count, *field.row), field.missing, field.dtype)
