"""Where things are kept that would take long to make again: compiled kernels, the table of units.

Several processes share the folder, and none of them locks it. A package of compiled kernels appears and goes in one
step, by a change of name; what goes is made again by whoever needs it next.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import re
import shutil
import tempfile
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from barchan.errors import Finding, SceneError

PACKAGE = "barchan_bound_"  # how the names of packages of compiled kernels begin
UNITS = "units-"  # how the names of folders with tables of units begin
DRAFT = "barchan_draft_"  # how the names of folders begin in which packages are made or removed
LIMIT = "BARCHAN_CACHE_LIMIT"  # in the environment: how large the packages may be together
USUAL_LIMIT = 2e9  # bytes
SIZES = {"": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12}  # bytes
HOUR = 3600.0  # s
DAY = 24 * HOUR
UNUSED = 60 * DAY  # s after which a package is removed


def cache_folder() -> Path:
    """A folder that can be written to: $BARCHAN_CACHE, or the user's cache folder."""
    named = os.environ.get("BARCHAN_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    for folder in [Path(named)] if named else [Path(home) / "barchan", Path(tempfile.gettempdir()) / "barchan-cache"]:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return _own_folder()


@functools.cache
def _own_folder() -> Path:
    """A folder for this process, where no other one can be written to."""
    return Path(tempfile.mkdtemp(prefix="barchan-cache-"))


def size_limit() -> float:
    """How large the packages of kernels may be together, bytes: $BARCHAN_CACHE_LIMIT, or 2 GB."""
    text = os.environ.get(LIMIT, "").strip()
    if not text:
        return USUAL_LIMIT
    if text.lower() == "inf":
        return math.inf
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?b)?", text.lower())
    if not found:
        raise SceneError(Finding(
            f"${LIMIT}", repr(text), "must be a size such as 500 MB or 2 GB, or inf for no limit",
            "set it to one, or unset it",
        ))  # fmt: skip
    return float(found[1]) * SIZES.get(found[2] or "", 1.0)


class Package(NamedTuple):
    """Compiled kernels in the cache."""

    folder: Path
    used: float  # s since the epoch; to the hour
    size: int  # bytes


def packages() -> list[Package]:
    """All packages of kernels that are in the cache, the one that was used last at the end."""
    found = []
    for folder in cache_folder().glob(f"{PACKAGE}*"):
        with contextlib.suppress(OSError):  # one that another process removes just now
            found.append(Package(folder, _used(folder), _size(folder)))
    return sorted(found, key=lambda one: one.used)


def mark(folder: Path) -> None:
    """Note when a package was last used, to the hour: its first file was changed then."""
    with contextlib.suppress(OSError):  # of a cache that can be read only
        if time.time() - _used(folder) > HOUR:
            os.utime(folder / "__init__.py")


def prune(kept: Collection[str]) -> None:
    """Remove packages that nothing has used for long, and the oldest ones until the others are within the limit.

    kept: names of packages that this process uses; they are never removed. Where another process uses one that is,
    it has all in memory that it has compiled, and what it compiles from then on it keeps in a new folder.
    """
    limit, now = size_limit(), time.time()
    found = packages()
    total = sum(one.size for one in found)
    for one in found:
        if one.folder.name not in kept and (total > limit or now - one.used > UNUSED):
            _remove(one.folder)
            total -= one.size
    for draft in cache_folder().glob(f"{DRAFT}*"):  # of processes that were killed
        with contextlib.suppress(OSError):
            if now - draft.stat().st_mtime > DAY:
                shutil.rmtree(draft, ignore_errors=True)


def clear() -> None:
    """Remove all that is in the cache, and nothing else that may be in the folder."""
    for name in (PACKAGE, UNITS):
        for folder in cache_folder().glob(f"{name}*"):
            _remove(folder)


@contextlib.contextmanager
def draft_folder() -> Iterator[Path]:
    """A folder in the cache for a short while; what is in it at the end is removed."""
    with tempfile.TemporaryDirectory(dir=cache_folder(), prefix=DRAFT, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _used(folder: Path) -> float:
    """When a package was last used; one that is not whole was never used."""
    first = folder / "__init__.py"
    return first.stat().st_mtime if first.exists() else folder.stat().st_mtime


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _remove(folder: Path) -> None:
    """Remove a folder of the cache so that no process ever sees half of it."""
    with contextlib.suppress(OSError), draft_folder() as draft:
        folder.rename(draft / folder.name)
