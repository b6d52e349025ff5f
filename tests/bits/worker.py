"""Runs scenes of one revision for `make same-bits`: `python worker.py PLAN.json`, with PYTHONPATH on its sources.

Each revision brings its own copy, so that this file follows the package wherever that goes. What may not change is how
it is asked and what it answers. The plan is a JSON file:

    source  the folder from which `barchan` has to come
    out     where runs go, into out/SCENE/WAY
    tasks   [[SCENE, WAY], …]; WAY is "one" or "two" (threads), "killed" (on one), or "resumed" (on two, in its folder)

A line on standard output says what each task has come to: {"task": [SCENE, WAY], "seconds": …, "cpu": …}, on the
clock and of all threads, with "error" where it failed, and "resumed_at" and "duration", s, where a run was resumed. In
"killed" the process ends by SIGKILL after a checkpoint, in the middle of the scene. A run that came to its end leaves
`recording.vtkhdf`, and its last checkpoint as `state.npz` (arrays) and `state.json` (numbers).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

import barchan as bc
from barchan.record import checkpoint

HERE = Path(__file__).resolve().parent
ALL_VISITS = "checkpoint_interval='1 us'"
THREADS = {"one": 1, "two": 2, "killed": 1, "resumed": 2}


class Killer(bc.Silent):
    """Kills its own process in the middle of a run.

    A pulse comes after the steps up to a visit and before what that visit saves: the checkpoint is of the visit before.
    """

    def pulse(self, pulse: Any) -> None:
        if pulse.time >= 0.5 * pulse.duration:
            os.kill(os.getpid(), signal.SIGKILL)


def scene(name: str, *changes: str) -> bc.Scene:
    """The scene of that name with its changes, and these."""
    table = tomllib.loads((HERE / "scenes.toml").read_text(encoding="utf-8"))
    said = table["scenes"][name]
    file = HERE / said["scene"]
    return bc.load(str(file) if file.suffix else said["scene"], [*table["always"], *said.get("set", ()), *changes])


def perform(name: str, way: str, out: Path) -> dict[str, Any]:
    """Do one task; what is said of it."""
    folder = out / name / way
    if way == "resumed":
        killed = out / name / "killed"
        found: dict[str, Any] = {"resumed_at": checkpoint.load(killed)[1]["time"]}
        killed.rename(folder)
        found["duration"] = bc.resume(folder, threads=THREADS[way], progress=bc.Silent()).recording.scene.duration
    elif way == "killed":
        bc.run(scene(name, ALL_VISITS), folder, threads=THREADS[way], progress=Killer())
        raise RuntimeError("the run came to its end: nothing killed it")
    else:
        found = {}
        bc.run(scene(name), folder, threads=THREADS[way], progress=bc.Silent())
    write_state(folder)
    return found


def write_state(folder: Path) -> None:
    """The last checkpoint in a form that needs no Barchan to be read."""
    arrays, numbers = checkpoint.load(folder)
    np.savez(folder / "state.npz", **arrays)
    (folder / "state.json").write_text(json.dumps(numbers), encoding="utf-8")


def main() -> None:
    """Do the tasks of a plan in turn."""
    plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    source = Path(plan["source"]).resolve()
    if source not in Path(bc.__file__).resolve().parents:
        sys.exit(f"barchan comes from {bc.__file__}, and not from {source}")
    for name, way in plan["tasks"]:
        began, cpu = time.monotonic(), time.process_time()
        try:
            said = perform(name, way, Path(plan["out"]))
        except Exception as problem:
            said = {"error": f"{type(problem).__name__}: {problem}"}
        spent = {"seconds": round(time.monotonic() - began, 2), "cpu": round(time.process_time() - cpu, 2)}
        line = {"task": [name, way], **spent, **said}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
