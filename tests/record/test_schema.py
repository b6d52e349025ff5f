"""The table in the documents is the table in the code, and the files follow it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from barchan.frame import Contacts, Frame
from barchan.record import schema
from barchan.record.recorder import Recorder
from record.toy import META, SCENE, SERIES, make_frame, record

DOCUMENT = Path(__file__).parents[2] / "docs" / "file-format.md"


def test_the_document_holds_the_table() -> None:
    assert schema.markdown() in DOCUMENT.read_text(encoding="utf-8")


def test_every_array_of_a_frame_is_in_the_table() -> None:
    beside = {"time", "step", "tables", "known", "find"}
    kinds = (Frame, Contacts, *schema.TABLE.values())
    declared = {field.name for kind in kinds for field in dataclasses.fields(kind)} - beside
    assert {field.name for field in schema.FIELDS} == declared
    assert len(schema.FIELDS) == len(declared), "two arrays of one name would overwrite each other"


@pytest.mark.parametrize("spheres", [1, 3])
def test_files_follow_the_table(tmp_path: Path, spheres: int) -> None:
    h5py = pytest.importorskip("h5py")
    frames = [make_frame(k, 4 + k, spheres_per_grain=spheres, contacts=5) for k in range(3)]
    with Recorder(tmp_path, scene_toml=SCENE, meta=META, series=SERIES) as recorder:
        for number, frame in enumerate(frames):
            record(recorder, number, frame)
        path = recorder.close({})
    with h5py.File(path) as file:
        for field in schema.FIELDS:
            assert file[field.path].dtype == np.dtype(field.dtype), field.name
            assert file[field.path].shape[1:] == field.row
        for dataset in schema.datasets():
            name = dataset.path.split(" ")[0]
            names = [name]
            if "*" in name:
                group = name[: name.index("*")]
                names = [group + one for one in file[group] if one not in ("time", "step")]
                assert names
            for one in names:
                assert one in file, one
                if dataset.dtype not in ("string", "bool") and isinstance(file[one], h5py.Dataset):
                    assert file[one].dtype == np.dtype(dataset.dtype)
        found: list[str] = []
        file["barchan"].visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
        known = [d.path.removeprefix("/barchan/") for d in schema.datasets()]
        for name in found:
            assert any(name == one or ("*" in one and name.startswith(one[: one.index("*")])) for one in known) or (
                f"/barchan/{name}" in {field.path for field in schema.FIELDS}
            ), name
