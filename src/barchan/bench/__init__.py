"""Benchmarks: one file each, with a function `measure(**options)` that yields one row of numbers per measurement."""

from __future__ import annotations

import importlib
import platform
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

from barchan import __version__
from barchan.errors import FileError, Finding, SceneError

NAMES = ("settled-bed", "gas", "triangles")


def benchmark(name: str) -> ModuleType:
    """The benchmark of that name."""
    if name not in NAMES:
        raise SceneError(Finding("bench", f"{name!r} is not among the benchmarks", f"known: {', '.join(NAMES)}"))
    return importlib.import_module(f"barchan.bench.{name.replace('-', '_')}")


def data(name: str) -> Path:
    """A data file of the benchmarks: inside the package, or in a checkout's benchmarks/data."""
    here = Path(__file__).resolve()
    for path in (here.parent / "data" / name, here.parents[3] / "benchmarks" / "data" / name):
        if path.exists():
            return path
    raise FileError(Finding(name, "is not there", "benchmark data come with the source", "run from a checkout"))


def stamp() -> dict[str, Any]:
    """What a result needs beside its numbers: version, commit, machine."""
    root = Path(__file__).resolve().parents[3]
    try:
        found = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=root, capture_output=True, text=True, timeout=10, check=False
        )
        commit = found.stdout.strip()
    except OSError:
        commit = ""
    return {"version": __version__, "commit": commit, "python": platform.python_version(), "machine": _processor()}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor()
    )
