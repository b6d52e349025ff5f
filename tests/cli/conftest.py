"""The command line in this process, a small scene, and a run of it that several tests look at."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from barchan.cli import app
from simulation.shared import SMALL

Answer = tuple[int, str, str]


def barchan(*arguments: str | Path) -> Answer:
    """Exit code, standard output and standard error; what is no exit fails the test."""
    done = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False, env={"NO_COLOR": "1"})
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with `small.toml` in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Answer]:
    """The folder of a run with all its pictures, and what the command answered."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "small.toml").write_text(SMALL, encoding="utf-8")
    return folder / "out", barchan("run", folder / "small.toml", "--out", folder / "out")


@pytest.fixture
def run_folder(ran: tuple[Path, Answer], home: Path) -> Path:
    """A copy of that folder, to be changed at will."""
    shutil.copytree(ran[0], home / "out")
    return home / "out"


@pytest.fixture
def command() -> Callable[..., Answer]:
    """The command line."""
    return barchan
