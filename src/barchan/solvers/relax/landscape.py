"""The energy of a packing as a function of the positions of its grains, with its first two derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse

from barchan.kernels.ready import neighbours
from barchan.model.build import Walls
from barchan.parts.potentials import Potential
from barchan.solvers.relax import factor
from barchan.solvers.relax.bindings import bind_relax
from barchan.solvers.relax.cell import SKIN, Cell
from barchan.solvers.relax.layout import ACCURATE, BLOCK, SUMS

MOST_CELLS = 1 << 10  # along an axis
POWERS = 10  # of the Hessian, to find its largest eigenvalue
STEP = 1.6  # of inertia, over the period of the stiffest mode: 2 is the limit of stability
LOOSE = 1e-8  # mean overlap over mean radius below which a packing carries no load


@dataclass
class Point:
    """A configuration: displacements since the list was made, and what was found there."""

    moved: np.ndarray  # (N, components) m
    gradient: np.ndarray  # (N, components) N: minus the force on each grain
    start: np.ndarray  # (N,) int64, where a grain's row of contacts begins
    touch_length: np.ndarray  # (N,) int64, its contacts with grains
    touch_second: np.ndarray  # int32, the other grain
    touch: np.ndarray  # (…, 6) normal towards the own grain, stiffness N/m, force over distance N/m, distance m
    wall_block: np.ndarray  # (N, 6) N/m: the walls' part of the Hessian, xx yy zz xy xz yz
    energy: float = 0.0  # J
    mean_force: float = 0.0  # N, of a contact, or a grain's mean weight where that is more
    mean_overlap: float = 0.0  # m
    contacts: int = 0  # those at walls included
    largest: float = 0.0  # N, on a grain


@dataclass
class Landscape:
    """Energy, gradient and Hessian of grains that overlap, and a count of how often each was asked for."""

    potential: Potential
    flat: bool
    cell: Cell
    base: np.ndarray  # (N, 3) m, positions when the list was made
    radius: np.ndarray  # (N,) m
    material: np.ndarray  # (N,) int64
    table: np.ndarray  # constants of the potential for every pair of materials
    wall_table: np.ndarray
    walls: Walls
    weight: np.ndarray  # (N, components) N, of gravity
    gradients: int = 0
    products: int = 0
    factorisations: int = 0
    rebuilds: int = 0
    widest: int = 16  # near grains of one
    hardest: float = 0.0  # N/m, the largest of `stiffest` in a descent
    lists: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        walls = self.walls
        count = len(self.radius)
        self.kernels = bind_relax(self.potential, walls.gaps, {"FLAT": self.flat, "WALLS": len(walls) > 0})
        self.axes = [0, 2] if self.flat else [0, 1, 2]
        self.kinds = round(np.sqrt(len(self.table)))
        self.skin = SKIN * float(self.radius.mean())
        self.rest = np.ascontiguousarray(walls.rest[walls.frame]).reshape(-1, 7)
        self.sums = np.zeros((max(1, -(-count // BLOCK)), SUMS))
        if not self.lists:
            self._make_lists()

    def __len__(self) -> int:
        return len(self.radius)

    @property
    def components(self) -> int:
        """Two or three."""
        return len(self.axes)

    # ------------------------------------------------------------ the list

    def _make_lists(self) -> None:
        """Near pairs at the present base."""
        n, cell = len(self), self.cell
        slope = cell.tilt / cell.lengths[2] if cell.tilt else 0.0
        reach = (2 * float(self.radius.max()) + self.skin) * np.sqrt(1 + slope * slope)
        straight, number = np.empty((n, 3)), np.empty(n, np.int64)
        self.kernels.straighten(self.base, n, slope, straight)
        extent = np.where(np.array(cell.lengths) > 0, cell.lengths, np.ptp(straight, axis=0) + reach)
        cells = np.clip(np.floor(extent / reach), 1, MOST_CELLS).astype(np.int64)
        neighbours.cell_numbers(straight, n, straight.min(axis=0), extent / cells, np.arange(3), cells, number)
        begin, entries = np.zeros(int(cells.prod()) + 1, np.int64), np.empty(n, np.int64)
        neighbours.sort_by_cell(number, n, int(cells.prod()), begin, entries)
        start, length = np.zeros(n + 1, np.int64), np.empty(n, np.int64)
        box = np.array(cell.lengths)
        half = np.where(box > 0, 0.5 * box, np.inf)
        while True:
            found = np.empty((n, self.widest), np.int32)
            self.kernels.find_near(
                self.base, self.radius, n, number, begin, entries, cells, box, half, cell.tilt, self.skin, length, found
            )
            if length.max(initial=0) <= self.widest:
                break
            self.widest = int(length.max())
        total = neighbours.running_sum(length, n, start)
        second, apart = np.empty(total, np.int32), np.empty((total, 3))
        self.kernels.put_rows(self.base, n, box, half, cell.tilt, start, length, found, second, apart)
        self.lists = {"start": start, "length": length, "second": second, "apart": apart}
        self.rebuilds += 1

    def start_anew(self, base: np.ndarray, cell: Cell) -> None:
        """Put the grains at `base` (N, 3) m in that cell."""
        self.base, self.cell = np.ascontiguousarray(base), cell
        self._make_lists()

    def spread(self, moved: np.ndarray) -> np.ndarray:
        """Displacements (N, components) as vectors (N, 3) m."""
        full = np.zeros((len(self), 3))
        full[:, self.axes] = moved
        return full

    def position(self, point: Point) -> np.ndarray:
        """Where the grains are, (N, 3) m."""
        return self.base + self.spread(point.moved)

    # ------------------------------------------------------------ energy and its derivatives

    def point(self, moved: np.ndarray | None = None, into: Point | None = None) -> Point:
        """Energy, gradient and contacts at these displacements since the list was made; left out, at none."""
        n, pairs = len(self), len(self.lists["second"])
        moved = np.zeros((n, self.components)) if moved is None else moved
        if into is None or len(into.touch_second) < pairs:
            into = Point(
                moved, np.empty_like(moved), self.lists["start"], np.empty(n, np.int64),
                np.empty(int(1.3 * pairs), np.int32), np.empty((int(1.3 * pairs), 6)), np.zeros((n, 6)),
            )  # fmt: skip
        into.moved, into.start = moved, self.lists["start"]
        self.kernels.evaluate(*self._arguments(into), True)
        self.gradients += 1
        self.settle(into)
        return into

    def _arguments(self, point: Point) -> tuple[Any, ...]:
        lists, walls = self.lists, self.walls
        return (
            len(self), point.moved, self.base, self.radius, self.material, self.kinds, self.weight, lists["start"],
            lists["length"], lists["second"], lists["apart"], self.table, self.wall_table, self.rest, walls.kind,
            walls.shape_table, walls.material, point.gradient, point.touch_length, point.touch_second, point.touch,
            point.wall_block, self.sums,
        )  # fmt: skip

    def settle(self, point: Point) -> None:
        """Add up what the blocks of grains have found."""
        energy, force, overlap, touching = (float(sum(column)) for column in self.sums[:, :4].T.tolist())
        point.energy, point.contacts = energy, round(touching / 2)
        point.mean_force = max(force / max(touching, 1.0), self.heft)
        point.mean_overlap = overlap / max(touching, 1.0)
        point.largest = float(np.sqrt(self.sums[:, 4].max()))

    def trial(self, point: Point, step: np.ndarray, into: Point | None = None) -> Point:
        """The point a step (N, components) m away; the list is made anew where a grain has gone too far."""
        moved = point.moved + step
        if 4 * float(np.einsum("ic,ic->i", moved, moved).max()) > self.skin**2:
            self.base = self.base + self.spread(moved)
            point.moved = point.moved - moved
            moved = np.zeros_like(moved)
            self._make_lists()
        return self.point(moved, into)

    def descend(
        self, point: Point, velocity: np.ndarray, state: np.ndarray, *, steps: int, target: float, damping: float = 0.0
    ) -> int:
        """Inertia, damped or by FIRE's rule, from this point, which moves along; answers with the number of steps.

        See `descend` in `solvers/relax/kernels/steps.py`.
        """
        if point.start is not self.lists["start"]:  # a step that was not taken has made the list anew
            self._again(point, point.moved)
        most = 0.1 * float(self.radius.mean())
        loosest = LOOSE * float(self.radius.mean())
        settings = np.array([STEP / np.sqrt(self.stiffest(point)), most, loosest, damping, self.heft])
        state[0] = settings[0] * 0.15 if state[0] == 0 else min(state[0], settings[0])
        left = steps
        while left > 0:
            left -= self.kernels.descend(
                left, 0.5 * self.skin - most, target, settings, state, velocity, *self._arguments(point)
            )
            self.settle(point)
            if self.is_calm(point, target):
                break
            if left > 0 or float(np.abs(point.moved).max()) > 0.25 * self.skin:
                self.base = self.base + self.spread(point.moved)
                self._make_lists()
                self._again(point, np.zeros_like(point.moved))
        self.gradients += steps - left
        return steps - left

    def _again(self, point: Point, moved: np.ndarray) -> None:
        """The same configuration with the present list; it does not count as another gradient."""
        again = self.point(moved, point)
        if again is not point:
            point.__dict__.update(again.__dict__)
        self.gradients -= 1

    def stiffest(self, point: Point) -> float:
        """About the largest eigenvalue of the Hessian, N/m: a few powers of it, on one fixed vector.

        Where grains have weight, the largest that a descent has seen.
        """
        v = np.random.default_rng(0).normal(size=point.moved.shape)
        size = 1.0
        for _ in range(POWERS):
            v = v / np.sqrt(self.dot(v, v))
            v, _ = self.product(point, v)
            size = np.sqrt(self.dot(v, v))
            if not size:
                break
        if self.heft > 0.0:  # grains that have just left a floor will be back on it
            self.hardest = size = max(float(size), self.hardest)
        return float(size) or 1.0

    def product(self, point: Point, v: np.ndarray) -> tuple[np.ndarray, float]:
        """Hessian · v (N, components), and v · Hessian · v."""
        out = np.empty_like(v)
        value = self.kernels.product(
            len(self), point.start, point.touch_length, point.touch_second, point.touch, point.wall_block, v, out,
            self.sums,
        )  # fmt: skip
        self.products += 1
        return out, float(value)

    def steihaug(self, point: Point, radius: float, accuracy: float, most: int) -> tuple[np.ndarray, float, bool, int]:
        """The step within `radius` m, the model's change, whether it ends at the edge, and its products."""
        step, r, d, kd = (np.empty_like(point.moved) for _ in range(4))
        products, change, why = self.kernels.steihaug(
            len(self), point.start, point.touch_length, point.touch_second, point.touch, point.wall_block,
            point.gradient, radius, accuracy, most, step, r, d, kd, self.sums,
        )  # fmt: skip
        self.products += products
        return step, float(change), why != ACCURATE, int(products)

    def dot(self, a: np.ndarray, b: np.ndarray) -> float:
        """a · b, the same bits on any number of threads."""
        return float(self.kernels.dot(a, b, self.sums))

    # ------------------------------------------------------------ judging

    @property
    def heft(self) -> float:
        """The mean weight of a grain, N: forces are judged by it where contacts bear less, or there are none."""
        return float(np.sqrt(np.einsum("ic,ic->i", self.weight, self.weight)).mean()) if len(self) else 0.0

    def is_loose(self, point: Point) -> bool:
        """Whether the packing carries no load, and has no weight that it should carry."""
        return self.heft == 0.0 and point.mean_overlap <= LOOSE * float(self.radius.mean())

    def is_calm(self, point: Point, tolerance: float) -> bool:
        """Whether forces are in balance, or none are left."""
        return point.largest <= tolerance * point.mean_force or self.is_loose(point)

    def floor(self, point: Point) -> float:
        """What round-off may leave of force over mean contact force: thirty units in the last place of a distance.

        Each of a grain's contacts is out by some of them, and the largest sum among thousands of grains counts: 26 were
        seen among 4000 discs.
        """
        rows = self._contact_rows(point)
        if not point.mean_force:
            return 0.0
        if not len(rows):  # walls alone
            far = float(np.abs(self.base).max(initial=0.0))
            return 30 * np.finfo(float).eps * self.stiffest(point) * far / point.mean_force
        scale = float(point.touch[rows, 5].mean()) if not len(self.walls) else float(np.abs(self.base).max())
        return float(30 * np.finfo(float).eps * point.touch[rows, 3].mean() * scale / point.mean_force)

    # ------------------------------------------------------------ matrices

    def _contact_rows(self, point: Point) -> np.ndarray:
        """Where the contacts of all grains, one row after another, lie in the arrays."""
        begin = np.repeat(point.start[:-1] - np.cumsum(point.touch_length) + point.touch_length, point.touch_length)
        return begin + np.arange(len(begin))

    def contacts(self, point: Point) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """First and second grain of every contact, each contact twice, and its six numbers."""
        rows = self._contact_rows(point)
        return np.repeat(np.arange(len(self)), point.touch_length), point.touch_second[rows], point.touch[rows]

    def wall_contacts(self, point: Point) -> tuple[np.ndarray, ...]:
        """Grain, −1 − wall, force on the grain (3,) N, vector from the contact (3,) m, overlap m, and face."""
        walls, found = self.walls, np.zeros((0, 7))
        if len(walls):
            arguments = (
                self.position(point), self.radius, self.material, self.kinds, self.wall_table, self.rest, walls.kind,
                walls.shape_table, walls.material,
            )  # fmt: skip
            found = np.zeros((self.kernels.wall_touches(*arguments, found), 7))
            self.kernels.wall_touches(*arguments, found)
        grain, piece, normal = found[:, 0].astype(np.int64), found[:, 1].astype(np.int64), found[:, 4:]
        reach = self.radius[grain] - 0.5 * found[:, 2]
        force, branch = found[:, 3:4] * normal, reach[:, None] * normal
        return grain, -1 - walls.wall[piece], force, branch, found[:, 2], walls.face[piece]

    def hessian(self, point: Point, *, prestress: bool = True, near: float = 0.0) -> Any:
        """The Hessian as a sparse matrix, unknowns ordered grain by grain.

        Without `prestress`, stiffness along the normals alone; with `near`, pairs up to so far (m) apart count with the
        mean stiffness of a contact.
        """
        first, second, touch = self.contacts(point)
        c = self.components
        normal, a, b = touch[:, :c], touch[:, 3], touch[:, 4] if prestress else np.zeros(len(touch))
        blocks = (a + b)[:, None, None] * normal[:, :, None] * normal[:, None, :] - b[:, None, None] * np.eye(c)
        if near > 0:
            more = self._near_blocks(point, near, float(a.mean()) if len(a) else 1.0)
            first, second = np.concatenate([first, more[0]]), np.concatenate([second, more[1]])
            blocks = np.concatenate([blocks, more[2]])
        own = np.zeros((len(self), c, c))
        for i in range(c):
            for j in range(c):
                own[:, i, j] = np.bincount(first, blocks[:, i, j], len(self))
        own += self._wall_blocks(point)
        rows, columns = np.concatenate([first, np.arange(len(self))]), np.concatenate([second, np.arange(len(self))])
        values = np.concatenate([-blocks, own])
        at = c * rows[:, None, None] + np.arange(c)[:, None], c * columns[:, None, None] + np.arange(c)
        shape = (len(self) * c, len(self) * c)
        indices = [np.broadcast_to(one, values.shape).ravel() for one in at]
        return scipy.sparse.csc_matrix((values.ravel(), indices), shape=shape)

    def factorised(
        self, point: Point, softest: float, *, prestress: bool = True, near: float = 0.0
    ) -> Callable[[np.ndarray], np.ndarray]:
        """What solves Hessian · x = b, both (N, components); see `hessian`.

        softest: of the mean stiffness, added to the diagonal, for grains without contacts and for what moves freely.
        """
        matrix = self.hessian(point, prestress=prestress, near=near)
        matrix = matrix + softest * float(matrix.diagonal().mean()) * scipy.sparse.identity(matrix.shape[0])
        solve = factor.factorised(matrix.tocsc(), self.position(point)[:, self.axes])
        self.factorisations += 1
        return lambda b: solve(b.ravel()).reshape(b.shape)

    def _wall_blocks(self, point: Point) -> np.ndarray:
        w = point.wall_block
        full = np.stack([w[:, [0, 3, 4]], w[:, [3, 1, 5]], w[:, [4, 5, 2]]], axis=1)
        return full[:, self.axes][:, :, self.axes]

    def _near_blocks(self, point: Point, near: float, stiffness: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        lists = self.lists
        first, second = np.repeat(np.arange(len(self)), lists["length"]), lists["second"]
        apart = lists["apart"][:, self.axes] + (point.moved[first] - point.moved[second])
        distance = np.sqrt(np.einsum("kc,kc->k", apart, apart))
        gap = distance - self.radius[first] - self.radius[second]
        chosen = (gap >= 0) & (gap < near)
        normal = apart[chosen] / distance[chosen, None]
        return first[chosen], second[chosen], stiffness * normal[:, :, None] * normal[:, None, :]
