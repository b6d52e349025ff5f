"""Formats: recordings as files of other programs.

One file each. A file here holds `FORMAT = Format(…)` and is found by scanning this folder; `barchan list formats` shows
it. A format writes frame by frame, so that a long recording never has to fit into memory. Lengths are in m, times in s.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from barchan.errors import FileError, Finding
from barchan.frame import Frame
from barchan.record.recording import Recording
from barchan.record.whole import replaced

Report = Callable[[int, int], None]  # frames written, frames in all


@dataclass(frozen=True)
class Format:
    """How a recording is written for other programs; `write(recording, frames, path)` does it."""

    key: str
    summary: str
    endings: tuple[str, ...]  # of file names, the usual one first
    write: Callable[[Recording, Iterator[Frame], Path], None]
    needs: str = ""  # a package on PyPI that the extra `export` brings
    module: str = ""  # its name in Python


def formats() -> dict[str, Format]:
    """All formats by name, in alphabetical order."""
    found = {}
    for info in pkgutil.iter_modules(__path__):
        if not info.name.startswith("_"):
            made: Format = importlib.import_module(f"{__name__}.{info.name}").FORMAT
            found[made.key] = made
    return dict(sorted(found.items()))


def chosen(key: str, where: str = "--to") -> Format:
    """The format of that name; FileError names those that are known."""
    known = formats()
    if key not in known:
        raise FileError(Finding(where, repr(key), f"known: {', '.join(known)}"))
    return known[key]


def write(
    recording: Recording, key: str, path: Path | str, *, force: bool = False, report: Report | None = None
) -> Path:
    """Write a recording in the format `key` to `path`, which appears when it is whole; returns the path.

    A file that is there is kept unless `force`. `report` is called with the frames done and their number.
    """
    made, target = chosen(key), Path(path)
    if target.exists() and not force:
        remedy = "choose another name, or replace it with --force"
        raise FileError(Finding(str(target), "is already there", remedy=remedy))
    if target.suffix.lower() not in made.endings:
        what = f"ends in {target.suffix!r}" if target.suffix else "has no ending"
        raise FileError(Finding(str(target), what, f"a file of {key} ends in {' or '.join(made.endings)}"))
    if made.module and importlib.util.find_spec(made.module) is None:
        remedy = "install it with pip install 'barchan[export]'"
        raise FileError(Finding(f"--to {key}", f"needs the package {made.needs}", remedy=remedy))
    if not len(recording):
        raise FileError(Finding(str(recording.path), "has no frames yet", remedy="wait for the first one"))
    with replaced(target) as temporary:
        made.write(recording, _told(recording, report), temporary)
    return target


def _told(recording: Recording, report: Report | None) -> Iterator[Frame]:
    """The frames one by one; tells how many are done."""
    count = len(recording)
    for index in range(count):
        yield recording[index]
        if report is not None:
            report(index + 1, count)
