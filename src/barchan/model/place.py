"""Where the grains of a group, or of all parts of a mixture together, start, and how large each of them is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.geometry import rotate
from barchan.model.clumps import ClumpProperties
from barchan.model.fill import Order, check_memory, hexagonal, lattice, pyramid
from barchan.model.grain_file import GrainFile, read_grain_file
from barchan.model.room import images
from barchan.model.scatter import scatter
from barchan.parts.regions import Region, Space
from barchan.parts.regions.box import Box
from barchan.scene.grains import (
    ClumpGrain,
    FileFill,
    GrainGroup,
    HexagonalFill,
    LatticeFill,
    PointsFill,
    PyramidFill,
    RandomFill,
)
from barchan.scene.materials import Material
from barchan.scene.polygons import FLAT_SHAPES, PolygonGrain

Placed = tuple[np.ndarray, np.ndarray]  # positions (N, 3) m, sizes (N,) (m; scale factors for a clump in metres)


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


class Kind(NamedTuple):
    """The grains of a group, or of one part of a mixture."""

    group: GrainGroup
    clump: ClumpProperties
    sizing: np.random.Generator

    @property
    def largest(self) -> float:
        """The largest size, m; 1 for a clump in metres."""
        return 1.0 if self.group.size is None else self.group.size.bounds()[1]

    @property
    def reach(self) -> float:
        """How far, m, the largest one extends from its centre of mass along the axes."""
        turned = self.group.orientation == "random"
        return (self.clump.bounding_radius if turned else _aligned_reach(self.clump)) * self.largest

    def sizes(self, count: int, where: str) -> np.ndarray:
        """So many sizes (count,)."""
        if self.group.size is not None:
            return self.group.size.draw(count, self.sizing, f"{where}.size")
        if isinstance(self.group.shape, (ClumpGrain, PolygonGrain)):
            return np.ones(count)
        what = f"group {self.group.name!r} has no size, and its file has no radii"
        raise SceneError(Finding(f"{where}.size", what, "one of the two must say how large the grains are"))


def place(
    scene: GrainScene, kinds: Sequence[Kind], rng: np.random.Generator, where: str, there: np.ndarray
) -> tuple[list[Placed], GrainFile | None]:
    """Positions and sizes of every kind, and the file they come from, if any.

    `where` is the path of the group in error messages, `there` (M, 4) m are spheres that random fills keep clear of.
    """
    lead, file = kinds[0].group, None
    name = lead.name if lead.part is None else lead.part.whole.name
    order = Order(
        max(kind.reach for kind in kinds),
        lead.count,
        max(len(kind.clump.radii) for kind in kinds),
        f"{where}.fill",
        name,
    )
    if isinstance(lead.fill, RandomFill):
        return _at_random(scene, kinds, lead.fill, order, rng, where, there), None
    if isinstance(lead.fill, FileFill):
        file = read_grain_file(lead.fill.path)
        position = file.position
        if file.radius is not None:
            return [(position, _file_sizes(lead, file.radius, where))], file
    else:
        position = _on_sites(scene, kinds, order, rng)
    if len(kinds) > 1:
        position = position[rng.permutation(len(position))]
    numbers = shares(scene, kinds, len(position), where)
    parts = np.split(position, np.cumsum(numbers)[:-1])
    return [(part, kind.sizes(len(part), where)) for part, kind in zip(parts, kinds, strict=True)], file


def _at_random(
    scene: GrainScene,
    kinds: Sequence[Kind],
    fill: RandomFill,
    order: Order,
    rng: np.random.Generator,
    where: str,
    there: np.ndarray,
) -> list[Placed]:
    """All kinds at random places, packed together."""
    assert order.count is not None, "a random fill has a count"
    check_memory(order, order.count)
    numbers = shares(scene, kinds, order.count, where)
    sizes = [kind.sizes(number, where) for kind, number in zip(kinds, numbers, strict=True)]
    radii = np.concatenate([kind.clump.bounding_radius * size for kind, size in zip(kinds, sizes, strict=True)])
    space = space_in(scene, fill.region)
    if fill.overlap:
        position = space.sample(radii, rng)
    else:
        near = _near(scene, space, there)
        position = scatter(space, radii, rng, where=order.where, group=order.group, there=near)
    return list(zip(np.split(position, np.cumsum(numbers)[:-1]), sizes, strict=True))


def _on_sites(scene: GrainScene, kinds: Sequence[Kind], order: Order, rng: np.random.Generator) -> np.ndarray:
    """The places (N, 3) m of a regular fill, or of points."""
    fill = kinds[0].group.fill
    if isinstance(fill, LatticeFill):
        return lattice(space_in(scene, fill.region), order, rng, spacing=fill.spacing, jitter=fill.jitter)
    if isinstance(fill, HexagonalFill):
        widest = max(kind.clump.bounding_radius * kind.largest for kind in kinds)
        around = Order(widest, order.count, order.spheres, order.where, order.group)
        return hexagonal(space_in(scene, fill.region), around, spacing=fill.spacing)
    if isinstance(fill, PyramidFill):
        return pyramid(fill.base, order, layers=fill.layers, spacing=fill.spacing, dimensions=scene.dimensions)
    assert isinstance(fill, PointsFill)
    return np.array(fill.positions, dtype=float)


def shares(scene: GrainScene, kinds: Sequence[Kind], total: int, where: str) -> list[int]:
    """How many of so many grains are of each kind: by largest remainder, so that their sum is that number.

    By mass a share stands for as many grains as weigh it on average over the distribution of sizes.
    """
    mix, by_mass = kinds[0].group.mix, kinds[0].group.share_by == "mass"
    if mix is None or kinds[0].group.part is None:
        return [total]
    stated = np.array([part.share for part in mix])
    weight = stated / [_mean_mass(scene, kind) for kind in kinds] if by_mass else stated
    exact = total * (weight / weight.max()) / (weight / weight.max()).sum()
    numbers = np.floor(exact).astype(int)
    most_left = np.argsort(numbers - exact, kind="stable")[: total - int(numbers.sum())]
    numbers[most_left] += 1
    if not numbers.all():
        k = int(np.argmin(numbers))
        what = f"{stated[k]:g} by {kinds[0].group.share_by} of {total} grains is not one of them"
        raise SceneError(Finding(f"{where}.mix[{k}].share", what, "every kind must have some", "ask for more grains"))
    return [int(number) for number in numbers]


def _mean_mass(scene: GrainScene, kind: Kind) -> float:
    """The mean mass of a kind's grains, kg; of flat ones a metre thick."""
    power = 2 if isinstance(kind.group.shape, FLAT_SHAPES) else 3
    mean = 1.0 if kind.group.size is None else kind.group.size.mean_power(power)
    return scene.materials[kind.group.material].density * kind.clump.volume * mean


def _near(scene: GrainScene, space: Space, there: np.ndarray) -> np.ndarray:
    """Those of the spheres (M, 4) m, and of their periodic images, that reach into a space."""
    reach = float(there[:, 3].max(initial=0.0))
    period = np.zeros(3)
    if scene.box is not None:
        period = np.where(np.array(scene.periodic) & ~space.periodic, np.subtract(scene.box.high, scene.box.low), 0.0)
    around = np.where(space.periodic, np.inf, reach)
    near, _ = images(there, space.low - around, space.high + around, period)
    inside = np.ones(len(near), bool)
    for axis in space.axes:
        if not space.periodic[axis]:
            place, own = near[:, axis], near[:, 3]
            inside &= (place + own > space.low[axis]) & (place - own < space.high[axis])
    return near[inside]


def space_in(scene: GrainScene, region: Region) -> Space:
    """The space of a region in this scene."""
    period = None
    if scene.box is not None:
        period = np.array(scene.box.low), np.array(scene.box.high), np.array(scene.periodic, dtype=bool)
    return region.space(dimensions=scene.dimensions, period=period)


def _file_sizes(group: GrainGroup, radius: np.ndarray, where: str) -> np.ndarray:
    if isinstance(group.shape, (ClumpGrain, PolygonGrain)):
        what = f"group {group.name!r} is a {group.shape.key} in metres, and its file has radii"
        raise SceneError(Finding(f"{where}.fill.path", what, "only one of them can say how large the grains are"))
    return 2.0 * radius


def _aligned_reach(clump: ClumpProperties) -> float:
    """How far a clump extends along the axes of the frame it was given in, from its centre of mass, in m."""
    offsets = rotate(clump.axes, clump.offsets)
    return float(np.max(np.abs(offsets) + clump.radii[:, None]))
