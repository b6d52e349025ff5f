"""Where the grains of a group, or of all parts of a mixture together, start, and how large each of them is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.geometry import rotate
from barchan.model.clumps import ClumpProperties
from barchan.parts.fills import Given, Order, check_memory
from barchan.parts.regions import Period, Region, Space
from barchan.parts.regions.box import Box
from barchan.scene.grains import (
    ClumpGrain,
    GrainGroup,
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
) -> tuple[list[Placed], Given | None]:
    """Positions and sizes of every kind, and what else the fill says of them.

    `where` is the path of the group in error messages, `there` (M, 4) m are spheres that random fills keep clear of.
    """
    lead = kinds[0].group
    name = lead.name if lead.part is None else lead.part.whole.name
    fill = lead.fill
    order = Order(
        max(kind.reach for kind in kinds),
        lead.count,
        max(len(kind.clump.radii) for kind in kinds),
        f"{where}.fill",
        name,
        max(kind.clump.bounding_radius * kind.largest for kind in kinds),
        scene.dimensions,
        _period(scene),
    )
    if fill.by_size:
        return _by_size(scene, kinds, order, rng, where, there), None
    given = fill.grains(order, rng)
    position = given.position
    if given.radius is not None:
        return [(position, _file_sizes(lead, given.radius, where))], given
    if len(kinds) > 1:
        position = position[rng.permutation(len(position))]
    numbers = shares(scene, kinds, len(position), where)
    parts = np.split(position, np.cumsum(numbers)[:-1])
    return [(part, kind.sizes(len(part), where)) for part, kind in zip(parts, kinds, strict=True)], given


def _by_size(
    scene: GrainScene, kinds: Sequence[Kind], order: Order, rng: np.random.Generator, where: str, there: np.ndarray
) -> list[Placed]:
    """Places for all kinds together, whose sizes are drawn first."""
    assert order.count is not None, "such a fill has a count"
    check_memory(order, order.count)
    numbers = shares(scene, kinds, order.count, where)
    sizes = [kind.sizes(number, where) for kind, number in zip(kinds, numbers, strict=True)]
    radii = np.concatenate([kind.clump.bounding_radius * size for kind, size in zip(kinds, sizes, strict=True)])
    position = kinds[0].group.fill.places(order, radii, rng, there)
    return list(zip(np.split(position, np.cumsum(numbers)[:-1]), sizes, strict=True))


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


def space_in(scene: GrainScene, region: Region) -> Space:
    """The space of a region in this scene."""
    return region.space(dimensions=scene.dimensions, period=_period(scene))


def _period(scene: GrainScene) -> Period | None:
    """The scene's box, where it has one."""
    if scene.box is None:
        return None
    return np.array(scene.box.low), np.array(scene.box.high), np.array(scene.periodic, dtype=bool)


def _file_sizes(group: GrainGroup, radius: np.ndarray, where: str) -> np.ndarray:
    if isinstance(group.shape, (ClumpGrain, PolygonGrain)):
        what = f"group {group.name!r} is a {group.shape.key} in metres, and its file has radii"
        raise SceneError(Finding(f"{where}.fill.path", what, "only one of them can say how large the grains are"))
    return 2.0 * radius


def _aligned_reach(clump: ClumpProperties) -> float:
    """How far a clump extends along the axes of the frame it was given in, from its centre of mass, in m."""
    offsets = rotate(clump.axes, clump.offsets)
    return float(np.max(np.abs(offsets) + clump.radii[:, None]))
