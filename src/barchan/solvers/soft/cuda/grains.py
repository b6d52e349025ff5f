"""The state of the soft-sphere solver on the GPU: sent there from the solver's arrays, and brought back into them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from barchan.kernels.cuda_device import Launcher, Scratch, empty, fetch, fill, launch, send
from barchan.solvers.soft.arrays import GHOSTS, reorder, sphere_arrays
from barchan.solvers.soft.bindings import cuda_lists, cuda_order
from barchan.solvers.soft.cuda.kernels.rows import CudaArrays
from barchan.solvers.soft.cuda.lists import CudaLists

from barchan.solvers.soft.layout import (  # isort: skip
    FAST, GONE_BY_WALLS, GPU_WORKS, HOP_LEVER, HOP_LIMIT, HOP_RADIUS, MAY_STRAY, SWALLOWED, WORN,
)  # fmt: skip
from barchan.solvers.soft.lists import Lists

BATCH = 64  # steps that are launched at most without looking
GRAIN_ROWS = (
    "velocity", "orientation", "angular", "turn", "inertia", "force", "torque", "held", "position", "bound", "image",
)  # fmt: skip


class Batch(NamedTuple):
    """What came of some steps."""

    done: int  # steps that were finished
    pending: bool  # the drift of the next step is done
    why: int  # bits of `halt`: what has to be seen to before the next one
    strayed: float  # m, that walls may have gone since the lists were made


class CudaGrains:
    """Grains, lists and walls on the device. The host's arrays stay as they were until `fetch`."""

    velocity: Any
    orientation: Any
    angular: Any
    bound: Any

    def __init__(self, lists: Lists, kernels: Any, fixed: dict[str, Any], *, single: bool, dt: float) -> None:
        a, model = lists.arrays, lists.model
        self.kernels, self.host_kernels = kernels, lists.kernels
        self.real = np.float32 if single else np.float64
        self.depart, self.hop_step, self.wall_step, self.whole_step, self.sphere_forces, self.grain_step = (
            Launcher(getattr(kernels, name), exact=not single)
            for name in ("depart", "hop_step", "wall_step", "whole_step", "sphere_forces", "grain_step")
        )
        self.scratch = Scratch()
        self.count, self.spheres = len(a["id"]), len(a["place"]) - GHOSTS
        self.clumps = bool(kernels.CLUMPS)
        # One launch does a whole step, but for walls, where no thread has to wait for others: neither for the other
        # spheres of its grain, nor to hear that a wall has taken one.
        self.whole = not self.clumps and not model.walls.absorbing.any()
        self._send_grains(a)
        self.fixed = self._send_walls(model, fixed, a, dt)
        self.model, self.dt = model, dt
        self.lists = CudaLists(self, lists)
        self.pack()

    def _send_grains(self, a: dict[str, np.ndarray]) -> None:
        n, m, real = self.count, self.spheres, self.real
        self._places = [send(a["place"][:m]), empty((m, 4), float)]
        self._motions = [send(a["motion"][:n], real), empty((n, 8), real)]
        self.present = 0  # which of the two
        self.position, self.image = send(a["position"][:n]), send(a["image"])
        for name, kind in (("orientation", float), ("inertia", float), ("held", float), ("bound", float)):
            setattr(self, name, send(a[name][:n], kind))
        for name in ("velocity", "angular", "turn", "force", "torque"):
            setattr(self, name, send(a[name][:n], real))
        self.start, self.grain = send(a["start"], np.int32), send(a["grain"][:m], np.int32)
        self.offset, self.material = send(a["offset"][:m]), send(a["material"][:m], np.int32)
        self.row = empty(n, np.int32)
        launch(cuda_order.count_up, n, n, self.row)
        self.felt = empty((6, m if not self.whole else 1), real)
        self.book, self.deep = send(np.zeros((GPU_WORKS, max(m, 1)))), send(np.zeros(max(m, 1)))
        self.deep_with = send(np.zeros(max(m, 1), np.int32))
        self.hop, self.hop_with = send(np.zeros(max(m, 1))), send(np.zeros(max(m, 1), np.int32))
        self.looks, self.pace = 0, 0.0  # steps before which `hop_step` looks; m/s, of walls, as drifts were told

    def _send_walls(self, model: Any, fixed: dict[str, Any], a: dict[str, np.ndarray], dt: float) -> dict[str, Any]:
        walls, real = model.walls, self.real
        self.axial = send(fixed["axial"])
        self.hop_limit, self.hop_radius, self.hop_lever = map(float, fixed["hop"][[HOP_LIMIT, HOP_RADIUS, HOP_LEVER]])
        self.moving = bool((walls.motion_range[:, 0] < walls.motion_range[:, 1]).any())
        self.host_poses = np.zeros((BATCH, len(walls.rest), 16))
        self.strays = np.zeros(BATCH + 1)
        self.pose = send(a["pose"])
        self.poses = send(self.host_poses) if self.moving else send(a["pose"][None])
        self.signals = send(np.zeros(2 * (BATCH + 2) + 2, np.int32))
        self.halt, self.swallowed = self.signals[: BATCH + 2], self.signals[BATCH + 2 : -2]
        self.found = self.signals[-2:]  # by a look over all grains
        whole = ("frame", "kind", "piece_material", "mesh")
        return {
            **{name: send(fixed[name], np.int32) for name in whole},
            **{name: send(fixed[name]) for name in ("facet_table", "shape_table", "absorbing", "stiction")},
            **{name: send(fixed[name], real) for name in ("table", "wall_table", "freedom")},
            "gravity": send(a["gravity"], real),
            "lever": self.hop_lever**2,
        }

    @property
    def place(self) -> Any:
        """Places and radii of the spheres, (M, 4) m."""
        return self._places[self.present]

    @property
    def motion(self) -> Any:
        """Velocity, mass, spin and mean moment of inertia of the grains, (N, 8)."""
        return self._motions[self.present]

    def pack(self) -> None:
        """Gather what the kernels take, after something has got another place in memory."""
        lists = self.lists
        own = {
            "grains": self.count, "spheres": self.spheres, "kinds": self.model.kinds, "moving": int(self.moving),
            "halt": self.halt, "swallowed": self.swallowed,
            "pair_count": lists.rows.count, "pair_other": lists.rows.other, "pair_memory": lists.rows.memory,
            **self.fixed,
        }  # fmt: skip
        self.packed = CudaArrays(**{
            name: own[name] if name in own else getattr(self if hasattr(self, name) else lists, name)
            for name in CudaArrays._fields
        })  # fmt: skip

    # ------------------------------------------------------------ stepping

    def batch(self, begin: int, steps: int, *, pending: bool, trailing: bool) -> Batch:
        """Take at most `steps` (≤ BATCH) steps after step number `begin`, without looking at what they do.

        pending: the drift of the first step is done. trailing: after the last one the next drift is to be done too.
        """
        leeway = float(self.lists.numbers.arrays["strayed"][MAY_STRAY])  # m, of walls
        allowed, pace = self._course(begin, steps, leeway, pending=pending, trailing=trailing)
        strayed = allowed < steps or (trailing and float(self.strays[steps]) > leeway)
        looks, sure = self._looks(pace, pending=pending), self._sure(pace)
        size = self.signals.shape[0]
        launch(cuda_lists.clear, size, self.signals, size)
        now, drifts, hops = self.present, 0, (self.hop, self.hop_with, self.axial)
        if not pending:
            self.depart(self.count, self.packed, self._buffers(now), self.dt, sure if looks == 0 else math.inf)
            drifts = 1
        for s in range(allowed):
            last = s == allowed - 1 and not trailing and not strayed
            at = self._buffers(now + drifts)
            if self.lists.numbers.wall_contacts:
                if s < looks:
                    self.hop_step(self.spheres, self.packed, (*at[:2], *hops), self.dt, s, self.hop_limit, sure)
                self.wall_step(self.spheres, self.packed, at[:2], self.dt, s)
            told = sure if s + 1 >= looks else math.inf
            if self.whole:
                self.whole_step(self.count, self.packed, at, self.dt, s, int(last), told)
            else:
                self.sphere_forces(self.spheres, self.packed, at[:2], self.dt, s)
                self.grain_step(self.count, self.packed, at[:2], self.dt, s, int(last), told)
            drifts += not last
        halt = fetch(self.halt, allowed + 1)
        stops = np.flatnonzero(halt)
        done, why = (int(stops[0]), int(halt[stops[0]])) if len(stops) else (allowed, 0)
        self.looks = BATCH if why & FAST else max(looks - done, 0)
        ahead = not why & SWALLOWED and (done < allowed or trailing or strayed)
        if ahead and strayed and done == allowed:
            why |= WORN
        if self.whole:
            self.present = (now + (not pending) + done - (not ahead)) % 2
        if done and self.moving:
            self.lists.numbers.arrays["pose"][:] = self.host_poses[done - 1]
        return Batch(done, ahead, why, float(self.strays[done if ahead else done - 1]))

    def _looks(self, pace: float, *, pending: bool) -> int:
        """Before how many steps of a batch `hop_step` looks, as walls move so fast, m/s, in it: before the first one
        also where its drift was told of slower walls.
        """
        slower, self.pace = self.pace < pace, pace
        return max(self.looks, 1) if pending and slower else self.looks

    def _sure(self, pace: float) -> float:
        """Half the square, m²/s², of the speed up to which no grain goes too far against walls in a step, as they move
        so fast, m/s; see `find_hops`.
        """
        if not len(self.model.walls):
            return math.inf
        return 0.5 * max(self.hop_limit * self.hop_radius / self.dt - pace, 0.0) ** 2

    def _buffers(self, drifts: int) -> tuple[Any, Any, Any, Any]:
        """Places and motions to read and those to write after so many drifts; the same where threads do not meet."""
        now, then = (drifts % 2, (drifts + 1) % 2) if self.whole else (0, 0)
        return self._places[now], self._motions[now], self._places[then], self._motions[then]

    def _course(
        self, begin: int, steps: int, leeway: float, *, pending: bool, trailing: bool
    ) -> tuple[int, float]:  # fmt: skip
        """Where walls will be; answers as `wall_course`."""
        if not self.moving:
            return steps, 0.0
        a, walls = self.lists.numbers.arrays, self.model.walls
        allowed, pace = self.host_kernels.wall_course(
            begin, steps, self.dt, leeway, pending, trailing, len(walls.rest), walls.rest, walls.motion_range,
            walls.motion_kind, a["motion_table"], a["begun"], walls.axial, a["reach"], a["pose"].copy(),
            float(a["strayed"][GONE_BY_WALLS]), self.host_poses, self.strays,
        )  # fmt: skip
        fill(self.poses, self.host_poses)
        return int(allowed), float(pace)

    def move_walls(self, time: float) -> None:
        """Put walls where they are at a time, s."""
        a, walls = self.lists.numbers.arrays, self.model.walls
        self.host_kernels.move_walls(
            time, len(walls.rest), walls.rest, walls.motion_range, walls.motion_kind, a["motion_table"], a["begun"],
            a["pose"],
        )  # fmt: skip
        if self.moving:
            fill(self.pose, a["pose"])
            self.find_reach()

    def find_reach(self) -> None:
        """Where the grains are that walls may meet, for walls that move."""
        if self.moving:
            a = self.lists.numbers.arrays
            least, greatest = self.bounds(self.center, self.count)
            middle = 0.5 * (least + greatest)
            a["reach"] = np.array([*middle, np.linalg.norm(greatest - middle) + a["bound"].max()])

    @property
    def center(self) -> Any:
        """Centres of mass of the grains, m."""
        return self.position if self.clumps else self.place

    # ------------------------------------------------------------ for the lists

    def bounds(self, points: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest coordinates of points, (3,) m each."""
        found = self.scratch.sent("bounds", np.repeat([np.inf, -np.inf], 3))
        launch(cuda_lists.widen, count, points, count, found)
        both = fetch(found)
        return both[:3], both[3:]

    def wrap(self, low: np.ndarray) -> None:
        """Bring grains back into a periodic box."""
        launch(
            cuda_lists.wrap_grains, self.count, self.count, self.start, int(self.clumps), self.place, self.position,
            self.image, self.scratch.sent("wrap low", low), self.lists.box, self.motion, self.fixed["gravity"],
            self.book,
        )  # fmt: skip

    def sort(self, number: Any, cells: int) -> Any:
        """Put the grains into the order of their cells; answers with where each sphere stood before."""
        n, m = self.count, self.spheres
        order = empty(n, np.int32)
        cuda_lists.sort_by_cell(number, n, cells, order, self.scratch)
        lengths, start, spheres, grain = (empty(size, np.int32) for size in (n, n + 1, m, m))
        launch(cuda_order.row_lengths, n, n, order, self.start, lengths)
        cuda_lists.running_sum(lengths, n, start, self.scratch)
        launch(cuda_order.sphere_order, n, n, order, self.start, start, spheres, grain)
        self.start, self.grain = start, grain
        for name in GRAIN_ROWS:
            setattr(self, name, _taken(getattr(self, name), order, n))
        self._motions[self.present] = _taken(self.motion, order, n)
        self._places[self.present] = _taken(self.place, spheres, m)
        self.offset = _taken(self.offset, spheres, m)
        self.row = _taken(self.row, order, n)
        for name in ("material", "deep", "deep_with"):
            setattr(self, name, _taken(getattr(self, name), spheres, m))
        book = empty(self.book.shape, float)
        launch(cuda_order.take_columns, m, self.book, spheres, m, GPU_WORKS, book)
        self.book = book
        return spheres

    # ------------------------------------------------------------ for the host

    def fetch(self) -> None:
        """Bring the state into the host's arrays, in the form in which the CPU's kernels keep it."""
        numbers, n, m = self.lists.numbers, self.count, self.spheres
        a = numbers.arrays
        before = a["id"].copy()
        reorder(a, fetch(self.row, n, np.int64))
        launch(cuda_order.count_up, n, n, self.row)
        a["start"], a["grain"] = sphere_arrays(a)
        a["place"][:m] = fetch(self.place, m)
        a["motion"][:n] = fetch(self.motion, n)
        a["position"][:n] = fetch(self.position, n) if self.clumps else a["place"][:n, :3]
        for name in ("velocity", "orientation", "angular", "turn", "force", "torque", "held", "image"):
            a[name][:n] = fetch(getattr(self, name), n)
        self._fetch_books(before)
        self.lists.fetch()

    def _fetch_books(self, before: np.ndarray) -> None:
        """Enter work and overlaps since the last time; before: the ids (N,) in the order of that time."""
        numbers, m, walls = self.lists.numbers, self.spheres, self.model.walls
        if not m:
            return
        a, book = numbers.arrays, fetch(self.book).sum(axis=1)
        numbers.totals[:3] += book[:3]
        numbers.wall_totals += book[3:7]
        numbers.offset += float(book[7])
        deep = fetch(self.deep, m)
        k = int(np.argmax(deep))
        if deep[k] > numbers.worst[0]:
            other = int(fetch(self.deep_with[k : k + 1])[0])
            whose = int(before[other]) if other >= 0 else -1 - int(walls.wall[-1 - other])
            numbers.worst = (float(deep[k]), int(a["id"][a["grain"][k]]), whose)
        fill(self.book, np.zeros((GPU_WORKS, m)))
        fill(self.deep, np.zeros(m))


def _taken(source: Any, order: Any, count: int) -> Any:
    """The rows of an array in another order, as a new one."""
    target = empty(source.shape, source.dtype)
    if source.ndim == 1:
        launch(cuda_order.take_flat, count, source, order, count, target)
    else:
        launch(cuda_order.take_rows, count, source, order, count, source.shape[1], target)
    return target
