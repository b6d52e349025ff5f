"""What the tests of running share: a small scene, the command in a process of its own, and fingerprints of a run."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import barchan as bc
from barchan.frame import Frame
from barchan.record import checkpoint, schema
from barchan.record.recording import Recording
from barchan.simulation.progress import Pulse

SMALL = """
name = "small"
description = "Thirty grains fall on a floor."
duration = 0.1
frame_rate = 50
sample_rate = 100
checkpoint_interval = "60 s"

[materials.sand]
density = "2500 kg/m^3"
young = "10 MPa"
friction = 0.5
restitution = 0.6

[[grains]]
name = "sand"
material = "sand"
size = { kind = "uniform", low = "4 mm", high = "6 mm" }
count = 30
fill = { kind = "random", region = { kind = "box", low = [0, 0, "2 mm"], high = ["2 cm", "2 cm", "6 cm"] } }

[[walls]]
name = "floor"
shape = "plane"
material = "sand"
"""

# Two grains as soft as jelly that hit each other hard: they meet at t = 50 ms, just after a frame.
JELLY = """
name = "jelly"
duration = "1 s"
frame_rate = 50
sample_rate = 500
gravity = [0, 0, 0]

[materials.jelly]
density = 1000
young = "1 kPa"

[[grains]]
name = "left"
material = "jelly"
size = "1 cm"
fill = { kind = "points", positions = [[-0.105, 0, 0.1]] }
velocity = [2, 0, 0]

[[grains]]
name = "right"
material = "jelly"
size = "1 cm"
fill = { kind = "points", positions = [[0.105, 0, 0.1]] }
velocity = [-2, 0, 0]

[[walls]]
name = "floor"
shape = "plane"
material = "jelly"
"""


def start(*arguments: str | Path, cwd: Path) -> subprocess.Popen[str]:
    """The command line in a process of its own."""
    command = [sys.executable, "-m", "barchan", *map(str, arguments)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1", "COLUMNS": "120"}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=cwd, env=environment, stdout=pipe, stderr=pipe, text=True)


def call(*arguments: str | Path, cwd: Path) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of the command line."""
    process = start(*arguments, cwd=cwd)
    out, err = process.communicate(timeout=240)
    return process.returncode, out, err


def frame_arrays(frame: Frame) -> dict[str, np.ndarray]:
    """The arrays of a frame by name."""
    return {"time": np.asarray(frame.time), "step": np.asarray(frame.step), **schema.frame_arrays(frame)}


def recording_hash(folder: Path) -> str:
    """A hash of everything recorded: frames, times and series, to the last bit."""
    digest = hashlib.sha256()
    with Recording(folder) as recording:
        arrays = [*recording.series.values(), *(one for frame in recording for one in frame_arrays(frame).values())]
        for array in arrays:
            digest.update(f"{array.dtype}{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def checkpoint_hash(folder: Path) -> str:
    """A hash of the solver's state in the last checkpoint, to the last bit."""
    arrays, meta = checkpoint.load(folder)
    digest = hashlib.sha256(repr(sorted(meta["solver"].items())).encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name}{array.dtype}{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


class Stopper(bc.Silent):
    """A progress that sends a signal to the process when the run has come to a certain time."""

    def __init__(self, when: float, number: int = signal.SIGINT) -> None:
        self.when, self.number, self.done = when, number, False

    def pulse(self, pulse: Pulse) -> None:
        if pulse.time >= self.when and not self.done:
            self.done = True
            os.kill(os.getpid(), self.number)


def stopped(scene: bc.Scene, folder: Path, when: float, number: int = signal.SIGINT) -> None:
    """Run a scene until a signal stops it at that time, s, and it says how to go on."""
    with pytest.raises(bc.Interrupted, match="barchan resume"):
        bc.run(scene, folder, progress=Stopper(when, number), threads=1)
