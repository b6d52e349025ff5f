"""A small scene, and a run of it that several tests look at."""

from __future__ import annotations

from pathlib import Path

import pytest

import barchan as bc
from barchan.simulation.loop import RunResult
from simulation.shared import SMALL


@pytest.fixture(scope="session")
def small() -> bc.Scene:
    """The small scene."""
    return bc.loads(SMALL)


@pytest.fixture(scope="session")
def finished(small: bc.Scene, tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    """A finished run of it. Tests must not write into its folder."""
    return bc.run(small, tmp_path_factory.mktemp("runs") / "small", progress=bc.Silent(), threads=1)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with `small.toml` in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    return tmp_path
