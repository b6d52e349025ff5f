"""Near pairs and near walls of the soft-sphere solver on the GPU: the two tiers of `soft_lists.py`, with its rules.

When lists are made, how thick skin and margin are and where grains are sorted to is decided by the same numbers as on
the CPU, so both go through the same lists at the same steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from barchan.kernels import cuda_lists, cuda_order, neighbours
from barchan.kernels.cuda_device import empty, fetch, launch, send
from barchan.solvers.common import corner
from barchan.solvers.soft_arrays import LANES, blocks
from barchan.solvers.soft_lists import SORT_EVERY, Lists

if TYPE_CHECKING:
    from barchan.solvers.cuda_grains import CudaGrains

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
            self.memory = empty((room * self.floats, self.spheres), self.real)


class CudaLists:
    """The lists on the device, and how they are made."""

    def __init__(self, grains: CudaGrains, lists: Lists) -> None:
        self.grains, self.numbers = grains, lists
        if grains.real is np.float32:
            lists.skin_lasts, lists.margin_lasts = SKIN_LASTS, MARGIN_LASTS
        m, model, a = grains.spheres, lists.model, lists.arrays
        self.m = m
        self.rows, self.spare = (CudaRows(m, lists.memory, grains.real) for _ in range(2))
        self.near = empty((ROOM, m), np.int32)
        self.near_count = empty(m, np.int32)
        self.number, self.entries = empty(m, np.int32), empty(m, np.int32)
        self.identity = empty(m, np.int32)
        launch(cuda_order.count_up, m, m, self.identity)
        self.cells = 0
        self.box, self.inverse = send(a["box"][:3]), send(a["inverse"])
        self.origin, self.near_origin = send(a["origin"][:m]), send(a["near_origin"])
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
            size = self.wall_capacity if k.STICTION else 0
            self.wall_slots = empty(blocks(size) * LANES * k.WALL_SLOTS, float)
            size = self.wall_capacity if k.MESHES else 0
            self.wall_gap, self.wall_seam = empty((size, 4), float), empty(size, np.int64)

    def _recall(self, a: dict[str, np.ndarray]) -> None:
        """The lists as they are on the host: made for the places of the same moments, with what contacts remember."""
        bounds = a["near_origin"] if self.m else np.zeros((1, 3))
        self._find(self.near_origin, bounds.min(axis=0), bounds.max(axis=0))
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
        numbers.wall_way += float(numbers.arrays["strayed"][0])
        numbers.adapt_margin(evaluations)
        slack = numbers.skin - numbers.margin
        launch(
            cuda_lists.look_over, self.m, self.m, g.count, g.place, self.near_origin, g.velocity, g.angular,
            g.orientation, slack, g.found,
        )  # fmt: skip
        far, bad = fetch(g.found)
        if bad:
            return False
        if numbers.searches and not far and 2 * numbers.wall_way <= slack:
            self._draw(g.place, self.identity)
            numbers.rebuilds += 1
        else:
            self._search(evaluations, time)
        numbers.arrays["strayed"][:] = 0.0
        launch(cuda_order.take_rows, self.m, g.place, self.identity, self.m, 3, self.origin)
        g.pack()
        return True

    def _search(self, evaluations: int, time: float) -> None:
        """Both lists from cells, grains brought back into a periodic box and now and then sorted."""
        numbers, g, model = self.numbers, self.grains, self.numbers.model
        numbers.adapt_skin(evaluations)
        if model.periodic.any():
            g.wrap(corner(model, numbers.arrays["box"][:3]))
        least, greatest = g.bounds(g.place, self.m)
        if numbers.searches % SORT_EVERY == 0:
            self._grid(g.place, least, greatest)
            old_index = g.sort(self.number, self.cells)
        else:
            old_index = self.identity
        numbers.searches += 1
        self._find(g.place, least, greatest)
        self._draw(g.place, old_index)
        numbers.rebuilds += 1
        g.move_walls(time)
        if self._walls:
            self._near_walls(old_index)
        launch(cuda_order.take_rows, self.m, g.place, self.identity, self.m, 3, self.near_origin)
        numbers.wall_way = 0.0

    def _grid(self, spot: Any, least: np.ndarray, greatest: np.ndarray) -> Any:
        """Cell numbers for these places (m); answers with how many cells there are along each axis, on the device."""
        low, size, count = self.numbers.grid(self.m, least, greatest)
        self.cells = int(np.prod(count))
        sent = self.grains.scratch.sent
        shape = sent("cells", count)
        launch(
            cuda_lists.number_cells, self.m, spot, self.m, sent("grid low", low), sent("grid size", size), shape,
            self.number,
        )  # fmt: skip
        return shape

    def _find(self, spot: Any, least: np.ndarray, greatest: np.ndarray) -> None:
        """The wider rows for these places (m)."""
        g = self.grains
        shape = self._grid(spot, least, greatest)
        begin = cuda_lists.sort_by_cell(self.number, self.m, self.cells, self.entries, g.scratch)
        while True:
            room, most = self.near.shape[0], g.scratch.sent("most", np.zeros(1, np.int32))
            launch(
                cuda_lists.near_rows, self.m, spot, g.place, g.grain, self.m, self.number, begin, self.entries, shape,
                self.box, self.inverse, self.numbers.skin, room, self.near, self.near_count, most,
            )  # fmt: skip
            needed = int(fetch(most)[0])
            if needed <= room:
                return
            self.near = empty((needed + MORE_ROOM, self.m), np.int32)

    def _draw(self, spot: Any, old_index: Any) -> None:
        """The rows of the wider ones that are closer than the margin; memory is carried over."""
        old, new = self.rows, self.spare
        new.grow(self.near.shape[0])
        launch(
            cuda_lists.draw_rows, self.m, spot, self.grains.place, self.m, self.near, self.near_count, self.box,
            self.inverse, self.numbers.margin, old.floats, int(self.grains.host_kernels.VECTOR), old_index, old.count,
            old.other, old.memory, new.other, new.memory, new.count,
        )  # fmt: skip
        self.rows, self.spare = new, old

    def _near_walls(self, old_index: Any) -> None:
        """The list of near walls."""
        g, k = self.grains, self.grains.kernels
        counts = g.scratch("wall counts", self.m, np.int32)
        while True:
            most = g.scratch.sent("most", np.zeros(1, np.int32))
            if self.wall_found is None or self.wall_found.shape[1] != self.wall_room:
                self.wall_found = empty((self.m, self.wall_room), np.int32)
            found = self.wall_found
            launch(
                k.find_walls, self.m, g.place, self.m, self.grids, self.present, g.fixed["frame"], g.pose,
                g.fixed["kind"], g.fixed["shape_table"], self.numbers.skin, found, counts, most,
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
        a["near_start"], a["near_second"], _, _ = self._half(self.near, self.near_count)
        a["near_origin"] = fetch(self.near_origin, m)
        a["origin"][:m] = fetch(self.origin, m)
        start, second, first, memory = self._half(self.rows.other, self.rows.count, memory=True)
        pairs = int(start[-1])
        size, n = blocks(pairs) * LANES, len(a["id"])
        full = {"first": np.full(size, m, np.uint32), "second": np.full(size, m + 1, np.uint32)}
        full["first"][:pairs], full["second"][:pairs] = first, second
        link_start, links = np.zeros(n + 1, np.int64), np.zeros(max(pairs, 1), np.int64)
        neighbours.link_second(full["second"], a["grain"], pairs, n, link_start, links)
        k = numbers.kernels
        a.update(
            **full, pair_start=start, memory=memory, pair_range=start[a["start"]], link_start=link_start, links=links,
            work=np.zeros(size * k.WORKS), slots=np.zeros(size * k.SLOTS), deepest=np.zeros(size),
        )  # fmt: skip
        numbers.pairs = pairs
        self._fetch_walls()

    def _half(self, rows: Any, row_count: Any, *, memory: bool = False) -> tuple[np.ndarray, ...]:
        """Of all rows those of higher index: where a row begins, the others, and if asked the spheres and memory."""
        m, floats = self.m, self.rows.floats
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
            wall_work=np.zeros(size * k.WALL_WORKS), wall_slots=np.zeros(size * k.WALL_SLOTS),
            wall_deepest=np.zeros(size),
            wall_gap=fetch(self.wall_gap, contacts) if k.MESHES else np.zeros((contacts, 4)),
            wall_seam=fetch(self.wall_seam, contacts) if k.MESHES else np.full(contacts, k.TOUCHES, np.int64),
        )  # fmt: skip
