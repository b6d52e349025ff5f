"""Benchmarks: one file each, with a function `measure(**options)` that yields one row of numbers per measurement."""

from __future__ import annotations

import importlib
import platform
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from barchan import __version__, solvers
from barchan.errors import FileError, Finding, SceneError

NAMES = ("settled-bed", "moving-bed", "hopper", "clumps", "gas", "relax", "triangles")
ON_GPU = ("settled-bed", "moving-bed")
ON_ONE_THREAD = ("gas", "relax")  # collisions come one after another; minimisers are compared on one


def benchmark(name: str) -> ModuleType:
    """The benchmark of that name."""
    if name not in NAMES:
        raise SceneError(Finding("bench", f"{name!r} is not among the benchmarks", f"known: all, {', '.join(NAMES)}"))
    return importlib.import_module(f"barchan.bench.{name.replace('-', '_')}")


def measure(
    name: str,
    grains: int | None,
    threads: Sequence[int],
    seconds: float,
    *,
    device: str = "cpu",
    precision: str = "double",
) -> Iterator[dict[str, Any]]:
    """The rows of the benchmark of that name, or of all of them; without `grains` each has a number of its own."""
    gpu = device != "cpu"
    chosen = (ON_GPU if gpu else NAMES) if name == "all" else (name,)
    found = [benchmark(one) for one in chosen]  # a wrong name is told before anything is measured
    solvers.check_device(None, device, precision)
    size = {} if grains is None else {"grains": grains}
    if gpu and chosen[0] not in ON_GPU:
        what = f"{name!r} does not run on a GPU"
        raise SceneError(Finding("--device", repr(device), what, f"known there: {', '.join(ON_GPU)}"))
    if gpu and threads:
        raise SceneError(Finding("--threads", ", ".join(map(str, threads)), "a GPU has no use for threads"))
    if name in ON_ONE_THREAD and any(many != 1 for many in threads):
        told = ", ".join(map(str, threads))
        raise SceneError(Finding("--threads", told, f"{name!r} is measured on one thread", "leave --threads out"))
    for one in found:
        if gpu:
            yield from one.measure_device(seconds=seconds, device=device, precision=precision, **size)
        else:
            yield from one.measure(threads=threads, seconds=seconds, **size)


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
