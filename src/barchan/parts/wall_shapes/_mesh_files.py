"""Triangles out of STL, OBJ and PLY files, strictly: what is cut, bent or not a number is refused with its place.

Each reader takes the bytes of a file and answers vertices (V, 3) and triangles (T, 3). What it cannot take is a
`Broken`, with the place in the file; `read` makes a FileError of it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from barchan.errors import FileError, Finding
from barchan.parts.wall_shapes._mesh_ply import read_ply
from barchan.parts.wall_shapes._mesh_text import Broken, index, lines_of, numbers
from barchan.schema.quantities import MOST

Raw = tuple[np.ndarray, np.ndarray]

HEADER, FACET = 84, 50  # bytes of a binary STL: before the triangles, and of each
# What an OBJ file may say that is no surface of triangles, and changes none.
ASIDE = frozenset((
    "vt", "vn", "vp", "g", "o", "s", "mg", "mtllib", "usemtl", "maplib", "usemap", "l", "p", "lod", "bevel", "c_interp",
    "d_interp", "shadow_obj", "trace_obj",
))  # fmt: skip


def read(path: str) -> Raw:
    """The vertices (V, 3) and triangles (T, 3) of a file; FileError with the place of what is wrong with it."""
    kind = Path(path).suffix.lower()
    try:
        vertices, triangles = READERS[kind](Path(path).read_bytes())
    except OSError as problem:
        raise FileError(Finding(path, f"cannot be read: {problem.strerror or problem}")) from None
    except Broken as broken:
        where = f"{path}, {broken.place}" if broken.place else path
        raise FileError(Finding(where, broken.what, f"a mesh in {kind[1:].upper()}", "export it anew")) from None
    if not len(triangles):
        raise FileError(Finding(path, "holds no triangles", f"a mesh in {kind[1:].upper()}"))
    _check_corners(path, vertices, triangles)
    return vertices, triangles


def _check_corners(path: str, vertices: np.ndarray, triangles: np.ndarray) -> None:
    """FileError where a triangle has a corner that is not there, or whose coordinates are not numbers of sane size."""
    bad = (triangles < 0) | (triangles >= len(vertices))
    if bad.any():
        at, corner = np.argwhere(bad)[0]
        what = f"corner {corner} is vertex {triangles[at, corner]}"
        remedy = f"the file has {len(vertices)} vertices, counted from 0: export it anew"
        raise FileError(Finding(f"{path}, triangle {at}", what, "must be a vertex of the file", remedy))
    sound = (np.abs(vertices) <= MOST).all(axis=1)  # false for what is not a number
    if not sound.all():
        wrong = ~sound[triangles]
        vertex = int(triangles[wrong][0] if wrong.any() else np.flatnonzero(~sound)[0])
        owner = f"triangle {np.argwhere(wrong)[0, 0]}, " if wrong.any() else ""
        place = np.array2string(vertices[vertex], separator=", ")
        raise FileError(Finding(
            f"{path}, {owner}vertex {vertex}", f"lies at {place}", f"must be finite, up to {MOST:g}", "mend the mesh"
        ))  # fmt: skip


def read_stl(data: bytes) -> Raw:
    """A binary STL, told by its length, or one in text."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= HEADER else 0
    if len(data) >= HEADER and len(data) == HEADER + FACET * count:
        table = np.frombuffer(data, np.dtype([("numbers", "<f4", (4, 3)), ("more", "<u2")]), count, HEADER)
        vertices = table["numbers"][:, 1:].reshape(-1, 3).astype(float)
    elif b"\0" in data:
        stated = f"its header says {count} triangles, which take {HEADER + FACET * count} bytes"
        raise Broken("", f"has {len(data)} bytes, but {stated if len(data) >= HEADER else 'a header alone takes 84'}")
    else:
        vertices = _stl_in_text(data)
    return vertices, np.arange(len(vertices)).reshape(-1, 3)


def _stl_in_text(data: bytes) -> np.ndarray:
    vertices: list[tuple[float, ...]] = []
    corners, place, inside = 0, "", False
    for place, words in lines_of(data):
        word = words[0].lower()
        if word == "vertex":
            vertices.append(numbers(place, words[1:], 3))
            corners += 1
        elif word == "endfacet":
            if corners != 3:
                raise Broken(place, f"ends a facet of {corners} vertices instead of 3")
            corners = 0
        elif word in ("solid", "endsolid"):
            inside = word == "solid"
        elif word not in ("facet", "outer", "endloop"):
            raise Broken(place, f"{words[0][:40]!r} is no word of an STL file")
    if corners or inside:
        raise Broken(place, "ends within a solid: the file has been cut")
    return np.array(vertices, float).reshape(-1, 3)


def read_obj(data: bytes) -> Raw:
    """The faces of an OBJ file, those with more corners cut into triangles from the first corner on."""
    vertices: list[tuple[float, ...]] = []
    triangles: list[tuple[int, int, int]] = []
    for place, words in lines_of(data):
        if words[0] == "v":
            vertices.append(numbers(place, words[1:4], 3))
        elif words[0] == "f":
            face = [_obj_index(place, word, len(vertices)) for word in words[1:]]
            if len(face) < 3:
                raise Broken(place, f"a face of {len(face)} corners")
            triangles += zip([face[0]] * (len(face) - 2), face[1:-1], face[2:], strict=True)
        elif words[0] not in ASIDE:
            raise Broken(place, f"{words[0][:40]!r} is not known here: only faces (v, f) can be walls")
    return np.array(vertices, float).reshape(-1, 3), np.array(triangles, np.int64).reshape(-1, 3)


def _obj_index(place: str, word: str, count: int) -> int:
    """The vertex that a corner such as `7/1/2` names: from 1, or from the last one back where it is negative."""
    number = index(place, word.split("/")[0])
    if number == 0 or number > count or number < -count:
        raise Broken(place, f"a corner is vertex {number}, of {count} so far, counted from 1")
    return number - 1 if number > 0 else count + number


READERS: dict[str, Callable[[bytes], Raw]] = {".stl": read_stl, ".obj": read_obj, ".ply": read_ply}
FORMATS = tuple(READERS)
