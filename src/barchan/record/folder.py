"""Run folders: made without harming what is there, and written by one process at a time."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from barchan.errors import FileError, Finding

RECORDING = "recording.vtkhdf"
JOURNAL = "recording.journal"
CHECKPOINT = "checkpoint.blocks"
LOCK = "lock"

_RUN = ("recording.*", "checkpoint.*")  # a folder with one of these is a run
_OWN = (*_RUN, LOCK, "summary.png", "scene.png", "movie.gif", "summary.json")


def _own_files(folder: Path, patterns: tuple[str, ...]) -> Iterator[Path]:
    for pattern in patterns:
        yield from (path for path in sorted(folder.glob(pattern)) if path.is_file() or path.is_symlink())


def is_run(folder: Path) -> bool:
    """Whether a run has written into this folder."""
    return folder.is_dir() and any(True for _ in _own_files(folder, _RUN))


def default_folder(scene_name: str, base: Path | str = "runs") -> Path:
    """`runs/<name>-<n>` with the smallest n that is larger than that of every folder there."""
    base = Path(base)
    name = re.sub(r"[^\w.+-]+", "-", scene_name).strip("-.") or "run"
    taken = [re.fullmatch(re.escape(name) + r"-(\d+)", path.name) for path in base.glob("*")] if base.is_dir() else []
    return base / f"{name}-{1 + max((int(match[1]) for match in taken if match), default=0)}"


def create(path: Path | str, force: bool = False) -> Path:
    """Make a run folder, or empty the one that is there of Barchan's own files if `force`.

    Files that Barchan did not write are never touched, and a folder that holds only such files is refused.
    """
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        raise FileError(Finding(str(folder), "is a file", "a folder", "choose another name with --out"))
    if is_run(folder):
        if not force:
            raise FileError(Finding(
                str(folder), "already holds a run", "a new folder",
                f"choose another with --out, go on with `barchan resume {folder}`, or replace it with --force",
            ))  # fmt: skip
        with Lock(folder):
            for file in _own_files(folder, tuple(one for one in _OWN if one != LOCK)):
                file.unlink()
    elif folder.is_dir() and any(one.name != LOCK for one in folder.iterdir()):
        raise FileError(Finding(
            str(folder), "is not a run of Barchan and holds other files", "a new or an empty folder",
            "choose another with --out" + ("; --force replaces runs only" if force else ""),
        ))  # fmt: skip
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise write_error(folder, problem, "choose another folder with --out") from problem
    return folder


def write_error(path: Path, problem: OSError, remedy: str) -> FileError:
    """What to say when the system refuses to write at `path`."""
    what = problem.strerror or str(problem)
    where = path if path.is_dir() else path.parent
    with suppress(OSError):
        what += f" ({shutil.disk_usage(where).free / 1e6:.0f} MB free there)"
    return FileError(Finding(str(path), f"cannot be written: {what}", remedy=remedy))


class Lock:
    """Held by the one process that writes into a run folder; the system lets go of it when that process dies."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK
        self._descriptor = self._acquire()

    def _acquire(self) -> int:
        while True:
            try:
                descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            except OSError as problem:
                raise write_error(self._path, problem, "make the folder writable or choose another") from problem
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if self._is_current(descriptor):
                    os.ftruncate(descriptor, 0)
                    os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
                    return descriptor
            except BlockingIOError as problem:
                holder = os.read(descriptor, 200).decode(errors="replace").strip() or "another process"
                os.close(descriptor)
                raise FileError(Finding(
                    str(self._path.parent), f"is being written by {holder}", "one writer at a time",
                    "wait until it ends, stop it, or choose another folder with --out",
                )) from problem  # fmt: skip
            except OSError as problem:
                os.close(descriptor)
                raise write_error(self._path, problem, "free space or make the folder writable") from problem
            os.close(descriptor)

    def _is_current(self, descriptor: int) -> bool:
        """Whether the locked file is still the one in the folder: its last holder may just have removed it."""
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self._path))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Let another process write."""
        if self._descriptor >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Lock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
