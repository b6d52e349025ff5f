"""The sources that are compared: this checkout's, and those of a commit or in a folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "speed"  # sources of commits, and kernel caches
BASE = Path(__file__).with_name("base.toml")
SHORT = 7  # digits of a commit


class WrongUse(Exception):
    """Something was asked for that there is not."""


@dataclass(frozen=True)
class Revision:
    """A source of Barchan."""

    commit: str
    folder: Path

    def environment(self, cache: Path) -> dict[str, str]:
        """For a process that runs this source, with a kernel cache that no other source uses."""
        paths = [str(self.folder / "src"), str(ROOT / "benchmarks"), os.environ.get("PYTHONPATH", "")]
        return {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in paths if path),
            "BARCHAN_CACHE": str(cache),
            "NUMBA_CACHE_DIR": str(cache / "numba"),
        }

    def cache(self) -> Path:
        """Its kernel cache, kept from one comparison to the next."""
        return KEPT / "caches" / hashlib.sha256(str(self.folder).encode()).hexdigest()[:12]


def _git(*words: str, folder: Path = ROOT) -> str:
    try:
        told = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return told.stdout.strip() if told.returncode == 0 else ""


def here(commit: str = "") -> Revision:
    """This checkout as it stands; `commit` where there is no history that would say it."""
    return Revision(commit or _state(ROOT) or "unknown", ROOT)


def _state(folder: Path) -> str:
    """The commit of a checkout, and whether there is more in it; nothing where it is none."""
    if _git("rev-parse", "--show-toplevel", folder=folder) != str(folder):
        return ""
    commit = _git("rev-parse", f"--short={SHORT}", "HEAD", folder=folder)
    return commit + ("+changes" if _git("status", "--porcelain", "src", folder=folder) else "")


def find(name: str) -> Revision:
    """The source of a commit, or in a folder."""
    folder = Path(name)
    if (folder / "src" / "barchan").is_dir():
        return Revision(_state(folder.resolve()) or folder.resolve().name, folder.resolve())
    full = _git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if not full:
        raise WrongUse(f"REV: {name!r} is neither a commit nor a folder with src/barchan; try REV=HEAD~1 or REV=base")
    commit = full[:SHORT]
    target = KEPT / "sources" / commit
    if not target.is_dir():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as made:
            archive, tree = Path(made) / "tree.tar", Path(made) / "tree"
            subprocess.run(["git", "archive", "--output", str(archive), full], cwd=ROOT, check=True)
            with tarfile.open(archive) as file:
                file.extractall(tree, filter="data")
            tree.rename(target)
    return Revision(commit, target)


def bases(names: tuple[str, ...]) -> Mapping[str, str]:
    """The commit from which on losses may not add up, for each benchmark."""
    told = tomllib.loads(BASE.read_text())
    instead = told.get("instead", {})
    if unknown := sorted(set(instead) - set(names)):
        raise WrongUse(f"{BASE.name}: {', '.join(unknown)}: no such benchmark; known: {', '.join(names)}")
    return {name: instead.get(name, told["base"]) for name in names}


def compile_bytecode(revision: Revision) -> None:
    """Once, before cold starts: which kernels are compiled is compared, not Python's own cache."""
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(revision.folder / "src")], check=False)


def fresh_cache() -> Path:
    """An empty folder."""
    return Path(tempfile.mkdtemp(prefix="barchan-cold-"))


def discard(folder: Path) -> None:
    """Away with it."""
    shutil.rmtree(folder, ignore_errors=True)
