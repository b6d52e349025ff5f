"""One run in one process, from wherever it stands to its end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from barchan.errors import Finding, RunError
from barchan.frame import Frame
from barchan.record import checkpoint
from barchan.record.folder import CHECKPOINT
from barchan.record.recorder import Recorder
from barchan.scene import Scene
from barchan.simulation import census, summary
from barchan.simulation.interrupt import Interrupt, Interrupted
from barchan.simulation.plan import Measures, divisors
from barchan.simulation.progress import Progress, Pulse
from barchan.simulation.schedule import Reason, Visit
from barchan.simulation.story import Story
from barchan.solvers.base import Solver

ONLY_LOOK = frozenset({Reason.LOOK})


class Session:
    """Advances a solver from visit to visit, records, watches, and saves checkpoints.

    What is done at a visit depends on the schedule alone, never on the wall clock, so that a run that was stopped and
    resumed goes through the same operations as one that was not.
    """

    def __init__(
        self,
        scene: Scene,
        solver: Solver,
        recorder: Recorder,
        measures: Measures,
        story: Story,
        *,
        pieces: int,
        progress: Progress,
        interrupt: Interrupt,
        began: float,
        saved: float | None = None,
    ) -> None:
        self.scene, self.solver, self.recorder, self.measures = scene, solver, recorder, measures
        self.story = story
        self.pieces = pieces
        self.progress, self.interrupt = progress, interrupt
        self.folder = recorder.folder
        self.work = 0  # grain-steps, or collisions, in this process after the first visit, which may have compiled
        self._began = began  # on the wall clock, the time of earlier processes included
        self._stepping: float | None = None  # when the first visit with steps before it was over
        self._seconds = 0.0  # of wall clock that `work` took
        self._values: dict[str, float] = {"kinetic_energy": 0.0, "worst_overlap": 0.0}
        self._saved_at = time.monotonic()
        self._saved_time = saved  # s, simulated; None before the first checkpoint

    def go(self, visits: Iterator[Visit]) -> dict[str, Any]:
        """Run to the end; answers with the summary. RunError where the numbers go bad, Interrupted after a signal."""
        try:
            for visit in visits:
                if self.story.over:
                    break
                self._visit(visit)
                last = Reason.END in visit or self.story.over
                if visit.reasons == ONLY_LOOK and not last:
                    continue  # nothing was checked, so nothing may be saved
                if last or self._saved_time is None or self.interrupt.asked or self._due():
                    self._save(visit.time)
                if self.interrupt.asked and not last:
                    raise Interrupted(self.folder, visit.time)
        except RunError as error:
            raise self._gone_bad(error) from error
        self.progress.status("writing the recording")
        found = self._found()
        self.recorder.close(found)
        return {**found, **self._timing()}

    def _visit(self, visit: Visit) -> None:
        solver, before = self.solver, self.solver.step
        solver.advance_to(visit.time)
        if Reason.WALLS in visit:
            solver.meet_walls()
        if Reason.LOOK in visit:
            self.story.look(solver, visit.time)
        if visit.reasons != ONLY_LOOK or self.story.over:
            solver.watch()
        sampled, recorded = (reason in visit or self.story.over for reason in (Reason.SAMPLE, Reason.FRAME))
        if sampled or recorded:
            frame = solver.frame()
        if sampled:
            self._values = self.measures.measure(frame)
            self.recorder.sample(solver.time, solver.step, self._values)
            solver.mark_flow()
        if recorded:
            census.check(solver, frame)
            self._record(frame)
        self._tell(visit.time, solver.step - before)

    def _record(self, frame: Frame) -> None:
        self.recorder.frame(frame.alone("contacts") if self.scene.record.contacts else frame.alone())

    def _tell(self, moment: float, steps: int) -> None:
        """Show where the run stands, once the kernels are there: the first steps may have compiled them."""
        now, events = time.monotonic(), self.solver.method.event_driven
        if self._stepping is None:
            self._stepping = now if steps else None
        else:
            self.work += steps if events else steps * len(self.solver)
            self._seconds = now - self._stepping
        if self._stepping is not None:
            self.progress.pulse(
                Pulse(
                    time=moment,
                    duration=self.scene.duration,
                    grains=len(self.solver),
                    step=self.solver.step,
                    grain_steps=0 if events else self.work,
                    kinetic_energy=self._values["kinetic_energy"],
                    worst_overlap=self._values["worst_overlap"],
                    counted="collisions" if events else "steps",
                )
            )

    def _due(self) -> bool:
        return time.monotonic() - self._saved_at >= self.scene.checkpoint_interval

    def _save(self, moment: float) -> None:
        self.recorder.flush()
        arrays, numbers = self.solver.state()
        frames, samples = self.recorder.counts
        saved = {
            "time": moment,
            "pieces": self.pieces,
            "frames": frames,
            "samples": samples,
            "wall_time": time.monotonic() - self._began,
            "solver": numbers,
            "story": self.story.state(),
        }
        checkpoint.save(self.folder, arrays, saved)
        self._saved_at, self._saved_time = time.monotonic(), moment

    def _found(self) -> dict[str, Any]:
        over = list(divisors(self.scene).values())
        found = {**summary.found(self.solver, self.recorder.counts), **self.story.summary(self.solver)}
        return {**found, "measured_over": over} if over else found

    def _timing(self) -> dict[str, Any]:
        timing: dict[str, Any] = {"wall_time": time.monotonic() - self._began}
        if self._seconds > 0:
            unit = "collisions" if self.solver.method.event_driven else "grain_steps"
            timing[f"{unit}_per_second"] = self.work / self._seconds
        return timing

    def _gone_bad(self, error: RunError) -> RunError:
        """End the recording with the state that went bad, and say where the last good one is."""
        self._record(self.solver.frame())
        self.recorder.close({**self._found(), "stopped": str(error)}, finished=False)
        if self._saved_time is None:
            return error
        good = Finding(str(self.folder / CHECKPOINT), f"the last good state is here, t = {self._saved_time:.6g} s")
        return RunError([*error.findings, good])
