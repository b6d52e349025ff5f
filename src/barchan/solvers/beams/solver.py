"""Flat grains of triangles that are joined by elastic, damped beams, and may break (Pöschel and Buchholtz 1995)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from barchan.kernels import threads
from barchan.kernels.compile import type_of
from barchan.model.build import Model
from barchan.model.build_triangles import build_triangles
from barchan.model.grains import Grains
from barchan.model.layout import END, START
from barchan.scene.beams import Beams
from barchan.solvers import common, servo_limits
from barchan.solvers.beams import arrays as beams_arrays
from barchan.solvers.beams import changes, ledger, lists, prepare
from barchan.solvers.beams import watch as beams_watch
from barchan.solvers.beams.arrays import COUNTS, SCRATCH, Arrays
from barchan.solvers.beams.bindings import bind_beams
from barchan.solvers.beams.layout import DAMP, PLACE
from barchan.solvers.helper import Helper
from barchan.solvers.servo_limits import ServoSolver

KINDS = ("", "kind_1", "kind_2", "kind_3", "kind_4", "kind_5", "graded")
CAUSES = ("", "stretch", "force", "moment")
BATCH = 512  # steps for which walls' poses are found at once


class BeamSolver(ServoSolver):
    """Advances the triangles of a model; between visits many steps run in compiled code."""

    method = Beams
    saved = (
        "dt", "step", "extent", "rebuilds", "width", "inserted", "next_id", "energy_error", "energy_at_start",
        "stored_at_start", "potential_at_start", "skin", "turned",
    )  # fmt: skip
    step = rebuilds = 0
    stored_at_start = 0.0  # J

    def __init__(self, model: Model, grains: Grains, time_step: float) -> None:
        self.model, self.dt = model, time_step
        self.width = 16  # neighbours that a row of the search has room for
        self.inserted = self.next_id = len(grains)
        self.extent = servo_limits.extent(model, grains)  # m
        self.arrays = beams_arrays.first_arrays(model, grains, build_triangles(model.scene, grains))
        self.skin = beams_arrays.first_skin(model, self.arrays["bound"][: self.triangle_count])
        self._bind()
        changes.meet_walls(self)
        c = self.packed()
        kinds = type_of(c)
        helper = Helper(self.kernels.work, prepare.compile_work, self.model.walls.paths, kinds)
        if helper.at_work:
            prepare.share(self.kernels, c, self._pressed)
        self.kernels.move_walls(self._poses(0, 1)[0], c)
        self.rebuild()
        helper.wait()
        c = self.packed()
        self.find_forces(c)
        self.arrays["state"][: c.free, :, 2] = c.acceleration
        if len(c.servo):
            self.note_walls()
            self.kernels.press_servos(c)
            self.kernels.kick_servos(0.0, 0.0, 0.5 * self.dt, c.servo, c.servo_table, c.servo_row, c.motion_table)
        state = ledger.present(self)
        self.stored_at_start = state.stored
        book = ledger.energies(self, state)
        self.energy_at_start, self.potential_at_start = book["energy_total"], book["potential_energy"]

    def _bind(self) -> None:
        self.kernels = bind_beams(self.model.walls.paths)
        self._fixed = beams_arrays.constants(self.model)
        self._holds = beams_arrays.grips(self.model)
        self.hole = beams_arrays.hole(self.model)
        self.kinds = self.model.kinds + (self.hole >= 0)

    @property
    def _pressed(self) -> bool | None:
        """Whether forces move walls, as kernels want to know it: True or None."""
        return True if len(self.model.walls.servo_row) else None

    @property
    def triangle_count(self) -> int:
        """Triangles of all grains."""
        return int(np.count_nonzero(self.arrays["grain"] >= 0))

    @property
    def made(self) -> int:
        return self.next_id

    @property
    def sphere_count(self) -> int:
        return self.triangle_count

    @property
    def time(self) -> float:
        return self.step * self.dt

    @property
    def worst_overlap(self) -> float:
        """The largest share of a triangle that has lain in an overlap so far."""
        return float(self.arrays["worst"][0])

    # ------------------------------------------------------------ stepping

    def advance(self, steps: int) -> None:
        gear, done = self.model.scene.beams.integrator == "gear", 0
        poses = self._poses(0, 0)
        while done < steps:
            c = self.packed()
            whole = int(np.count_nonzero(self.arrays["broken"] == 0))
            if not len(poses):
                poses = self._poses(self.step + 1, min(steps - done, BATCH))
            work = prepare.ready(self.kernels, c)
            taken = self.kernels.advance(
                c, poses, self.step, self.dt, gear, 0.5 * self.skin, whole, self._pressed, work
            )
            done += taken
            self.step += taken
            beams_watch.finite(self)
            changes.note_breaks(self)
            if self.hole >= 0:
                changes.swallow(self)
            poses = poses[taken:]
            if len(poses) or self._worn():
                self.rebuild()

    def _worn(self) -> bool:
        """Whether a triangle has gone as far as the lists allow."""
        a = self.arrays
        return bool(self.kernels.farthest(len(a["bound"]), a["state"], a["origin"], self.dt) > 0.5 * self.skin)

    def find_forces(self, c: Arrays) -> int:
        """Forces and accelerations for the present places and velocities; answers with the number of overlaps.

        Nothing is booked, breaks or yields.
        """
        k = self.kernels
        return int(k.phases(c, PLACE, DAMP, self.dt, 0.0, 0.0, False, prepare.ready(k, c)))

    def _poses(self, first: int, steps: int) -> np.ndarray:
        """Poses of walls (steps, walls, 6) at coming steps."""
        a = self.arrays
        poses = np.zeros((steps, len(self.model.scene.walls), 6))
        motion = (a["rest"], a["motion_range"], a["motion_kind"], a["motion_table"], a["begun"])
        self.kernels.find_poses(first, self.dt, *motion, poses)
        return poses

    def advance_to(self, t: float) -> None:
        steps = round(t / self.dt) - self.step
        if steps > 0:
            self.advance(steps)

    def rebuild(self) -> None:
        """Make the lists of near triangles anew."""
        if self.model.periodic.any():
            count = common.crossings(self.model, self.model.box, ledger.bodies(self).position)
            if count.any():
                beams_arrays.wrap(self.arrays, count * self.model.box)
                self.arrays["image"] = common.images(self.arrays["image"], count)
        self.width = lists.make_lists(self.model, self.arrays, self.skin, self.width, self._holds)
        self.rebuilds += 1
        self._scratch = self._room_for_steps()

    def _room_for_steps(self) -> dict[str, np.ndarray]:
        a = self.arrays
        counts = len(a["bound"]), self.triangle_count, len(a["first"]), len(a["length"]), len(a["servo"])
        return beams_arrays.scratch(*counts, len(a["smooth_kind"]))

    def packed(self) -> Arrays:
        """The arrays as the kernels take them."""
        threads.refuse_lost()
        a, beams = self.arrays, self.model.scene.beams
        known = {**self._fixed, **a, **getattr(self, "_scratch", dict.fromkeys(SCRATCH, None))}
        counts: dict[str, Any] = dict(zip(COUNTS, (
            len(a["bound"]), self.triangle_count, len(a["length"]), len(a.get("first", ())), self.kinds,
            len(a["smooth_kind"]), len(self.model.scene.walls), self.hole, beams.contact == "exact", beams.slip_speed,
            beams.grip,
        ), strict=True))  # fmt: skip
        if known["world"] is None:  # before the first lists
            empty = np.zeros(0, np.int64)
            sizes = counts["rows"], counts["free"], 0, counts["beams"], len(a["servo"]), counts["smooth"]
            known |= beams_arrays.scratch(*sizes)
            known |= dict.fromkeys(("first", "second"), empty)
            known |= {"round_way": np.zeros((0, 2)), "allowed": np.zeros(0), "slip": np.zeros(0)}
            known["origin"] = np.zeros((counts["rows"], 2))
        return Arrays(**{name: counts[name] if name in counts else known[name] for name in Arrays._fields})

    # ------------------------------------------------------------ changes between two steps

    def room(self, grains: Grains) -> np.ndarray:
        free = changes.clear_of_walls(self.model, self.arrays, grains, self.model.walls.names)
        return free & changes.clear_of_grains(self, grains)

    _insert = changes.insert

    def _remove(self, rows: np.ndarray, gates: np.ndarray) -> None:
        changes.remove(self, rows, int(gates[0]))

    def note_walls(self) -> None:
        a, walls = self.arrays, self.model.walls
        begun = np.zeros(len(walls.rest))
        begun[walls.frame] = a["begun"][walls.wall]
        a["servo_table"][:, [START, END]] = walls.spans(begun, a["rule"])

    meet_walls = changes.exchange_walls

    def start_motion(self, name: str) -> None:
        self.arrays["begun"][self.model.walls.names.index(name)] = self.time
        self.note_walls()

    change_gravity = changes.change_gravity

    # ------------------------------------------------------------ reading

    _frame = ledger.frame
    watch = beams_watch.check

    def positions(self) -> np.ndarray:
        position = ledger.bodies(self).position[np.argsort(self.arrays["id"])]
        return position - common.turns(self.model, position)

    def fastest(self) -> float:
        return float(np.linalg.norm(ledger.bodies(self).velocity, axis=1).max(initial=0.0))

    kinetic_energy = ledger.kinetic

    def statistics(self) -> dict[str, Any]:
        a = self.arrays
        told: dict[str, Any] = {
            "steps": self.step, "time_step": self.dt, "overlap_share": self.worst_overlap,
            "energy_error": self.energy_error, "list_rebuilds": self.rebuilds, "grains_in": self.inserted,
            "grains_out": self.inserted - self._originals(), "triangles": self.triangle_count,
            "overlap_kinds": {name: int(count) for name, count in zip(KINDS, a["seen"], strict=True) if name and count},
        }  # fmt: skip
        if self.model.scene.beams.breakage or self.model.scene.beams.yielding:
            told["broken_beams"] = {name: int(a["happened"][k]) for k, name in enumerate(CAUSES) if k}
            told["yielded_beams"] = int(a["happened"][0])
            told["fragments"] = len(self)
        return told

    def _originals(self) -> int:
        """Grains that are there, pieces of broken ones aside."""
        return int(np.count_nonzero(~self.arrays["piece"]))

    # ------------------------------------------------------------ coming back

    @classmethod
    def restored(cls, model: Model, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> Self:
        solver = cls.resumed(model, meta)
        solver.arrays = dict(arrays)
        solver._bind()
        solver._scratch = solver._room_for_steps()
        return solver
