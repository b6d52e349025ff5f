"""Run a scene, or go on with a run that was stopped."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shlex
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from barchan import __version__, solvers
from barchan.drawn import Drawn
from barchan.model.build import build_model
from barchan.record import checkpoint
from barchan.record.folder import create, default_folder
from barchan.record.recorder import Recorder
from barchan.record.recording import Recording
from barchan.scene import Scene, dumps
from barchan.scene.toml import loads_recorded
from barchan.simulation import progress as shown
from barchan.simulation import summary
from barchan.simulation.interrupt import Interrupt
from barchan.simulation.plan import Measures, Plan
from barchan.simulation.progress import Progress
from barchan.simulation.schedule import Schedule
from barchan.simulation.session import Session
from barchan.simulation.story import Story

PREPARING = "preparing kernels (the first run of a new kind of scene compiles for some seconds)"
FEW_SPHERES = 1000  # below it one thread is faster than several


@dataclass(frozen=True)
class RunResult(Drawn):
    """A finished run."""

    folder: Path
    summary: Mapping[str, Any]  # what was found, in SI units
    was_finished: bool = False  # nothing was left to be done
    scene: Scene | None = None  # as it was run; None: as it was recorded

    @property
    def recording(self) -> Recording:
        """The frames and series of the run."""
        return Recording(self.folder, scene=self.scene)


def run(
    scene: Scene,
    folder: Path | str | None = None,
    *,
    force: bool = False,
    threads: int | None = None,
    device: str = "cpu",
    precision: str = "double",
    progress: Progress | None = None,
) -> RunResult:
    """Run a scene and record it in `folder`, which must be new unless `force`; left out, it is `runs/<name>-<n>`.

    `threads` changes the speed and not a bit of the result. `device` "cuda" computes soft spheres on a GPU; what that
    lacks is a SceneError. `precision` "mixed", there, keeps all but positions in single precision. `progress` shows how
    far the run is; left out, it is a line on the terminal. Ctrl-C saves a checkpoint and raises `Interrupted`, a
    KeyboardInterrupt; `resume` goes on from it.
    """
    with _shown(progress) as progress:
        solvers.check_device(None, device, precision)
        plan = Plan.of(scene, device=device)
        solvers.check_device(plan.model, device, precision)
        for warning in plan.warnings:
            progress.note(f"warning: {warning}")
        count = _use_threads(threads, plan.most_spheres)
        where = create(default_folder(scene.name) if folder is None else folder, force=force)
        meta = {**_provenance(scene), "device": device, "precision": precision}
        return _start(plan, where, meta, count, progress, resume=None)


def resume(folder: Path | str, *, threads: int | None = None, progress: Progress | None = None) -> RunResult:
    """Go on with the run in `folder` from its last checkpoint: it ends with the same bits as if never stopped."""
    where = Path(folder)
    with _shown(progress) as progress:
        with Recording(where) as recording:
            scene_toml, meta, finished = recording.scene_toml, recording.meta, recording.finished
            if finished:
                return RunResult(where, {**recording.summary, **summary.read(where)}, was_finished=True)
        scene = loads_recorded(scene_toml, str(where), to_run=True)
        solvers.check_device(None, **_where(meta))
        _compare_versions(meta, progress)
        if not checkpoint.is_there(where):
            plan = Plan.of(scene, device=_where(meta)["device"])
            count = _use_threads(threads, plan.most_spheres)
            return _start(plan, where, meta, count, progress, resume=(0, 0))
        return _go_on(scene, where, meta, threads, progress)


def _start(
    plan: Plan, where: Path, meta: Mapping[str, Any], threads: int, progress: Progress, resume: tuple[int, int] | None
) -> RunResult:
    """Run from the scene's start; `resume` is (0, 0) where a run stopped before its first checkpoint."""
    scene, series = plan.scene, plan.measures.series
    recorder = Recorder(where, scene_toml=dumps(scene), meta=meta, series=series, resume=resume)
    with Interrupt() as interrupt, recorder:
        began = time.monotonic()
        progress.status(PREPARING)
        solver = solvers.create(plan.model, plan.grains, plan.time_step.value, **_where(meta))
        solver.meet_walls()
        session = Session(
            scene, solver, recorder, plan.measures, Story(scene), pieces=plan.pieces, progress=progress,
            interrupt=interrupt, began=began,
        )  # fmt: skip
        return _result(where, scene, session.go(plan.schedule.visits()), threads)


def _go_on(scene: Scene, where: Path, meta: Mapping[str, Any], threads: int | None, progress: Progress) -> RunResult:
    """Run from the last checkpoint."""
    arrays, saved = checkpoint.load(where)
    measures, model = Measures.of(scene), build_model(scene)
    counts = (saved["frames"], saved["samples"])
    recorder = Recorder(where, scene_toml=dumps(scene), meta=meta, series=measures.series, resume=counts)
    with Interrupt() as interrupt, recorder:
        began = time.monotonic() - saved["wall_time"]
        progress.status(PREPARING)
        solver = solvers.restore(model, arrays, saved["solver"], **_where(meta))
        count = _use_threads(threads, solver.sphere_count)
        schedule = Schedule.of(scene, pieces=saved["pieces"], edges=model.walls.edges())
        story = Story(scene)
        story.restore(saved["story"])
        session = Session(
            scene, solver, recorder, measures, story, pieces=saved["pieces"], progress=progress, interrupt=interrupt,
            began=began, saved=saved["time"],
        )  # fmt: skip
        return _result(where, scene, session.go(schedule.visits(after=saved["time"])), count)


def _where(meta: Mapping[str, Any]) -> dict[str, str]:
    """The device and the precision that a run was begun with: it goes on with them."""
    return {"device": meta.get("device", "cpu"), "precision": meta.get("precision", "double")}


def _result(where: Path, scene: Scene, numbers: Mapping[str, Any], threads: int) -> RunResult:
    told = {**numbers, "threads": threads}
    summary.write(where, told)
    return RunResult(where, told, scene=scene)


@contextmanager
def _shown(progress: Progress | None) -> Iterator[Progress]:
    """The progress asked for, or the one that suits the terminal; stopped at the end, so that the terminal is whole."""
    teller = shown.chosen() if progress is None else progress
    try:
        yield teller
    finally:
        teller.stop()


def _use_threads(asked: int | None, spheres: int) -> int:
    """Let the kernels use the threads asked for; left out, one for few spheres and all that are idle for many."""
    from barchan.kernels import threads

    count = asked if asked is not None else 1 if spheres < FEW_SPHERES else threads.idle()
    threads.use(count)
    return count


def _provenance(scene: Scene) -> dict[str, Any]:
    """Where a recording comes from: versions, machine, seed and command."""
    return {
        "versions": _versions(),
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "seed": scene.seed,
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
    }


def _versions() -> dict[str, str]:
    packages = {name: importlib.metadata.version(name) for name in ("numpy", "numba", "h5py")}
    return {"barchan": __version__, "python": platform.python_version(), **packages}


def _compare_versions(meta: Mapping[str, Any], progress: Progress) -> None:
    """Tell if the run was begun with other versions: then the same bits cannot be promised."""
    before, now = meta.get("versions", {}), _versions()
    changed = [f"{name} {before[name]}" for name in now if before.get(name, now[name]) != now[name]]
    if changed:
        progress.note(f"note: this run was begun with {', '.join(changed)}; its last bits may differ from now on")
