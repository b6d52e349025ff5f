"""Sources at work: what is owed at a time, and grains placed at random where there is room for them."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from barchan.errors import Finding, SceneError
from barchan.geometry import overlapping, unit
from barchan.model.build_grains import assemble, clump_of
from barchan.model.build_triangles import mean_area
from barchan.model.grains import Grains, no_grains
from barchan.model.place import space_in
from barchan.model.room import first_come, spheres_of
from barchan.scene.polygons import FLAT_SHAPES
from barchan.scene.sources import Source

if TYPE_CHECKING:
    from barchan.scene.scene import Scene

ROUNDS = 8  # of trying new places at one look
WORTHWHILE = 0.1  # share of grains that must find a place in a round for another one to follow
FULL = 0.4  # share of the region's volume that may wait for a place at once: random places end at 0.38
ROUND_OFF = 1e-9  # of a grain

Room = Callable[[Grains], np.ndarray]  # which of these grains, (N,) bool, would touch neither a grain nor a wall


class TakesGrains(Protocol):
    """What a source needs of a run; as in `solvers/base.py`."""

    def room(self, grains: Grains) -> np.ndarray: ...
    def insert(self, grains: Grains, gate: str, *, waiting: int = 0) -> None: ...


class GivesGrains(Protocol):
    """What a sink needs of a run."""

    def __len__(self) -> int: ...
    def positions(self) -> np.ndarray: ...
    def remove(self, mask: np.ndarray, gate: str) -> None: ...


class Pourer:
    """A source as a run goes on.

    A grain's size is drawn once and kept until the grain has found a place, so that small grains, which find one more
    easily, do not become more frequent. Everything that changes is in `state`.
    """

    def __init__(self, scene: Scene, index: int) -> None:
        self.scene, self.index = scene, index
        self.source: Source = scene.sources[index]
        self.clump = clump_of(self.source.shape, f"sources[{index}]")
        self.space = space_in(scene, self.source.region)
        self.box = np.zeros(3)
        if scene.box is not None:
            self.box = np.where(scene.periodic, np.subtract(scene.box.high, scene.box.low), 0.0)
        seed = np.random.SeedSequence(scene.seed, spawn_key=(zlib.crc32(f"source {self.source.name}".encode()),))
        self.rng = np.random.default_rng(seed)
        self.number = 0  # poured so far
        self.mass = 0.0  # kg, poured so far
        self.waiting: list[float] = []  # m, sizes of the next grains, in their order
        self.behind = 0  # grains that were owed at the last look and found no room
        self.stopped = False

    # ------------------------------------------------------------ what is owed

    def owed(self, time: float) -> int:
        """How many grains should have been poured by now, s, and were not."""
        source = self.source
        if self.stopped or time < source.start:
            return 0
        left = math.inf if source.count is None else source.count - self.number
        if source.rate is None and source.mass_rate is None:
            return 0 if source.end is not None and time >= source.end else int(left)
        elapsed = min(time, math.inf if source.end is None else source.end) - source.start
        if source.rate is not None:
            return max(0, min(math.floor(source.rate * elapsed + ROUND_OFF) - self.number, int(min(left, 2**62))))
        assert source.mass_rate is not None
        return self._affordable(source.mass_rate * elapsed - self.mass, left)

    def _affordable(self, mass: float, left: float) -> int:
        """How many of the next grains, whose sizes it draws, have together at most that mass, kg."""
        while True:
            masses = np.cumsum([self.mass_of(size) for size in self.waiting])
            if len(masses) >= left or (len(masses) and masses[-1] > mass) or len(masses) >= 4 * self._most():
                affordable = int(np.count_nonzero(masses <= mass + ROUND_OFF * self.mass_of(self.size_at(0.5))))
                return int(min(affordable, left))
            self._draw(len(self.waiting) + 16)

    def mass_of(self, size: float) -> float:
        """The mass, kg, of a grain of this size; of irregular flat ones on average."""
        density, shape = self.scene.materials[self.source.material].density, self.source.shape
        if isinstance(shape, FLAT_SHAPES):
            return density * self.scene.beams.thickness * mean_area(shape) * size**2
        return density * self.clump.volume * size**3

    def _draw(self, count: int) -> None:
        """Have the sizes of at least that many grains ready."""
        missing = count - len(self.waiting)
        if missing > 0:
            where, size = f"sources[{self.index}].size", self.source.size
            drawn = np.ones(missing) if size is None else size.draw(missing, self.rng, where)
            self.waiting += drawn.tolist()

    def size_at(self, share: float) -> float:
        """A size, m, between the smallest (share 0) and the largest (share 1); 1 for a clump in metres."""
        low, high = (1.0, 1.0) if self.source.size is None else self.source.size.bounds()
        return low + share * (high - low)

    def _most(self) -> int:
        """How many grains the region holds at most, about."""
        own = self.space.share(np.array([self.clump.bounding_radius * self.size_at(0.5)]))
        return max(1, math.ceil(FULL / own))

    # ------------------------------------------------------------ pouring

    def pour(self, time: float, room: Room) -> Grains:
        """The grains that enter now, s: as many of those owed as find room, the first ones first."""
        self.behind = self.owed(time)
        owed = min(self.behind, self._most())
        if not owed:
            return no_grains()
        self._draw(owed)
        size = np.array(self.waiting[:owed])
        poured, unplaced = no_grains(), np.arange(owed)
        for _ in range(ROUNDS):
            tried = self._candidates(size[unplaced])
            free = self._free(tried, poured, room)
            poured = poured.join(tried.take(np.flatnonzero(free)))
            unplaced = unplaced[~free]
            if not len(unplaced) or free.mean() < WORTHWHILE:
                break
        self.waiting = [*size[unplaced].tolist(), *self.waiting[owed:]]
        poured.born[:] = time
        self.number += len(poured)
        self.behind -= len(poured)
        return poured

    def book(self, poured: Grains) -> None:
        """Enter the mass of grains that a solver has taken in: flat ones have their own only then."""
        self.mass += float(poured.mass.sum())

    def _candidates(self, size: np.ndarray) -> Grains:
        """Grains of these sizes (N,) m anywhere in the region."""
        position = self.space.sample(self.clump.bounding_radius * size, self.rng)
        return self._grains(position, size)

    def _grains(self, position: np.ndarray, size: np.ndarray) -> Grains:
        group = len(self.scene.grains) + self.index
        return assemble(self.scene, self.source, self.clump, position, size, self.rng, self.rng, group)

    def _free(self, tried: Grains, poured: Grains, room: Room) -> np.ndarray:
        """Which of the grains tried have room, (N,) bool: also beside those poured just now, and each other."""
        free = room(tried)
        place, owner = spheres_of(tried)
        free[owner[overlapping(place, spheres_of(poured)[0], self.box)[0]]] = False
        rows = np.flatnonzero(free)
        left = free[owner]
        free[rows] = first_come(place[left], np.searchsorted(rows, owner[left]), len(rows), self.box)
        return free

    # ------------------------------------------------------------ coming back

    def state(self) -> dict[str, Any]:
        """All that changes, as plain values."""
        return {
            "random": self.rng.bit_generator.state,
            "number": self.number,
            "mass": self.mass,
            "waiting": self.waiting,
            "behind": self.behind,
            "stopped": self.stopped,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` said."""
        self.rng.bit_generator.state = state["random"]
        self.number, self.mass, self.stopped = state["number"], state["mass"], state["stopped"]
        self.waiting, self.behind = list(state["waiting"]), state["behind"]

    # ------------------------------------------------------------ before a run

    def sample(self, count: int) -> Grains:
        """The smallest grains at random places, to see whether there is any room; not on a source in use."""
        return self._candidates(np.full(count, self.size_at(0.0)))

    def extremes(self) -> Grains:
        """The smallest and the largest grain, at the lowest and the highest place, as fast as they may be."""
        ends = np.stack([self.space.low, self.space.high])
        grains = self._grains(np.concatenate([ends, ends]), np.repeat([self.size_at(0.0), self.size_at(1.0)], 2))
        velocity = np.array(self.source.velocity)
        along = unit(velocity) if velocity.any() else np.array([0.0, 0.0, -1.0])
        grains.velocity[:] = velocity + 3 * self.source.velocity_scatter * along
        return grains


def extremes(scene: Scene) -> Grains:
    """The smallest and the largest grain of every source; SceneError where a region is too narrow for its grains."""
    found, errors = no_grains(), []
    for index in range(len(scene.sources)):
        pourer = Pourer(scene, index)
        widest = 2 * pourer.clump.bounding_radius * pourer.size_at(1.0)
        if widest > pourer.space.narrowest() * (1 + 1e-12):
            errors.append(Finding(
                f"sources[{index}].region",
                f"grains {widest:.4g} m across, the region is {pourer.space.narrowest():.4g} m wide",
                "a whole grain must fit in", "enlarge the region or choose smaller grains",
            ))  # fmt: skip
            continue
        found = found.join(pourer.extremes())
    if errors:
        raise SceneError(errors)
    return found
