"""Packages of bound kernels in the cache: written by the process that comes first, loaded by all."""

from __future__ import annotations

import importlib.util
import os
import sys
import types
from collections.abc import Mapping
from pathlib import Path

from barchan import caches

TRIES = 10  # to load a package that other processes remove from the cache at the same time


def load(package: str, sources: Mapping[str, str], name: str) -> tuple[types.ModuleType, bool]:
    """A module of a package, and whether the package was written for it.

    sources: the texts of the modules of the package, by name.
    """
    written = False
    for attempt in range(TRIES):
        folder = caches.cache_folder() / package
        try:
            if not (folder / "__init__.py").exists():
                written = True
                _write(folder, sources)
            caches.mark(folder)
            if package not in sys.modules:
                _import(package, folder)
            return importlib.import_module(f"{package}.{name}"), written
        except (OSError, ImportError, RuntimeError):  # the last one is numba's where the source is gone
            if attempt == TRIES - 1:
                raise
            _forget(package)
    raise AssertionError


def loaded() -> set[str]:
    """The names of the packages that this process uses."""
    return {name for name in tuple(sys.modules) if name.startswith(caches.PACKAGE)}


def _write(folder: Path, sources: Mapping[str, str]) -> None:
    """Write the package under another name and move it into place, so that no process ever sees half of it."""
    with caches.draft_folder() as draft:
        new = draft / folder.name
        new.mkdir()
        texts = {**sources, "__init__": ""}
        for name, text in texts.items():
            (new / f"{name}.py").write_text(text, encoding="utf-8")
        try:
            new.rename(folder)
        except OSError:
            # Another process was faster. Or one that still ran when the package was removed has compiled since, and
            # keeps its code there: the texts belong beside it, the one last by which a package is known to be whole.
            if not (folder / "__init__.py").exists():
                for name in texts:
                    os.replace(new / f"{name}.py", folder / f"{name}.py")


def _import(package: str, folder: Path) -> None:
    importlib.invalidate_caches()
    spec = importlib.util.spec_from_file_location(
        package, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import {folder}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[package] = module
    spec.loader.exec_module(module)


def _forget(package: str) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]
