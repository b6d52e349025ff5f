"""The cache of compiled kernels: what goes from it, and that other processes do not mind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from barchan import caches
from barchan.errors import SceneError
from barchan.kernels import packages

HOUR = 3600.0  # s


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("BARCHAN_CACHE", str(tmp_path))
    return tmp_path


def fill(cache: Path, name: str, hours: float, size: int) -> Path:
    """A package that was last used so many hours ago, of so many bytes, with numba's code in a folder below it."""
    folder = cache / name
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__pycache__" / "code.nbc").write_bytes(bytes(size))
    (folder / "__init__.py").touch()
    os.utime(folder / "__init__.py", (0, time.time() - hours * HOUR))
    return folder


def left(cache: Path) -> set[str]:
    """What is in the cache."""
    return {path.name.removeprefix(caches.PACKAGE) for path in cache.iterdir()}


def test_without_a_folder_a_process_keeps_to_one_of_its_own(tmp_path, monkeypatch):
    """Where no folder can be written to there is one for the process. A new one at every call would hold a package
    each, of which nothing is found again, and hundreds of them would be left.
    """
    (tmp_path / "file").touch()
    monkeypatch.setenv("BARCHAN_CACHE", str(tmp_path / "file"))
    assert caches.cache_folder() == caches.cache_folder()


def test_what_is_oldest_goes_until_the_rest_is_within_the_limit(cache, monkeypatch):
    """Five packages of 1 MB, a limit of 2.5 MB: the two used last stay, the folder of another program too. The package
    that this process uses stays though it is the oldest, and counts. A cache that is pruned by age alone keeps all.
    """
    for name, hours in (("a", 40), ("b", 8), ("c", 30), ("d", 20), ("e", 9)):
        fill(cache, f"{caches.PACKAGE}{name}", hours, 1_000_000)
    fill(cache, "another", 1000, 1_000_000)
    monkeypatch.setenv("BARCHAN_CACHE_LIMIT", "5 MB")
    caches.prune(())
    assert left(cache) == {"a", "b", "c", "d", "e", "another"}
    monkeypatch.setenv("BARCHAN_CACHE_LIMIT", "2.5 MB")
    caches.prune({f"{caches.PACKAGE}a"})
    assert left(cache) == {"a", "b", "another"}


@pytest.mark.parametrize(("text", "size"), [("", 2e9), ("1500", 1500.0), ("0.5 gb", 5e8), ("3TB", 3e12), ("inf", None)])
def test_the_limit_is_a_size(monkeypatch, text, size):
    """Bytes, or with a decimal unit in either case; by a wrong factor a cache would be emptied, or grow for ever."""
    monkeypatch.setenv("BARCHAN_CACHE_LIMIT", text)
    assert caches.size_limit() == (float("inf") if size is None else size)


@pytest.mark.parametrize("text", ["much", "2 GiB", "-1", "nan", "1e3"])
def test_a_limit_that_is_no_size_is_refused(monkeypatch, text):
    """What was mistyped must not remove the cache, nor be passed over in silence: the error names the variable."""
    monkeypatch.setenv("BARCHAN_CACHE_LIMIT", text)
    with pytest.raises(SceneError, match=r"\$BARCHAN_CACHE_LIMIT: .*must be a size such as 500 MB"):
        caches.size_limit()


def test_a_package_with_code_of_a_process_that_ran_on_is_made_whole(cache):
    """A package is removed while a process uses it, and that process keeps compiled code where it was: numba makes the
    folder again, without the texts. The next process must write them and keep the code; it ended with "Directory not
    empty" for every scene of the kind, for ever.
    """
    folder = cache / f"{caches.PACKAGE}half"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__pycache__" / "code.nbc").write_bytes(b"compiled")
    made, written = packages.load(
        folder.name, {"bound": "FACTOR = 2.0", "kernel": "from .bound import FACTOR"}, "kernel"
    )
    assert written and made.FACTOR == 2.0
    assert (folder / "__pycache__" / "code.nbc").read_bytes() == b"compiled"
    assert not list(cache.glob(f"{caches.DRAFT}*"))


LOADER = """
import sys
from barchan.kernels import packages
for k in range(150):
    name = f"barchan_bound_{k % 5}"
    made, _ = packages.load(name, {"bound": f"FACTOR = {k % 5}", "kernel": "from .bound import FACTOR"}, "kernel")
    assert made.FACTOR == k % 5
    packages._forget(name)
"""


def test_packages_are_loaded_while_others_remove_them(cache):
    """Two processes load the same five packages again and again, and a third one removes them all the time: no one ever
    sees half of a package, and what is gone is written again. Where folders are emptied in place, a process finds the
    first file of a package and misses the others.
    """
    loaders = [
        subprocess.Popen([sys.executable, "-c", LOADER], stderr=subprocess.PIPE, text=True, env=dict(os.environ))
        for _ in range(2)
    ]
    while any(one.poll() is None for one in loaders):
        caches.clear()
        time.sleep(0.005)
    for one in loaders:
        assert one.communicate()[1] == "" and one.returncode == 0
    caches.clear()
    assert left(cache) == set()
