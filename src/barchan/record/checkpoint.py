"""Checkpoints: a solver's arrays, verbatim, saved so that a kill at any moment leaves a whole one."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from barchan.errors import BarchanWarning, FileError, Finding
from barchan.record import blocks
from barchan.record.folder import CHECKPOINT, write_error

FORMAT_VERSION = 3  # raised with every change of what solvers keep: no other one is read
_KIND = 16  # of a checkpoint's block; a journal's are smaller


def _newest(folder: Path) -> Path:
    return folder / CHECKPOINT


def _previous(folder: Path) -> Path:
    return _newest(folder).with_suffix(".previous")


def is_there(folder: Path) -> bool:
    """Whether a checkpoint has been saved into a run folder."""
    return _newest(folder).is_file() or _previous(folder).is_file()


def how_to_go_on(folder: Path) -> str:
    """What to do when the disk was full: where `barchan resume` begins depends on what is there."""
    if is_there(folder):
        return f"the last checkpoint is whole: free space on that disk, then `barchan resume {folder}`"
    return f"no checkpoint was written yet: free space on that disk, then `barchan resume {folder}` begins anew"


def save(folder: Path | str, arrays: Mapping[str, np.ndarray], meta: Mapping[str, Any]) -> None:
    """Save a checkpoint into a run folder and keep the one before.

    When this returns, the checkpoint is on the disk; whatever stops it leaves the checkpoint before in place.
    """
    folder = Path(folder)
    newest, part = _newest(folder), _newest(folder).with_suffix(".part")
    table = {name: blocks.entry(np.asarray(array)) for name, array in arrays.items()}
    header = {"format": FORMAT_VERSION, "meta": meta, "arrays": table}
    try:
        with part.open("wb", buffering=0) as file:
            blocks.write(file, blocks.encode(_KIND, header, [np.asarray(array) for array in arrays.values()]))
            blocks.sync(file)
        if newest.exists():
            os.replace(newest, _previous(folder))
        os.replace(part, newest)
        blocks.sync_folder(folder)
    except OSError as problem:
        part.unlink(missing_ok=True)
        raise write_error(newest, problem, how_to_go_on(folder)) from problem


def load(folder: Path | str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The newest whole checkpoint of a run folder: its arrays and its meta.

    A damaged one is set aside as `checkpoint.damaged`, with a warning, and the one before is taken.
    """
    folder = Path(folder)
    newest, previous = _newest(folder), _previous(folder)
    damage: list[str] = []
    for path in (newest, previous):
        if not path.is_file():
            continue
        try:
            found = _read(path)
        except blocks.DamagedError as problem:
            damage.append(f"{path.name} ({problem})")
            continue
        except OSError as problem:
            what = f"cannot be read: {problem.strerror}"
            raise FileError(Finding(str(path), what, remedy="check the disk and the file's rights")) from problem
        if damage:
            with suppress(OSError):  # in a folder that cannot be written, it may stay
                os.replace(newest, newest.with_suffix(".damaged"))
            said = f"{folder}: {damage[0]} is damaged; going on from the checkpoint before it, {previous.name}"
            warnings.warn(said, BarchanWarning, stacklevel=2)
        return found
    if damage:
        raise FileError(Finding(
            str(folder), f"no whole checkpoint: {', '.join(damage)}", remedy="the disk or a copy lost data; run again",
        ))  # fmt: skip
    if not folder.is_dir():
        raise FileError(Finding(str(folder), "no such folder", "the folder of a run", "check the path"))
    raise FileError(Finding(
        str(folder), "holds no checkpoint", "the folder of a run",
        "if the run was stopped before its first checkpoint, run the scene again with --force",
    ))  # fmt: skip


def _read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    with path.open("rb", buffering=0) as file:
        block = blocks.find(file, 0, path.stat().st_size)
        if block.kind != _KIND:
            raise blocks.DamagedError("not a checkpoint")
        header = blocks.read_header(file, block)
        if header["format"] != FORMAT_VERSION:
            raise FileError(Finding(
                str(path), f"has format {header['format']}", f"this Barchan reads format {FORMAT_VERSION}",
                "go on with the Barchan that wrote it, or run the scene again with --force",
            ))  # fmt: skip
        arrays, offset = {}, block.data_offset
        for name, described in header["arrays"].items():
            try:
                arrays[name] = blocks.read_array(file, offset, described)
            except blocks.DamagedError as problem:
                raise blocks.DamagedError(f"{name}: {problem}") from problem
            offset += blocks.entry_bytes(described)
        return arrays, header["meta"]
