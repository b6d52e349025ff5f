"""Near pairs and near walls of the soft-sphere solver, in two tiers.

Spheres closer than the skin, and walls, are found by cells. Of these, the pairs closer than the margin, most of which
touch, are the list that the kernels work on; it is drawn from the wider one whenever a sphere has gone half the margin,
as long as the wider one still holds every pair that can be in it. Searching cells costs about ten contact passes,
drawing a list less than one: so the skin may be thick and the margin thin.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.kernels import grids, neighbours
from barchan.model.build import Model
from barchan.solvers.common import corner, crossings
from barchan.solvers.soft_arrays import GHOSTS, LANES, blocks, reorder, sphere_arrays
from barchan.solvers.soft_box import wrap

SKIN_LEAST, SKIN_MOST = 0.08, 1.0  # of the smallest sphere's radius
MARGIN_LEAST, MARGIN_MOST = 0.4, 0.5  # of SKIN_LEAST's skin, and of the skin of the moment
SKIN_LASTS = 60, 150  # evaluations that a list made from cells should last
MARGIN_LASTS = 5, 12  # and one drawn from it
SORT_EVERY = 20  # rebuilds
CELLS_PER_SPHERE = 8  # at most


class Lists:
    """The lists, their memory, and the capacities that grow by themselves."""

    skin_lasts = SKIN_LASTS
    margin_lasts = MARGIN_LASTS

    def __init__(self, model: Model, kernels: Any, arrays: dict[str, np.ndarray]) -> None:
        self.model = model
        self.kernels = kernels
        self.arrays = arrays
        self.memory = kernels.MEMORY
        self.wall_memory = kernels.WALL_MEMORY
        self.room = 16
        self.wall_room = 4
        spheres = len(arrays["place"]) - GHOSTS
        radius = np.concatenate([arrays["place"][:spheres, 3], model.poured.sphere_radius])
        self.radius = float(radius.min(initial=np.inf if len(radius) else 1.0))
        self.largest = float(radius.max(initial=0.0))
        self.skin = 0.1 * self.radius
        self.margin = 0.5 * self.skin
        self.rebuilds = 0
        self.searches = 0
        self.made = 0  # evaluations of forces before the present list, and before the present wider one
        self.searched = 0
        self.wall_way = 0.0  # m, that walls have gone at most since the wider list was made
        self.offset = 0.0  # J: potential energy that wrapping round a periodic box has taken out
        self.totals = np.zeros(kernels.WORKS)  # J: work done against pairs that a rebuild has flushed
        self.wall_totals = np.zeros(4)  # J: the same for walls, and the work of the walls
        self.worst = (0.0, -1, -1)
        self.pairs = 0
        self.wall_contacts = 0
        self.present = model.walls.present(0.0, arrays["rule"])
        self.grids = self._grids()
        self._empty()

    def _grids(self) -> grids.Grids:
        walls = self.model.walls
        return grids.make(walls.mesh, walls.facet_table[:, :3], walls.facet_table[:, 3:6], self.largest)

    def _empty(self) -> None:
        a, m = self.arrays, len(self.arrays["place"]) - GHOSTS
        a["near_start"] = np.zeros(m + 1, np.int64)
        a["near_second"] = np.zeros(0, np.int32)
        a["near_origin"] = np.zeros((m, 3))
        a["first"] = np.zeros(0, np.uint32)
        a["second"] = np.zeros(0, np.uint32)
        a["pair_start"] = np.zeros(m + 1, np.int64)
        a["memory"] = np.zeros(0)
        a["work"] = np.zeros(0)
        a["deepest"] = np.zeros(0)
        a["wall_deepest"] = np.zeros(0)
        a["wall_piece"] = np.zeros(0, np.int64)
        a["wall_start"] = np.zeros(m + 1, np.int64)
        a["wall_memory"] = np.zeros(0)
        a["wall_work"] = np.zeros(0)
        a["start"], a["grain"] = sphere_arrays(a)

    @property
    def limit(self) -> float:
        """The square of the way, m², that a sphere or a wall may go before the list is made anew."""
        return (0.5 * self.margin) ** 2

    def meet(self, radius: np.ndarray) -> None:
        """Let spheres of these radii (M,) m join."""
        self.radius = min(self.radius, float(radius.min()))
        self.largest = max(self.largest, float(radius.max()))

    def refresh(self, evaluations: int, *, worn: bool) -> bool:
        """Make the list for the present positions from the wider one; answers whether that still holds.

        evaluations: of forces so far. worn: the list had lasted as long as it could.
        """
        a = self.arrays
        m = len(a["place"]) - GHOSTS
        self.wall_way += float(a["strayed"][0])
        if worn:
            self.adapt_margin(evaluations)
        shrunk = 0.5 * float(np.linalg.norm(a["box"][:3] - a["box"][9:]))  # of the box, as a way of either sphere
        way = max(neighbours.farthest(a["place"], a["near_origin"], m) + shrunk, self.wall_way)
        if not self.searches or not 2 * way <= self.skin - self.margin:
            return False
        self.flush()
        self._pairs(m, np.arange(m))
        a["origin"][:m] = a["place"][:m, :3]
        a["box"][6:9] = a["box"][:3]
        return True

    def rebuild(self, evaluations: int, *, tidy: bool, worn: bool = True, old_index: np.ndarray | None = None) -> None:
        """Make the lists from cells for the present positions; what contacts remember is carried over.

        tidy: grains may be sorted by cell and brought back into a periodic box. worn: the lists had lasted as long as
        they could. old_index: (M,) where each sphere stood in the old lists, −1 for new ones; None: where it stands.
        """
        self.flush()
        if worn:
            self.adapt_skin(evaluations)
        if tidy:
            self._wrap()
        a = self.arrays
        m = len(a["place"]) - GHOSTS
        number, cells = self._cells(m)
        old_index = np.arange(m) if old_index is None else old_index
        if tidy and self.searches % SORT_EVERY == 0:
            order = np.argsort(number[a["start"][:-1]], kind="stable")
            if np.any(np.diff(order) < 0):
                moved = reorder(a, order)
                a["start"], a["grain"] = sphere_arrays(a)
                number[:m] = number[:m][moved]
                old_index = old_index[moved]
        self.searches += 1
        count = int(np.prod(cells))
        begin = np.zeros(count + 1, np.int64)
        entries = np.zeros(m, np.int64)
        neighbours.sort_by_cell(number, m, count, begin, entries)
        self._near(m, number, begin, entries, cells)
        self._pairs(m, old_index)
        self._walls(m, old_index)
        a["origin"][:m] = a["place"][:m, :3]
        a["near_origin"] = a["place"][:m, :3].copy()
        a["box"][6:] = np.tile(a["box"][:3], 2)
        self.wall_way = 0.0

    def adapt_skin(self, evaluations: int) -> None:
        """A thicker skin where lists from cells wear out quickly, a thinner one where they last."""
        if self.searches:
            factor = _factor(evaluations - self.searched, self.skin_lasts)
            self.skin = min(max(self.skin * factor, SKIN_LEAST * self.radius), SKIN_MOST * self.radius)
            self.margin = min(self.margin, MARGIN_MOST * self.skin)
        self.searched = evaluations

    def adapt_margin(self, evaluations: int) -> None:
        """The same for the margin."""
        if self.rebuilds:
            least, most = MARGIN_LEAST * SKIN_LEAST * self.radius, MARGIN_MOST * self.skin
            self.margin = min(max(self.margin * _factor(evaluations - self.made, self.margin_lasts), least), most)
        self.made = evaluations

    def _wrap(self) -> None:
        """Bring grains that have left a periodic box back into it; the ledger keeps their potential energy."""
        model, a = self.model, self.arrays
        if not model.periodic.any():
            return
        n, m = len(a["id"]), len(a["place"]) - GHOSTS
        count = crossings(model, a["box"][:3], a["position"][:n])
        if not count.any():
            return
        wrap(a, count)
        shift = count * a["box"][:3]
        self.offset -= float(np.sum(a["motion"][:n, 3] * (shift @ a["gravity"])))
        a["position"][:n] -= shift
        a["place"][:m, :3] -= shift[a["grain"][:m]]

    def _cells(self, m: int) -> tuple[np.ndarray, np.ndarray]:
        """The cell number of every sphere, and how many cells there are along each axis."""
        place = self.arrays["place"]
        points = place[:m, :3] if m else np.zeros((1, 3))
        low, size, count = self.grid(m, points.min(axis=0), points.max(axis=0))
        number = np.empty(m, np.int64)
        neighbours.cell_numbers(place, m, low, size, count, number)
        return number, count

    def grid(self, m: int, least: np.ndarray, greatest: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Low corner and size (3,) m of cells, and how many there are along each axis: a few per sphere in all.

        least, greatest: (3,) m, between which the m spheres lie.
        """
        model = self.model
        reach = 2 * self.largest + self.skin
        low = np.where(model.periodic, corner(model, self.arrays["box"][:3]), least)
        span = np.where(model.periodic, self.arrays["box"][:3], greatest - low)
        cells = np.maximum(span / reach, 1.0)
        while np.prod(np.floor(cells)) > CELLS_PER_SPHERE * m + 64:
            cells[np.argmax(cells)] /= 2
        count = np.maximum(np.floor(cells), 1).astype(np.int64) + ~model.periodic
        return low, np.where(model.periodic, span / count, reach), count

    def _near(self, m: int, number: np.ndarray, begin: np.ndarray, entries: np.ndarray, cells: np.ndarray) -> None:
        """The wider list of pairs."""
        a = self.arrays
        counts, spot, owner = np.zeros(m, np.int64), np.empty((m, 4)), np.empty(m, np.int64)
        neighbours.by_cell(a["place"], a["grain"], entries, m, spot, owner)
        while True:
            found = np.empty((m, self.room), np.int32)
            neighbours.near_spheres(
                a["place"], a["grain"], m, number, begin, entries, spot, owner, cells, a["box"], a["inverse"],
                self.skin, found, counts,
            )  # fmt: skip
            most = int(counts.max(initial=0))
            if most <= self.room:
                break
            self.room = most + 8
        start = np.empty(m + 1, np.int64)
        second = np.empty(int(neighbours.running_sum(counts, m, start)), np.int32)
        neighbours.fill_rows(found, m, start, second)
        a.update(near_start=start, near_second=second)

    def _pairs(self, m: int, old_index: np.ndarray) -> None:
        """The pairs of the wider list that are closer than the margin."""
        a, counts, start = self.arrays, np.zeros(m, np.int64), np.empty(m + 1, np.int64)
        chosen = np.empty(len(a["near_second"]), np.int32)
        neighbours.nearer_spheres(
            a["place"], m, a["near_start"], a["near_second"], a["box"], a["inverse"], self.margin, chosen, counts
        )
        self.rebuilds += 1
        pairs = int(neighbours.running_sum(counts, m, start))
        count = blocks(pairs)
        first, second = np.full(count * LANES, m, np.uint32), np.full(count * LANES, m + 1, np.uint32)
        neighbours.fill_nearer(chosen, a["near_start"], m, start, first, second)
        memory = np.zeros(count * LANES * self.memory)
        neighbours.carry_memory(
            m, start, second, memory, self.memory, self.kernels.VECTOR,
            old_index, a["pair_start"], a["second"], a["memory"],
        )  # fmt: skip
        n = len(a["id"])
        link_start, links = np.zeros(n + 1, np.int64), np.zeros(max(pairs, 1), np.int64)
        neighbours.link_second(second, a["grain"], pairs, n, link_start, links)
        a.update(
            first=first, second=second, pair_start=start, memory=memory, pair_range=start[a["start"]],
            link_start=link_start, links=links, work=np.zeros(count * LANES * self.kernels.WORKS),
            slots=np.zeros(count * LANES * self.kernels.SLOTS), deepest=np.zeros(count * LANES),
        )  # fmt: skip
        self.pairs = pairs

    def _walls(self, m: int, old_index: np.ndarray) -> None:
        a, walls, counts = self.arrays, self.model.walls, np.zeros(m, np.int64)
        while True:
            found = np.empty((m, self.wall_room), np.int32)
            self.kernels.near_walls(
                a["place"], m, self.grids, self.present, walls.frame, a["pose"], walls.kind, walls.shape_table,
                self.skin, found, counts,
            )  # fmt: skip
            most = int(counts.max(initial=0))
            if most <= self.wall_room:
                break
            self.wall_room = most + 4
        start = np.empty(m + 1, np.int64)
        contacts = int(neighbours.running_sum(counts, m, start))
        count = blocks(contacts)
        sphere, piece = np.zeros(count * LANES, np.int64), np.zeros(count * LANES, np.int64)
        neighbours.fill_pairs(found, counts, m, start, sphere, piece)
        memory = np.zeros(count * LANES * self.wall_memory)
        self.kernels.carry_wall_memory(
            m, start, piece, memory, old_index, a["wall_start"], a["wall_piece"], a["wall_memory"]
        )
        a.update(
            wall_sphere=sphere, wall_piece=piece, wall_start=start, wall_memory=memory, wall_range=start[a["start"]],
            wall_work=np.zeros(count * LANES * self.kernels.WALL_WORKS),
            wall_slots=np.zeros(count * LANES * self.kernels.WALL_SLOTS),
            wall_deepest=np.zeros(count * LANES),
            wall_gap=np.zeros((contacts, 4)), wall_seam=np.full(contacts, self.kernels.TOUCHES, np.int64),
        )  # fmt: skip
        if self.kernels.MESHES:
            self.kernels.join_facets(
                m, start, piece, a["place"], walls.mesh, walls.facet_table, walls.frame, a["pose"], walls.kind,
                walls.shape_table, a["wall_gap"], a["wall_seam"], memory,
            )  # fmt: skip
        self.wall_contacts = contacts

    def deepest(self) -> tuple[float, int, int]:
        """The deepest overlap so far, over the smaller radius, and whose: two ids, or an id and −1 − a wall's index."""
        a, walls = self.arrays, self.model.walls
        worst = (float(self.worst[0]), int(self.worst[1]), int(self.worst[2]))
        if self.pairs and (depth := float(a["deepest"].max())) > worst[0]:
            k = int(np.argmax(a["deepest"]))
            first, second = (int(a["id"][a["grain"][a[side][k]]]) for side in ("first", "second"))
            worst = depth, first, second
        if self.wall_contacts and (depth := float(a["wall_deepest"].max())) > worst[0]:
            k = int(np.argmax(a["wall_deepest"]))
            worst = depth, int(a["id"][a["grain"][a["wall_sphere"][k]]]), -1 - int(walls.wall[a["wall_piece"][k]])
        return worst

    def flush(self) -> None:
        """Move the work from the lanes into the totals, and keep the deepest overlap."""
        self.worst = self.deepest()
        a = self.arrays
        neighbours.lane_sums(a["work"], self.pairs, self.kernels.WORKS, self.totals)
        neighbours.lane_sums(a["wall_work"], self.wall_contacts, self.kernels.WALL_WORKS, self.wall_totals)
        a["work"][:] = 0.0
        a["wall_work"][:] = 0.0

    # ------------------------------------------------------------ coming back

    def state_arrays(self) -> dict[str, np.ndarray]:
        """What is kept beside the arrays by grain, sphere and contact."""
        return {"totals": self.totals.copy(), "wall_totals": self.wall_totals.copy(), "present": self.present.copy()}

    def state_numbers(self) -> dict[str, float | int]:
        """Numbers that decide when and how the lists are made next."""
        return {name: getattr(self, name) for name in _SAVED}

    @classmethod
    def restored(
        cls, model: Model, kernels: Any, arrays: dict[str, np.ndarray], numbers: dict[str, float | int]
    ) -> Lists:
        """The lists as they were; takes what is its own out of `arrays`."""
        lists = cls.__new__(cls)
        lists.model, lists.kernels, lists.arrays = model, kernels, arrays
        lists.memory, lists.wall_memory = kernels.MEMORY, kernels.WALL_MEMORY
        lists.totals, lists.wall_totals = arrays.pop("totals"), arrays.pop("wall_totals")
        lists.present = arrays.pop("present")
        for name in _SAVED:
            setattr(lists, name, numbers[name])
        lists.grids = lists._grids()
        return lists


def _factor(lasted: int, should: tuple[int, int]) -> float:
    """By what a skin that has lasted so many evaluations grows or shrinks."""
    return 1.25 if lasted < should[0] else 0.9 if lasted > should[1] else 1.0


_SAVED = (
    "room", "wall_room", "radius", "largest", "skin", "margin", "rebuilds", "searches", "made", "searched", "wall_way",
    "offset", "pairs", "wall_contacts", "worst",
)  # fmt: skip
