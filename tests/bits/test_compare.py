"""What `make same-bits` compares, and what it says: on files made by hand, with processes that are not Barchan's."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from bits import jobs
from bits.compare import differences
from bits.renames import Renames
from bits.revisions import Revision

IDS = np.array([3, 8, 11])  # of the grains: no id is a row
TIMES = np.array([0.0, 0.25, 0.5])  # s
NONE = Renames((), ())
CHECKPOINT = {"id": IDS[::-1].copy(), "velocity": np.arange(9.0).reshape(3, 3), "skin": np.array([0.5])}
NUMBERS = {"time": 0.5, "wall_time": 17.0, "solver": {"lists": [4, 0.1]}}

Change = Callable[[Any], None]


def write_run(folder: Path, change: Change = lambda file: None, **state: np.ndarray) -> Path:
    """A run of three grains, three frames and two series: its recording after `change`, its checkpoint with `state`."""
    folder.mkdir()
    with h5py.File(folder / "recording.vtkhdf", "w") as file:
        own = file.create_group("barchan")
        own.attrs["finished"] = True
        own["scene"], own["meta"] = "name = 'toy'", json.dumps({"command": str(folder)})
        own["summary"] = json.dumps({"worst_overlap": 0.1})
        own["frames/time"], own["frames/step"] = TIMES, np.arange(3)
        own["frames/grains"], own["frames/contacts"] = np.full(3, 3), np.array([0, 1, 2])
        own["grains/id"], own["offsets/id"] = IDS, np.zeros(3, int)  # steady: all frames point to the same rows
        own["grains/velocity"], own["offsets/velocity"] = np.arange(27.0).reshape(9, 3), np.array([0, 3, 6])
        own["frames/spheres"], own["spheres/grain"] = np.full(3, 3), np.array([2, 1, 0])
        own["offsets/sphere_grain"] = np.zeros(3, int)
        file["VTKHDF/PointData/velocity"] = own["grains/velocity"]  # the same dataset by another name
        file["VTKHDF/Steps/PointDataOffsets/velocity"] = own["offsets/velocity"]
        own["grains/born"], own["offsets/born"] = np.array([0.0, math.nan, 0.0]), np.zeros(3, int)
        own["contacts/first"], own["offsets/first"] = np.array([3, 3, 11]), np.array([0, 0, 1])
        own["contacts/overlap"], own["offsets/overlap"] = np.array([0.1, 0.2, 0.3]), np.array([0, 0, 1])
        own["series/time"], own["series/kinetic_energy"] = np.arange(6) / 10, np.arange(6.0)
        change(file)
    np.savez(folder / "state.npz", **(CHECKPOINT | state))
    (folder / "state.json").write_text(json.dumps(NUMBERS), encoding="utf-8")
    return folder


def found(
    tmp_path: Path, change: Change = lambda file: None, renames: Renames = NONE, **state: np.ndarray
) -> list[str]:
    """What is said of an unchanged run and this one."""
    tmp_path.mkdir(exist_ok=True)
    runs = write_run(tmp_path / "old"), write_run(tmp_path / "new", change, **state)
    return [str(one) for one in differences(*runs, renames)]


def put(path: str, place: Any, value: float) -> Change:
    """Write one value into a dataset."""

    def change(file: Any) -> None:
        file[path][place] = value

    return change


def test_the_same_run_is_the_same(tmp_path):
    """A NaN is equal to itself, and where a run was made (its meta data) does not matter. Values compared by `==` would
    find a difference in `born`.
    """
    assert found(tmp_path) == []


def test_texts_of_either_format_are_read(tmp_path):
    """Since format 2 a text is an array of one element: a run recorded before is compared with one recorded after, and
    a number in its summary that differs is found. A reader of the one form ends with an exception at the other.
    """

    def newer(overlap: float) -> Change:
        def change(file: Any) -> None:
            del file["barchan/summary"]
            file["barchan/summary"] = [json.dumps({"worst_overlap": overlap})]

        return change

    assert found(tmp_path / "same", newer(0.1)) == []
    (line,) = found(tmp_path / "other", newer(0.2))
    assert "worst_overlap" in line and "0.2" in line


def test_one_bit_is_found_and_named(tmp_path):
    """The last bit of one number: dataset, frame, time, and the grain's id, which is another number than its row. A
    tolerance, or rows taken for ids, would show here. The dataset's other name comes second.
    """
    bit = float(np.nextafter(22.0, 23.0))
    line, other = found(tmp_path, put("/barchan/grains/velocity", (7, 1), bit))
    assert other.startswith("recording, /VTKHDF/PointData/velocity: frame 2 (t = 0.5 s), grain 8, sphere 1[1]: 22.0 be")
    assert line == (
        f"recording, /barchan/grains/velocity: frame 2 (t = 0.5 s), grain 8[1]: 22.0 before, {bit!r} now; "
        "1 of 3 rows differ"
    )


def test_zeros_of_both_signs_differ(tmp_path):
    """−0 and 0 are equal as values and may still part later (1/x, atan2): bits are compared."""
    line = found(tmp_path, put("/barchan/grains/velocity", (0, 0), -0.0))[0]
    assert "grain 3[0]: 0.0 before, -0.0 now" in line


def test_what_differs_first_stands_first(tmp_path):
    """By time, over frames and samples: a series that is sampled between frames may part before any frame does."""

    def change(file: Any) -> None:
        file["/barchan/grains/velocity"][4, 2] = -1.0  # frame 1, t = 0.25 s
        file["/barchan/series/kinetic_energy"][2] = -1.0  # t = 0.2 s
        file["/barchan/contacts/overlap"][2] = -1.0  # frame 2, t = 0.5 s

    lines = found(tmp_path, change, skin=np.array([0.6]))
    datasets = [line.partition(": ")[0].rpartition("/")[2] for line in lines]
    assert datasets == ["kinetic_energy", "velocity", "velocity", "overlap", "checkpoint, skin"]
    assert "sample 2 (t = 0.2 s)" in lines[0] and "frame 1 (t = 0.25 s), grain 8[2]" in lines[1]
    assert "grain 11, contact 1" in lines[3]


def test_frames_are_cut_out_before_they_are_compared(tmp_path):
    """The ids are the same in all frames and stored once; stored once a frame they still are the same ids, and only
    the offsets differ. Datasets that are compared as they lie in the file would differ in length.
    """

    def change(file: Any) -> None:
        del file["/barchan/grains/id"]
        file["/barchan/grains/id"] = np.tile(IDS, 3)
        file["/barchan/offsets/id"][:] = (0, 3, 6)

    lines = found(tmp_path, change)
    assert [line.partition(":")[0] for line in lines] == ["recording, /barchan/offsets/id"]


def test_a_row_more_is_told_in_the_frame_where_it_is(tmp_path):
    """A contact more in frame 1: the rows of each frame are counted, those in front of it are compared all the same."""

    def change(file: Any) -> None:
        for name, values in (("first", [3, 8, 3, 11]), ("overlap", [0.1, 0.7, 0.2, 0.3])):
            del file[f"/barchan/contacts/{name}"], file[f"/barchan/offsets/{name}"]
            file[f"/barchan/contacts/{name}"], file[f"/barchan/offsets/{name}"] = np.array(values), np.array([0, 0, 2])
        file["/barchan/frames/contacts"][1] = 2

    lines = found(tmp_path, change)
    assert "recording, /barchan/contacts/overlap: frame 1 (t = 0.25 s), shape (1,) before, (2,) now" in lines


def test_checkpoints_name_the_grain(tmp_path):
    """Rows of a checkpoint are in the solver's order, not in that of the ids: row 1 here is grain 8, row 0 grain 11."""
    velocity = CHECKPOINT["velocity"].copy()
    velocity[0, 2] = 5.0
    assert found(tmp_path, velocity=velocity) == [
        "checkpoint, velocity: grain 11[2]: 2.0 before, 5.0 now; 1 of 3 rows differ"
    ]


def test_a_dataset_too_many_or_of_another_type_differs(tmp_path):
    """Neither is passed over because there is nothing to compare it with."""
    lines = found(
        tmp_path, lambda file: file.create_dataset("/barchan/grains/heat", data=[1]), id=IDS[::-1].astype("i4")
    )
    assert any("/barchan/grains/heat: is there now only" in line for line in lines)
    assert any("checkpoint, id: type int64 before, int32 now" in line for line in lines)


# ------------------------------------------------------------ the table of renames


TABLE = """
[[left_out]]
where = "checkpoint"
name = "numbers/wall_*"
why = "a clock"
"""
RENAMED = """
[[changed]]
where = "recording"
old = "/barchan/grains/velocity"
new = "/barchan/grains/pace"
sign = -1
why = "shown as it is felt"
"""


def tables(folder: Path, old: str, new: str) -> Renames:
    """What counts between two tables."""
    for name, text in (("old.toml", old), ("new.toml", new)):
        (folder / name).write_text(text, encoding="utf-8")
    return Renames.between(folder / "old.toml", folder / "new.toml")


def renamed(file: Any) -> None:
    velocity = file["/barchan/grains/velocity"][()]
    del file["/barchan/grains/velocity"]
    file["/barchan/grains/pace"] = -velocity  # ParaView's name stays, and so does what it shows
    file["/barchan/offsets/pace"] = file["/barchan/offsets/velocity"]
    del file["/barchan/offsets/velocity"]


def test_a_renamed_and_re_signed_dataset_is_compared(tmp_path):
    """Bits and all: a change of one value in it is still found. The offsets' own dataset is the only one left."""
    counts = tables(tmp_path, TABLE, TABLE + RENAMED)
    lines = found(tmp_path, renamed, counts)
    assert [line.partition(":")[0] for line in lines] == [
        "recording, /barchan/offsets/velocity", "recording, /barchan/offsets/pace",
    ]  # fmt: skip


def test_a_change_that_the_older_table_knows_does_not_count(tmp_path):
    """It was made before that revision: turned round once more, equal velocities would be found to differ, and the same
    names to be missing.
    """
    assert found(tmp_path, renames=tables(tmp_path, TABLE + RENAMED, TABLE + RENAMED)) == []


def test_what_is_left_out_is_not_compared(tmp_path):
    """A time on the wall clock never is the same; everything else in the same file still is compared."""
    tmp_path.mkdir(exist_ok=True)
    runs = write_run(tmp_path / "old"), write_run(tmp_path / "new")
    (runs[1] / "state.json").write_text(json.dumps(NUMBERS | {"wall_time": 18.0, "time": 0.75}), encoding="utf-8")
    (one,) = differences(*runs, tables(tmp_path, TABLE, TABLE))
    assert str(one) == "checkpoint, numbers/time: value 0: 0.5 before, 0.75 now"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('why = ""', "must say `where`"),
        ('newer = "x"', "unknown"),
        ("sign = 2", "`sign` is 1 or -1"),
        ('where = "movie"', "must say `where`"),
    ],
)
def test_an_entry_that_says_nothing_is_refused(tmp_path, line, said):
    """A table that is misread would hide differences: a typing error in it must not."""
    key = line.partition(" ")[0]
    kept = [one for one in RENAMED.splitlines() if not one.startswith(f"{key} ")]
    with pytest.raises(ValueError, match=said):
        tables(tmp_path, TABLE, "\n".join([*kept, line]))


# ------------------------------------------------------------ processes


WORKER = """
import json, os, signal, sys
for scene, way in json.load(open(sys.argv[1]))["tasks"]:
    if way == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if scene == "bad":
        sys.exit("no such scene")
    print(json.dumps({"task": [scene, way], "seconds": 1.0, "pid": os.getpid()}), flush=True)
"""


def test_a_killed_process_is_followed_by_another(tmp_path):
    """SIGKILL is what has to happen in the task of that name, once for each scene; the next process goes on with the
    task after it. A process that ends by itself is an error, told with what it said, and the rest is done all the same.
    """
    (tmp_path / "worker.py").write_text(WORKER, encoding="utf-8")
    revision = Revision("now", "toy", tmp_path, tmp_path, tmp_path, tmp_path / "out")
    answers: list[dict[str, Any]] = []
    jobs.perform(jobs.Job(revision, ("good", "bad", "last")), answers.append)
    told = {tuple(one["task"]): one for one in answers}
    assert list(told) == [(scene, way) for scene in ("good", "bad", "last") for way in jobs.WAYS]
    assert [scene for (scene, _), one in told.items() if "error" in one] == ["bad", "bad", "bad"]
    assert "code 1: no such scene" in told["bad", "one"]["error"]
    assert told["good", "resumed"]["pid"] != told["good", "one"]["pid"]
