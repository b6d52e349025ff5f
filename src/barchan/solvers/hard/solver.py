"""The hard-sphere solver: spheres that meet for an instant, every collision at its exact moment (Richardson 2011)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from barchan.errors import Finding, RunError
from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.scene.method import HardSpheres
from barchan.solvers.base import TimedSolver, gaps
from barchan.solvers.hard import arrays as hard_arrays
from barchan.solvers.hard import changes, layout, ledger
from barchan.solvers.hard import watch as hard_watch
from barchan.solvers.hard.arrays import GRAIN_ARRAYS
from barchan.solvers.hard.bindings import bind_hard

EVENTS_A_SORT = 100  # events a grain, after which grains are sorted along space again
FEWEST_A_SORT = 20_000
SPREAD = 1000  # passages to the rim of the grid, and two a grain, after which the grid is made anew
FILLING = 6.0  # events a bin of the calendar


class HardSolver(TimedSolver):
    """Advances the grains of a model from event to event; the loop over events is compiled."""

    method = HardSpheres
    saved = (
        "dt", "steps", "inserted", "skipped", "energy_error", "energy_at_start", "potential_at_start", "sort_at",
        "turned",
    )  # fmt: skip

    def __init__(self, model: Model, grains: Grains, time_step: float) -> None:
        self.model = model
        self.dt = 0.0 if model.scene.stepless else time_step
        self.steps = 0  # of the leapfrog
        self.inserted, self.skipped = len(grains), gaps(grains)
        self.sort_at = 0  # number of events at which grains are sorted again
        self.arrays = {**hard_arrays.grain_arrays(grains, model), **self.changing(model), **_empty(model)}
        self._bind()
        self.choose_rest()
        self.present = model.walls.present(0.0, self.arrays["rule"])
        changes.hold_touching(self)
        self.rebuild(0.0)
        book = ledger.energies(self)
        self.energy_at_start, self.potential_at_start = book["energy_total"], book["potential_energy"]

    def _bind(self) -> None:
        model = self.model
        rebounds = hard_arrays.rebounds(model)
        self.kernels = bind_hard(rebounds, model.walls.gaps, model.walls.paths)
        self._surfaces = [hard_arrays.surfaces(model, rebounds, wall=wall) for wall in (False, True)]
        self._pieces = hard_arrays.wall_arrays(model, self.arrays["begun"])

    def frame_pose(self, frame: int, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Origin (3,) m, quaternion (4,), velocity (3,) m/s and spin (3,) rad/s of a wall's frame at time t.

        Its point X moves with velocity + spin × X.
        """
        x = self._pieces
        pose = np.array(self.kernels.frame_pose(
            frame, t, x["rest"], x["frame"], x["motion_kind"], x["motion_table"], x["rest"][frame, 7]
        ))  # fmt: skip
        return pose[:3], pose[3:7], pose[7:10], pose[10:]

    def note_walls(self) -> None:
        self._pieces["rest"][:, layout.BEGUN] = self.arrays["begun"]

    def choose_rest(self) -> None:
        """Choose the contact time, and how slowly grains may bounce at rest, for the present gravity."""
        grain, poured = self.arrays["grain"], self.model.poured
        sizes = 2.0 * np.concatenate([grain[:, layout.RADIUS], poured.radius])
        speeds = np.concatenate([grain[:, layout.VELOCITY], poured.velocity])
        size = float(sizes.mean()) if len(sizes) else 1.0
        speed = float(np.sqrt((speeds**2).sum(axis=1).mean())) if len(speeds) else 0.0
        time, damped, elastic = hard_arrays.rest_rules(self.model, self.gravity(), size, speed)
        weight = float(np.linalg.norm(self.gravity()))
        self.arrays["space"][layout.SLOW] = hard_arrays.SLOW_SHARE * weight * time if weight > 0 else np.inf
        # With the leapfrog nothing falls while it drifts, so that nothing bounces in no time.
        self.arrays["space"][layout.CONTACT_TIME : layout.MARGIN] = (
            (time, 0.0, 0.0) if self.dt else (time, damped, elastic)
        )

    @property
    def time(self) -> float:
        return float(self.arrays["clock"][1])

    @property
    def step(self) -> int:
        """Collisions so far, of grains with each other and with walls."""
        return int(self.arrays["tally"][layout.PAIRS] + self.arrays["tally"][layout.WALLS])

    def _largest(self) -> float:
        """The largest radius of a grain that is there or may come, m."""
        return float(np.concatenate([self.arrays["grain"][:, layout.RADIUS], self.model.poured.radius, [1e-300]]).max())

    @property
    def worst_overlap(self) -> float:
        return float(self.arrays["book"][layout.DEEPEST])

    # ------------------------------------------------------------ events

    def advance_to(self, t: float) -> None:
        """Go on to time t, s: let happen all that is due by then; with the leapfrog, to the step nearest to it."""
        if not self.dt:
            self._drift(float(t))
        else:
            for _ in range(round((t - self.time) / self.dt)):
                self._leap()
        if self.arrays["tally"][layout.GONE]:
            changes.swallow(self)

    def _leap(self) -> None:
        """A step of the leapfrog: half a kick, a drift in straight lines with all its collisions, half a kick."""
        k, a = self.kernels, self.arrays
        half = 0.5 * self.dt * a["gravity"]
        k.kick(half, len(self), a["grain"])
        self._look_again(self.time)
        self.steps += 1
        self._drift(self.steps * self.dt)
        k.bring_all(self.time, len(self), a["grain"], a["space"], a["attitude"])
        k.kick(half, len(self), a["grain"])
        if a["tally"][layout.GONE]:  # before all look again for what comes, those that have gone too
            changes.swallow(self)

    def _drift(self, t: float) -> None:
        """Let happen all that is due up to time t, s."""
        k, a = self.kernels, self.arrays
        while True:
            why = k.advance(
                t, max(1, self.sort_at - int(a["tally"][layout.EVENTS])), SPREAD + 2 * len(self), len(self),
                self.model.kinds, a["before"], a["attitude"], a["image"], a["clock"], a["book"], a["tally"], a["gone"],
                *self._surfaces, *self._common(),
            )  # fmt: skip
            if why == layout.ARRIVED:
                break
            if why == layout.STUCK:
                raise self._stalled()
            self.rebuild(float(a["clock"][0]))
        a["clock"][:] = t

    def rebuild(self, now: float) -> None:
        """Sort the grains along space, make cells and calendar anew, and predict all of them from time `now`, s."""
        a, n = self.arrays, len(self)
        if a["tally"][layout.GONE]:
            changes.drop_gone(self)
            n = len(self)
        place = ledger.paths_at(self, now)
        largest = self._largest()
        corner, size, cells = hard_arrays.grid(place, largest, self.model)
        index = np.clip(np.floor((place - corner) / size), 0, cells[:3] - 1).astype(np.int64)
        cell = (index[:, 0] * cells[1] + index[:, 1]) * cells[2] + index[:, 2]
        order = np.lexsort((a["id"], hard_arrays.blocked(index)))
        for name in GRAIN_ARRAYS:
            a[name] = np.ascontiguousarray(a[name][order])
        a["link"][:, layout.CELL], a["link"][:, layout.CELLS] = cell[order], index[order]
        a["link"][:, layout.WHERE] = layout.NOWHERE
        a["space"][layout.CORNER : layout.CONTACT_TIME], a["cells"] = [*corner, *size], cells
        a["head"] = np.full(int(cells[:3].prod()), -1, np.int32)
        a["bins"] = np.full(max(256, 1 << max(n - 1, 0).bit_length()) + 1, -1, np.int32)
        a["heap"], a["moment"] = np.zeros(n + 1, np.int32), np.zeros(n + 1)
        a["gone"] = np.zeros((n + 1, 2), np.int32)
        a["tally"][layout.OUTER] = 0
        a["grain"][a["grain"][:, layout.CLOCK] == layout.HELD, layout.LEAVES] = now  # in its cell as of now
        cells[layout.ANY_HELD] = np.count_nonzero(a["grain"][:, layout.CLOCK] == layout.HELD)
        a["space"][layout.MARGIN] = hard_arrays.SLACK * 2.0 * largest
        self.sort_at = int(a["tally"][layout.EVENTS]) + max(FEWEST_A_SORT, EVENTS_A_SORT * n)
        self._list_walls(largest)
        self._look_again(now)

    def _look_again(self, now: float) -> None:
        """Let all grains look at time `now`, s, for what comes."""
        a = self.arrays
        self.kernels.start(
            now, self._width(), len(self), a["grain"], a["link"], a["after"], a["before"], a["head"],
            a["calendar"], a["turn"], a["bins"], a["heap"], a["moment"],
        )  # fmt: skip

    def _width(self) -> float:
        """How wide, s, bins of the calendar should be: as before, or guessed from speeds and the size of cells."""
        size = self.arrays["space"][layout.SIZE : layout.CONTACT_TIME]
        if self.arrays["calendar"][layout.WIDTH] > 0:
            return float(self.arrays["calendar"][layout.WIDTH])
        weight = np.linalg.norm(self.gravity())
        speed = np.sqrt((self.arrays["grain"][:, layout.VELOCITY] ** 2).sum(axis=1).mean()) if len(self) else 0.0
        speed = max(speed, float(np.sqrt(weight * size.min())), 1e-100)
        return float(FILLING * size.min() / speed / (4 * len(self) + 1))

    def _list_walls(self, largest: float) -> None:
        """List the pieces of walls that are near each cell."""
        a, k, cells = self.arrays, self.kernels, self.arrays["cells"]
        ranges = hard_arrays.cell_ranges(self.model, a["space"], cells, largest)
        pieces = np.flatnonzero(self.present)
        start = np.zeros(int(cells[:3].prod()) + 1, np.int64)
        common = (pieces, ranges, largest, a["space"], cells, a["grain"], *self._pieces.values())
        if len(pieces):
            k.walls_near_cells(*common, start, np.zeros(0, np.int32), False)
        start = np.cumsum(start)
        entries = np.zeros(int(start[-1]), np.int32)
        if len(pieces):
            k.walls_near_cells(*common, start[:-1].copy(), entries, True)
        a["wall_start"], a["wall_list"] = start, entries

    def wall_distances(self, points: np.ndarray, pieces: np.ndarray) -> np.ndarray:
        """How far (K,) m each of the points (K, 3) m is from the piece of a wall at the same place in `pieces` (K,)."""
        out = np.zeros(len(points))
        self.kernels.distances(points, pieces, self.time, self.arrays["grain"], *self._pieces.values(), out)
        return out

    def _stalled(self) -> RunError:
        t = float(self.arrays["clock"][0])
        return RunError(Finding(
            f"t = {t:.6g} s", "collisions follow each other in no time: moving walls crush grains, or they have "
            "collapsed", "time must go on", "leave grains room between walls, and hard.contact_time out",
        ))  # fmt: skip

    def _common(self) -> list[np.ndarray]:
        """The arrays that all parts of the loop take, in their order there."""
        names = ("grain", "link", "after", "head", "space", "cells", "calendar", "turn", "bins", "heap", "moment")
        walls = (self.arrays["wall_start"], self.arrays["wall_list"], *self._pieces.values())
        return [*(self.arrays[name] for name in names), *walls]

    # ------------------------------------------------------------ changes between two events

    room = changes.room
    _insert = changes.insert
    _remove = changes.remove
    meet_walls = changes.meet_walls
    start_motion = changes.start_motion
    change_gravity = changes.change_gravity

    def mark_flow(self) -> None:
        super().mark_flow()
        self.arrays["pushed"] = ledger.virial(self)

    # ------------------------------------------------------------ reading

    _frame = ledger.frame

    def positions(self) -> np.ndarray:
        return ledger.positions_at(self, self.time)[np.argsort(self.arrays["id"])]

    def fastest(self) -> float:
        return float(np.linalg.norm(ledger.velocities_at(self, self.time), axis=1).max(initial=0.0))

    kinetic_energy = ledger.kinetic
    watch = hard_watch.check

    def statistics(self) -> dict[str, float | int]:
        return {
            **ledger.account(self),
            **({"steps": self.steps, "time_step": self.dt} if self.dt else {}),
            "worst_overlap": self.worst_overlap,
            "energy_error": self.energy_error,
            "grains_in": self.inserted,
            "grains_out": self.inserted - len(self),
        }

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        arrays, numbers = super().state()
        return {**arrays, "present": self.present.copy()}, numbers

    @classmethod
    def restored(cls, model: Model, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> Self:
        solver = cls.resumed(model, meta)
        solver.arrays = dict(arrays)
        solver.present = solver.arrays.pop("present")
        solver._bind()
        return solver


def _empty(model: Model) -> dict[str, np.ndarray]:
    """What the loop over events keeps: constants of space, clocks, tallies and books."""
    space = np.zeros(layout.SPACE)
    space[layout.PERIOD : layout.HALF] = model.box
    space[layout.HALF : layout.GRAVITY] = np.where(model.periodic, 0.5 * model.box, np.inf)
    if model.scene.stepless:
        space[layout.GRAVITY : layout.CORNER] = model.gravity
    return {
        "space": space,
        "clock": np.zeros(2),  # s: of the last event, and of the run
        "book": np.zeros(layout.BOOK),
        "tally": np.zeros(layout.TALLY, np.int64),
        "calendar": np.zeros(3),
        "turn": np.zeros(4, np.int64),
        "pushed": np.zeros((3, 3)),  # J s: impulses ⊗ branches up to the last mark
        "booked": np.zeros(3),  # J: inflow, outflow, events
    }
