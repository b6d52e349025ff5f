"""What is recorded is read back to the last bit."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path

import h5py
import numpy as np
import pytest

from barchan.errors import FileError
from barchan.frame import Frame, fields_of
from barchan.record import schema
from barchan.record.journal import JournalWriter
from barchan.record.recorder import Recorder
from barchan.record.recording import Recording
from barchan.record.schema import frame_arrays
from record.toy import META, SCENE, SERIES, make_frame, record


def assert_same(found: Frame, expected: Frame) -> None:
    """Two frames agree in every bit, type and shape."""
    assert (found.time, found.step) == (expected.time, expected.step)
    one, other = frame_arrays(found), frame_arrays(expected)
    assert list(one) == list(other)
    for name, b in other.items():
        assert (one[name].dtype, one[name].shape, one[name].tobytes()) == (b.dtype, b.shape, b.tobytes()), name


def assert_holds(folder: Path, frames: list[Frame]) -> None:
    """The recording in a folder is that of `frames`."""
    with Recording(folder) as recording:
        assert len(recording) == len(frames)
        assert recording.times.tolist() == [frame.time for frame in frames]
        for index in np.random.default_rng(0).permutation(len(frames)):
            assert_same(recording[int(index)], frames[index])


def recorder_in(folder: Path, resume: tuple[int, int] | None = None) -> Recorder:
    return Recorder(folder, scene_toml=SCENE, meta=META, series=SERIES, resume=resume)


CASES = {
    "single spheres": [make_frame(k) for k in range(6)],
    "growing": [make_frame(k, 5 * k) for k in range(8)],
    "shrinking and growing": [make_frame(k, n) for k, n in enumerate([9, 3, 0, 4, 9, 12, 11])],
    "clumps": [make_frame(k, 7 + k, spheres_per_grain=8) for k in range(5)],
    "contacts now and then": [make_frame(k, contacts=n) for k, n in enumerate([None, 4, 0, 17, None])],
    "spheres, then clumps": [make_frame(k, spheres_per_grain=1 + k // 2) for k in range(4)],
    "no frames": [],
    "large": [make_frame(k, 9000, spheres_per_grain=2, contacts=30_000) for k in range(3)],
}


@pytest.mark.parametrize("frames", CASES.values(), ids=CASES.keys())
def test_frames_come_back_exactly(tmp_path: Path, frames: list[Frame]) -> None:
    with recorder_in(tmp_path) as recorder:
        for frame in frames:
            recorder.frame(frame)
        recorder.flush()
        assert_holds(tmp_path, frames)  # while the run goes on
        path = recorder.close({"worst overlap": 0.01})
    assert path.name == "recording.vtkhdf"
    assert [one.name for one in tmp_path.iterdir()] == ["recording.vtkhdf"]
    assert_holds(tmp_path, frames)
    assert_holds(path, frames)


def test_everything_beside_the_frames(tmp_path: Path) -> None:
    with recorder_in(tmp_path) as recorder:
        for number in range(4):
            record(recorder, number)
        recorder.flush()
        going_on = Recording(tmp_path)
        assert (going_on.finished, going_on.summary) == (False, {})
        record(recorder, 4)
        recorder.flush()
        assert len(going_on) == 4
        going_on.refresh()
        assert len(going_on) == 5
        recorder.close({"grains": np.int64(20), "worst overlap": np.float64(0.1)})
    finished = Recording(tmp_path)
    assert (finished.finished, finished.summary) == (True, {"grains": 20, "worst overlap": 0.1})
    for recording in (going_on, finished):
        assert recording.scene_toml == SCENE
        assert recording.meta == META
        assert recording.units == {"time": "s", "step": "", "kinetic energy": "J", "outflow": "kg/s"}
        series = recording.series
        assert list(series) == ["time", "step", "kinetic energy", "outflow"]
        assert series["step"].tolist() == list(range(15))
        assert series["kinetic energy"].tolist() == [n + part / 7 for n in range(5) for part in range(3)]
        assert recording.steps.tolist() == [0, 50, 100, 150, 200]
        assert_same(recording[-1], make_frame(4))
        assert [frame.step for frame in recording] == [0, 50, 100, 150, 200]
        with pytest.raises(IndexError, match="frame 5 of a recording with 5"):
            recording[5]


def test_steady_arrays_are_stored_once(tmp_path: Path) -> None:
    with recorder_in(tmp_path) as recorder:
        for number in range(50):
            recorder.frame(make_frame(number, 2000))
        path = recorder.close({})
    moving = 50 * 2000 * 8 * (3 + 3 + 4 + 3)
    assert moving < path.stat().st_size < 1.05 * moving


def test_copy_of_an_unfinished_run(tmp_path: Path) -> None:
    frames = [make_frame(k, 3 + k, spheres_per_grain=2) for k in range(3)]
    with recorder_in(tmp_path) as recorder:
        for frame in frames:
            recorder.frame(frame)
    assert (tmp_path / "recording.journal").exists()
    with Recording(tmp_path) as recording:
        recording.write_vtkhdf(tmp_path / "copy.vtkhdf")
    assert_holds(tmp_path / "copy.vtkhdf", frames)
    with Recording(tmp_path / "copy.vtkhdf") as recording:
        assert not recording.finished
        recording.write_vtkhdf(tmp_path / "again.vtkhdf")
    assert (tmp_path / "copy.vtkhdf").read_bytes() == (tmp_path / "again.vtkhdf").read_bytes()


def test_a_slow_disk_does_not_hold_up_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames are handed over while the disk does nothing at all; it is let go when all have been."""
    write, free = JournalWriter.frame, threading.Event()

    def held(self: JournalWriter, frame: Frame) -> None:
        assert free.wait(60.0)
        write(self, frame)

    monkeypatch.setattr(JournalWriter, "frame", held)
    frames = [make_frame(number) for number in range(20)]
    with recorder_in(tmp_path) as recorder:
        for frame in frames:
            recorder.frame(frame)
        free.set()
        recorder.flush()
        recorder.close({})
    assert_holds(tmp_path, frames)


def test_wrong_use_is_refused(tmp_path: Path) -> None:
    for series in ([("a/b", "")], [("time", "s")], [("a", "J"), ("a", "J")]):
        with pytest.raises(ValueError, match="different names"):
            Recorder(tmp_path, scene_toml="", meta={}, series=series)
    with recorder_in(tmp_path) as recorder:
        with pytest.raises(ValueError, match="expected values of"):
            recorder.sample(0.0, 0, {"outflow": 1.0})
        with pytest.raises(ValueError, match=r"frame\.position has shape"):
            recorder.frame(dataclasses.replace(make_frame(0), position=np.zeros((20, 2))))
        with pytest.raises(ValueError, match="per grain differ in length"):
            recorder.frame(dataclasses.replace(make_frame(0), mass=np.zeros(3)))
        with pytest.raises(FileError, match="being written by process"):
            recorder_in(tmp_path)
    with pytest.raises(ValueError, match="closed"):
        recorder.frame(make_frame(0))
    with pytest.raises(FileError, match="already holds a recording"):
        recorder_in(tmp_path)


def test_what_is_no_recording_is_said_to_be_none(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with pytest.raises(FileError, match="no such file or folder"):
        Recording(tmp_path / "nowhere")
    with pytest.raises(FileError, match="holds no recording"):
        Recording(tmp_path)
    other = tmp_path / "other"
    for content in (b"", b"hello", bytes(1000), b"\x89HDF\r\n\x1a\n" + bytes(100)):
        other.write_bytes(content)
        with pytest.raises(FileError):
            Recording(other)
    with h5py.File(other, "w") as file:
        file["x"] = 1
    with pytest.raises(FileError, match="not a recording of Barchan"):
        Recording(other)


def test_a_later_format_asks_for_an_update(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with recorder_in(tmp_path) as recorder:
        path = recorder.close({})
    with h5py.File(path, "r+") as file:
        file["barchan"].attrs["format"] = 99
    with pytest.raises(FileError, match=r"has format 99.*Update Barchan"):
        Recording(tmp_path)


def test_a_cut_short_file_is_an_error_or_its_beginning(tmp_path: Path) -> None:
    frames = [make_frame(number) for number in range(5)]
    with recorder_in(tmp_path / folder_made(tmp_path)) as recorder:
        for frame in frames:
            recorder.frame(frame)
        recorder.flush()
        journal = (recorder.folder / "recording.journal").read_bytes()
        finished = recorder.close({}).read_bytes()
    cut = tmp_path / "cut"
    for length in np.linspace(0, len(finished) - 1, 40).astype(int):
        cut.write_bytes(finished[:length])
        with pytest.raises(FileError):
            list(Recording(cut))
    for length in np.linspace(0, len(journal) - 1, 40).astype(int):
        cut.write_bytes(journal[:length])
        try:
            whole = list(Recording(cut))
        except FileError:
            assert length < 1000
            continue
        for found, expected in zip(whole, frames, strict=False):
            assert_same(found, expected)


@pytest.mark.filterwarnings("ignore:.*is damaged:barchan.errors.BarchanWarning")
def test_a_flipped_bit_in_a_journal_is_noticed(tmp_path: Path) -> None:
    with recorder_in(tmp_path) as recorder:
        for number in range(5):
            recorder.frame(make_frame(number))
    path = tmp_path / "recording.journal"
    content = bytearray(path.read_bytes())
    expected = list(Recording(path))
    for place in np.random.default_rng(1).integers(0, len(content), 60):
        content[place] ^= 1
        path.write_bytes(content)
        try:
            found = list(Recording(path))
            assert len(found) < len(expected)
            for a, b in zip(found, expected, strict=False):
                assert_same(a, b)
        except FileError:
            pass
        content[place] ^= 1


def folder_made(base: Path) -> Path:
    folder = base / "run"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("ending", ["journal", "vtkhdf"])
def test_contacts_of_an_older_recording_have_no_mode_and_no_depth(tmp_path, monkeypatch, ending):
    """Both came later than the format. Where they were not written there is no mode (0), and the depth is no number:
    0 would be the worst overlap of a run that never had any.
    """
    later = ("mode", "depth")
    if ending == "journal":
        older = lambda kind: tuple(field for field in fields_of(kind) if field.name not in later)  # noqa: E731
        monkeypatch.setattr(schema, "fields_of", older)
    recorder = Recorder(tmp_path, scene_toml=SCENE, meta=META, series=SERIES)
    recorder.frame(make_frame(1, contacts=7))
    recorder.flush()
    monkeypatch.undo()
    if ending == "vtkhdf":
        with h5py.File(recorder.close({}), "r+") as file:
            for name in later:
                del file[schema.FIELD[name].path], file[schema.FIELD[name].offsets]
    with Recording(tmp_path) as recording:
        found = recording[0].contacts
        assert found.mode.tolist() == [0] * 7 and np.isnan(found.depth).all() and len(found.depth) == 7
        assert found.overlap.tolist() == make_frame(1, contacts=7).contacts.overlap.tolist()
