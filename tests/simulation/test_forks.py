"""Processes that are forked from one that has computed: numba's threads do not live on in them."""

from __future__ import annotations

import os
import subprocess
import sys

from simulation.shared import SMALL

SCRIPT = """
import multiprocessing, os, sys, tempfile, tomllib
from concurrent.futures import ProcessPoolExecutor
import barchan as bc
from barchan import solvers
from barchan.simulation.plan import Plan

SMALL = {small!r}

def run(frames):
    scene = bc.Scene.model_validate({{**tomllib.loads(SMALL), "duration": 0.02 * frames}})
    done = bc.run(scene, os.path.join(tempfile.mkdtemp(), "out"), threads=1)
    with done.recording as recording:
        return len(recording), float(recording[-1].position.sum())

def went_on(_):
    machine.advance(1)

if __name__ == "__main__":
    here = run(1)
    plan = Plan.of(bc.Scene.model_validate(tomllib.loads(SMALL)))
    machine = solvers.create(plan.model, plan.grains, plan.time_step.value)
    machine.advance(1)
    for kind, job in (("fork", run), ("fork", went_on), ("spawn", run)):
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(kind)) as pool:
            try:
                print(kind, pool.submit(job, 1).result(timeout=200) == here)
            except BaseException as error:
                print(kind, type(error).__name__, error)
"""


def test_what_is_forked_after_a_run_says_what_to_do(tmp_path):
    """A parent runs a scene, and then processes that it forks run one too, or go on with its solver: numba ended them
    with a signal, and a pool of multiprocessing waited for ever. They end with our error, which names the remedy; and
    what the remedy starts finds the same figures as the parent, bit by bit.
    """
    script = tmp_path / "forks.py"
    script.write_text(SCRIPT.format(small=SMALL), encoding="utf-8")
    told = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=550, env=dict(os.environ)
    ).stdout.splitlines()
    first, second, third = [line for line in told if line.startswith(("fork", "spawn"))]
    for line in (first, second):
        assert line.startswith("fork SceneError this process: was forked") and 'get_context("spawn")' in line
    assert third == "spawn True"
