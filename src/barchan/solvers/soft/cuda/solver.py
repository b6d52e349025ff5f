"""The soft-sphere solver on a GPU: steps and lists there, everything else as on the CPU, between two visits."""

from __future__ import annotations

from typing import Any

import numpy as np

from barchan.errors import Finding, RunError, SceneError
from barchan.kernels import cuda_device
from barchan.kernels.cuda_device import fetch
from barchan.model.build import Model
from barchan.model.grains import Grains
from barchan.solvers.soft import changes, watch
from barchan.solvers.soft.bindings import bind_cuda
from barchan.solvers.soft.cuda.grains import BATCH, CudaGrains
from barchan.solvers.soft.layout import GONE_BY_WALLS, SWALLOWED, TOO_FAR, WORN
from barchan.solvers.soft.lists import Lists
from barchan.solvers.soft.solver import SoftSolver
from barchan.solvers.soft.steppers import VerletStepper

FEWEST = 4  # steps that are launched without looking, where lists wear out quickly


def refuse(model: Model | None) -> None:
    """SceneError with all of a scene that the GPU lacks, or where there is no GPU; None: a scene not known yet."""
    if model is None:
        cuda_device.require()
        return
    scene, walls = model.scene, model.walls
    lacking = [
        ("cuda" not in scene.method.devices, "solver", repr(scene.solver)),
        ("cuda" not in scene.integrator.can, "integrator", repr(scene.integrator.key)),
        (len(walls.servo_row) > 0, "walls", "a wall that forces move (servo)"),
        (bool(scene.tethers), "tethers", f"{len(scene.tethers)} of them"),
        (scene.drag > 0, "drag", f"{scene.drag:g} N s/m"),
        (scene.deformation is not None, "deformation", "a box that deforms"),
    ]
    findings = [
        Finding(where, what, "the GPU does not compute it yet", "use --device cpu")
        for lacks, where, what in lacking
        if lacks
    ]
    if findings:
        raise SceneError(findings)
    cuda_device.require()


class CudaSolver(SoftSolver):
    """Keeps the state on the device while it steps, and in the same arrays as on the CPU when someone looks.

    Whatever reads `arrays` or `lists` brings the state to the host first. Changes between two steps are made there, and
    the next step sends the whole state again.
    """

    saved = (*SoftSolver.saved, "precision")
    precision: str
    _device: CudaGrains | None = None  # None: the host has changed something, or nothing was sent yet
    _ahead = False  # the device has stepped since the host last looked

    def __init__(self, model: Model, grains: Grains, time_step: float, *, precision: str = "double") -> None:
        self.precision = precision
        super().__init__(model, grains, time_step)

    def _bind(self) -> None:
        super()._bind()
        self.stepping = CudaStepper
        self.device_kernels = bind_cuda(*self._asked(), single=self.precision == "mixed")
        self.device_name = cuda_device.name()

    def _asked(self) -> tuple[Any, ...]:
        """What is bound, without the surfaces and motions that no wall has: they would take registers of the device."""
        law, wall_law, gaps, paths, switches, _ = self._bound()
        kinds, motions = set(self.model.walls.kind) or {0}, set(self.model.walls.motion_kind) or {0}
        return (
            law, wall_law, [gap if k in kinds else None for k, gap in enumerate(gaps)],
            [path if k in motions else None for k, path in enumerate(paths)], switches,
        )  # fmt: skip

    # ------------------------------------------------------------ two places for one state

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays of the CPU, as they are now."""
        self.meet()
        return self._arrays

    @arrays.setter
    def arrays(self, arrays: dict[str, np.ndarray]) -> None:
        self._arrays = arrays

    @property
    def lists(self) -> Lists:
        """The lists of the CPU, as they are now."""
        self.meet()
        return self._lists

    @lists.setter
    def lists(self, lists: Lists) -> None:
        self._lists = lists

    def meet(self) -> None:
        """Bring the state to the host, if it is ahead on the device."""
        if self._ahead and self._device is not None:
            self._ahead = False
            self._device.fetch()
            self._find_forces()

    @property
    def list_counts(self) -> tuple[int, int]:
        # This brings nothing to the host.
        return self._lists.rebuilds, self._lists.searches

    def _find_forces(self) -> None:
        """The forces of all contacts at this moment, for those who look: on the device they are added up at once."""
        self.contacts_again(0.0, 0, wall_slots=self.arrays["wall_slots"])

    @property
    def device(self) -> CudaGrains:
        """The state on the device; it is sent there if the host has changed it."""
        if self._device is None:
            self._lists.flush()  # the host's books of work are closed: the device begins its own
            self._device = CudaGrains(
                self._lists, self.device_kernels, {**self._fixed}, single=self.precision == "mixed", dt=self.dt
            )
        self._ahead = True
        return self._device

    def rebuild(self, *, tidy: bool, worn: bool = True, old_index: np.ndarray | None = None) -> None:
        """Make the lists anew on the host, which has changed something."""
        self.meet()
        self._device = None
        super().rebuild(tidy=tidy, worn=worn, old_index=old_index)


class CudaStepper(VerletStepper):
    """Fixed steps on the device, in batches that the host looks at when they are over."""

    solver: CudaSolver
    life = BATCH  # steps that the last list lasted

    def advance(self, steps: int) -> None:
        """Take that many steps."""
        solver, done, pending = self.solver, 0, False
        while done < steps:
            device = solver.device
            numbers = device.lists.numbers
            wanted = min(steps - done, BATCH, self._likely(solver.step - numbers.made))
            batch = device.batch(solver.step, wanted, pending=pending, trailing=done + wanted < steps)
            done += batch.done
            solver.step += batch.done
            pending = batch.pending
            numbers.arrays["strayed"][GONE_BY_WALLS] = batch.strayed
            if batch.why & TOO_FAR:
                raise self._too_far(device)
            if batch.why & WORN:
                self.life = solver.step - numbers.made
                if not device.lists.refresh(solver.step, (solver.step + 1) * solver.dt):
                    solver.drifted = True
                    watch.finite(solver)
            elif batch.why & SWALLOWED:
                changes.swallow(solver)

    def _too_far(self, device: CudaGrains) -> RunError:
        """What is told of a step that was too long for a grain near a wall."""
        way, piece = fetch(device.hop, device.spheres), fetch(device.hop_with, device.spheres)
        sphere = int(np.argmax(way))
        grain = int(self.solver.arrays["grain"][sphere])  # now both are in the order of the host
        return watch.too_far(self.solver, grain, int(piece[sphere]), float(way[sphere]), self.solver.dt)

    def _likely(self, age: int) -> int:
        """How many more steps a list of this age, in steps, will last, if it lives about as long as the last one."""
        return max(FEWEST, self.life - age, age // 4)
