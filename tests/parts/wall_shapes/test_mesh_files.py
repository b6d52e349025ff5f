"""Files of meshes that are cut, bent or wrong: each is told with its place, and no triangle is lost in silence."""

from __future__ import annotations

import itertools
import math
import random
import re
import struct
from pathlib import Path

import numpy as np
import pytest

from barchan.errors import BarchanError, FileError, SceneError
from barchan.parts.wall_shapes.mesh import Mesh

trimesh = pytest.importorskip("trimesh")

TETRA = ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
NAN = math.nan


def stl(facets: np.ndarray) -> bytes:
    """A binary STL of facets (T, 3, 3)."""
    rows = [struct.pack("<12fH", 0, 0, 0, *facet.ravel().tolist(), 0) for facet in np.asarray(facets, float)]
    return bytes(80) + struct.pack("<I", len(rows)) + b"".join(rows)


def facets() -> np.ndarray:
    """The corners (4, 3, 3) of a tetrahedron."""
    return np.array(TETRA[0], float)[np.array(TETRA[1])]


def stl_in_text(facets: np.ndarray) -> str:
    rows = ["\n".join(f"vertex {x:g} {y:g} {z:g}" for x, y, z in facet) for facet in facets]
    body = "\n".join(f"facet normal 0 0 1\nouter loop\n{row}\nendloop\nendfacet" for row in rows)
    return f"solid part\n{body}\nendsolid part\n"


def obj() -> str:
    vertices = "\n".join(f"v {x} {y} {z}" for x, y, z in TETRA[0])
    return f"# made by hand\no part\n{vertices}\nvn 0 0 1\nf 1/1/1 3 2\nf 1//1 2 4\nf -3 -2 -1\nf 1 4 3\n"


def ply_in_text() -> str:
    head = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    head += "property uchar red\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
    rows = [f"{x} {y} {z} 7" for x, y, z in TETRA[0]] + [f"3 {a} {b} {c}" for a, b, c in TETRA[1]]
    return head + "\n".join(rows) + "\n"


def ply(order: str = "little") -> bytes:
    mark = "<" if order == "little" else ">"
    head = f"ply\nformat binary_{order}_endian 1.0\nelement vertex 4\nproperty double x\nproperty double y\n"
    head += "property double z\nelement face 4\nproperty list uchar int vertex_index\nend_header\n"
    rows = [struct.pack(mark + "3d", *vertex) for vertex in TETRA[0]]
    rows += [struct.pack(mark + "B3i", 3, *triangle) for triangle in TETRA[1]]
    return head.encode() + b"".join(rows)


GOOD = {
    "a.stl": stl(facets()), "b.stl": stl_in_text(facets()).encode(), "c.obj": obj().encode(),
    "d.ply": ply_in_text().encode(), "e.ply": ply(), "f.ply": ply("big"),
}  # fmt: skip


def made(folder: Path, name: str, content: bytes | str) -> Mesh:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return Mesh(path=str(folder / name), side="outside")


@pytest.mark.parametrize("name", GOOD)
def test_every_kind_of_file_gives_the_same_body(tmp_path: Path, name: str) -> None:
    """A tetrahedron of a sixth of a cubic metre, closed, in six kinds of file: catches a wrong order of bytes or of

    corners, and a face that is left out.
    """
    corners = made(tmp_path, name, GOOD[name]).corners()
    assert len(corners) == 4
    assert np.einsum("ti,ti->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6 == pytest.approx(1 / 6)


def bent(name: str, old: str, new: str) -> str:
    text = GOOD[name].decode()
    assert old in text
    return text.replace(old, new, 1)


def moved(at: int, corner: int, place: tuple[float, float, float]) -> bytes:
    changed = facets()
    changed[at, corner] = place
    return stl(changed)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("x.stl", moved(2, 1, (NAN, 0, 0)), r"x.stl, triangle 2, vertex \d+: lies at \[nan,"),
        ("x.stl", moved(0, 0, (0, math.inf, 0)), r"x.stl, triangle 0, vertex 0: lies at \[ ?0., inf,"),
        ("x.stl", moved(3, 2, (0, 0, 3e30)), r"x.stl, triangle 3, vertex \d+: lies at .*up to 1e\+20"),
        ("x.obj", bent("c.obj", "v 0 1 0", "v 0 nan 0"), r"x.obj, triangle 0, vertex 2: lies at \[ ?0., nan"),
        ("x.ply", bent("d.ply", "0 0 1 7", "0 0 -inf 7"), r"x.ply, triangle 1, vertex 3: lies at"),
        ("x.stl", GOOD["a.stl"][:-1], "has 283 bytes, but its header says 4 triangles, which take 284"),
        ("x.stl", GOOD["a.stl"][:60], "has 60 bytes, but a header alone takes 84"),
        ("x.stl", GOOD["a.stl"] + b"\0", "has 285 bytes"),
        ("x.stl", GOOD["b.stl"][:200], "line .*"),
        ("x.stl", bent("b.stl", "vertex 0 1 0", "vertex 0 1"), "line 5: has 2 coordinates instead of 3"),
        ("x.stl", bent("b.stl", "vertex 0 1 0", "vertex 0 one 0"), "line 5: '0 one 0' are no coordinates"),
        ("x.stl", bent("b.stl", "vertex 0 1 0\n", ""), "line 7: ends a facet of 2 vertices"),
        ("x.stl", bent("b.stl", "endsolid part", ""), "ends within a solid: the file has been cut"),
        ("x.stl", stl(np.zeros((0, 3, 3))), "holds no triangles"),
        ("x.obj", bent("c.obj", "f 1 4 3", "f 1 4 9"), "line 11: a corner is vertex 9, of 4 so far"),
        ("x.obj", bent("c.obj", "f 1 4 3", "f 0 4 3"), "line 11: a corner is vertex 0"),
        ("x.obj", bent("c.obj", "f 1 4 3", "f 1 4"), "line 11: a face of 2 corners"),
        ("x.obj", bent("c.obj", "f 1 4 3", "f 1 b 3"), "line 11: 'b' is no whole number"),
        ("x.obj", bent("c.obj", "o part", "surf 1 2"), "line 2: 'surf' is not known here"),
        ("x.ply", bent("d.ply", "property float y\n", ""), "header: vertex has no property 'y'"),
        ("x.ply", bent("d.ply", "property float y", "property y"), "line 5: 'property y' makes no sense"),
        ("x.ply", bent("d.ply", "format ascii 1.0\n", ""), "header: states no format"),
        ("x.ply", bent("d.ply", "end_header", ""), "header: does not begin with 'ply'"),
        ("x.ply", bent("d.ply", "vertex_indices", "corners"), "header: face has no property 'vertex_indices'"),
        ("x.ply", bent("d.ply", "3 0 3 2", "3 0 3 4"), r"triangle 3: corner 2 is vertex 4; .*has 4 vertices"),
        ("x.ply", bent("d.ply", "3 0 3 2", f"3 0 3 {10**20}"), f"face 3: '{10**20}' is larger than any file"),
        ("x.ply", bent("d.ply", "uchar int vertex", "uchar float vertex"), "'vertex_indices' of face must be whole"),
        ("x.ply", bent("d.ply", "3 0 3 2", "2 0 3"), "face 3: has 2 corners"),
        ("x.ply", bent("d.ply", "3 0 3 2", "3 0 3"), "face 3: the file ends here"),
        ("x.ply", GOOD["e.ply"][:-3], "face 3: the file ends here: it has been cut"),
        ("x.ply", bent("d.ply", "element vertex 4", "element vertex 10000000000"), "line 3: 10000000000 of vertex"),
    ],
    ids=map(str, itertools.count()),
)  # fmt: skip
def test_a_broken_file_is_told_with_its_place(tmp_path: Path, name: str, content: bytes | str, told: str) -> None:
    """Catches a triangle that is lost (a hole in a wall), and messages of other people's libraries."""
    with pytest.raises(FileError, match=told) as caught:
        made(tmp_path, name, content).pieces()
    assert str(tmp_path / name) in str(caught.value)


def test_a_path_that_cannot_be_one_is_told(tmp_path: Path) -> None:
    """A NUL ends in a ValueError of the operating system's; a folder, a pipe or a name too long in others."""
    with pytest.raises(SceneError, match=r"path: .*must have no NUL character"):
        Mesh(path="a\0b.stl")
    (tmp_path / "folder.stl").mkdir()
    for name in ("folder.stl", "a" * 400 + ".stl", "nowhere/a.stl"):
        with pytest.raises(FileError, match=re.escape(name)):
            Mesh(path=str(tmp_path / name)).pieces()


@pytest.mark.parametrize("name", GOOD)
def test_a_file_with_changed_bytes_is_told_or_read(tmp_path: Path, name: str) -> None:
    """Three hundred files of each kind cut, or with bytes flipped, taken out or put in: catches errors not our own."""
    chance = random.Random(name)
    for _ in range(300):
        data = bytearray(GOOD[name])
        for _ in range(chance.choice((1, 1, 3))):
            at = chance.randrange(len(data))
            way = chance.randrange(4)
            if way == 0:
                data[at] = chance.randrange(256)
            elif way == 1:
                del data[at : at + chance.choice((1, 1, 40))]
            elif way == 2:
                data[at:at] = bytes(chance.choice((b"9", b"-", b"e9", b"\n", b"\0", b"nan")))
            else:
                data[at:] = b""
            data = data or bytearray(b" ")
        try:
            corners = made(tmp_path, name, bytes(data)).corners()
        except BarchanError:
            continue
        assert np.isfinite(corners).all()


def test_a_vertex_beyond_all_measure_is_told() -> None:
    """A scale that makes 1e30 m of a finite vertex: squares of squares of it would overflow."""
    with pytest.raises(SceneError, match=r"vertices: a vertex at 1e\+30 m; must be up to 1e\+20 m"):
        Mesh(vertices=[(0, 0, 0), (1e15, 0, 0), (0, 1e15, 0)], triangles=[(0, 1, 2)], scale=1e15).pieces()


def test_triangles_that_are_there_twice_are_told_and_repaired() -> None:
    """A closed body with one face twice is no body; with repair it is one again, and both say so."""
    vertices, triangles = TETRA
    doubled = [*triangles, (2, 3, 1)]
    assert Mesh(vertices=vertices, triangles=doubled).notes() == ["1 triangles of the mesh are there twice"]
    with pytest.raises(
        SceneError, match=r"not closed: 3 of its edges belong to more than two triangles.*repair = true"
    ):
        Mesh(vertices=vertices, triangles=doubled, side="inside").pieces()
    mended = Mesh(vertices=vertices, triangles=doubled, side="inside", repair=True)
    assert len(mended.pieces()) == 4
    assert mended.notes() == ["1 triangles of the mesh are there twice: one of each is kept"]


def test_holes_are_told_and_closed() -> None:
    """A cube that lacks a side and a prism with 24 sides that lacks its top have their volumes again.

    A regular prism of n sides in the unit circle has the area n/2 · sin(2π/n). Catches a lid that is wound the wrong
    way or does not reach all corners.
    """
    box = trimesh.creation.box()
    faces = box.faces[(box.triangles_center[:, 2] < 0.49)]
    with pytest.raises(SceneError, match=r"4 of its edges belong to one triangle only, the first from \["):
        Mesh(vertices=box.vertices.tolist(), triangles=faces.tolist(), side="outside").pieces()
    lidded = Mesh(vertices=box.vertices.tolist(), triangles=faces.tolist(), side="outside", repair=True)
    assert volume(lidded) == pytest.approx(1.0, rel=1e-12)
    assert lidded.notes() == ["2 triangles have been added to the mesh to close its holes"]
    drum = trimesh.creation.cylinder(radius=1.0, height=2.0, sections=24)
    faces = drum.faces[(drum.triangles_center[:, 2] < 0.99)]
    lidded = Mesh(vertices=drum.vertices.tolist(), triangles=faces.tolist(), side="outside", repair=True)
    assert volume(lidded) == pytest.approx(2.0 * 12.0 * math.sin(math.pi / 12), rel=1e-12)


def test_triangles_wound_the_wrong_way_are_turned() -> None:
    """One face of a tetrahedron inside out: no side without repair, and a sixth of a cubic metre with it."""
    vertices, triangles = TETRA
    wrong = [triangles[0][::-1], *triangles[1:]]
    with pytest.raises(SceneError, match="not wound alike"):
        Mesh(vertices=vertices, triangles=wrong, side="inside").pieces()
    mended = Mesh(vertices=vertices, triangles=wrong, side="inside", repair=True)
    assert volume(mended) == pytest.approx(1 / 6)
    assert "wound the other way round" in mended.notes()[0]


def volume(mesh: Mesh) -> float:
    """Of a closed mesh, m³, by the divergence theorem."""
    corners = mesh.corners()
    return float(np.einsum("ti,ti->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))) / 6
