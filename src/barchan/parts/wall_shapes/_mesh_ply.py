"""PLY files, in text or binary: elements one after another, each a table whose columns a header names."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from barchan.parts.wall_shapes._mesh_text import Broken, index, numbers

KINDS = {
    "char": "b", "int8": "b", "uchar": "B", "uint8": "B", "short": "h", "int16": "h", "ushort": "H", "uint16": "H",
    "int": "i", "int32": "i", "uint": "I", "uint32": "I", "float": "f", "float32": "f", "double": "d", "float64": "d",
}  # fmt: skip
ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
CORNERS = ("vertex_indices", "vertex_index")
MOST_HEADER = 100_000  # bytes

Next = Callable[[str], float]  # the next number of a kind


@dataclass
class Column:
    """A property: a number a row, or, with a `length`, a list of them behind its length."""

    name: str
    kind: str
    length: str = ""


@dataclass
class Element:
    """A table of the file."""

    name: str
    rows: int
    columns: list[Column] = field(default_factory=list)


def read_ply(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """The faces of a PLY file, those with more corners cut into triangles from the first corner on."""
    order, elements, begin = _header(data)
    following = _binary(data, begin, order) if order else _words(data, begin)
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for element in elements:
        names = [column.name for column in element.columns]
        _check_columns(element, names)
        for row in range(element.rows):
            try:
                values = [_value(column, following) for column in element.columns]
            except Broken as broken:
                raise Broken(f"{element.name} {row}", broken.what) from None
            if element.name == "vertex":
                vertices.append([values[names.index(axis)] for axis in "xyz"])
            elif element.name == "face":
                face = next(values[names.index(name)] for name in CORNERS if name in names)
                if len(face) < 3:
                    raise Broken(f"face {row}", f"has {len(face)} corners")
                triangles += zip([face[0]] * (len(face) - 2), face[1:-1], face[2:], strict=True)
    return np.array(vertices, float).reshape(-1, 3), np.array(triangles, np.int64).reshape(-1, 3)


def _check_columns(element: Element, names: list[str]) -> None:
    missing = [axis for axis in "xyz" if axis not in names] if element.name == "vertex" else []
    if element.name == "face" and not any(name in names for name in CORNERS):
        missing = [CORNERS[0]]
    if missing:
        raise Broken("header", f"{element.name} has no property {missing[0]!r}")
    for column in element.columns:
        listed = element.name == "face" and column.name in CORNERS
        if listed != bool(column.length) and (listed or column.name in "xyz"):
            raise Broken(
                "header", f"property {column.name!r} of {element.name} {'must' if listed else 'may not'} be a list"
            )
        if listed and column.kind in "fd":
            raise Broken("header", f"property {column.name!r} of {element.name} must be whole numbers")


def _header(data: bytes) -> tuple[str, list[Element], int]:
    """The order of bytes (none in text), the elements, and where the data begin."""
    end = data.find(b"end_header", 0, MOST_HEADER)
    begin = data.find(b"\n", end) + 1
    if not data.startswith(b"ply") or end < 0 or not begin:
        raise Broken("header", "does not begin with 'ply' and end with 'end_header'")
    order: str | None = None
    elements: list[Element] = []
    for number, line in enumerate(data[:end].decode("latin-1").splitlines(), start=1):
        words, place = line.split(), f"line {number}"
        if not words or words[0] in ("ply", "comment", "obj_info"):
            continue
        if words[0] == "format" and len(words) > 1 and words[1] in ORDERS:
            order = ORDERS[words[1]]
        elif words[0] == "element" and len(words) == 3:
            elements.append(Element(words[1], index(place, words[2])))
            if not 0 <= elements[-1].rows <= len(data):
                raise Broken(place, f"{words[2]} of {words[1]}, in a file of {len(data)} bytes")
        elif words[0] == "property" and elements and (column := _column(words[1:])) is not None:
            elements[-1].columns.append(column)
        else:
            raise Broken(place, f"{line.strip()[:60]!r} makes no sense in a header")
    if order is None:
        raise Broken("header", "states no format")
    return order, elements, begin


def _column(words: list[str]) -> Column | None:
    kinds = [KINDS.get(word, "") for word in words[:-1]]
    if len(words) == 2 and all(kinds):
        return Column(words[1], kinds[0])
    if len(words) == 4 and words[0] == "list" and all(kinds[1:]) and kinds[1] not in "fd":
        return Column(words[3], kinds[2], kinds[1])
    return None


def _value(column: Column, following: Next) -> Any:
    """The number, or the list of numbers, of the next row."""
    if not column.length:
        return following(column.kind)
    count = int(following(column.length))
    if count < 0:
        raise Broken("", f"a list of {count}")
    return [following(column.kind) for _ in range(count)]


def _binary(data: bytes, begin: int, order: str) -> Next:
    kinds = {kind: struct.Struct(order + kind) for kind in KINDS.values()}
    at = begin

    def following(kind: str) -> float:
        nonlocal at
        if at + kinds[kind].size > len(data):
            raise Broken("", "the file ends here: it has been cut")
        (value,) = kinds[kind].unpack_from(data, at)
        at += kinds[kind].size
        return float(value) if kind in "fd" else int(value)

    return following


def _words(data: bytes, begin: int) -> Next:
    words = iter(data[begin:].decode("latin-1").split())

    def following(kind: str) -> float:
        word = next(words, None)
        if word is None:
            raise Broken("", "the file ends here: it has been cut")
        return numbers("", [word], 1)[0] if kind in "fd" else index("", word)

    return following
