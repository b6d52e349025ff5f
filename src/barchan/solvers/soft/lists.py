"""Near pairs and near walls of the soft-sphere solver, in two tiers.

Grains that are near each other, and walls near spheres, are found by cells. From the near grains the list of near pairs
of spheres is drawn, most of which touch; it is what the kernels work on. Every grain has a leeway, the way it may go
before a list is made anew: a little for a grain at rest, more for a fast one. So a few grains in flight do not fill the
lists of a heap at rest with pairs that are far from touching. A pair is near while its gap is below both leeways.

The leeways of the drawn list are short, for each pair in it costs time in every step; those of the search are longer,
and whatever a grain has gone since is taken off them before a list is drawn anew.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from barchan.kernels import grids, threads
from barchan.kernels.ready import neighbours
from barchan.model.build import Model
from barchan.solvers.common import corner, crossings, images
from barchan.solvers.soft import free
from barchan.solvers.soft import rows as soft_rows
from barchan.solvers.soft.arrays import (
    FIRST_SKIN,
    GHOSTS,
    aligned_zeros,
    blocks,
    reorder,
    sphere_arrays,
)
from barchan.solvers.soft.box import wrap
from barchan.solvers.soft.layout import GONE_BY_WALLS, LANES, STRIP, TOUCHES, WALL_SLOTS, WALL_WORKS

MANY = 20_000  # grains, the data of which no cache holds
SKIN_LEAST, SKIN_MOST = 0.04, 0.5  # of the smallest sphere's radius: leeway of a grain at rest in a search by cells
MARGIN_LEAST, MARGIN_MOST = 0.15, 0.5  # of SKIN_LEAST's skin, and of the skin of the moment: leeway in a list of pairs
SKIN_LASTS = 60, 150  # evaluations that a search should last
MARGIN_LASTS = 6, 10  # and a list drawn from it
FARTHEST = 0.5  # leeway at most, of the reach of the smallest grain
LEFT = 0.5  # of a leeway: where less is left of one, a search is due
SORT_EVERY = 20  # rebuilds
CELLS_PER_GRAIN = 8  # at most


class Tempo(NamedTuple):
    """How a run goes at the moment."""

    evaluations: int  # of forces so far
    beat: float  # s from one to the next
    wall_speed: float  # m/s, of the fastest wall
    wall_fastest: float  # m/s, the same whenever it is, as far as that is known
    stride: float  # s: as long as a step may be until the lists are made anew
    chooses: bool = False  # steps choose their length


class Lists:
    """The lists, their memory, and the capacities that grow by themselves."""

    skin_lasts = SKIN_LASTS
    margin_lasts = MARGIN_LASTS
    widest = (
        np.inf
    )  # m: no grain goes farther, nor half as far in a step, until a list is made anew; as far as is known

    def __init__(self, model: Model, kernels: Any, arrays: dict[str, np.ndarray]) -> None:
        self.model = model
        self.kernels = kernels
        self.arrays = arrays
        self.memory = kernels.MEMORY
        self.wall_memory = kernels.WALL_MEMORY
        self.room = 16  # of rows while they are made: near grains, near pairs, near walls
        self.pair_room = 16
        self.wall_room = 4
        spheres = len(arrays["place"]) - GHOSTS
        radius = np.concatenate([arrays["place"][:spheres, 3], model.poured.sphere_radius])
        self.radius = float(radius.min(initial=np.inf if len(radius) else 1.0))
        self.largest = float(radius.max(initial=0.0))
        self.skin = FIRST_SKIN * self.radius
        self.margin = MARGIN_LEAST * SKIN_LEAST * self.radius
        self.rebuilds = 0
        self.searches = 0
        self.made = 0  # evaluations of forces before the present list, and before the last search
        self.searched = 0
        self.wall_way = 0.0  # m, that walls have gone at most since the search
        self.wall_farther = 0.0  # m, that they may go until the next one
        self.offset = 0.0  # J: potential energy that wrapping round a periodic box has taken out
        self.totals = np.zeros(kernels.WORKS)  # J: work done against pairs that a rebuild has flushed
        self.wall_totals = np.zeros(4)  # J: the same for walls, and the work of the walls
        self.worst = (0.0, -1, -1)
        self.pairs = 0
        self.mask, self.behind = -1, 0  # see `rows.Rows`
        self.wall_contacts = 0
        self.present = model.walls.present(0.0, arrays["rule"])
        self.grids = self._grids()
        self._empty()

    def _grids(self) -> grids.Grids:
        walls = self.model.walls
        return grids.make(walls.mesh, walls.facet_table[:, :3], walls.facet_table[:, 3:6], self.largest)

    def _empty(self) -> None:
        a, m = self.arrays, len(self.arrays["place"]) - GHOSTS
        n = len(a["id"])
        a["near_start"] = np.zeros(n + 1, np.int64)
        a["near_second"] = np.zeros(0, np.int32)
        a["near_origin"], a["near_center"] = np.zeros((m, 3)), np.zeros((n, 3))
        a["farther"] = np.zeros(n)
        a["leeway"], a["wear"] = np.zeros(n), np.zeros(n)
        a["first"] = np.zeros(0, np.uint32)
        a["second"] = np.zeros(0, np.uint32)
        a["reduced"] = np.zeros(0)
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

    def meet(self, radius: np.ndarray) -> None:
        """Let spheres of these radii (M,) m join."""
        self.radius = min(self.radius, float(radius.min()))
        self.largest = max(self.largest, float(radius.max()))

    def refresh(self, tempo: Tempo, *, worn: bool) -> bool:
        """Draw the list for the present positions from the last search; answers whether that still holds.

        worn: the list had lasted as long as it could.
        """
        a = self.arrays
        n, m = len(a["id"]), len(a["place"]) - GHOSTS
        self.wall_way += float(a["strayed"][GONE_BY_WALLS])
        if worn:
            self.adapt_margin(tempo.evaluations)
        if not self.searches:
            return False
        leeway, wall_leeway = self._leeways(tempo, self.margin, self.margin_lasts)
        shrunk = 0.5 * float(np.linalg.norm(a["box"][:3] - a["box"][9:]))  # of the box, as a way of either grain
        left = neighbours.cut_leeways(n, a["start"], a["place"], a["near_origin"], a["farther"], shrunk, leeway)
        wall_left = self.wall_farther - self.wall_way
        if not left >= LEFT or wall_left < LEFT * wall_leeway:
            return False
        self.flush()
        self._pairs(m, np.arange(m), leeway, min(wall_leeway, wall_left))
        return True

    def rebuild(self, tempo: Tempo, *, tidy: bool, worn: bool = True, old_index: np.ndarray | None = None) -> None:
        """Search, and make the lists for the present positions; what contacts remember is carried over.

        tidy: grains may be sorted by cell and brought back into a periodic box. worn: the lists had lasted as long as
        they could. old_index: (M,) where each sphere stood in the old lists, −1 for new ones; None: where it stands.
        """
        self.flush()
        if worn:
            self.adapt_skin(tempo.evaluations)
        if tidy:
            self._wrap()
        a = self.arrays
        n, m = len(a["id"]), len(a["place"]) - GHOSTS
        farther, self.wall_farther = self._leeways(tempo, self.skin, self.skin_lasts)
        number, cells = self._cells(n, farther)
        old_index = np.arange(m) if old_index is None else old_index
        if tidy and self.searches % SORT_EVERY == 0:
            order = np.argsort(number, kind="stable")
            if np.any(np.diff(order) < 0):
                moved = reorder(a, order)
                a["start"], a["grain"] = sphere_arrays(a)
                number, farther = number[order], farther[order]
                old_index = old_index[moved]
        self.searches += 1
        a["farther"] = farther
        a["near_start"], a["near_second"] = self._near(n, number, cells, farther)
        wall_ways = np.maximum(farther + self.wall_farther, free.ways(self, tempo))
        self._walls(m, old_index, wall_ways)
        if tempo.chooses:
            a["free"] = free.free_ways(self, tempo, wall_ways)
        a["near_origin"], a["near_center"] = a["place"][:m, :3].copy(), a["position"][:n].copy()
        a["box"][9:] = a["box"][:3]
        self.wall_way = 0.0
        leeway, wall_leeway = self._leeways(tempo, self.margin, self.margin_lasts)
        self._pairs(m, old_index, np.minimum(leeway, farther), min(wall_leeway, self.wall_farther))

    def _leeways(self, tempo: Tempo, least: float, lasts: tuple[int, int]) -> tuple[np.ndarray, float]:
        """The ways, m, that grains and walls may go if a list is to last so long: `least` at least."""
        a, n = self.arrays, len(self.arrays["id"])
        time, most, wall_leeway = self.reach_of(tempo, least, lasts)
        leeway = np.empty(n)
        neighbours.pick_leeways(n, a["motion"], a["bound"], least, time, most, leeway)
        widest = float(leeway.max(initial=0.0))
        self.widest = widest if widest < most else np.inf
        return leeway, wall_leeway

    def reach_of(self, tempo: Tempo, least: float, lasts: tuple[int, int]) -> tuple[float, float, float]:
        """The time, s, that lists should last; the most that a grain may go, and what walls may, m."""
        time, most = lasts[0] * tempo.beat, FARTHEST * float(self.arrays["bound"].min(initial=np.inf))
        return time, most, least + min(time * tempo.wall_speed, SKIN_MOST * self.radius)

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
        a["image"] = images(a["image"], count)
        shift = count * a["box"][:3]
        self.offset -= float(np.sum(a["motion"][:n, 3] * (shift @ a["gravity"])))
        a["position"][:n] -= shift
        a["place"][:m, :3] -= shift[a["grain"][:m]]

    def _cells(self, n: int, farther: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cell number of every grain, and how many cells there are along the axes, as they are counted."""
        a = self.arrays
        points = a["position"][:n] if n else np.zeros((1, 3))
        widest = float((a["bound"] + farther).max(initial=0.0))
        low, size, axes, count = self.grid(n, widest, points.min(axis=0), points.max(axis=0))
        number = np.empty(n, np.int64)
        neighbours.cell_numbers(a["position"], n, low, size, axes, count, number)
        return number, count

    def grid(
        self, n: int, widest: float, least: np.ndarray, greatest: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Low corner and size (3,) m of cells, the axes, and how many there are along them: a few per grain in all.

        The axes are in the order of `neighbours.cell_numbers`. Of many grains that with most cells is the first: then
        those that are near each other are near in memory too. widest: m, the reach of a grain with its leeway at most.
        least, greatest: (3,) m, between which n grains lie.
        """
        model, lengths = self.model, self.arrays["box"][:3]
        reach = 2 * max(widest, 1e-300)
        low = np.where(model.periodic, corner(model, lengths), least)
        span = np.where(model.periodic, lengths, greatest - low)
        cells = np.maximum(span / reach, 1.0)
        while np.prod(np.floor(cells)) > CELLS_PER_GRAIN * n + 64:
            cells[np.argmax(cells)] /= 2
        count = np.maximum(np.floor(cells), 1).astype(np.int64) + ~model.periodic
        axes = np.argsort(-count, kind="stable") if n > MANY else np.arange(3)
        return low, np.where(model.periodic, span / count, reach), axes, count[axes]

    def search(self, n: int, farther: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The grains that each may touch if all go so far, (N,) m; answers as `_near`."""
        return self._near(n, *self._cells(n, farther), farther)

    def _near(
        self, n: int, number: np.ndarray, cells: np.ndarray, farther: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The near grains of every grain, those whose bounding spheres are: where its row begins, and all rows."""
        a, total = self.arrays, int(np.prod(cells))
        begin, entries = np.zeros(total + 1, np.int64), np.zeros(n, np.int64)
        neighbours.sort_by_cell(number, n, total, begin, entries)
        ball = np.column_stack([a["position"][:n], a["bound"] + farther])
        own = np.arange(n)
        counts, spot, owner = np.zeros(n, np.int64), np.empty((n, 4)), np.empty(n, np.int64)
        neighbours.by_cell(ball, own, entries, n, spot, owner)
        while True:
            found = np.empty((n, self.room), np.int32)
            neighbours.near_spheres(
                ball, own, n, number, begin, entries, spot, owner, cells, a["box"], a["inverse"], 0.0, found, counts
            )
            most = int(counts.max(initial=0))
            if most <= self.room:
                break
            self.room = most + 8
        start = np.empty(n + 1, np.int64)
        second = np.empty(int(neighbours.running_sum(counts, n, start)), np.int32)
        neighbours.fill_rows(found, n, start, second)
        return start, second

    def _pairs(self, m: int, old_index: np.ndarray, leeway: np.ndarray, wall_leeway: float) -> None:
        """The pairs of near grains' spheres that are closer than their leeways."""
        a, counts, start = self.arrays, np.zeros(m, np.int64), np.empty(m + 1, np.int64)
        n = len(a["id"])
        while True:
            found = np.empty((m, self.pair_room), np.int32)
            neighbours.nearer_spheres(
                a["place"], a["start"], n, a["position"], a["bound"], a["near_start"], a["near_second"],
                a["box"] if self.model.periodic.any() else None, a["inverse"], leeway, found, counts,
            )  # fmt: skip
            most = int(counts.max(initial=0))
            if most <= self.pair_room:
                break
            self.pair_room = most + 4
        self.rebuilds += 1
        pairs = int(neighbours.running_sum(counts, m, start))
        count = blocks(pairs)
        first, second = np.full(count * LANES, m, np.uint32), np.full(count * LANES, m + 1, np.uint32)
        neighbours.fill_nearer(found, m, start, first, second)
        memory = np.zeros(count * LANES * self.memory)
        neighbours.carry_memory(
            m, start, second, memory, self.memory, self.kernels.VECTOR,
            old_index, a["pair_start"], a["second"], a["memory"],
        )  # fmt: skip
        a.update(
            first=first, second=second, pair_start=start, memory=memory, pair_range=start[a["start"]],
            **self.blank(count), leeway=leeway, wear=1.0 / leeway**2,
        )  # fmt: skip
        self.pairs = pairs
        self.derive()
        a["origin"][:m] = a["place"][:m, :3]
        a["box"][6:9] = a["box"][:3]
        a["strayed"][:] = 0.0, wall_leeway, 1.0 / float(leeway.min(initial=wall_leeway))

    def blank(self, count: int) -> dict[str, np.ndarray]:
        """What pairs in so many blocks leave behind, before any has: forces, and the work and deepest overlaps of
        every strip.
        """
        strips = -(-count // STRIP)
        return {
            "pair_force": np.zeros((count * LANES, 3)),
            "work": np.zeros(strips * LANES * self.kernels.WORKS),
            "deepest": np.zeros(strips * LANES * 2),
        }

    def derive(self) -> None:
        """What follows from the list of pairs and does not change while it lasts."""
        a, n = self.arrays, len(self.arrays["id"])
        first, second, grain = a["first"], a["second"], a["grain"]
        count = len(first) // LANES
        a["first_grain"], a["second_grain"] = first, second
        if self.kernels.CLUMPS:
            a["first_grain"], a["second_grain"] = grain[first].astype(np.uint32), grain[second].astype(np.uint32)
        alike = _alike(a["place"][: len(grain) - GHOSTS, 3]) and _alike(a["motion"][:n, 3])
        various = min(count, 1) if alike else count  # blocks of pairs
        a["reduced"] = np.empty(various * LANES * 3)
        neighbours.reduce_pairs(various, first, second, a["place"], grain, a["motion"], a["reduced"])
        linked, a["links"] = np.zeros(n + 1, np.int64), np.zeros(self.pairs + LANES, np.uint32)
        neighbours.link_second(second, grain, self.pairs, n, linked, a["links"])
        a["spans"] = np.column_stack([a["pair_range"], linked, a["wall_range"]]).astype(np.uint32)
        a["slid"] = np.zeros(count, np.uint8)
        if "desk" not in a:
            a["desk"] = aligned_zeros(int(self.kernels.DESK) * threads.most())
        rows = soft_rows.lay(
            n, self.pairs, STRIP * LANES, threads.now(), a["pair_range"], a["first_grain"],
            a["second_grain"], linked, a["links"],
        )  # fmt: skip
        self.mask, self.behind = rows.mask, rows.behind
        a.update(rows.arrays)
        if len(a.get("slots", ())) < (rows.number + 1) * self.kernels.SLOTS:  # the last row stays zero
            a["slots"] = aligned_zeros((rows.number + rows.number // 8 + 1) * self.kernels.SLOTS)

    def _walls(self, m: int, old_index: np.ndarray, ways: np.ndarray) -> None:
        """The pieces of walls that spheres may touch if their grains go so far, (N,) m."""
        a, walls, counts = self.arrays, self.model.walls, np.zeros(m, np.int64)
        ball = a["place"][:m].copy()
        ball[:, 3] += ways[a["grain"][:m]]
        while True:
            found = np.empty((m, self.wall_room), np.int32)
            self.kernels.near_walls(
                ball, m, self.grids, self.present, walls.frame, a["pose"], walls.kind, walls.shape_table, found, counts
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
            wall_work=np.zeros(count * LANES * WALL_WORKS),
            wall_slots=np.zeros(count * LANES * WALL_SLOTS),
            wall_deepest=np.zeros(count * LANES),
            wall_gap=np.zeros((contacts, 4)), wall_seam=np.full(contacts, TOUCHES, np.int64),
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
        depths, where = a["deepest"].reshape(-1, 2, LANES).transpose(1, 0, 2).reshape(2, -1)
        if self.pairs and (depth := float(depths.max())) > worst[0]:
            k = LANES * int(where[at := int(np.argmax(depths))]) + at % LANES
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
        neighbours.lane_sums(a["work"], len(a["work"]) // self.kernels.WORKS, self.kernels.WORKS, self.totals)
        neighbours.lane_sums(a["wall_work"], self.wall_contacts, WALL_WORKS, self.wall_totals)
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
        lists.derive()
        return lists


def _alike(numbers: np.ndarray) -> bool:
    """Whether all are the same."""
    return len(numbers) > 0 and bool(numbers.min() == numbers.max())


def _factor(lasted: int, should: tuple[int, int]) -> float:
    """By what a skin that has lasted so many evaluations grows or shrinks."""
    return 1.25 if lasted < should[0] else 0.9 if lasted > should[1] else 1.0


# Arrays that come from others, and are not kept.
DERIVED = (
    "first_grain", "second_grain", "reduced", "spans", "links", "slid", "desk", "slots", *soft_rows.ARRAYS,
)  # fmt: skip
_SAVED = (
    "room", "pair_room", "wall_room", "radius", "largest", "skin", "margin", "rebuilds", "searches", "made", "searched",
    "wall_way", "wall_farther", "offset", "pairs", "wall_contacts", "worst",
)  # fmt: skip
