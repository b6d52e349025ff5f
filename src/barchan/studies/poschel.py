"""What the studies of Pöschel and Buchholtz (1995) share: two squares that meet, and their figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from barchan.frame import Frame
from barchan.model.build import build
from barchan.scene import Scene, load
from barchan.solvers.beams import checks, ledger
from barchan.solvers.beams.solver import BeamSolver

QUIET = 1e-3  # s without contact that end a hit: longer than the vibrations of a grain, shorter than its flight
OFFSET = 0.75  # of the edge, by which the resting square lies aside
FLIGHT = 4.0  # edges that the moving square would go while we look


@dataclass(frozen=True)
class Collision:
    """Two squares before, while and after they meet; S samples."""

    speed: float  # m/s
    size: float  # m
    time: np.ndarray  # (S,) s
    touching: np.ndarray  # (S,) bool
    moving_energy: np.ndarray  # (S,) J, of the grains' centres of mass
    turning_energy: np.ndarray  # (S,) J, of their rotation
    total_energy: np.ndarray  # (S,) J, of all triangles, contacts and beams
    spin: np.ndarray  # (S, 2) rad/s, counter-clockwise
    frames: tuple[Frame, ...]

    @property
    def hits(self) -> int:
        """How often they met: spells of contact with more than QUIET between them."""
        touched = self.time[self.touching]
        return 0 if not len(touched) else 1 + int(np.count_nonzero(np.diff(touched) > QUIET))

    @property
    def turn(self) -> float:
        """The larger spin at the end, over speed/size."""
        return float(np.abs(self.spin[-1]).max()) * self.size / self.speed

    @property
    def lost(self) -> float:
        """The share of the energy that the beams have taken."""
        return 1.0 - float(self.total_energy[-1] / self.total_energy[0])


def collide(speed: float, *, samples: int = 160, snapshots: int = 9, contact: str = "paper") -> Collision:
    """A square flies at `speed` (m/s) at a resting one; the scene is `two-squares`."""
    scene: Scene = load("two-squares", [f"beams.contact={contact}", f"grains[0].velocity=[{speed},0,0]"])
    model, grains = build(scene)
    size = 2 * float(grains.radius[0]) / np.sqrt(2.0)
    solver = BeamSolver(model, grains, checks.choose(model, grains).value)
    gap = float(grains.position[1, 0] - grains.position[0, 0]) - size
    steps = round((gap + FLIGHT * size) / speed / solver.dt / samples)
    rows, frames, seen = [], [solver.frame()], 0
    for k in range(samples):
        solver.advance(steps)
        now, body, state = int(solver.arrays["seen"].sum()), ledger.bodies(solver), ledger.present(solver)
        inertia = grains.inertia[:, 1]
        rows.append((
            solver.time, now > seen, 0.5 * np.sum(body.mass * np.sum(body.velocity**2, axis=1)),
            0.5 * np.sum(inertia * body.spin**2), solver.kinetic_energy() + state.stored + state.beam_energy,
            *body.spin,
        ))  # fmt: skip
        seen = now
        if (k + 1) * (snapshots - 1) // samples > k * (snapshots - 1) // samples:
            frames.append(solver.frame())
    table = np.array(rows, float)
    return Collision(
        speed, size, table[:, 0], table[:, 1] > 0, table[:, 2], table[:, 3], table[:, 4], table[:, 5:], tuple(frames)
    )
