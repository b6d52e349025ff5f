"""Flat grains of triangles that are joined by elastic, damped beams, and may break (Pöschel and Buchholtz 1995)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from barchan.kernels import compile as kernel_compiler
from barchan.kernels import threads
from barchan.model.build import Model
from barchan.model.build_triangles import build_triangles
from barchan.model.grains import Grains
from barchan.observables import Gate, Moment
from barchan.record.frame import Frame
from barchan.solvers import beams_arrays, beams_changes, beams_ledger, beams_prepare, beams_watch, common, servo_limits
from barchan.solvers.beams_arrays import COUNTS, SCRATCH, Arrays
from barchan.solvers.common import ADDED, MASS, REMOVED, WAITING
from barchan.solvers.helper import Helper

KINDS = ("", "kind_1", "kind_2", "kind_3", "kind_4", "kind_5", "graded")
CAUSES = ("", "stretch", "force", "moment")
BATCH = 512  # steps for which walls' poses are found at once


class BeamSolver:
    """Advances the triangles of a model; between visits many steps run in compiled code."""

    name = "beams"
    turned = 0.0  # J, as in `common.turned_over`

    def __init__(self, model: Model, grains: Grains, time_step: float) -> None:
        self.model, self.dt = model, time_step
        self.step = self.rebuilds = 0
        self.width = 16  # neighbours that a row of the search has room for
        self.inserted = self.next_id = len(grains)
        self.extent = servo_limits.extent(model, grains)  # m
        self.energy_error = 0.0  # over the energy turned over
        self.energy_at_start = self.stored_at_start = self.potential_at_start = 0.0
        self.arrays = beams_arrays.first_arrays(model, grains, build_triangles(model.scene, grains))
        own = [self.arrays["bound"][: self.triangle_count], beams_arrays.poured_bounds(model)]
        self.skin = beams_arrays.SKIN * next((float(one.mean()) for one in own if len(one)), 1e-3)
        self._bind()
        beams_changes.meet_walls(self)
        c = self.packed()
        kinds = kernel_compiler.type_of(c)
        helper = Helper(self.kernels.work, beams_prepare.compile_work, self.model.walls.paths, kinds)
        if helper.at_work:
            beams_prepare.share(self.kernels, c, self._pressed)
        self.kernels.move_walls(self._poses(0, 1)[0], c)
        self.rebuild()
        helper.wait()
        c = self.packed()
        self.find_forces(c)
        self.arrays["state"][: c.free, :, 2] = c.acceleration
        if len(c.servo):
            beams_changes.span_servos(self)
            self.kernels.press_servos(c)
            self.kernels.kick_servos(0.0, 0.0, 0.5 * self.dt, c.servo, c.servo_table, c.servo_row, c.motion_table)
        state = beams_ledger.present(self)
        self.stored_at_start = state.stored
        book = beams_ledger.energies(self, state)
        self.energy_at_start, self.potential_at_start = book["energy_total"], book["potential_energy"]

    def _bind(self) -> None:
        self.kernels = kernel_compiler.bind_beams(self.model.walls.paths)
        self._fixed = beams_arrays.constants(self.model)
        self._holds = beams_arrays.grips(self.model)
        self.hole = beams_arrays.hole(self.model)
        self.kinds = self.model.kinds + (self.hole >= 0)

    @property
    def _pressed(self) -> bool | None:
        """Whether forces move walls, as kernels want to know it: True or None."""
        return True if len(self.model.walls.servo_row) else None

    def __len__(self) -> int:
        return len(self.arrays["id"])

    @property
    def triangle_count(self) -> int:
        """Triangles of all grains."""
        return int(np.count_nonzero(self.arrays["grain"] >= 0))

    @property
    def made(self) -> int:
        """Grains that there have ever been, the pieces of broken ones too."""
        return self.next_id

    @property
    def sphere_count(self) -> int:
        """What stands for the size of the work: triangles."""
        return self.triangle_count

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.step * self.dt

    @property
    def least_period(self) -> float:
        """The shortest, m, that a periodic axis may be: no triangle may touch another, nor a grain itself, on both
        sides.
        """
        bound = max(self.arrays["bound"].max(initial=0.0), beams_arrays.poured_bounds(self.model).max(initial=0.0))
        radius = max(beams_ledger.bodies(self).radius.max(initial=0.0), self.model.poured.radius.max(initial=0.0))
        return float(max(2 * (2 * bound + self.skin), 2 * radius + self.skin))

    @property
    def worst_overlap(self) -> float:
        """The largest share of a triangle that has lain in an overlap so far."""
        return float(self.arrays["worst"][0])

    # ------------------------------------------------------------ stepping

    def advance(self, steps: int) -> None:
        """Take that many steps."""
        gear, done = self.model.scene.beams.integrator == "gear", 0
        poses = self._poses(0, 0)
        while done < steps:
            c = self.packed()
            whole = int(np.count_nonzero(self.arrays["broken"] == 0))
            if not len(poses):
                poses = self._poses(self.step + 1, min(steps - done, BATCH))
            work = beams_prepare.ready(self.kernels, c)
            taken = self.kernels.advance(
                c, poses, self.step, self.dt, gear, 0.5 * self.skin, whole, self._pressed, work
            )
            done += taken
            self.step += taken
            beams_watch.finite(self)
            beams_changes.note_breaks(self)
            if self.hole >= 0:
                beams_changes.swallow(self)
            poses = poses[taken:]
            if len(poses) or self._worn():
                self.rebuild()

    def _worn(self) -> bool:
        """Whether a triangle has gone as far as the lists allow."""
        a = self.arrays
        return bool(self.kernels.farthest(len(a["bound"]), a["state"], a["origin"], self.dt) > 0.5 * self.skin)

    @functools.cached_property
    def servo_limits(self) -> np.ndarray:
        """How far, how fast and how hard walls that forces move may go, by the extent of the scene at its start."""
        return servo_limits.limits(self.model, self.extent)

    def find_forces(self, c: Arrays) -> int:
        """Forces and accelerations for the present places and velocities; answers with the number of overlaps.

        Nothing is booked, breaks or yields.
        """
        k = self.kernels
        return int(k.phases(c, k.PLACE, k.DAMP, self.dt, 0.0, 0.0, False, beams_prepare.ready(k, c)))

    def _poses(self, first: int, steps: int) -> np.ndarray:
        """Poses of walls (steps, walls, 6) at coming steps."""
        a = self.arrays
        poses = np.zeros((steps, len(self.model.scene.walls), 6))
        motion = (a["rest"], a["motion_range"], a["motion_kind"], a["motion_table"], a["begun"])
        self.kernels.find_poses(first, self.dt, *motion, poses)
        return poses

    def advance_to(self, t: float) -> None:
        """Go on to the step nearest to time t, s."""
        steps = round(t / self.dt) - self.step
        if steps > 0:
            self.advance(steps)

    def rebuild(self) -> None:
        """Make the lists of near triangles anew."""
        if self.model.periodic.any():
            shift = common.turns(self.model, beams_ledger.bodies(self).position)
            if shift.any():
                beams_arrays.wrap(self.arrays, shift)
        self.width = beams_arrays.make_lists(self.model, self.arrays, self.skin, self.width, self._holds)
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

    def room(self, grains: Grains, *, walls: Sequence[str] | None = None) -> np.ndarray:
        """Which of these grains, (N,) bool, would touch neither a grain that is there nor a wall.

        With `walls`, none of those of these names that are there; grains do not matter then.
        """
        free = beams_changes.clear_of_walls(self, grains, walls)
        return free if walls is not None else free & beams_changes.clear_of_grains(self, grains)

    def insert(self, grains: Grains, gate: str, *, waiting: int = 0) -> None:
        """Add grains, which get the next ids; `gate` is the name of their source, where `waiting` more find no room."""
        number = self.model.gates.index(gate)
        self.arrays["gates"][number, WAITING] = waiting
        beams_changes.insert(self, grains, number)

    def remove(self, mask: np.ndarray, gate: str) -> None:
        """Take away the grains of mask (N,) bool, in the order of `snapshot`; `gate` is the name of the sink."""
        rows = np.argsort(self.arrays["id"])[np.asarray(mask, bool)]
        beams_changes.remove(self, rows, self.model.gates.index(gate))

    def meet_walls(self) -> None:
        """Let walls appear and vanish as the present time says."""
        beams_changes.exchange_walls(self)

    def add_wall(self, name: str) -> None:
        """From now on the wall is there."""
        beams_changes.rule_wall(self, name, ADDED)

    def remove_wall(self, name: str) -> None:
        """From now on the wall is there no longer."""
        beams_changes.rule_wall(self, name, REMOVED)

    def start_motion(self, name: str) -> None:
        """The motions of the wall begin now."""
        self.arrays["begun"][self.model.walls.names.index(name)] = self.time
        beams_changes.span_servos(self)

    def change_gravity(self, gravity: Any) -> None:
        """Gravity is another one, (3,) m/s², from now on."""
        beams_changes.change_gravity(self, np.array(gravity, float))

    def mark_flow(self) -> None:
        """Let the rates at which mass passes the gates be those from now on."""
        self.arrays["marked"] = np.array([*self.arrays["gates"][:, MASS], self.time])

    # ------------------------------------------------------------ reading

    def snapshot(self, *, contacts: bool = False) -> Frame:
        """The present moment as a frame."""
        return beams_ledger.frame(self, contacts=contacts)

    def moment(self) -> Moment:
        """The present moment as observables see it."""
        return beams_ledger.moment(self)

    def watch(self) -> None:
        """RunError at the first thing that is out of bounds."""
        beams_watch.check(self)

    def gravity(self) -> np.ndarray:
        """Gravity at present, (3,) m/s²."""
        return self.arrays["gravity"].copy()

    def positions(self) -> np.ndarray:
        """Centres of mass (N, 3) m in the order of ids, inside a periodic box."""
        position = beams_ledger.bodies(self).position[np.argsort(self.arrays["id"])]
        return position - common.turns(self.model, position)

    def fastest(self) -> float:
        """The highest speed of a grain, m/s."""
        return float(np.linalg.norm(beams_ledger.bodies(self).velocity, axis=1).max(initial=0.0))

    def kinetic_energy(self) -> float:
        """Kinetic energy of all triangles, J."""
        return beams_ledger.kinetic(self)

    def gates(self) -> dict[str, Gate]:
        """What has passed every source and sink, by name."""
        return common.gates(self)

    def statistics(self) -> dict[str, Any]:
        """What a summary says of the run so far."""
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

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """All that changes, verbatim: a solver restored from it goes on with the same bits."""
        arrays = {name: array.copy() for name, array in self.arrays.items()}
        return arrays, {name: getattr(self, name) for name in _SAVED}

    @classmethod
    def restored(cls, model: Model, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> BeamSolver:
        """The solver whose `state` this was."""
        solver = cls.__new__(cls)
        solver.model, solver.arrays = model, dict(arrays)
        for name in _SAVED:
            older = {"width": meta.get("room"), "turned": cls.turned}  # as checkpoints had it before
            setattr(solver, name, meta[name] if name in meta else older[name])
        solver._bind()
        a = solver.arrays
        # What older checkpoints have not, and had no need of: there were no sources, and books were fewer.
        a.setdefault("piece", a["id"] >= solver.inserted)
        counts = np.bincount(a["broken"][a["broken"] > 0], minlength=4)
        counts[0] = np.count_nonzero(a["yielded"])
        a.setdefault("happened", counts)
        slip = np.zeros(len(a["first"]) if solver._holds else 0)  # friction had no memory
        for name, array in (("round_way", np.zeros((0, 2))), ("allowed", np.zeros(0)), ("made", a["length"].copy()),
                            ("sides", np.zeros((len(a["length"]), 2), np.int8)), ("slip", slip),
                            ("wall_slip", beams_arrays.wall_slip(model, len(a["bound"])))):  # fmt: skip
            a.setdefault(name, array)
        a["booked"] = np.append(a["booked"], np.zeros(beams_ledger.BOOKS - len(a["booked"])))
        a["state"] = beams_arrays.with_whirl(a["state"], a["mass"], a["inertia"])
        for name, array in beams_arrays.servos(model).items():  # which older checkpoints have not
            a.setdefault(name, array)
        a.setdefault("side", np.arange(len(a["wall_rest"])))  # each triangle of a wall pushed by itself
        a.setdefault("thick", np.array([np.inf]))
        solver._scratch = solver._room_for_steps()
        return solver


_SAVED = (
    "dt", "step", "extent", "rebuilds", "width", "inserted", "next_id", "energy_error", "energy_at_start",
    "stored_at_start", "potential_at_start", "skin", "turned",
)  # fmt: skip
