"""A real process, killed at random moments or interrupted, ends after `resume` as one that was left in peace."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from barchan.record.folder import CHECKPOINT, JOURNAL, RECORDING
from simulation.shared import SMALL, call, checkpoint_hash, recording_hash, start

LONG = SMALL.replace("duration = 0.1", "duration = 1.5").replace('"60 s"', '"0.05 s"')
RUN = ("run", "long.toml", "--out", "out", "--quiet", "--no-movie", "--threads", "1")
RESUME = ("resume", "out", "--quiet", "--no-movie", "--threads", "1")


@pytest.fixture(scope="module")
def in_peace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nobody stopped."""
    home = _home(tmp_path_factory.mktemp("peace"))
    code, _, err = call(*RUN, cwd=home)
    assert code == 0, err
    return home / "out"


def _home(folder: Path) -> Path:
    (folder / "long.toml").write_text(LONG, encoding="utf-8")
    return folder


def _wait_for_new(path: Path, process: subprocess.Popen[str]) -> None:
    """Wait until the file is there, or another one of that name, or the process has ended."""
    before = _which(path)
    while process.poll() is None and _which(path) == before:
        time.sleep(0.002)


def _which(path: Path) -> int | None:
    """What tells a file from another one of that name; there may be none for a moment while one replaces the other."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def _same(folder: Path, other: Path) -> None:
    assert recording_hash(folder) == recording_hash(other)
    assert checkpoint_hash(folder) == checkpoint_hash(other)
    assert (folder / RECORDING).read_bytes() == (other / RECORDING).read_bytes()


def test_killed_at_random_moments(in_peace, tmp_path):
    """While starting, computing, saving or recording; the file is the same in the end, byte for byte."""
    home, moments = _home(tmp_path), random.Random(20090714)
    command, killed = RUN, 0
    for awaited in (JOURNAL, CHECKPOINT, "", CHECKPOINT, CHECKPOINT):
        process = start(*command, cwd=home)
        if awaited:
            _wait_for_new(home / "out" / awaited, process)
        time.sleep(0.3 * moments.random())
        process.kill()
        process.communicate(timeout=60)
        killed += process.returncode == -signal.SIGKILL
        command = RESUME
    code, _, err = call(*RESUME, cwd=home)
    assert code == 0, err
    assert killed >= 3
    _same(home / "out", in_peace)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(in_peace, tmp_path, number):
    """Exit code 130, a line that says how to go on, and no traceback."""
    home = _home(tmp_path)
    process = start(*RUN, cwd=home)
    _wait_for_new(home / "out" / "checkpoint.previous", process)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "barchan resume out" in err
    assert "Traceback" not in out + err
    assert (home / "out" / JOURNAL).exists()
    code, _, err = call(*RESUME, cwd=home)
    assert code == 0, err
    _same(home / "out", in_peace)
