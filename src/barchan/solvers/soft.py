"""The soft-sphere solver: grains of spheres that overlap a little and push each other apart (Yee 2009)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from barchan.errors import Finding, RunError
from barchan.geometry import multiply, rotation_about
from barchan.kernels import compile as kernel_compiler
from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.solvers import soft_arrays
from barchan.solvers.soft_arrays import GHOSTS, Arrays
from barchan.solvers.soft_lists import Lists


def _still(t: float) -> tuple[float, ...]:
    """The path of a wall that does not move."""
    return (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def _nothing(x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """The gap to a wall where there is none."""
    return 1e300, 0.0, 0.0, 1.0


class SoftSolver:
    """Advances the grains of a model. Time is step · dt; between visits many steps run in compiled code."""

    name = "soft"

    def __init__(self, model: Model, grains: Grains, time_step: float) -> None:
        self.model = model
        self.dt = time_step
        self.step = 0
        self.drifted = False
        walls = model.walls
        self.kernels = kernel_compiler.bind(
            model.law, model.wall_law, walls.gaps or [_nothing], walls.paths or [_still],
            {
                "CLUMPS": grains.clumped,
                "PERIODIC": bool(model.periodic.any()),
                "ROLLING": bool(model.table[:, 12:14].any()),
                "STICTION": model.scene.stiction is not None,
                "MATERIALS": model.kinds > 1,
            },
        )  # fmt: skip
        self.clumped = grains.clumped
        self.arrays = soft_arrays.grain_arrays(grains, model)
        self.arrays["pose"] = np.zeros((len(walls), 16))
        self.arrays["strayed"] = np.zeros(2)
        self.lists = Lists(model, self.kernels, self.arrays)
        self._constants()
        self._place_spheres()
        self._rebuild()
        # The first evaluation has half a step's weight in the ledger and does not advance the friction.
        self.kernels.evaluate(self._packed(), 0.0, 0.0, self.dt, 0.0, 0.5 * self.dt, 0.0)

    def __len__(self) -> int:
        return len(self.arrays["id"])

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.step * self.dt

    # ------------------------------------------------------------ stepping

    def advance(self, steps: int) -> None:
        """Take that many steps."""
        done = 0
        while done < steps:
            taken, self.drifted = self.kernels.verlet_steps(
                self._packed(), self.step, steps - done, self.drifted, self.dt, self.lists.limit
            )
            done += taken
            self.step += taken
            if self.drifted:
                self._check_finite()
                self._rebuild()
        self._turn()

    def meet_walls(self) -> None:
        """Let walls appear and vanish as the present time says."""
        present = self.model.walls.present(self.time + 1e-9 * self.dt)
        if np.any(present != self.lists.present):
            self.lists.present = present
            self._rebuild()

    def _rebuild(self) -> None:
        a, walls = self.arrays, self.model.walls
        self.kernels.move_walls(
            (self.step + self.drifted) * self.dt, len(walls), walls.rest, walls.motion_range, walls.motion_kind,
            walls.motion_table, a["pose"],
        )  # fmt: skip
        self.lists.rebuild(self.step, may_sort=True)
        a["strayed"][:] = 0.0, self._wall_speed()

    def _wall_speed(self) -> float:
        """No wall moves faster, m/s, within reach of any grain."""
        position = self.arrays["position"][: len(self)]
        if not len(position):
            return 0.0
        middle = 0.5 * (position.min(axis=0) + position.max(axis=0))
        size = float(np.linalg.norm(position.max(axis=0) - middle)) + self.lists.largest
        fastest = 0.0
        for wall in self.model.scene.walls:
            speed = sum(m.speed(float(np.linalg.norm(middle - m.pivot())) + size) for m in wall.motion)
            fastest = max(fastest, speed)
        return fastest

    def _turn(self) -> None:
        """Bring the orientations of single spheres up to date; those of clumps always are."""
        if self.clumped:
            return
        turn = self.arrays["turn"]
        angle = np.linalg.norm(turn, axis=1)
        moved = angle > 0
        if moved.any():
            q = self.arrays["orientation"]
            q[moved] = multiply(rotation_about(turn[moved], angle[moved]), q[moved])
            q[moved] /= np.linalg.norm(q[moved], axis=1, keepdims=True)
            turn[:] = 0.0

    def _place_spheres(self) -> None:
        a = self.arrays
        start, _ = soft_arrays.sphere_arrays(a)
        self.kernels.place_spheres(len(self), start, a["offset"], a["position"], a["orientation"], a["place"])

    # ------------------------------------------------------------ arrays for the kernels

    def _constants(self) -> None:
        model, stiction = self.model, self.model.scene.stiction
        hold = (0.0, 0.0, 1.0) if stiction is None else (stiction.strength, stiction.spin_strength, stiction.duration)
        self._fixed = {
            "rest": model.walls.rest,
            "kind": model.walls.kind,
            "shape_table": model.walls.shape_table,
            "piece_material": model.walls.material,
            "motion_range": model.walls.motion_range,
            "motion_kind": model.walls.motion_kind,
            "motion_table": model.walls.motion_table,
            "table": model.table,
            "wall_table": model.wall_table,
            "box": model.box,
            "inverse": np.divide(1.0, model.box, out=np.zeros(3), where=model.box > 0),
            "gravity": model.gravity,
            "freedom": model.freedom,
            "stiction": np.array(hold),
        }

    def _packed(self) -> Arrays:
        known = {**self._fixed, **self.arrays}
        counts = {
            "grains": len(self),
            "pieces": len(self.model.walls),
            "blocks": soft_arrays.blocks(self.lists.pairs),
            "wall_contacts": self.lists.wall_contacts,
            "kinds": self.model.kinds,
        }
        return Arrays(**{name: counts[name] if name in counts else known[name] for name in Arrays._fields})

    # ------------------------------------------------------------ safety

    def _check_finite(self) -> None:
        n = len(self)
        good = np.isfinite(self.arrays["position"][:n]).all(axis=1) & np.isfinite(self.arrays["velocity"]).all(axis=1)
        if not good.all():
            g = int(np.flatnonzero(~good)[0])
            raise RunError(Finding(
                f"t = {self.time:.6g} s", f"grain {self.arrays['id'][g]} has a position or velocity that is not a number",
                "", "the time step is too long, or grains started deep inside each other: take a shorter time_step",
            ))  # fmt: skip
