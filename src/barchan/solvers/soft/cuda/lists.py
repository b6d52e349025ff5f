"""Near pairs and near walls of soft spheres on the GPU: the two tiers of the lists of the CPU, with their rules.

When lists are made, how long leeways are and where grains are sorted to is decided by the same numbers as on
the CPU, so both go through the same lists at the same steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from barchan.kernels.cuda_device import empty, fetch, launch, send
from barchan.solvers.common import corner
from barchan.solvers.soft.arrays import blocks
from barchan.solvers.soft.bindings import cuda_lists, cuda_order
from barchan.solvers.soft.cuda.kernels.rows import wide
from barchan.solvers.soft.layout import GONE_BY_WALLS, LANES, MAY_STRAY, PER_LEEWAY, TOUCHES, WALL_SLOTS, WALL_WORKS
from barchan.solvers.soft.lists import LEFT, SORT_EVERY, Lists, Tempo

if TYPE_CHECKING:
    from barchan.solvers.soft.cuda.grains import CudaGrains

ROOM, MORE_ROOM = 24, 8  # entries of a row at first, and how many are added to what is needed
WALL_ROOM, MORE_WALL_ROOM = 4, 4
# In mixed precision, where the CPU's bits are out of reach, lists last as suits a GPU: making one stops all threads.
SKIN_LASTS, MARGIN_LASTS = (100, 300), (16, 40)  # steps


class CudaRows:
    """The rows of near spheres, with what touching ones remember."""

    def __init__(self, spheres: int, floats: int, real: Any) -> None:
        self.spheres, self.floats, self.real = spheres, floats, real
        self.room = 0
        self.count = empty(spheres, np.int32)
        self.grow(ROOM)

    def grow(self, room: int) -> None:
        """Room for rows of that length; what is in them is lost."""
        if room > self.room:
            self.room = room
            self.other = empty((room, self.spheres), np.int32)
            self.memory = empty((room, self.spheres, wide(self.floats)), self.real)


class CudaLists:
    """The lists on the device, and how they are made."""

    def __init__(self, grains: CudaGrains, lists: Lists) -> None:
        self.grains, self.numbers = grains, lists
        if grains.real is np.float32:
            lists.skin_lasts, lists.margin_lasts = SKIN_LASTS, MARGIN_LASTS
        n, m, model, a = grains.count, grains.spheres, lists.model, lists.arrays
        self.n, self.m = n, m
        self.rows, self.spare = (CudaRows(m, lists.memory, grains.real) for _ in range(2))
        self.near = empty((ROOM, n), np.int32)
        self.near_count = empty(n, np.int32)
        self.number, self.entries = empty(n, np.int32), empty(n, np.int32)
        self.identity = empty(m, np.int32)
        launch(cuda_order.count_up, m, m, self.identity)
        self.cells = 0
        self.box, self.inverse = send(a["box"][:3]), send(a["inverse"])
        self.origin, self.near_origin = send(a["origin"][:m]), send(a["near_origin"])
        self.near_center = send(a["near_center"])
        self.farther, self.leeway, self.wear = send(a["farther"]), send(a["leeway"]), send(a["wear"])
        self.grids = lists.grids._replace(**{name: send(value) for name, value in lists.grids._asdict().items()})
        self.present = send(lists.present)
        self.wall_start = send(a["wall_start"], np.int32)
        self.wall_piece = send(a["wall_piece"], np.int32)
        self.wall_memory = send(a["wall_memory"], grains.real)
        self.wall_room, self.wall_found = WALL_ROOM, None
        self.wall_capacity = 0
        self._wall_scratch(lists.wall_contacts)
        self._walls = len(model.walls) > 0
        self._recall(a)

    def _wall_scratch(self, contacts: int) -> None:
        """What contacts with walls need beside their memory."""
        k = self.grains.host_kernels
        if contacts > self.wall_capacity or not self.wall_capacity:
            self.wall_capacity = contacts + contacts // 8 + LANES
            self.wall_slots = empty(blocks(self.wall_capacity) * LANES * WALL_SLOTS, float)
            size = self.wall_capacity if k.MESHES else 0
            self.wall_gap, self.wall_seam = empty((size, 4), float), empty(size, np.int64)

    def _recall(self, a: dict[str, np.ndarray]) -> None:
        """The lists as they are on the host: made for the places of the same moments, with what contacts remember."""
        spots = a["near_center"] if self.n else np.zeros((1, 3))
        widest = float((a["bound"] + a["farther"]).max(initial=0.0))
        self._find(self.near_center, widest, spots.min(axis=0), spots.max(axis=0))
        launch(cuda_lists.clear, self.m, self.rows.count, self.m)
        self._draw(self.origin, self.identity)
        start, second, memory = send(a["pair_start"]), send(a["second"]), send(a["memory"])
        launch(
            cuda_lists.recall, self.m, self.m, self.rows.count, self.rows.other, self.rows.memory, self.rows.floats,
            start, second, memory,
        )  # fmt: skip

    # ------------------------------------------------------------ making

    def refresh(self, evaluations: int, time: float) -> bool:
        """Make the lists for the places of a time, s; False where something is no number there."""
        numbers, g = self.numbers, self.grains
        numbers.wall_way += float(numbers.arrays["strayed"][GONE_BY_WALLS])
        numbers.adapt_margin(evaluations)
        wall_leeway = self._pick(self._tempo(evaluations), numbers.margin, numbers.margin_lasts, self.leeway)
        gone, bad = g.scratch.sent("gone", np.zeros(1)), g.scratch.sent("bad", np.zeros(1, np.int32))
        launch(
            cuda_lists.cut_leeways, self.n, self.n, g.start, g.place, self.near_origin, self.farther, g.velocity,
            g.angular, g.orientation, self.leeway, gone, bad,
        )  # fmt: skip
        if fetch(bad)[0]:
            return False
        left, wall_left = 1.0 - float(fetch(gone)[0]), numbers.wall_farther - numbers.wall_way
        if numbers.searches and left >= LEFT and wall_left >= LEFT * wall_leeway:
            self._finish(self.identity, min(wall_leeway, wall_left))
        else:
            self._search(evaluations, time)
        return True

    def _tempo(self, evaluations: int) -> Tempo:
        """How the run goes at the moment."""
        numbers, walls = self.numbers, self.numbers.model.walls
        a = numbers.arrays
        speed = self.grains.host_kernels.wall_pace(len(walls.rest), a["pose"], walls.axial, a["reach"])
        return Tempo(evaluations, self.grains.dt, float(speed), float(speed), self.grains.dt)

    def _pick(self, tempo: Tempo, least: float, lasts: tuple[int, int], leeway: Any) -> float:
        """The ways that grains may go, into `leeway`, m; answers with that of walls."""
        g = self.grains
        time, most, wall_leeway = self.numbers.reach_of(tempo, least, lasts)
        launch(cuda_lists.pick_leeways, self.n, self.n, g.motion, g.bound, least, time, most, leeway)
        return wall_leeway

    def _finish(self, old_index: Any, wall_leeway: float) -> None:
        """The list of pairs for the present leeways."""
        g = self.grains
        launch(cuda_lists.wear_of, self.n, self.n, self.farther, self.leeway, self.wear)
        self._draw(g.place, old_index)
        self.numbers.rebuilds += 1
        self.numbers.arrays["strayed"][:2] = 0.0, wall_leeway
        launch(cuda_order.take_rows, self.m, g.place, self.identity, self.m, 3, self.origin)
        g.pack()

    def _search(self, evaluations: int, time: float) -> None:
        """Both lists from cells, grains brought back into a periodic box and now and then sorted."""
        numbers, g, model = self.numbers, self.grains, self.numbers.model
        g.move_walls(time)
        tempo = self._tempo(evaluations)
        numbers.adapt_skin(evaluations)
        if model.periodic.any():
            g.wrap(corner(model, numbers.arrays["box"][:3]))
        numbers.wall_farther = self._pick(tempo, numbers.skin, numbers.skin_lasts, self.farther)
        found = g.scratch.sent("widest", np.zeros(1))
        launch(cuda_lists.widest_of, self.n, self.n, g.bound, self.farther, found)
        widest, (least, greatest) = float(fetch(found)[0]), g.bounds(g.center, self.n)
        old_index = self.identity
        if numbers.searches % SORT_EVERY == 0:
            self._grid(g.center, widest, least, greatest)
            old_index = g.sort(self.number, self.cells)
            self._pick(tempo, numbers.skin, numbers.skin_lasts, self.farther)
        numbers.searches += 1
        self._find(g.center, widest, least, greatest)
        if self._walls:
            self._near_walls(old_index, tempo)
        launch(cuda_order.take_rows, self.m, g.place, self.identity, self.m, 3, self.near_origin)
        launch(cuda_order.take_rows, self.n, g.center, self.identity, self.n, 3, self.near_center)
        numbers.wall_way = 0.0
        wall_leeway = self._pick(tempo, numbers.margin, numbers.margin_lasts, self.leeway)
        self._finish(old_index, min(wall_leeway, numbers.wall_farther))
        g.find_reach()

    def _grid(self, spot: Any, widest: float, least: np.ndarray, greatest: np.ndarray) -> Any:
        """Cell numbers for these places (m); answers with how many cells there are along the axes, on the device."""
        low, size, axes, count = self.numbers.grid(self.n, widest, least, greatest)
        self.cells = int(np.prod(count))
        sent = self.grains.scratch.sent
        shape = sent("cells", count)
        launch(
            cuda_lists.number_cells, self.n, spot, self.n, sent("grid low", low), sent("grid size", size),
            sent("grid axes", axes), shape, self.number,
        )  # fmt: skip
        return shape

    def _find(self, spot: Any, widest: float, least: np.ndarray, greatest: np.ndarray) -> None:
        """The near grains for these places (m)."""
        g = self.grains
        shape = self._grid(spot, widest, least, greatest)
        begin = cuda_lists.sort_by_cell(self.number, self.n, self.cells, self.entries, g.scratch)
        while True:
            room, most = self.near.shape[0], g.scratch.sent("most", np.zeros(1, np.int32))
            launch(
                cuda_lists.near_rows, self.n, spot, g.bound, self.farther, self.n, self.number, begin, self.entries,
                shape, self.box, self.inverse, room, self.near, self.near_count, most,
            )  # fmt: skip
            needed = int(fetch(most)[0])
            if needed <= room:
                return
            self.near = empty((needed + MORE_ROOM, self.n), np.int32)

    def _draw(self, spot: Any, old_index: Any) -> None:
        """The near spheres of near grains; memory is carried over."""
        g, old, new = self.grains, self.rows, self.spare
        while True:
            most = g.scratch.sent("most", np.zeros(1, np.int32))
            launch(
                cuda_lists.draw_rows, self.m, spot, g.place, g.grain, g.start, self.m, self.near, self.near_count,
                self.box, self.inverse, self.leeway, new.room, old.floats, int(g.host_kernels.VECTOR), old_index,
                old.count, old.other, old.memory, new.other, new.memory, new.count, most,
            )  # fmt: skip
            needed = int(fetch(most)[0])
            if needed <= new.room:
                break
            new.grow(needed + MORE_ROOM)
        self.rows, self.spare = new, old

    def _near_walls(self, old_index: Any, tempo: Tempo) -> None:
        """The list of near walls; see `free.ways`."""
        g, k = self.grains, self.grains.kernels
        counts = g.scratch("wall counts", self.m, np.int32)
        ball = g.scratch("balls", 4 * self.m, float)[: 4 * self.m].reshape(self.m, 4)
        way = g.scratch("ways", self.n, float)
        launch(
            cuda_lists.pick_leeways, self.n, self.n, g.motion, g.bound, 2 * tempo.stride * tempo.wall_fastest,
            tempo.stride, np.inf, way,
        )  # fmt: skip
        launch(cuda_lists.swell, self.m, self.m, g.place, g.grain, self.farther, self.numbers.wall_farther, way, ball)
        while True:
            most = g.scratch.sent("most", np.zeros(1, np.int32))
            if self.wall_found is None or self.wall_found.shape[1] != self.wall_room:
                self.wall_found = empty((self.m, self.wall_room), np.int32)
            found = self.wall_found
            launch(
                k.find_walls, self.m, ball, self.m, self.grids, self.present, g.fixed["frame"], g.pose,
                g.fixed["kind"], g.fixed["shape_table"], found, counts, most,
            )  # fmt: skip
            needed = int(fetch(most)[0])
            if needed <= self.wall_room:
                break
            self.wall_room = needed + MORE_WALL_ROOM
        start = empty(self.m + 1, np.int32)
        cuda_lists.running_sum(counts, self.m, start, g.scratch)
        contacts = int(fetch(start[self.m : self.m + 1])[0])
        piece = empty(contacts, np.int32)
        size = blocks(contacts) * LANES * self.numbers.wall_memory
        memory = empty(size, g.real)
        launch(cuda_lists.clear, size, memory, size)
        launch(
            k.carry_walls, self.m, self.m, start, found, piece, memory, old_index, self.wall_start, self.wall_piece,
            self.wall_memory,
        )  # fmt: skip
        self.wall_start, self.wall_piece, self.wall_memory = start, piece, memory
        self.numbers.wall_contacts = contacts
        self._wall_scratch(contacts)

    # ------------------------------------------------------------ for the host

    def fetch(self) -> None:
        """Bring the lists and what contacts remember to the host, in the form in which it keeps them."""
        a, numbers, m = self.numbers.arrays, self.numbers, self.m
        n = len(a["id"])
        a["near_start"], a["near_second"], _, _ = self._half(self.near, self.near_count, n)
        a["near_origin"], a["near_center"] = fetch(self.near_origin, m), fetch(self.near_center, n)
        for name in ("farther", "leeway", "wear"):
            a[name] = fetch(getattr(self, name), n)
        a["strayed"][PER_LEEWAY] = 1.0 / float(a["leeway"].min(initial=a["strayed"][MAY_STRAY]))
        a["origin"][:m] = fetch(self.origin, m)
        start, second, first, memory = self._half(self.rows.other, self.rows.count, m, memory=True)
        pairs = int(start[-1])
        size = blocks(pairs) * LANES
        full = {"first": np.full(size, m, np.uint32), "second": np.full(size, m + 1, np.uint32)}
        full["first"][:pairs], full["second"][:pairs] = first, second
        a.update(
            **full, pair_start=start, memory=memory, pair_range=start[a["start"]],
            **numbers.blank(blocks(pairs)),
        )  # fmt: skip
        numbers.pairs = pairs
        self._fetch_walls()
        numbers.derive()

    def _half(self, rows: Any, row_count: Any, m: int, *, memory: bool = False) -> tuple[np.ndarray, ...]:
        """Of m rows those of higher index: where a row begins, the others, and if asked the spheres and memory."""
        floats = self.rows.floats
        counts, start = empty(m, np.int64), empty(m + 1, np.int64)
        launch(cuda_lists.half_counts, m, m, rows, row_count, counts)
        cuda_lists.running_sum(counts, m, start, self.grains.scratch)
        total = int(fetch(start[m : m + 1])[0])
        second = empty(total, np.int32)
        launch(cuda_lists.half_rows, m, m, rows, start, second)
        first, kept = np.zeros(0, np.int32), np.zeros(0)
        if memory:
            sent = empty(total, np.int32)
            host = send(np.zeros(blocks(total) * LANES * floats))
            launch(cuda_lists.half_memory, m, m, rows, self.rows.memory, floats, start, sent, host)
            first, kept = fetch(sent, total), fetch(host)
        return fetch(start), fetch(second, total), first, kept

    def _fetch_walls(self) -> None:
        a, numbers, m = self.numbers.arrays, self.numbers, self.m
        contacts, k = numbers.wall_contacts, numbers.kernels
        size = blocks(contacts) * LANES
        start = fetch(self.wall_start, m + 1, np.int64)
        sphere, piece = np.zeros(size, np.int64), np.zeros(size, np.int64)
        sphere[:contacts] = np.repeat(np.arange(m), np.diff(start))
        piece[:contacts] = fetch(self.wall_piece, contacts)
        a.update(
            wall_sphere=sphere, wall_piece=piece, wall_start=start, wall_range=start[a["start"]],
            wall_memory=fetch(self.wall_memory, size * numbers.wall_memory, float),
            wall_work=np.zeros(size * WALL_WORKS), wall_slots=np.zeros(size * WALL_SLOTS),
            wall_deepest=np.zeros(size),
            wall_gap=fetch(self.wall_gap, contacts) if k.MESHES else np.zeros((contacts, 4)),
            wall_seam=fetch(self.wall_seam, contacts) if k.MESHES else np.full(contacts, TOUCHES, np.int64),
        )  # fmt: skip
