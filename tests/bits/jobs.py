"""Runs the scenes of revisions in warm processes, two at a time."""

from __future__ import annotations

import itertools
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from bits.revisions import Revision

WAYS = ("one", "two", "killed", "resumed")
LIMIT = 3600.0  # s that a process may take
SLOTS = 2

Task = tuple[str, str]  # scene, way


@dataclass(frozen=True)
class Job:
    """Scenes of one revision that share their kernels: one process after another does them."""

    revision: Revision
    scenes: tuple[str, ...]

    @property
    def tasks(self) -> list[Task]:
        """All that is to be done, in order."""
        return [(scene, way) for scene in self.scenes for way in WAYS]


def jobs(revisions: Iterable[Revision], scenes: Iterable[str]) -> list[Job]:
    """The jobs of all revisions, in turn."""
    made = []
    for revision in revisions:
        groups: dict[str, list[str]] = {}
        for scene in scenes:
            if scene in revision.scenes:
                groups.setdefault(revision.scenes[scene], []).append(scene)
        made.append([Job(revision, tuple(group)) for group in groups.values()])
    # Half a turn apart: where both revisions are the same sources, the second one finds the kernels of the first.
    columns = [column[half:] + column[:half] for k, column in enumerate(made) for half in [k * len(column) // 2]]
    return [job for row in itertools.zip_longest(*columns) for job in row if job is not None]


def run(todo: Iterable[Job], told: Callable[[Revision, dict[str, Any]], None]) -> None:
    """Do all jobs, `SLOTS` at a time; `told` hears what each task has come to, from one thread at a time."""
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    for job in todo:
        waiting.put(job)
    lock = threading.Lock()

    def said(job: Job, answer: dict[str, Any]) -> None:
        with lock:
            told(job.revision, answer)

    def slot() -> None:
        while True:
            try:
                job = waiting.get_nowait()
            except queue.Empty:
                return
            perform(job, lambda answer, job=job: said(job, answer))

    threads = [threading.Thread(target=slot, daemon=True) for _ in range(SLOTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def perform(job: Job, told: Callable[[dict[str, Any]], None]) -> None:
    """Do the tasks of a job; a process that is killed, as one of each scene has to be, is followed by another."""
    tasks, turn = job.tasks, 0
    while tasks:
        turn += 1
        done, code, complaint = _process(job, tasks, told, turn)
        tasks = tasks[done:]
        if not tasks:
            return
        (scene, way), *tasks = tasks
        if way == "killed" and code == -signal.SIGKILL:
            told({"task": [scene, way]})
            continue
        told({"task": [scene, way], "error": f"the process ended with code {code}: {complaint}"})


def _process(job: Job, tasks: list[Task], told: Callable[[dict[str, Any]], None], turn: int) -> tuple[int, int, str]:
    """Let one process do as many tasks as it can: how many it did, its exit code, and the end of what it said."""
    revision = job.revision
    revision.out.mkdir(parents=True, exist_ok=True)
    mark = f"{job.scenes[0]}-{turn}"
    plan, errors = revision.out / f"{mark}.json", revision.out / f"{mark}.err"
    plan.write_text(json.dumps({"source": str(revision.source), "out": str(revision.out), "tasks": tasks}))
    command = [sys.executable, str(revision.bits / "worker.py"), str(plan)]
    done = 0
    with errors.open("w") as err, subprocess.Popen(
        command, env=environment(revision), stdout=subprocess.PIPE, stderr=err, text=True
    ) as process:  # fmt: skip
        watchdog = threading.Timer(LIMIT, process.kill)
        watchdog.start()
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith('{"task"'):
                done += 1
                told(json.loads(line))
        code = process.wait()
        late = not watchdog.is_alive()
        watchdog.cancel()
    if late:
        return done, 1, f"it was ended after {LIMIT:.0f} s"
    return done, code, errors.read_text(errors="replace").strip()[-600:]


def environment(revision: Revision) -> dict[str, str]:
    """What a process of that revision is told: its sources, its own kernels, and two threads on any machine."""
    return {
        **os.environ,
        "PYTHONPATH": str(revision.source),
        "PYTHONDONTWRITEBYTECODE": "1",
        "BARCHAN_CACHE": str(revision.cache / "bound"),
        "BARCHAN_PREPARE": "here",
        "NUMBA_CACHE_DIR": str(revision.cache / "numba"),
        "NUMBA_NUM_THREADS": "2",
        "OMP_WAIT_POLICY": "passive",
        "MPLBACKEND": "Agg",
    }
