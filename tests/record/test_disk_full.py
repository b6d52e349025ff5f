"""A disk that refuses to write: one clear error, and nothing that was flushed is lost."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from barchan.errors import FileError
from barchan.record import blocks, checkpoint
from barchan.record.recorder import Recorder
from barchan.record.recording import Recording
from record.toy import META, SCENE, SERIES, make_frame, record

# In a process of its own, because the limit on the size of files holds for all that it writes.
FULL = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from record.toy import META, SCENE, SERIES, make_frame, record
from barchan.errors import FileError
from barchan.record.recorder import Recorder

folder, when = Path(sys.argv[1]), sys.argv[3]
def limit(size): resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
try:
    with Recorder(folder, scene_toml=SCENE, meta=META, series=SERIES) as recorder:
        for number in range(10):
            record(recorder, number)
        recorder.flush()
        limit((folder / "recording.journal").stat().st_size + 1000 if when == "running" else 10_000)
        if when == "running":
            for number in range(10, 100):
                record(recorder, number, make_frame(number, 1000))
        recorder.close({})
except FileError as problem:
    print(problem)
    sys.exit(2)
"""


@pytest.mark.parametrize("when", ["running", "closing"])
def test_a_full_disk_loses_nothing_flushed(tmp_path: Path, when: str) -> None:
    tests = str(Path(__file__).parents[1])
    command = [sys.executable, "-c", FULL, str(tmp_path), tests, when]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert ended.stderr == ""
    for said in ("recording.", "cannot be written: File too large", "MB free there", "barchan resume"):
        assert said in ended.stdout
    assert [one.name for one in tmp_path.iterdir()] == ["recording.journal"]
    with Recorder(tmp_path, scene_toml=SCENE, meta=META, series=SERIES, resume=(10, 30)) as recorder:
        record(recorder, 10)
        recorder.close({})
    with Recording(tmp_path) as recording:
        assert [frame.step for frame in recording] == list(range(0, 550, 50))
        assert len(recording.series["time"]) == 33


def refuse(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("saved", [True, False])
def test_the_next_call_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saved: bool) -> None:
    """Whatever comes after a write that failed is an error, which promises a checkpoint only where one was saved: it
    promised one always, and who resumed began from the start without knowing.
    """
    if saved:
        checkpoint.save(tmp_path, {}, {"frames": 1})
    promised = "The last checkpoint is whole" if saved else "No checkpoint was written yet.* begins anew"
    with Recorder(tmp_path, scene_toml=SCENE, meta=META, series=SERIES) as recorder:
        record(recorder, 0)
        recorder.flush()
        monkeypatch.setattr(blocks, "write", refuse)
        recorder.frame(make_frame(1))
        for call in (recorder.flush, lambda: recorder.frame(make_frame(2)), lambda: recorder.close({})):
            with pytest.raises(FileError, match=rf"No space left on device \(\d+ MB free there\)\. {promised}"):
                call()
            if not recorder._open_for_more:
                break
    with Recording(tmp_path) as recording:
        assert len(recording) == 1


def test_the_checkpoint_before_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint that finds no room leaves the one before, and the error says so; it said so too where none was
    before, and whoever resumed then began from the start.
    """
    with monkeypatch.context() as full:
        full.setattr(blocks, "write", refuse)
        with pytest.raises(FileError, match=r"No space left on device .* No checkpoint was written yet"):
            checkpoint.save(tmp_path, {}, {"frames": 0})
    assert not list(tmp_path.iterdir())
    checkpoint.save(tmp_path, {}, {"frames": 1})
    monkeypatch.setattr(blocks, "write", refuse)
    with pytest.raises(FileError, match=r"No space left on device .* The last checkpoint is whole"):
        checkpoint.save(tmp_path, {}, {"frames": 2})
    assert checkpoint.load(tmp_path) == ({}, {"frames": 1})
    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written"):
        Recorder(tmp_path / "nowhere", scene_toml="", meta={}, series=[])
    with pytest.raises(FileError, match="cannot be written"):
        checkpoint.save(tmp_path / "nowhere", {}, {})
