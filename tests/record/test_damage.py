"""One flipped bit, anywhere: what is read is what was written, or it is said what is damaged."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from barchan.errors import BarchanWarning, FileError
from barchan.frame import Frame
from barchan.record import checkpoint
from barchan.record.recorder import Recorder
from barchan.record.recording import Recording
from barchan.record.schema import frame_arrays
from record.toy import META, SCENE, SERIES, make_frame, record

TRIES = 200
NAMED = {  # a dataset, group or block, where the damage is in one; the file as a whole, where it cannot be opened
    "vtkhdf": re.compile(r"is damaged or cut short: (/VTKHDF/|/barchan|/: |Unable to synchronously open file)"),
    "journal": re.compile(r"is damaged \d+ bytes from its beginning|frame \d+, \w+: |samples: |holds no whole block"),
}

IN_CHECKPOINT = re.compile(
    r"checkpoint\.blocks \((not a block|its header is damaged|(position|id): an array is damaged)\) is damaged; "
    r"going on from the checkpoint before it, checkpoint\.previous"
)


def digest(value: Any) -> list[Any]:
    """Everything in frames and tables, as bytes and plain values."""
    if isinstance(value, Frame):
        return [value.time, value.step, *((name, digest(array)) for name, array in frame_arrays(value).items())]
    if isinstance(value, np.ndarray):
        return [value.dtype.str, value.shape, value.tobytes()]
    return [repr(value)]


def seen(path: Path) -> list[Any]:
    """All that a recording can be asked for."""
    with Recording(path) as recording:
        told = [recording.scene_toml, recording.meta, recording.summary, recording.finished, recording.units]
        tables = [*recording.series.items(), *sorted(recording.counts().items())]
        arrays = [recording.times, recording.steps, *(value for _, value in tables)]
        frames = [digest(frame) for frame in recording]
        return [told, [name for name, _ in tables], [digest(one) for one in arrays], frames]


def complaint(path: Path, expected: list[Any]) -> str:
    """What is said of a recording that cannot be read; empty where it is read as it was written."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            found = seen(path)
        except FileError as problem:
            return str(problem)
    if warned:
        return str(warned[0].message)
    assert found == expected, "another figure in silence"
    return ""


def flips(path: Path) -> Iterator[int]:
    """Places chosen at random; while one is looked at, the file has one bit flipped there."""
    content = bytearray(path.read_bytes())
    rng = np.random.default_rng(7)
    for place, bit in zip(rng.integers(0, len(content), TRIES), rng.integers(0, 8, TRIES), strict=True):
        content[place] ^= 1 << bit
        path.write_bytes(content)
        content[place] ^= 1 << bit
        yield int(place)
    path.write_bytes(content)


def kept(folder: Path, kind: str, grains: int) -> Path:
    """A recording of ten frames, some with contacts, whose grains become more."""
    with Recorder(folder, scene_toml=SCENE, meta=META, series=[*SERIES, ("größte", "µm")]) as recorder:
        for number in range(10):
            for part in range(3):
                recorder.sample(
                    number, part, {"kinetic energy": part / 7, "outflow": 1.0 / (1 + number), "größte": part}
                )
            contacts = 5 if number % 3 else None
            recorder.frame(make_frame(number, grains + number // 4, spheres_per_grain=2, contacts=contacts))
        recorder.flush()
        return recorder.close({"grains": 20, "note": "größer"}) if kind == "vtkhdf" else folder / "recording.journal"


@pytest.mark.parametrize(("kind", "grains"), [("vtkhdf", 4), ("vtkhdf", 300), ("journal", 4), ("journal", 300)])
def test_a_flipped_bit_is_never_a_wrong_figure(tmp_path: Path, kind: str, grains: int) -> None:
    """One bit is flipped at 200 places of a recording: with few grains most of it is the file's own tables, with many
    it is data. Either all is read as it was written, or the error names the file and what in it is damaged. Data that
    carry no checksum came back as other numbers, and a table that cannot be read as a part that was never recorded.
    """
    path = kept(tmp_path, kind, grains)
    expected, noticed = seen(path), 0
    for _ in flips(path):
        if said := complaint(path, expected):
            noticed += 1
            assert str(path) in said
            assert NAMED[kind].search(said), said
    assert noticed > TRIES / 2
    assert seen(path) == expected


def test_a_flipped_bit_in_a_checkpoint_falls_back(tmp_path: Path) -> None:
    """One bit is flipped at 200 places of a checkpoint: the one before is taken, with all its values, and the warning
    names the file. Where nothing was noticed the values would be wrong, or those of the newest.
    """
    rng = np.random.default_rng(3)
    old, new = ({"position": rng.normal(size=(20, 3)), "id": np.arange(20)} for _ in range(2))
    checkpoint.save(tmp_path, old, {"number": 0})
    checkpoint.save(tmp_path, new, {"number": 1})
    newest = tmp_path / "checkpoint.blocks"
    for place in flips(newest):
        with pytest.warns(BarchanWarning) as said:
            arrays, meta = checkpoint.load(tmp_path)
        assert meta == {"number": 0} and [digest(one) for one in arrays.values()] == [
            digest(one) for one in old.values()
        ]
        assert len(said) == 1, place
        assert IN_CHECKPOINT.search(str(said[0].message)), said[0].message


def test_resuming_after_what_is_damaged_names_it(tmp_path: Path) -> None:
    """A block in the midst of a journal is damaged, and a checkpoint counts more frames than come before it: the error
    names the place. It said that recording and checkpoint were not of the same run. From a checkpoint before the
    damage the run goes on, and what was damaged is written again.
    """
    with Recorder(tmp_path, scene_toml=SCENE, meta=META, series=SERIES) as recorder:
        sizes = []
        for number in range(6):
            record(recorder, number)
            recorder.flush()
            sizes.append((tmp_path / "recording.journal").stat().st_size)
    path = tmp_path / "recording.journal"
    whole = path.read_bytes()
    path.write_bytes(whole[: sizes[3] + 6] + bytes([whole[sizes[3] + 6] ^ 4]) + whole[sizes[3] + 7 :])
    with pytest.warns(UserWarning, match=rf"is damaged {sizes[3]} bytes from its beginning .* follows frame 3"):
        assert len(Recording(tmp_path)) == 4
    with pytest.raises(FileError, match=rf"is damaged {sizes[3]} bytes from its beginning"):
        Recorder(tmp_path, scene_toml=SCENE, meta=META, series=SERIES, resume=(6, 18))
    with Recorder(tmp_path, scene_toml=SCENE, meta=META, series=SERIES, resume=(3, 9)) as recorder:
        for number in range(3, 6):
            record(recorder, number)
        recorder.close({})
    assert [digest(frame) for frame in Recording(tmp_path)] == [digest(make_frame(number)) for number in range(6)]


def test_resuming_after_a_damaged_frame_names_it(tmp_path: Path) -> None:
    """A bit of the places of frame 1 flips in a run that was stopped: resuming says so before it computes. It computed
    to the end, and then the recording could not be written.
    """
    with Recorder(tmp_path, scene_toml=SCENE, meta=META, series=SERIES) as recorder:
        for number in range(3):
            record(recorder, number)
        recorder.flush()
    path = tmp_path / "recording.journal"
    whole, place = path.read_bytes(), make_frame(1).position.tobytes()
    assert whole.count(place) == 1
    path.write_bytes(whole.replace(place, bytes([place[0] ^ 4]) + place[1:]))
    with pytest.raises(FileError, match="frame 1, position: an array is damaged"):
        Recorder(tmp_path, scene_toml=SCENE, meta=META, series=SERIES, resume=(3, 9))


def test_a_journal_that_is_damaged_is_not_cut_to_a_recording(tmp_path: Path) -> None:
    """A bit of a block's head flips while the run goes on: at the end the journal stays, with an error. The recording
    made of it would lack all frames behind that place, and say that the run was finished.
    """
    path = tmp_path / "recording.journal"
    with Recorder(tmp_path, scene_toml=SCENE, meta=META, series=SERIES) as recorder:
        record(recorder, 0)
        recorder.flush()
        place = path.stat().st_size + 6
        for number in range(1, 5):
            record(recorder, number)
        recorder.flush()
        with path.open("r+b") as file:
            file.seek(place)
            file.write(b"\xff")
        with pytest.raises(FileError, match="is damaged"):
            recorder.close({})
    assert [one.name for one in tmp_path.iterdir()] == ["recording.journal"]
