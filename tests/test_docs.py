"""The code in the documents is code that works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from barchan.scene import Scene, loads

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
