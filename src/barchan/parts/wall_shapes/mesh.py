"""A surface of triangles, from a file or written out."""

from __future__ import annotations

import functools
import math
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from annotated_types import Gt, Len
from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import InitErrorDetails

from barchan.errors import FileError, Finding, SceneError
from barchan.geometry import rotate, rotation_about
from barchan.parts.wall_shapes import Facet, Piece, Shape, _drawing, bounded, piece_turned
from barchan.parts.wall_shapes._faces import flat_faces
from barchan.parts.wall_shapes._mesh_files import FORMATS, read
from barchan.parts.wall_shapes._mesh_repair import Triangles, cleaned, joined
from barchan.schema.paths import resolved
from barchan.schema.problems import fault, located
from barchan.schema.quantities import MOST, Angle, Position, Unit

FEATURE_ANGLE = math.radians(15.0)  # edges where the surface bends more are drawn


def gap(
    x: float, y: float, z: float, ax: float, ay: float, az: float,
    bx: float, by: float, bz: float, cx: float, cy: float, cz: float,
) -> tuple[float, float, float, float]:  # fmt: skip
    """From the nearest point of the triangle a b c: on its face, one of its edges or one of its corners."""
    ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    px, py, pz = x - ax, y - ay, z - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    nx, ny, nz = nx / size, ny / size, nz / size
    # How far along each edge, and on which side of it, the point lies (Ericson, Real-Time Collision Detection, 5.1.5).
    a1, a2 = ux * px + uy * py + uz * pz, vx * px + vy * py + vz * pz
    b1, b2 = a1 - (ux * ux + uy * uy + uz * uz), a2 - (ux * vx + uy * vy + uz * vz)
    c1, c2 = a1 - (ux * vx + uy * vy + uz * vz), a2 - (vx * vx + vy * vy + vz * vz)
    along_ab, along_ac = 0.0, 0.0  # the nearest point is a + along_ab · (b − a) + along_ac · (c − a)
    if a1 <= 0.0 and a2 <= 0.0:
        along_ab, along_ac = 0.0, 0.0
    elif b1 >= 0.0 and b2 <= b1:
        along_ab, along_ac = 1.0, 0.0
    elif a1 >= 0.0 and b1 <= 0.0 and a1 * b2 - b1 * a2 <= 0.0:
        along_ab, along_ac = a1 / (a1 - b1), 0.0
    elif c2 >= 0.0 and c1 <= c2:
        along_ab, along_ac = 0.0, 1.0
    elif a2 >= 0.0 and c2 <= 0.0 and c1 * a2 - a1 * c2 <= 0.0:
        along_ab, along_ac = 0.0, a2 / (a2 - c2)
    elif b2 >= b1 and c1 >= c2 and b1 * c2 - c1 * b2 <= 0.0:
        along_ac = (b2 - b1) / ((b2 - b1) + (c1 - c2))
        along_ab = 1.0 - along_ac
    else:
        height = px * nx + py * ny + pz * nz
        sign = math.copysign(1.0, height)
        return abs(height), sign * nx, sign * ny, sign * nz
    dx = px - along_ab * ux - along_ac * vx
    dy = py - along_ab * uy - along_ac * vy
    dz = pz - along_ab * uz - along_ac * vz
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    if distance > 1e-18:
        return distance, dx / distance, dy / distance, dz / distance
    return distance, nx, ny, nz


class Mesh(Shape):
    """A surface of triangles, from an STL, OBJ or PLY file at `path`, or from `vertices` and `triangles`.

    A sphere touches a mesh where its surface comes nearest: face, edge or corner, each place once, whichever triangles
    meet there.
    """

    key: ClassVar[str] = "mesh"

    path: str | None = None
    """An STL, OBJ or PLY file; a relative path starts from the folder of the scene file."""
    vertices: Annotated[tuple[Position, ...], Len(3)] | None = Field(
        default=None, examples=[[(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]]
    )
    """The corners of the triangles, where there is no file."""
    triangles: Annotated[tuple[tuple[int, int, int], ...], Len(1)] | None = Field(
        default=None, examples=[[(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]]
    )
    """Triples of indices into `vertices`, which count from 0."""
    scale: Annotated[float, Gt(0), Unit("")] = 1.0
    """What lengths are multiplied with to be in metres: 0.001 for a file in mm."""
    position: Position = (0.0, 0.0, 0.0)
    """Where the mesh's origin is put, after the mesh has been turned."""
    rotation: tuple[Angle, Angle, Angle] = (0.0, 0.0, 0.0)
    """The vector by which the mesh is turned: its direction is the axis, its length the angle, such as [0, 0, "90
    deg"]."""
    side: Literal["outside", "inside", "both"] = "both"
    """Where grains belong: on "both" sides of any surface; "outside" or "inside" of a closed one."""
    repair: bool = False
    """Drop triangles that are there twice, close holes with flat lids and wind all triangles alike."""

    @field_validator("path")
    @classmethod
    def _resolved(cls, path: str | None, info: ValidationInfo) -> str | None:
        return None if path is None else resolved(path, FORMATS, info)

    @field_validator("triangles")
    @classmethod
    def _refer_to_vertices(cls, triangles: Any, info: ValidationInfo) -> Any:
        count = len(info.data.get("vertices") or ())
        if triangles and count and not all(0 <= corner < count for triangle in triangles for corner in triangle):
            raise ValueError(f"indices must lie between 0 and {count - 1}: there are {count} vertices")
        return triangles

    @classmethod
    def across(cls, fields: Mapping[str, Any]) -> list[InitErrorDetails]:
        given = {name for name in ("path", "vertices", "triangles") if fields.get(name) is not None}
        if given in ({"path"}, {"vertices", "triangles"}):
            return []
        what = f"a mesh with {' and '.join(sorted(given)) or 'neither path nor vertices'}"
        return [located(fault(what, "give either path, or vertices and triangles"), (), dict(fields))]

    def geometry(self) -> Triangles:
        """The triangles; FileError where they cannot be read, SceneError where `side` needs a closed surface."""
        if self.path is not None:
            found = _read(self.path, self.repair, _stamp(self.path))
        else:
            found = cleaned(np.array(self.vertices, float), np.array(self.triangles, np.int64), "vertices", self.repair)
        if (farthest := self.scale * float(np.abs(found.vertices).max())) > MOST:
            what = f"a vertex at {farthest:.3g} m"
            raise SceneError(
                Finding(self.path or "vertices", what, f"must be up to {MOST:g} m", "take a smaller scale")
            )
        if self.side != "both" and not found.closed:
            name = self.path or "the mesh"
            raise SceneError(Finding(
                "side", f"{self.side!r}, but {name} is not closed{found.gaps}",
                "only a watertight surface has an inside",
                "close its holes, or take side = 'both'" if self.repair else "set repair = true, or take side = 'both'",
            ))  # fmt: skip
        return found

    def corners(self) -> np.ndarray:
        """The corners (T, 3, 3) of the triangles, m, in the mesh's own frame."""
        found = self.geometry()
        return self.scale * found.vertices[found.triangles]

    def orientation(self) -> np.ndarray:
        """The quaternion (4,) of `rotation`."""
        angle = math.hypot(*self.rotation)
        return rotation_about(self.rotation, angle) if angle else np.array([1.0, 0.0, 0.0, 0.0])

    def pieces(self) -> list[Piece]:
        corners, orientation = self.corners(), self.orientation()
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normal *= {"outside": 1.0, "inside": -1.0, "both": 0.0}[self.side] / np.linalg.norm(normal, axis=1)[:, None]
        low, high = corners.min(axis=1).tolist(), corners.max(axis=1).tolist()
        return [
            bounded(piece_turned(gap, self.position, orientation, *triangle)._replace(facet=Facet(*of)))
            for triangle, *of in zip(
                corners.reshape(-1, 9),
                map(tuple, low),
                map(tuple, high),
                map(tuple, normal.tolist()),
                flat_faces(corners).tolist(),
                strict=True,
            )
        ]

    def notes(self) -> list[str]:
        return list(self.geometry().notes)

    def outline(self, low: Any, high: Any) -> list[np.ndarray]:
        found = self.geometry()
        vertices = self._placed(found.vertices)
        return [vertices[edge] for edge in feature_edges(found)]

    def surface(self, low: Any, high: Any) -> _drawing.Surface:
        found = self.geometry()
        return self._placed(found.vertices), found.triangles

    def _placed(self, vertices: np.ndarray) -> np.ndarray:
        return rotate(self.orientation(), self.scale * vertices) + np.asarray(self.position)


def feature_edges(mesh: Triangles) -> np.ndarray:
    """The edges (E, 2) worth drawing: rims, and where the surface bends; all of them where it hardly does."""
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    edges = np.sort(mesh.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    owner = np.repeat(np.arange(len(mesh.triangles)), 3)
    known, index, count = np.unique(edges, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(index.ravel(), kind="stable")
    start = np.concatenate([[0], np.cumsum(count)[:-1]])
    first, last = owner[order[start]], owner[order[start + count - 1]]
    bend = np.einsum("ij,ij->i", normal[first], normal[last])
    drawn = (count != 2) | (bend < math.cos(FEATURE_ANGLE))
    return known[drawn] if drawn.any() else known


def _stamp(path: str) -> tuple[int, int]:
    """What changes when a file is written anew; FileError where there is none."""
    try:
        found = Path(path).stat()
    except OSError as problem:
        what = "there is no such file" if isinstance(problem, FileNotFoundError) else f"{problem.strerror}"
        raise FileError(Finding(path, what, "a mesh in STL, OBJ or PLY", "check the path")) from None
    if not stat.S_ISREG(found.st_mode):
        raise FileError(Finding(path, "is no ordinary file", "a mesh in STL, OBJ or PLY", "check the path"))
    return found.st_mtime_ns, found.st_size


@functools.lru_cache(maxsize=8)
def _read(path: str, repair: bool, stamp: tuple[int, int]) -> Triangles:
    """The triangles of a file, with corners in the same place made one."""
    vertices, triangles = read(path)
    return cleaned(*joined(vertices, triangles), path, repair)
