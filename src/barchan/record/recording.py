"""A recording read back: any frame at any time, of a run that is finished, going on, or was killed."""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from barchan.drawn import Drawn
from barchan.errors import BarchanWarning, FileError, Finding
from barchan.frame import Frame
from barchan.model.solids import solid
from barchan.record.folder import JOURNAL, RECORDING
from barchan.record.journal import JournalReader
from barchan.record.source import Source

if TYPE_CHECKING:
    from barchan.scene import Scene

_HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"


class Recording(Drawn):
    """The frames and time series of a run; `recording[k]` is frame k, and nothing else is loaded.

    Of a run that goes on it shows what was there when it was opened; `refresh` looks again. What is damaged is a
    FileError when it is read; where only the beginning of a journal can be read, a warning says so.
    """

    def __init__(self, folder_or_file: Path | str, *, scene: Scene | None = None) -> None:
        """`scene` is that of the run where it is at hand; left out, it is read from the recording."""
        self._given = Path(folder_or_file)
        self._source, self.path = _find(self._given)
        if scene is not None:
            self._scene = lambda: scene

    def refresh(self) -> None:
        """Look at what the run has recorded since."""
        source, path = _find(self._given)
        self._source.close()
        self._source, self.path = source, path

    @property
    def scene_toml(self) -> str:
        """The scene, as TOML."""
        return self._source.scene_toml

    @property
    def scene(self) -> Scene:
        """The scene, for looking at the run: laws, motions and observables that nobody has registered are `Absent`."""
        return self._scene()

    @functools.cached_property
    def _scene(self) -> Callable[[], Scene]:
        """The same for frames, which may be kept for longer than the file."""
        from barchan.scene.toml import loads_recorded

        return functools.cache(functools.partial(loads_recorded, self.scene_toml, str(self.path)))

    @property
    def meta(self) -> dict[str, Any]:
        """Versions, seed, platform."""
        return self._source.meta

    @property
    def summary(self) -> dict[str, Any]:
        """What the run found at its end; empty before."""
        return self._source.summary

    @property
    def finished(self) -> bool:
        """Whether the run came to its end."""
        return self._source.finished

    @property
    def times(self) -> np.ndarray:
        """(F,) times of the frames, s."""
        return self._source.times

    @property
    def steps(self) -> np.ndarray:
        """(F,) steps done at the frames."""
        return self._source.steps

    @property
    def series(self) -> dict[str, np.ndarray]:
        """(S,) arrays by name: time (s), step, and every observable."""
        times, steps, values = self._source.samples()
        columns = {name: values[:, column].copy() for column, (name, _) in enumerate(self._source.series_units)}
        return {"time": times, "step": steps, **columns}

    @property
    def units(self) -> dict[str, str]:
        """Units of the series by name."""
        return {"time": "s", "step": "", **dict(self._source.series_units)}

    def counts(self) -> Mapping[str, np.ndarray]:
        """(F,) int64 numbers of rows of the frames, per grain, sphere, wall, …; −1: none recorded."""
        return self._source.counts()

    def __len__(self) -> int:
        return len(self._source.times)

    def __getitem__(self, index: int) -> Frame:
        position = operator.index(index)
        if position < 0:
            position += len(self)
        if not 0 <= position < len(self):
            raise IndexError(f"frame {index} of a recording with {len(self)} frames")
        frame, scene = self._source.frame(position), self._scene
        frame.find = {"flat": lambda _: scene().dimensions == 2, "solid": lambda frame: solid(scene(), frame)}
        return frame

    def __iter__(self) -> Iterator[Frame]:
        return (self[index] for index in range(len(self)))

    def write_vtkhdf(self, path: Path | str) -> None:
        """Write a copy that ParaView opens, also of a run that is not finished."""
        from barchan.record.folder import write_error
        from barchan.record.vtkhdf import write_vtkhdf

        try:
            write_vtkhdf(self._source, Path(path), self.summary, self.finished)
        except OSError as problem:
            raise write_error(Path(path), problem, "free space or choose another place") from problem

    def close(self) -> None:
        """Let go of the file."""
        self._source.close()

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _find(given: Path) -> tuple[Source, Path]:
    """The recording in a folder; of two, the finished one: the journal beside it is about to be removed."""
    for _ in range(2):  # a run that ends just now removes its journal between the look and the opening
        candidates = [given / RECORDING, given / JOURNAL] if given.is_dir() else [given]
        for path in candidates:
            if path.is_file():
                try:
                    return open_source(path), path
                except FileNotFoundError:
                    continue
    if given.is_dir():
        remedy = "give the folder of a run; if the run was stopped before it began, run the scene again"
        raise FileError(Finding(str(given), "holds no recording", f"{RECORDING} or {JOURNAL} in it", remedy))
    raise FileError(Finding(str(given), "no such file or folder", "the folder of a run", "check the path"))


def open_source(path: Path) -> Source:
    """The recording in a file, whichever of the two kinds it is."""
    try:
        with path.open("rb") as file:
            signature = file.read(len(_HDF5_SIGNATURE))
    except FileNotFoundError:
        raise
    except OSError as problem:
        what = f"cannot be read: {problem.strerror}"
        raise FileError(Finding(str(path), what, remedy="check the disk and the file's rights")) from problem
    if signature != _HDF5_SIGNATURE:
        journal = JournalReader(path)
        if journal.damage is not None:
            warnings.warn(str(journal.damage), BarchanWarning, stacklevel=4)
        return journal
    from barchan.record.vtkhdf import VtkhdfReader

    return VtkhdfReader(path)
