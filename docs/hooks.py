"""Fills in when the documents are built: every part with its parameters, and files of the package as they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import barchan
from barchan import registry
from barchan.measures.named import measures
from barchan.scene.scene import TABLES


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Replace `<!-- parts -->` by a section on each family, `<!-- fields: walls -->` by those of a table, and so on."""
    if "<!-- parts -->" in markdown:
        markdown = markdown.replace("<!-- parts -->", "\n\n".join(map(_family, registry.FAMILIES)))
    markdown = re.sub(r"<!-- fields: (\w+) -->", lambda found: _fields(TABLES[found[1]]), markdown)
    markdown = markdown.replace("<!-- measures -->", _all(measures()))
    markdown = re.sub(r"<!-- example: (\S+) -->", lambda found: _example(found[1]), markdown)
    return re.sub(r"<!-- source: (\S+) -->", lambda found: _source(found[1]), markdown)


def _example(name: str) -> str:
    """An example: its first sentence, its picture, and itself."""
    text = (Path(__file__).parents[1] / "examples" / name).read_text("utf-8")
    title = name.removesuffix(".py").replace("_", " ").capitalize()
    said = ast.get_docstring(ast.parse(text)) or ""
    picture = f"![{said}](images/examples/{name.removesuffix('.py').replace('_', '-')}.png)"
    shown = "\n".join(f"    {line}" for line in text.splitlines())
    return f'## {title}\n\n{said}\n\n{picture}\n\n??? note "examples/{name}"\n\n    ```python\n{shown}\n    ```'


def _source(path: str) -> str:
    """A file of the package as it is."""
    text = (Path(barchan.__file__).parent / path).read_text("utf-8")
    return f"```python\n{text}```"


def _family(family: str) -> str:
    """A family: its name, what its parts are, and each of them."""
    title, _, text = registry.about(family).partition(": ")
    return f"## {title}\n\n{text[0].upper()}{text[1:]}\n\n{_all(registry.parts(family))}"


def _all(parts: Mapping[str, Any]) -> str:
    return "\n\n".join(_part(key, part) for key, part in parts.items())


def _part(key: str, part: Any) -> str:
    numbers = ", ".join(f"`{name}` ({unit})" if unit else f"`{name}`" for name, unit in getattr(part, "series", ()))
    text = "\n".join(line.strip() for line in (part.__doc__ or "").strip().splitlines())
    return "\n\n".join([f"### {key}", text, *([f"Numbers: {numbers}."] if numbers else []), _fields(part)])


def _fields(table: Any) -> str:
    """The fields of a part, or of another table."""
    rows = []
    for name, unit, default, sentence in table.described_fields():
        said = sentence.replace("*", r"\*")  # E* and G* in one sentence are no emphasis
        rows.append(f"| `{name}` | {f'`{unit}`' if unit else ''} | {default} | {said} |")
    return "\n".join(["| field | unit | default | |", "|---|---|---|---|", *rows]) if rows else "No fields."
