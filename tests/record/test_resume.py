"""A recording that is cut back or killed and goes on is the one that was never stopped."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from barchan.errors import FileError
from barchan.record.recorder import Recorder
from barchan.record.recording import Recording
from record.toy import META, SCENE, SERIES, make_frame, record, run


def recorder_in(folder: Path, resume: tuple[int, int] | None = None) -> Recorder:
    return Recorder(folder, scene_toml=SCENE, meta=META, series=SERIES, resume=resume)


@pytest.fixture(scope="module")
def never_stopped(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("never") / "run"
    run(folder, 60)
    return (folder / "recording.vtkhdf").read_bytes()


@pytest.mark.parametrize("ending", ["closed", "left", "torn"])
@pytest.mark.parametrize("kept", [0, 1, 7, 12])
def test_cut_back_to_the_checkpoint(tmp_path: Path, ending: str, kept: int) -> None:
    whole, folder = tmp_path / "whole", tmp_path / "run"
    for path in (whole, folder):
        path.mkdir()
        with recorder_in(path) as recorder:
            for number in range(12):
                record(recorder, number)
            if path == whole or ending == "closed":
                recorder.close({})
    if ending == "torn":
        journal = folder / "recording.journal"
        journal.write_bytes(journal.read_bytes() + b"BRCN" + bytes(50))
    for _ in range(2):  # twice: the second one finds what the first one left
        with recorder_in(folder, resume=(kept, 3 * kept)) as recorder:
            recorder.flush()
            with Recording(folder) as recording:
                assert (len(recording), len(recording.series["time"])) == (kept, 3 * kept)
            record(recorder, kept, make_frame(99))
    with recorder_in(folder, resume=(kept, 3 * kept)) as recorder:
        for number in range(kept, 12):
            record(recorder, number)
        recorder.close({})
    assert (folder / "recording.vtkhdf").read_bytes() == (whole / "recording.vtkhdf").read_bytes()


@pytest.mark.parametrize("counts", [(3, 2), (0, 14), (5, 0), (2, 15)])
def test_any_counts_can_be_kept(tmp_path: Path, counts: tuple[int, int]) -> None:
    with recorder_in(tmp_path) as recorder:
        for number in range(5):
            record(recorder, number)
    for _ in range(2):
        with recorder_in(tmp_path, resume=counts) as recorder:
            recorder.frame(make_frame(50))
            recorder.flush()
            with Recording(tmp_path) as recording:
                assert [frame.step for frame in recording] == [*range(0, 50 * counts[0], 50), 2500]
                assert recording.series["step"].tolist() == list(range(counts[1]))


def test_a_recording_of_another_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no recording to go on with"):
        recorder_in(tmp_path, resume=(0, 0))
    with recorder_in(tmp_path) as recorder:
        record(recorder, 0)
    with pytest.raises(FileError, match="holds 1 frames and 3 samples; at least 2 and 3"):
        recorder_in(tmp_path, resume=(2, 3))
    with pytest.raises(FileError, match="records kinetic energy, outflow"):
        Recorder(tmp_path, scene_toml=SCENE, meta=META, series=SERIES[:1], resume=(1, 3))
    with Recording(tmp_path) as recording:
        assert len(recording) == 1


def test_the_scene_of_the_resumed_run_holds(tmp_path: Path) -> None:
    with recorder_in(tmp_path) as recorder:
        record(recorder, 0)
    with Recorder(tmp_path, scene_toml="duration = 9", meta={"seed": 8}, series=SERIES, resume=(1, 3)) as recorder:
        recorder.close({})
    with Recording(tmp_path) as recording:
        assert (recording.scene_toml, recording.meta, len(recording)) == ("duration = 9", {"seed": 8}, 1)


def start(folder: Path, frames: int, pause: float) -> subprocess.Popen[str]:
    script = str(Path(__file__).with_name("toy.py"))
    command = [sys.executable, script, str(folder), str(frames), str(pause)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def kill_after(process: subprocess.Popen[str], seconds: float, line: str) -> None:
    assert process.stdout is not None
    while line not in (said := process.stdout.readline()) and said:
        pass
    time.sleep(seconds)
    process.kill()
    process.wait()
    process.stdout.close()


def test_killed_at_random_moments(tmp_path: Path, never_stopped: bytes) -> None:
    folder, moments = tmp_path / "run", random.Random(3)
    for _ in range(10):
        kill_after(start(folder, 60, 0.01), moments.uniform(0.0, 0.25), "ready")
        if any(folder.glob("recording.*")):
            with Recording(folder) as recording:
                for frame in recording:
                    assert frame.position.tobytes() == make_frame(frame.step // 50).position.tobytes()
    run(folder, 60)
    assert (folder / "recording.vtkhdf").read_bytes() == never_stopped


def test_killed_while_closing(tmp_path: Path, never_stopped: bytes) -> None:
    folder, moments = tmp_path / "run", random.Random(4)
    for _ in range(6):
        kill_after(start(folder, 60, 0.0), moments.uniform(0.0, 0.3), "closing")
        with Recording(folder) as recording:
            assert len(recording) == 60
    run(folder, 60)
    assert (folder / "recording.vtkhdf").read_bytes() == never_stopped
