"""The audit's runs: each is made once, and handed out as its recording, read without Barchan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import barchan as bc
from audit.scenes import SCENES
from audit.taken import Taken, take


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of the run of that name."""
    made: dict[str, Path] = {}

    def run(name: str) -> Path:
        if name not in made:
            made[name] = bc.run(
                SCENES[name](), tmp_path_factory.mktemp("audit") / name, progress=bc.Silent(), threads=1
            ).folder
        return made[name]

    return run


@pytest.fixture(scope="session")
def taken(folder: Callable[[str], Path]) -> Callable[[str], Taken]:
    """The recording of that name."""
    kept: dict[str, Taken] = {}

    def read(name: str) -> Taken:
        if name not in kept:
            kept[name] = take(folder(name) / "recording.vtkhdf")
        return kept[name]

    return read
