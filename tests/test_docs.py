"""The code in the documents is code that works."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

import barchan as bc
from barchan.scene import Scene, loads
from simulation.shared import SMALL

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a page in that language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_whole_scenes_in_toml_are_scenes(page: Path) -> None:
    """Every TOML block that states a duration is a whole scene and must be accepted as it stands."""
    for text in blocks(page, "toml"):
        if re.search(r"^duration", text, re.MULTILINE):
            assert isinstance(loads(text, page.name), Scene)


def test_readme_tells_the_same_scene_in_toml_and_python() -> None:
    """The README's first scene is written twice; both must describe the same."""
    readme = ROOT / "README.md"
    told = next(text for text in blocks(readme, "python") if "Scene(" in text)
    names: dict[str, object] = {}
    exec(told.split("run = ")[0], names)
    written = next(text for text in blocks(readme, "toml") if "duration" in text)
    assert names["scene"] == loads(written, "README.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_imports_what_is_there(page: Path) -> None:
    """Every Python block is Python, and what it imports from Barchan can be imported."""
    for text in blocks(page, "python"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("barchan"):
                exec(ast.unparse(node), {})


def test_a_recording_is_read_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of `file-format.md` read a recording with more than ten frames."""
    monkeypatch.chdir(tmp_path)
    bc.run(
        loads(SMALL.replace("frame_rate = 50", "frame_rate = 150")), "runs/hopper-1", progress=bc.Silent(), threads=1
    )
    names: dict[str, Any] = {}
    for text in blocks(ROOT / "docs" / "file-format.md", "python"):
        exec(text, names)
    with bc.Recording("runs/hopper-1") as recording:
        assert (names["velocity"] == recording[10].velocity).all()
