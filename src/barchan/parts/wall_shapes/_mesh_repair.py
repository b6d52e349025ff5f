"""What is wrong with a surface of triangles, and what can be mended about it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from barchan.errors import Finding, SceneError

THINNEST = 1e-7  # height over longest edge of the flattest triangle that is kept

SAME = 1e-9  # of a mesh's extent: corners closer than this are one


class Triangles(NamedTuple):
    """The triangles of a mesh in its own frame, before it is scaled."""

    vertices: np.ndarray  # (V, 3)
    triangles: np.ndarray  # (T, 3) int64, counter-clockwise seen from outside where closed
    closed: bool  # the surface has an inside and an outside
    notes: tuple[str, ...] = ()  # what a user should know of the mesh
    gaps: str = ""  # why it is not closed


def cleaned(vertices: np.ndarray, triangles: np.ndarray, where: str, repair: bool) -> Triangles:
    """Without triangles that have no area; wound outwards where the surface is closed."""
    sound = _with_area(vertices[triangles])
    if not sound.any():
        raise SceneError(Finding(where, "all triangles have no area", "a mesh needs at least one triangle"))
    notes = []
    if dropped := int((~sound).sum()):
        notes.append(f"{dropped} triangles of the mesh have no area and are left out")
    triangles = triangles[sound]
    _, first = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True)
    if twice := len(triangles) - len(first):
        notes.append(f"{twice} triangles of the mesh are there twice" + (": one of each is kept" if repair else ""))
    if repair:
        vertices, triangles, more = _mended(vertices, triangles[np.sort(first)])
        notes += more
    mesh, corners = _mesh(vertices, triangles), vertices[triangles] - vertices[triangles[0, 0]]
    volume = float(np.einsum("ti,ti->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])))
    closed = bool(mesh.is_watertight and mesh.is_winding_consistent and volume != 0.0)
    inverted = closed and volume < 0.0
    return Triangles(
        vertices, triangles[:, ::-1] if inverted else triangles, closed, tuple(notes), "" if closed else _gaps(mesh)
    )


def joined(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same triangles with corners in the same place, up to `SAME` of the extent, made one; each is the first."""
    low = vertices.min(axis=0)
    step = SAME * max(float((vertices - low).max()), 1e-300)
    _, first, name = np.unique(np.round((vertices - low) / step), axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return vertices[first[order]], rank[name.ravel()][triangles]


def _mesh(vertices: np.ndarray, triangles: np.ndarray) -> Any:
    import trimesh

    return trimesh.Trimesh(vertices, triangles, process=False)


def _with_area(corners: np.ndarray) -> np.ndarray:
    """Which triangles (T, 3, 3) have an area, (T,) bool."""
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    doubled = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return np.asarray(doubled > THINNEST * sides**2)


def _mended(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """The surface with its holes closed and all triangles wound alike, and what has been done."""
    from trimesh import repair

    mesh, notes = _mesh(vertices, triangles), []
    if not mesh.is_winding_consistent:
        repair.fix_winding(mesh)
        turned = int((np.array(mesh.faces) != triangles).any(axis=1).sum())
        notes.append(f"{turned} triangles of the mesh have been wound the other way round")
    if not mesh.is_watertight:
        repair.fill_holes(mesh, use_fan=True)
    faces = np.array(mesh.faces, np.int64)
    if added := len(faces) - len(triangles):
        notes.append(f"{added} triangles have been added to the mesh to close its holes")
    vertices = np.array(mesh.vertices, float)
    return vertices, faces[_with_area(vertices[faces])], notes


def _gaps(mesh: Any) -> str:
    """What keeps a surface from being closed, in words."""
    _, first, times = np.unique(mesh.edges_sorted, axis=0, return_index=True, return_counts=True)
    for wrong, words in ((times == 1, "belong to one triangle only"), (times > 2, "belong to more than two triangles")):
        if wrong.any():
            ends = np.asarray(mesh.vertices)[np.asarray(mesh.edges)[first[wrong][0]]]
            a, b = (np.array2string(end, precision=4, separator=", ") for end in ends)
            return f": {int(wrong.sum())} of its edges {words}, the first from {a} to {b}"
    return ": its triangles are not wound alike" if not mesh.is_winding_consistent else ": it holds no volume"
