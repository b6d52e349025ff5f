"""What a journal and a finished recording have in common when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from barchan.errors import FileError, Finding
from barchan.frame import Frame
from barchan.record.schema import FORMAT_VERSION


class Source(Protocol):
    """Frames and samples that can be read in any order."""

    scene_toml: str
    meta: dict[str, Any]
    summary: dict[str, Any]
    finished: bool
    damage: FileError | None  # what is missing at the end, and why
    series_units: list[tuple[str, str]]  # name and unit of every observable
    times: np.ndarray  # (F,) s
    steps: np.ndarray  # (F,) int64

    def frame(self, index: int) -> Frame:
        """Frame `index`, 0 ≤ index < F."""
        ...

    def counts(self) -> Mapping[str, np.ndarray]:
        """(F,) int64 numbers of rows per grain, sphere, wall, …; −1: none recorded."""
        ...

    def single(self) -> bool:
        """Whether in every frame each grain is one sphere."""
        ...

    def samples(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times (S,) s, steps (S,), and values (S, number of observables)."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


def check_format(path: Path, version: int) -> None:
    """Refuse a file of a later Barchan."""
    if version > FORMAT_VERSION:
        raise FileError(Finding(
            str(path), f"has format {version}", f"this Barchan reads formats up to {FORMAT_VERSION}",
            "update Barchan",
        ))  # fmt: skip


def damaged(path: Path, problem: Exception, where: str = "") -> FileError:
    """What to say of a recording that is not what was written; `where` in it."""
    reason = str(problem).splitlines()[0][:120] if str(problem) else type(problem).__name__
    return FileError(Finding(
        str(path), f"is damaged or cut short: {where}{reason}", "a whole recording",
        f"copy it again from where it came, or `barchan resume {path.parent}` if its run folder is whole",
    ))  # fmt: skip
