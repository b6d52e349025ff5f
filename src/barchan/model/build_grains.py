"""From the groups of a scene to the arrays of its grains."""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.geometry import multiply, rotation_about, unit
from barchan.model.clumps import ClumpProperties, clump_properties, clump_template
from barchan.model.grains import Grains, no_grains
from barchan.model.place import GrainScene, Kind, place
from barchan.model.room import spheres_of
from barchan.model.triangles import flat_clump
from barchan.scene.grains import ClumpGrain, GrainGroup, GrainShape, RodGrain, SphereGrain
from barchan.scene.mixtures import batches, places
from barchan.scene.polygons import FLAT_SHAPES
from barchan.scene.sources import Source

FARTHEST = 5e9  # radii from the origin: there doubles are 1e-6 radii apart


def build_grains(scene: GrainScene, rng: np.random.Generator | None = None, *, where: str = "grains") -> Grains:
    """All groups of a scene, one after another, with ids from 0.

    Each group has random numbers of its own, from the scene's seed and the group's name: adding, removing or moving
    another group changes nothing in it, but that random fills keep clear of the others: of those that are not random,
    and of random ones before them. With `rng` random numbers come from there. `where` is the path of the groups in
    error messages.
    """
    own = [_numbers_of(scene, group) if rng is None else rng.spawn(1)[0] for group in scene.grains]
    shared = list(enumerate(batches(scene.grains)))
    shared.sort(key=lambda batch: _keeps_clear(scene.grains[batch[1][0]]))
    made: dict[int, Grains] = {}
    for stated, batch in shared:
        there = [] if not _keeps_clear(scene.grains[batch[0]]) else [spheres_of(other)[0] for other in made.values()]
        mixed = [own[index] for index in batch]
        built = _built(scene, batch, mixed, f"{where}[{stated}]", np.concatenate([np.zeros((0, 4)), *there]))
        made.update(zip(batch, built, strict=True))
    grains = no_grains()
    for index in sorted(made):
        grains = grains.join(made[index])
    grains.id = np.arange(len(grains), dtype=np.int64)
    _check_distance(scene, grains)
    return grains


def _check_distance(scene: GrainScene, grains: Grains) -> None:
    """SceneError where grains lie so far from the origin that a place is rounded by what an overlap is made of."""
    distance = np.abs(grains.position).max(axis=1, initial=0.0)
    far = distance > FARTHEST * grains.sphere_radius[grains.start[:-1]]
    if far.any():
        first = int(np.argmax(far))
        raise SceneError(Finding(
            f"{places(scene.grains)[grains.group[first]]}.fill", f"a grain at {distance[first]:.3g} m from the origin",
            f"must be within {FARTHEST:.0e} radii of it, or places are rounded by more than a millionth of a radius",
            "move the scene to the origin",
        ))  # fmt: skip


def _numbers_of(scene: GrainScene, group: GrainGroup) -> np.random.Generator:
    """The random numbers of a group."""
    return np.random.default_rng(np.random.SeedSequence(scene.seed, spawn_key=(zlib.crc32(group.name.encode()),)))


def _keeps_clear(group: GrainGroup) -> bool:
    """Whether its grains are placed where others are not."""
    return group.fill.keeps_clear


def _built(
    scene: GrainScene, batch: list[int], own: list[np.random.Generator], where: str, there: np.ndarray
) -> list[Grains]:
    """The grains of a group, or of each part of a mixture, with ids from 0; `there` (M, 4) m are spheres of others."""
    groups = [scene.grains[index] for index in batch]
    streams = [rng.spawn(4) for rng in own]  # for sizes, places, velocities, turns
    kinds = [Kind(group, clump_of(group.shape, where), streams[k][0]) for k, group in enumerate(groups)]
    placed, file = place(scene, kinds, streams[0][1], where, there)
    velocity = None if file is None else file.velocity
    made = [
        assemble(scene, kind.group, kind.clump, position, size, moving, turning, index, velocity=velocity)
        for kind, (position, size), (_, _, moving, turning), index in zip(kinds, placed, streams, batch, strict=True)
    ]
    if file is not None and file.spin is not None:
        made[0].spin = file.spin.copy()
    return made


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


def _turned(axes: np.ndarray, count: int, rng: np.random.Generator, random: bool, flat: bool) -> np.ndarray:
    """Orientations (N, 4) from the principal frame to the scene's: as given, or turned at random (about y if flat)."""
    if not random:
        return np.tile(axes, (count, 1))
    if flat:
        turn = rotation_about((0.0, 1.0, 0.0), rng.uniform(0.0, 2.0 * np.pi, count))
    else:
        turn = unit(rng.normal(size=(count, 4)))
    return unit(multiply(turn, axes))
