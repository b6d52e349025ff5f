"""Every example runs, at a small size, and its pictures are pictures."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_example(script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = runpy.run_path(str(script), run_name="example")
    made = names["main"](tmp_path, **names["SMALL"])
    assert made
    for path in made:
        pixels = np.asarray(Image.open(path).convert("L"))
        assert path.parent == tmp_path and np.ptp(pixels) > 100


def test_every_example_is_in_the_gallery() -> None:
    """With its first sentence and its picture."""
    gallery = (ROOT / "docs" / "gallery.md").read_text("utf-8")
    for script in EXAMPLES:
        assert f"<!-- example: {script.name} -->" in gallery
        assert ast.get_docstring(ast.parse(script.read_text("utf-8")))
        assert (ROOT / "docs" / "images" / "examples" / f"{script.stem.replace('_', '-')}.png").is_file()
