"""The sources of two revisions side by side, each with a kernel cache of its own."""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import os
import platform
import shutil
import subprocess
import tarfile
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BASE = ROOT / "build" / "same-bits"
NEEDED = ("src", "tests/bits")
KEPT = 6  # trees with compiled kernels that stay for the next time


class UsageError(Exception):
    """What was asked for cannot be done."""


@dataclass(frozen=True)
class Revision:
    """Sources, and the scenes that go with them."""

    label: str  # "before" or "now"
    name: str
    source: Path  # the folder with the package
    bits: Path  # scenes, worker, table of renames
    cache: Path
    out: Path  # of runs
    own_bits: bool = True  # whether the scenes are its own

    @property
    def scenes(self) -> dict[str, str]:
        """The scenes that it has, and the word for the kernels of each."""
        table = tomllib.loads((self.bits / "scenes.toml").read_text(encoding="utf-8"))["scenes"]
        return {name: said.get("kernels", name) for name, said in table.items()}


def two(rev: str) -> tuple[Revision, Revision]:
    """The revision that was asked for, a commit or a folder with sources, and the working tree as it is now."""
    shutil.rmtree(BASE / "runs", ignore_errors=True)
    BASE.mkdir(parents=True, exist_ok=True)
    now = _prepared("now", "the working tree", ROOT, None)
    folder = Path(rev)
    if (folder / "src").is_dir():
        return _prepared("before", str(folder), folder.resolve(), now), now
    return _prepared("before", rev, rev, now), now


def _prepared(label: str, name: str, origin: Path | str, other: Revision | None) -> Revision:
    home = BASE / "runs" / label
    home.mkdir(parents=True)
    with tempfile.TemporaryDirectory(dir=BASE) as scratch:
        draft = Path(scratch)
        if isinstance(origin, Path):
            _copy(origin, draft)
        else:
            _archived(origin, draft)
        own_bits = (draft / "tests/bits/scenes.toml").is_file()
        if own_bits:
            (draft / "tests/bits").rename(home / "bits")
        elif other is not None:
            shutil.copytree(other.bits, home / "bits")
        tree = BASE / "trees" / _key(draft / "src")
        if not tree.exists():
            tree.mkdir(parents=True)
            (draft / "src").rename(tree / "src")
    os.utime(tree)
    _prune()
    return Revision(label, name, tree / "src", home / "bits", tree / "cache", home / "out", own_bits)


def _archived(rev: str, target: Path) -> None:
    """The files of a commit."""
    listed = _git("ls-tree", "-d", "--name-only", f"{rev}^{{commit}}", "--", *NEEDED)
    if listed.returncode:
        said = listed.stderr.decode().strip().partition("\n")[0]
        raise UsageError(f"REV={rev}: {said}; expected a commit of this repository, or a folder that holds src/")
    there = listed.stdout.decode().split()
    if "src" not in there:
        raise UsageError(f"REV={rev}: has no folder src")
    archive = _git("archive", "--format=tar", rev, "--", *there)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(target, filter="data")


def _copy(origin: Path, target: Path) -> None:
    """The files of a folder: those that git knows or would add; all of them where git is not there or ignores it."""
    listed = _git("ls-files", "-z", "-co", "--exclude-standard", "--", *NEEDED, cwd=origin)
    if listed.returncode or not listed.stdout:
        for name in NEEDED:
            if (origin / name).is_dir():
                shutil.copytree(origin / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        return
    for name in listed.stdout.decode().split("\0"):
        if name and (origin / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(origin / name, target / name)


def _git(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", *arguments], cwd=cwd, capture_output=True, check=False)
    except FileNotFoundError:
        return subprocess.CompletedProcess(arguments, 127, b"", b"git is not there; give a folder with sources")


def _key(source: Path) -> str:
    """A hash of all sources and of what compiles them: the same sources may use the kernels of the last time."""
    digest = hashlib.sha256()
    for what in (platform.python_version(), importlib.metadata.version("numba"), importlib.metadata.version("numpy")):
        digest.update(what.encode() + b"\0")
    for path in sorted(source.rglob("*")):
        if path.is_file():
            digest.update(str(path.relative_to(source)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _prune() -> None:
    trees = sorted((BASE / "trees").iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for tree in trees[KEPT:]:
        shutil.rmtree(tree, ignore_errors=True)
