"""From the grains of a scene to the triangles they consist of and the beams between them."""

from __future__ import annotations

import functools
import zlib
from dataclasses import dataclass

import numpy as np

from barchan.model.grains import Grains
from barchan.model.triangles import areas, fans, template
from barchan.scene.grains import GrainGroup
from barchan.scene.polygons import FLAT_SHAPES, FlatShape, IrregularGrain
from barchan.scene.scene import Scene
from barchan.scene.sources import Source

OUTLINES = 4096  # of irregular grains, for their mean area


@dataclass(frozen=True)
class Triangles:
    """T triangles and B beams of N grains. Coordinates are x and z; angles are counter-clockwise, from x to z."""

    grain: np.ndarray  # (T,) int64, row of the grain
    body: np.ndarray  # (T, 6) m, corners x, z about the centre of mass, in the triangle's own frame
    area: np.ndarray  # (T,) m²
    mass: np.ndarray  # (T,) kg
    inertia: np.ndarray  # (T,) kg m²
    material: np.ndarray  # (T,) int64
    position: np.ndarray  # (T, 2) m
    angle: np.ndarray  # (T,) rad
    velocity: np.ndarray  # (T, 2) m/s
    spin: np.ndarray  # (T,) rad/s, counter-clockwise
    ends: np.ndarray  # (B, 2) int64, triangles that a beam joins
    foot: np.ndarray  # (B, 4) m, its two ends in the frames of their triangles
    rest: np.ndarray  # (B, 2) rad, direction of the chord at rest in these frames
    length: np.ndarray  # (B,) m

    def __len__(self) -> int:
        return len(self.area)


def build_triangles(scene: Scene, grains: Grains) -> Triangles:
    """The triangles of all grains of flat shapes; the grains' masses, moments and centres are made to agree.

    Of grains that a source pours the ids are known before: those decide what irregular ones look like.
    """
    parts = [_group(scene, grains, index) for index in range(len(scene.grains) + len(scene.sources))]
    shift = np.concatenate([[0], np.cumsum([len(corners) for corners, _, _ in parts])])
    corners = np.concatenate([np.zeros((0, 3, 2)), *(one for one, _, _ in parts)])
    grain = np.concatenate([np.zeros(0, np.int64), *(one for _, one, _ in parts)])
    shared = np.concatenate([
        np.zeros((0, 3), np.int64), *(one[2] + k * np.array([1, 1, 0]) for one, k in zip(parts, shift, strict=False))
    ])  # fmt: skip
    centre, area = corners.mean(axis=1), areas(corners)
    density = np.array([material.density for material in scene.materials.values()])
    mass = density[grains.material[grain]] * area * scene.beams.thickness
    inertia = mass * np.sum((np.roll(corners, -1, axis=1) - corners) ** 2, axis=(1, 2)) / 36
    angle = -2.0 * np.arctan2(grains.orientation[:, 2], grains.orientation[:, 0])[grain]
    place = grains.position[grain][:, [0, 2]] + turned(centre, angle)
    _settle(grains, grain, mass, inertia, place)
    spin = -grains.spin[grain, 1]
    lever = place - grains.position[grain][:, [0, 2]]
    velocity = grains.velocity[grain][:, [0, 2]] + spin[:, None] * np.stack([-lever[:, 1], lever[:, 0]], axis=1)
    foot, direction, length = _beams(corners, centre, shared)
    return Triangles(
        grain=grain, body=np.ascontiguousarray((corners - centre[:, None]).reshape(-1, 6)), area=area, mass=mass,
        inertia=inertia, material=grains.material[grain].astype(np.int64), position=place, angle=angle,
        velocity=velocity, spin=spin, ends=np.ascontiguousarray(shared[:, :2]), foot=foot,
        rest=np.stack([direction, direction], axis=1), length=length,
    )  # fmt: skip


def _group(scene: Scene, grains: Grains, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Corners (t, 3, 2) m about the grains' places, the grains' rows (t,), and shared edges (b, 3) of one group, or of
    what a source has poured.
    """
    kinds: list[GrainGroup | Source] = [*scene.grains, *scene.sources]
    kind, mine = kinds[index], np.flatnonzero(grains.group == index)
    shape = kind.shape
    assert isinstance(shape, FLAT_SHAPES), "checked before"
    grain = template(shape)
    size, count = grains.radius[mine] / grain.radius, len(grain.corners)
    if isinstance(shape, IrregularGrain):
        begin = () if isinstance(kind, GrainGroup) else (int(grains.id[mine[:1]].sum()),)
        key = (zlib.crc32(kind.name.encode()), 1, *begin)
        rng = np.random.default_rng(np.random.SeedSequence(scene.seed, spawn_key=key))
        corners = _irregular(shape, len(mine), rng)
    else:
        corners = np.broadcast_to(grain.corners, (len(mine), *grain.corners.shape))
    corners = (size[:, None, None, None] * corners).reshape(-1, 3, 2)
    offset = count * np.arange(len(mine))
    shared = (grain.shared + offset[:, None, None] * np.array([1, 1, 0])).reshape(-1, 3)
    return corners, np.repeat(mine, count), shared


def _irregular(shape: IrregularGrain, count: int, rng: np.random.Generator) -> np.ndarray:
    """Outlines of that many grains of size 1, (g, n, 3, 2)."""
    inward, aside = rng.random((2, count, shape.corners))
    return _centred(fans(1.0 - shape.scatter * inward, shape.scatter * (aside - 0.5)))


@functools.lru_cache(maxsize=64)
def mean_area(shape: FlatShape) -> float:
    """The area of a grain of size 1, m²; of irregular ones on average, and of a polygon in metres as it is."""
    if isinstance(shape, IrregularGrain):
        return float(areas(_irregular(shape, OUTLINES, np.random.default_rng(0))).sum() / OUTLINES)
    return float(areas(template(shape).corners).sum())


def _centred(corners: np.ndarray) -> np.ndarray:
    """Grains (g, n, 3, 2) about their centres of mass, with the farthest corner half a unit away."""
    weight = areas(corners)
    middle = np.sum(weight[..., None] * corners.mean(axis=2), axis=1) / weight.sum(axis=1)[:, None]
    corners = corners - middle[:, None, None]
    far = np.linalg.norm(corners, axis=3).max(axis=(1, 2))
    return np.asarray(corners / (2 * far)[:, None, None, None])


def turned(vector: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Vectors (…, 2), turned counter-clockwise by angles, rad."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * vector[..., 0] - s * vector[..., 1], s * vector[..., 0] + c * vector[..., 1]], axis=-1)


def _settle(grains: Grains, grain: np.ndarray, mass: np.ndarray, inertia: np.ndarray, place: np.ndarray) -> None:
    """Let grains have the mass, the centre of mass and the moment about y of their triangles."""
    n = len(grains)
    grains.mass[:] = np.bincount(grain, mass, n)
    for axis, column in ((0, 0), (2, 1)):
        grains.position[:, axis] = np.bincount(grain, mass * place[:, column], n) / grains.mass
    arm = np.sum((place - grains.position[grain][:, [0, 2]]) ** 2, axis=1)
    polar = np.bincount(grain, inertia + mass * arm, n)
    grains.inertia[:] = np.stack([polar / 2, polar, polar / 2], axis=1)


def _beams(
    corners: np.ndarray, centre: np.ndarray, shared: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Feet (b, 4) m, direction (b,) rad and length (b,) m of beams perpendicular to the shared edges.

    Where a line perpendicular to the edge passes through both centres of mass, the beam is fixed there, as in the
    paper. Elsewhere it lies halfway between the two perpendiculars, and its ends have a lever about the centres.
    """
    a, b, edge = shared.T
    start, end = corners[a, edge], corners[a, (edge + 1) % 3]
    along = end - start
    size = np.linalg.norm(along, axis=1)
    along = along / size[:, None]
    outward = np.stack([along[:, 1], -along[:, 0]], axis=1)
    at_a, at_b = (np.sum((centre[one] - start) * along, axis=1) for one in (a, b))
    far_a, far_b = (np.abs(np.sum((centre[one] - start) * outward, axis=1)) for one in (a, b))
    at = np.clip((at_a + at_b) / 2, 0.0, size)
    aside = np.concatenate([(at - at_a)[:, None] * along, (at - at_b)[:, None] * along], axis=1)
    return aside, np.arctan2(outward[:, 1], outward[:, 0]), far_a + far_b
