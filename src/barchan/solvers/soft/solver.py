"""The soft-sphere solver: grains of spheres that overlap a little and push each other apart (Yee 2009)."""

from __future__ import annotations

import functools
from typing import Any, ClassVar, Self

import numpy as np

from barchan.kernels import threads
from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.model.layout import END, LAW_COLUMNS, SERVO_COLUMNS, START
from barchan.scene.method import SoftSpheres
from barchan.solvers import common, servo_limits
from barchan.solvers.base import gaps
from barchan.solvers.helper import Helper
from barchan.solvers.servo_limits import ServoSolver
from barchan.solvers.soft import arrays as soft_arrays
from barchan.solvers.soft import box, changes, ledger, prepare, steppers, tethers
from barchan.solvers.soft import watch as soft_watch
from barchan.solvers.soft.arrays import Arrays
from barchan.solvers.soft.bindings import bind_soft

from barchan.solvers.soft.layout import (  # isort: skip
    GRAIN_SPEED, HELD_LOSS, HELD_LOSS_POWER, HELD_WORK, HELD_WORK_POWER, HOP_LEEWAY, HOP_LEVER,
    HOP_RADIUS, HOPPED, LANES, WALL_WORKS,
)  # fmt: skip
from barchan.solvers.soft.lists import DERIVED, Lists, Tempo


class SoftSolver(ServoSolver):
    """Advances the grains of a model; between visits many steps run in compiled code."""

    method = SoftSpheres
    saved: ClassVar[tuple[str, ...]] = (
        "dt", "step", "extent", "drifted", "clumped", "inserted", "skipped", "energy_at_start", "potential_at_start",
        "stored_at_start", "energy_error", "turned", "gift",
    )  # fmt: skip
    step = 0
    gift = 0.0  # J, the most that contacts had given beyond what they got, under laws that may

    def __init__(self, model: Model, grains: Grains, time_step: float) -> None:
        self.model = model
        self.dt = time_step
        self.drifted = False
        self.clumped = grains.clumped or model.poured.clumped
        self.extent = servo_limits.extent(model, grains)  # m
        self._bind()
        helper = Helper(self.kernels.sweep, prepare.compile_forces, self._bound())
        if helper.at_work:
            prepare.share(self.kernels, adaptive=self.stepping.chooses)
        self.arrays = soft_arrays.grain_arrays(grains, model)
        self.arrays.update(tethers.tether_arrays(model, grains))
        self.arrays.update(box.box_arrays(model, grains))
        self.arrays["pose"] = np.zeros((len(model.walls.rest), 16))
        self.arrays["motion_table"] = model.walls.motion_table.copy()
        self.arrays["servo"] = np.zeros((len(model.walls.servo_row), SERVO_COLUMNS))
        self.arrays["strayed"] = np.zeros(3)  # m that walls have gone, m that they may; 1/m, over the smallest leeway
        self.arrays.update(self.changing(model))
        # What walls have taken since a step; J: of events, and that grains have gained by crossing a box that deforms.
        self.arrays.update(swallowed=np.zeros(1), booked=np.zeros(5), crossed=np.zeros(1))
        self.arrays.update(steppers.controls(model, grains, time_step))
        self.arrays["servo_table"] = model.walls.servo_table.copy()
        self.note_walls()
        self.lists = Lists(model, self.kernels, self.arrays)
        self._constants()
        self._place_spheres()
        self.stepper = self.stepping(self)
        self.rebuild(tidy=True)
        self.inserted, self.skipped = len(grains), gaps(grains)
        self.stored_at_start = [[0.0, 0.0], [0.0, 0.0]]  # J, as in `ledger.totals`
        if helper.at_work:
            ledger.states(self)  # asked for below: it is compiled while the other process is at work
            helper.wait_for(self.kernels.evaluate)
        # Friction and work are held half a step ahead of the positions: bring them there, then find the first forces.
        ahead = self.stepper.half * self.dt
        if ahead:
            self.kernels.evaluate(self.packed(), 0.0, 0.5 * ahead, self.dt, 1.0, 0.0, 0.0, 0.0, 0)
        self.kernels.evaluate(self.packed(), 0.0, -ahead, self.dt, 0.0, ahead, ahead, 0.0, 0)
        self._fixed["hop"][HOPPED] = 0.0  # no step was taken yet
        state, done = ledger.account(self)
        self.stored_at_start = ledger.totals(state).tolist()
        book = ledger.energies(self, state, done)
        self.energy_at_start, self.potential_at_start = book["energy_total"], book["potential_energy"]
        helper.wait()

    @functools.cached_property
    def forces_address(self) -> int:
        """Where the compiled pass over all forces begins, which the kernels of steps call."""
        return prepare.ready(self.kernels, adaptive=self.stepping.chooses)

    @property
    def impact(self) -> float:
        """The fastest impact, m/s, that adaptive steps reckon with."""
        return float(self.arrays["controls"][GRAIN_SPEED])

    def _bind(self) -> None:
        model, walls = self.model, self.model.walls
        self.stepping = steppers.stepping(model.scene.integrator)
        self.switches = {
            "BRANCH": model.law.form()[1],
            "CLUMPS": self.clumped,
            "MESHES": bool((walls.mesh >= 0).any()),
            "PERIODIC": bool(model.periodic.any()),
            "REPEATED": walls.repeated,
            "DEFORMS": model.scene.deformation is not None,
            "ROLLING": bool(model.table[:, LAW_COLUMNS : LAW_COLUMNS + 2].any()),
            "STICTION": model.scene.stiction is not None,
            "SERVOS": len(walls.servo_row) > 0,
            "MATERIALS": model.kinds > 1,
            "ADAPTIVE": self.stepping.chooses,
        }
        self.kernels = bind_soft(*self._bound())

    def _bound(self) -> tuple[Any, ...]:
        """What is bound into the kernels."""
        model, walls = self.model, self.model.walls
        return model.law, model.wall_law, walls.gaps, walls.paths, self.switches, box.course_of(model)

    @property
    def sphere_count(self) -> int:
        return len(self.arrays["place"]) - soft_arrays.GHOSTS

    @property
    def lengths(self) -> np.ndarray:
        """Lengths of the periodic box at present, (3,) m, 0 along open axes."""
        return self.arrays["box"][:3]

    @property
    def list_counts(self) -> tuple[int, int]:
        return self.lists.rebuilds, self.lists.searches

    @property
    def worst_overlap(self) -> float:
        return self.lists.deepest()[0]

    @property
    def time(self) -> float:
        return self.stepper.time

    # ------------------------------------------------------------ stepping

    def advance(self, steps: int) -> None:
        self.advance_to(self.time + steps * self.dt)

    def advance_to(self, t: float) -> None:
        self.stepper.advance_to(t)

    def refresh(self, *, tidy: bool, worn: bool = True) -> None:
        """Bring the lists of near pairs and walls up to the present positions; options as for `Lists.rebuild`."""
        if self.lists.refresh(self._tempo(), worn=worn):
            self._measure_hops()
        else:
            self.rebuild(tidy=tidy, worn=worn)

    def rebuild(self, *, tidy: bool, worn: bool = True, old_index: np.ndarray | None = None) -> None:
        """Make the lists of near pairs and walls anew; options as for `Lists.rebuild`."""
        a, walls = self.arrays, self.model.walls
        self.kernels.move_walls(
            self.stepper.pose_time, len(walls.rest), walls.rest, walls.motion_range, walls.motion_kind,
            a["motion_table"], a["begun"], a["pose"],
        )  # fmt: skip
        a["reach"] = self._reach()
        self.lists.rebuild(self._tempo(), tidy=tidy, worn=worn, old_index=old_index)
        self._measure_hops()
        tethers.meet_grains(a)
        a["reach"] = self._reach()

    def _tempo(self) -> Tempo:
        a, walls = self.arrays, self.model.walls
        speed = self.kernels.wall_pace(len(walls.rest), a["pose"], walls.axial, a["reach"])
        fastest = max(float(speed), self.stepper.wall_fastest)
        return Tempo(
            self.stepper.evaluations,
            self.stepper.beat,
            float(speed),
            fastest,
            self.stepper.stride,
            self.stepping.chooses,
        )

    def _reach(self) -> np.ndarray:
        """The middle of the grains and their farthest distance from it, m: where walls matter."""
        position = self.arrays["position"][: len(self)]
        if not len(position):
            return np.zeros(4)
        middle = 0.5 * (position.min(axis=0) + position.max(axis=0))
        far = np.linalg.norm(position.max(axis=0) - middle) + self.arrays["bound"].max()
        return np.array([*middle, far])

    def _place_spheres(self) -> None:
        a = self.arrays
        start, _ = soft_arrays.sphere_arrays(a)
        self.kernels.place_spheres(len(self), start, a["offset"], a["position"], a["orientation"], a["place"])

    # ------------------------------------------------------------ changes between two steps

    room = changes.room
    _insert = changes.insert
    _remove = changes.remove

    def note_walls(self) -> None:
        self.arrays["servo_table"][:, [START, END]] = self.model.walls.spans(self.arrays["begun"], self.arrays["rule"])

    meet_walls = changes.meet_walls
    start_motion = changes.start_motion
    change_gravity = changes.change_gravity

    # ------------------------------------------------------------ arrays for the kernels

    def _constants(self) -> None:
        model, stiction = self.model, self.model.scene.stiction
        hold = (0.0, 0.0, 1.0) if stiction is None else (stiction.strength, stiction.spin_strength, stiction.duration)
        self._fixed = {
            "rest": model.walls.rest,
            "frame": model.walls.frame,
            "mesh": model.walls.mesh,
            "facet_table": model.walls.facet_table,
            "kind": model.walls.kind,
            "axial": model.walls.axial,
            "shape_table": model.walls.shape_table,
            "piece_material": model.walls.material,
            "motion_range": model.walls.motion_range,
            "motion_kind": model.walls.motion_kind,
            "servo_row": model.walls.servo_row,
            "frame_servo": model.walls.frame_servo,
            "table": model.table,
            "wall_table": model.wall_table,
            "absorbing": model.walls.absorbing,
            "freedom": model.freedom,
            "stiction": np.array(hold),
            "hop": np.array([model.scene.wall_step_limit, 0.0, 0.0, 0.0, 0.0]),
        }
        self._measure_hops()

    @property
    def hopped(self) -> bool:
        """Whether a step has just moved a grain too far against a wall."""
        return bool(self._fixed["hop"][HOPPED])

    def _measure_hops(self) -> None:
        """By what a step may move a grain against a wall: see `solvers/soft/kernels/surfaces.py`."""
        a = self.arrays
        self._fixed["hop"][[HOP_RADIUS, HOP_LEVER, HOP_LEEWAY]] = (
            self.lists.radius, np.sqrt(np.max(np.sum(a["offset"] ** 2, axis=1))),
            np.inf if self.stepping.chooses else self.lists.widest,  # lists hold for a fixed step
        )  # fmt: skip

    def packed(self) -> Arrays:
        """The arrays as the kernels take them."""
        threads.refuse_lost()
        for name in soft_arrays.BY_ROW:
            self.arrays[name] = soft_arrays.aligned(self.arrays[name])
        known: dict[str, Any] = {**self._fixed, **self.arrays}
        counts: dict[str, Any] = {
            "grains": len(self),
            "spheres": len(self.arrays["place"]) - soft_arrays.GHOSTS,
            "frames": len(self.model.walls.rest),
            "blocks": soft_arrays.blocks(self.lists.pairs),
            "wall_contacts": self.lists.wall_contacts,
            "kinds": self.model.kinds,
            "mask": self.lists.mask,
            "behind": self.lists.behind,
        }
        return Arrays(**{name: counts[name] if name in counts else known[name] for name in Arrays._fields})

    # ------------------------------------------------------------ reading

    _frame = ledger.frame
    positions = ledger.positions

    def fastest(self) -> float:
        return float(np.linalg.norm(self.arrays["velocity"], axis=1).max(initial=0.0))

    kinetic_energy = ledger.kinetic

    def work_done(self, *, advance: float = 0.0, **instead: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Work done so far, J: against pairs (normal, friction, rolling), and against walls with the walls' own.

        In a deforming box the pairs have a fourth, the work of the box through them.

        Each step's power has entered with the weight of the whole step, so half of the present one is taken back.
        `advance` and `instead`: as for `contacts_again`.
        """
        a, k = self.arrays, self.kernels
        pairs, walls = np.zeros_like(a["work"]), np.zeros_like(a["wall_work"])
        self.contacts_again(-self.stepper.half * self.dt, -1, advance=advance, work=pairs, wall_work=walls, **instead)
        totals, wall_totals = self.lists.totals.copy(), self.lists.wall_totals.copy()
        for lanes in (a["work"], pairs):
            totals += lanes.reshape(-1, k.WORKS, LANES).sum(axis=(0, 2))
        for lanes in (a["wall_work"], walls):
            wall_totals += soft_arrays.lane(lanes, self.lists.wall_contacts, WALL_WORKS).sum(axis=0)
        if "works" in self.arrays:
            totals += self.arrays["works"][: k.WORKS]
            wall_totals += self.arrays["works"][k.WORKS :]
        return totals, wall_totals

    def contacts_again(self, weight: float, onward: int, *, advance: float = 0.0, **instead: np.ndarray) -> None:
        """Ask all contacts once more, as they are at this moment, with other arrays in the places of some.

        weight: time, s, with which their power enters the work. onward: 0 to keep the forces of pairs, −1 not to.
        advance: 1 to keep what contacts remember, which is then half a step behind. Nothing else is changed.
        """
        c, half = self.packed(), self.stepper.half * self.dt
        kept = {name: getattr(c, name).copy() for name in soft_arrays.TOUCHED if name not in instead}
        again = c._replace(grains=0, **{**kept, **instead})
        self.kernels.evaluate(again, self.stepper.pose_time, -half, self.dt, advance, weight, 0.0, 0.0, onward)

    def stiction_work(self) -> tuple[float, float]:
        """Energy, J, that stiction has taken from the grains, and work that moving walls have done through it."""
        held, half = self.arrays["held"].sum(axis=0), self.stepper.half * self.dt
        gone = self.arrays["booked"][changes.HELD :]
        return float(held[HELD_LOSS] - half * held[HELD_LOSS_POWER] + gone[0]), float(
            held[HELD_WORK] - half * held[HELD_WORK_POWER] + gone[1]
        )

    def servo_books(self) -> np.ndarray:
        """Books of walls moved by forces: as with contacts, half of the present step's power is taken back."""
        a = self.arrays
        return common.servo_books(self.model, a["servo"], a["motion_table"], self.stepper.half * self.dt)

    # ------------------------------------------------------------ safety, and coming back

    watch = soft_watch.check

    def statistics(self) -> dict[str, Any]:
        return {
            "steps": self.step,
            "time_step": self.dt,
            "worst_overlap": self.worst_overlap,
            "energy_error": self.energy_error,
            "list_rebuilds": self.lists.rebuilds,
            "list_searches": self.lists.searches,
            "grains_in": self.inserted,
            "grains_out": self.inserted - len(self),
            **self.stepper.statistics(),
            **soft_watch.gifts(self),
        }

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        own = {name: array.copy() for name, array in self.arrays.items() if name not in DERIVED}
        arrays = {**own, **self.lists.state_arrays()}
        return arrays, {**self.numbers(), "lists": self.lists.state_numbers()}

    @classmethod
    def restored(cls, model: Model, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> Self:
        solver = cls.resumed(model, meta)
        solver.arrays = dict(arrays)
        solver._bind()
        solver.lists = Lists.restored(model, solver.kernels, solver.arrays, meta["lists"])
        solver._constants()
        solver.stepper = solver.stepping(solver)
        return solver
