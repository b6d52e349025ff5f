"""The code in the documents is code that works."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import barchan as bc
from barchan.scene import SOLVERS, Beams, GrainGroup, Material, Relax, Scene, Source, Wall, loads
from run.shared import SMALL

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


def rows(page: str, heading: str) -> dict[str, tuple[str, str]]:
    """The first table after a heading: default and text by field; a row of several fields counts for each."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").partition(f"{heading}\n")[2]
    lines = re.search(r"^\|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert lines is not None
    found = {}
    for line in lines[1].splitlines():
        names, default, said = (cell.strip() for cell in line.strip("|").split("|", 2))
        found |= dict.fromkeys(re.findall(r"`(\w+)`", names), (default, said))
    return found


@pytest.mark.parametrize(
    ("page", "heading", "table"),
    [
        ("scenes.md", "## The scene itself", Scene),
        ("scenes.md", "## Materials", Material),
        ("scenes.md", "## Grains", GrainGroup),
        ("scenes.md", "## Walls", Wall),
        ("scenes.md", "## Sources and sinks", Source),
        ("scenes.md", "## Packings without time", Relax),
        ("beams.md", "## Beams", Beams),
    ],
)
def test_tables_of_fields_agree_with_the_scene(page: str, heading: str, table: Any) -> None:
    """Fields of a table exist, none is missing, and a default that is a number, a word or a list is the right one."""
    told, fields = rows(page, heading), table.model_fields
    assert set(told) <= set(fields)
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    for name in fields:
        assert name in told or re.search(rf"`\[*{name}[`\].]", text), f"{name} is not on the page"
    for name, (default, _) in told.items():
        try:
            stated = tomllib.loads(f"value = {default.strip('`')}")["value"]
        except tomllib.TOMLDecodeError:
            continue  # words
        made = fields[name].get_default(call_default_factory=True)
        plain = getattr(made, "key", made)
        assert plain is None or (list(plain) if isinstance(plain, tuple) else plain) in (stated, [stated] * 3), name


def test_all_solvers_are_told() -> None:
    """The row of `solver` names each of them."""
    told = rows("scenes.md", "## The scene itself")["solver"][1]
    assert re.findall(r'`"(\w+)"`', told) == list(SOLVERS)
