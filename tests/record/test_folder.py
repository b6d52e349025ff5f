"""Run folders: nothing is overwritten unasked, and there is one writer at a time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from barchan.errors import FileError
from barchan.record import checkpoint, folder


def test_new_and_empty_folders(tmp_path: Path) -> None:
    assert folder.create(tmp_path / "a" / "b").is_dir()
    assert folder.create(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    assert folder.create(str(tmp_path / "a" / "b"), force=True).is_dir()


def test_a_run_is_replaced_only_by_force(tmp_path: Path) -> None:
    own = ["recording.vtkhdf", "recording.journal", "recording.journal.part", "checkpoint.blocks", "summary.png"]
    for name in [*own, "notes.txt", "my-scene.toml"]:
        (tmp_path / name).write_text("x")
    with pytest.raises(FileError, match=r"already holds a run.*--out.*barchan resume.*--force"):
        folder.create(tmp_path)
    assert len(list(tmp_path.iterdir())) == 7
    folder.create(tmp_path, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my-scene.toml", "notes.txt"]


@pytest.mark.parametrize("force", [False, True])
def test_other_folders_are_left_alone(tmp_path: Path, force: bool) -> None:
    (tmp_path / "scene.png").write_text("mine")
    with pytest.raises(FileError, match="not a run of Barchan"):
        folder.create(tmp_path, force=force)
    with pytest.raises(FileError, match="is a file"):
        folder.create(tmp_path / "scene.png", force=force)
    with pytest.raises(FileError, match="cannot be written"):
        folder.create(tmp_path / "scene.png" / "run", force=force)
    assert (tmp_path / "scene.png").read_text() == "mine"


def test_default_names(tmp_path: Path) -> None:
    base = tmp_path / "runs"
    assert folder.default_folder("hopper") == Path("runs") / "hopper-1"
    assert folder.default_folder("hopper", base) == base / "hopper-1"
    for name in ("hopper-1", "hopper-9", "hopper-old", "hopper-x-12", "drum-30"):
        (base / name).mkdir(parents=True)
    assert folder.default_folder("hopper", base).name == "hopper-10"
    assert folder.default_folder("../my scene/2", base).name == "my-scene-2-1"
    assert folder.default_folder("…", base).name == "run-1"


HOLD = """
import sys, time
from pathlib import Path
from barchan.record.folder import Lock
lock = Lock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


def test_one_writer_and_a_dead_one_is_forgotten(tmp_path: Path) -> None:
    (tmp_path / "checkpoint.blocks").write_text("")
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        for attempt in (lambda: folder.Lock(tmp_path), lambda: folder.create(tmp_path, force=True)):
            with pytest.raises(FileError, match=f"is being written by process {other.pid} on"):
                attempt()
        assert (tmp_path / "checkpoint.blocks").exists()
        other.kill()
    assert (tmp_path / "lock").exists()
    with folder.Lock(tmp_path):
        pass
    assert not (tmp_path / "lock").exists()


def test_importing_these_does_not_import_h5py() -> None:
    modules = "folder, checkpoint, recorder, recording, schema"
    code = f"import sys; from barchan.record import {modules}; assert 'h5py' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert checkpoint.CHECKPOINT == folder.CHECKPOINT
