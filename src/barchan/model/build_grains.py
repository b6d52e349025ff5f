"""From the groups of a scene to the arrays of its grains."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.geometry import multiply, rotate, rotation_about, unit
from barchan.model.clumps import ClumpProperties, clump_properties, clump_template
from barchan.model.fill import Order, check_memory, hexagonal, lattice, pyramid
from barchan.model.grain_file import GrainFile, read_grain_file
from barchan.model.grains import Grains, no_grains
from barchan.model.scatter import scatter
from barchan.model.sizes import draw_sizes
from barchan.model.space import Space, space_of
from barchan.model.triangles import flat_clump
from barchan.scene.grains import (
    Box,
    BoxRegion,
    ClumpGrain,
    CylinderRegion,
    GrainGroup,
    GrainShape,
    HexagonalFill,
    LatticeFill,
    PointsFill,
    PyramidFill,
    RandomFill,
    RodGrain,
    SphereGrain,
)
from barchan.scene.materials import Material
from barchan.scene.polygons import FLAT_SHAPES, PolygonGrain
from barchan.scene.sources import Source


class GrainScene(Protocol):
    """What of a scene its grains depend on."""

    @property
    def grains(self) -> Sequence[GrainGroup]: ...
    @property
    def materials(self) -> Mapping[str, Material]: ...
    @property
    def seed(self) -> int: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def periodic(self) -> tuple[bool, bool, bool]: ...
    @property
    def box(self) -> Box | None: ...
    @property
    def scalar_inertia(self) -> bool: ...


def build_grains(scene: GrainScene, rng: np.random.Generator | None = None, *, where: str = "grains") -> Grains:
    """All groups of a scene, one after another, with ids from 0.

    Each group has random numbers of its own, from the scene's seed and the group's name: adding, removing or moving
    another group changes nothing in it. With `rng` they come from there instead. `where` is the path of the groups
    in error messages.
    """
    groups = []
    for index, group in enumerate(scene.grains):
        if rng is None:
            seed = np.random.SeedSequence(scene.seed, spawn_key=(zlib.crc32(group.name.encode()),))
            own = np.random.default_rng(seed)
        else:
            own = rng.spawn(1)[0]
        groups.append(build_group(scene, index, own, where=f"{where}[{index}]"))
    grains = no_grains()
    for other in groups:
        grains = grains.join(other)
    grains.id = np.arange(len(grains), dtype=np.int64)
    return grains


def build_group(scene: GrainScene, index: int, rng: np.random.Generator, *, where: str = "grains") -> Grains:
    """The grains of one group, with ids from 0; `where` is its path in error messages."""
    group = scene.grains[index]
    sizing, placing, moving, turning = rng.spawn(4)
    clump = clump_of(group.shape, where)
    position, size, file = _placed(scene, group, clump, sizing, placing, where)
    velocity = None if file is None else file.velocity
    grains = assemble(scene, group, clump, position, size, moving, turning, index, velocity=velocity)
    if file is not None and file.spin is not None:
        grains.spin = file.spin.copy()
    return grains


def assemble(
    scene: GrainScene,
    kind: GrainGroup | Source,
    clump: ClumpProperties,
    position: np.ndarray,
    size: np.ndarray,
    moving: np.random.Generator,
    turning: np.random.Generator,
    index: int,
    *,
    velocity: np.ndarray | None = None,
) -> Grains:
    """Grains of a group or a source, of these sizes (N,) m at these positions (N, 3) m, with ids from 0.

    `index` is what they have as their group. `velocity` (N, 3) m/s replaces the one that is described.
    """
    count, flat = len(position), scene.dimensions == 2
    velocity = np.tile(np.array(kind.velocity), (count, 1)) if velocity is None else velocity.copy()
    if kind.velocity_scatter:
        velocity += moving.normal(scale=kind.velocity_scatter, size=(count, 3)) * (1.0, 0.0 if flat else 1.0, 1.0)
    density = scene.materials[kind.material].density
    moments = np.full(3, clump.moments.mean()) if scene.scalar_inertia else clump.moments
    spheres = len(clump.radii)
    return Grains(
        id=np.arange(count, dtype=np.int64),
        group=np.full(count, index, dtype=np.int32),
        material=np.full(count, list(scene.materials).index(kind.material), dtype=np.int32),
        position=position,
        velocity=velocity,
        orientation=_turned(clump.axes, count, turning, kind.orientation == "random", flat),
        spin=np.tile(np.array(kind.spin), (count, 1)),
        mass=density * clump.volume * size**3,
        inertia=density * np.outer(size**5, moments),
        radius=clump.bounding_radius * size,
        born=np.zeros(count),
        start=np.arange(count + 1, dtype=np.int64) * spheres,
        sphere_offset=(size[:, None, None] * clump.offsets).reshape(-1, 3),
        sphere_radius=np.outer(size, clump.radii).ravel(),
    )


def clump_of(shape: GrainShape, where: str = "") -> ClumpProperties:
    """The spheres and properties of a grain of size 1 m, or of a clump given in metres as it is.

    `where` is the path of the group or source in error messages.
    """
    if isinstance(shape, FLAT_SHAPES):
        try:
            return flat_clump(shape)
        except SceneError as error:
            raise SceneError(replace(one, where=f"{where}.{one.where}") for one in error.findings) from None
    if isinstance(shape, ClumpGrain):
        offsets = np.array([sphere.position for sphere in shape.spheres])
        return clump_properties(offsets, np.array([sphere.radius for sphere in shape.spheres]))
    if isinstance(shape, SphereGrain):
        return clump_properties(*clump_template("sphere"))
    spheres = shape.spheres if isinstance(shape, RodGrain) else 2
    return clump_properties(*clump_template(shape.key, roundness=shape.roundness, spheres=spheres))


def _placed(
    scene: GrainScene,
    group: GrainGroup,
    clump: ClumpProperties,
    sizing: np.random.Generator,
    placing: np.random.Generator,
    where: str,
) -> tuple[np.ndarray, np.ndarray, GrainFile | None]:
    """Positions (N, 3) m, sizes (N,) (m; scale factors for a clump in metres), and the file they come from, if any."""
    fill, file = group.fill, None
    largest = 1.0 if group.size is None else group.size.bounds()[1]
    reach = clump.bounding_radius if group.orientation == "random" else _aligned_reach(clump)
    order = Order(reach * largest, group.count, len(clump.radii), f"{where}.fill", group.name)
    if isinstance(fill, RandomFill):
        assert group.count is not None, "a random fill has a count"
        check_memory(order, group.count)
        size = _sizes(group, group.count, sizing, where)
        space = space_in(scene, fill.region)
        radii = clump.bounding_radius * size
        if fill.overlap:
            return space.sample(radii, placing), size, None
        position = scatter(space, radii, placing, where=order.where, group=group.name)
        return position, size, None
    if isinstance(fill, LatticeFill):
        position = lattice(space_in(scene, fill.region), order, placing, spacing=fill.spacing, jitter=fill.jitter)
    elif isinstance(fill, HexagonalFill):
        around = Order(clump.bounding_radius * largest, order.count, order.spheres, order.where, order.group)
        position = hexagonal(space_in(scene, fill.region), around, spacing=fill.spacing)
    elif isinstance(fill, PyramidFill):
        position = pyramid(fill.base, order, layers=fill.layers, spacing=fill.spacing, dimensions=scene.dimensions)
    elif isinstance(fill, PointsFill):
        position = np.array(fill.positions, dtype=float)
    else:
        file = read_grain_file(fill.path)
        position = file.position
        if file.radius is not None:
            return position, _file_sizes(group, file.radius, where), file
    return position, _sizes(group, len(position), sizing, where), file


def space_in(scene: GrainScene, region: BoxRegion | CylinderRegion) -> Space:
    """The space of a region in this scene."""
    period = None
    if scene.box is not None:
        period = np.array(scene.box.low), np.array(scene.box.high), np.array(scene.periodic, dtype=bool)
    return space_of(region, dimensions=scene.dimensions, period=period)


def _sizes(group: GrainGroup, count: int, rng: np.random.Generator, where: str) -> np.ndarray:
    if group.size is not None:
        return draw_sizes(group.size, count, rng, where=f"{where}.size")
    if isinstance(group.shape, (ClumpGrain, PolygonGrain)):
        return np.ones(count)
    what = f"group {group.name!r} has no size, and its file has no radii"
    raise SceneError(Finding(f"{where}.size", what, "one of the two must say how large the grains are"))


def _file_sizes(group: GrainGroup, radius: np.ndarray, where: str) -> np.ndarray:
    if isinstance(group.shape, (ClumpGrain, PolygonGrain)):
        what = f"group {group.name!r} is a {group.shape.key} in metres, and its file has radii"
        raise SceneError(Finding(f"{where}.fill.path", what, "only one of them can say how large the grains are"))
    return 2.0 * radius


def _aligned_reach(clump: ClumpProperties) -> float:
    """How far a clump extends along the axes of the frame it was given in, from its centre of mass, in m."""
    offsets = rotate(clump.axes, clump.offsets)
    return float(np.max(np.abs(offsets) + clump.radii[:, None]))


def _turned(axes: np.ndarray, count: int, rng: np.random.Generator, random: bool, flat: bool) -> np.ndarray:
    """Orientations (N, 4) from the principal frame to the scene's: as given, or turned at random (about y if flat)."""
    if not random:
        return np.tile(axes, (count, 1))
    if flat:
        turn = rotation_about((0.0, 1.0, 0.0), rng.uniform(0.0, 2.0 * np.pi, count))
    else:
        turn = unit(rng.normal(size=(count, 4)))
    return unit(multiply(turn, axes))
