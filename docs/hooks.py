"""Fills in when the documents are built: every part with its parameters, and files of the package as they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import barchan
from barchan import registry
from barchan.analysis.named import measures


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Replace `<!-- parts: family -->` by a section on each part of the family, `<!-- source: path -->` by the file."""
    for family in registry.FAMILIES:
        markdown = markdown.replace(f"<!-- parts: {family} -->", _all(registry.parts(family)))
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


def _all(parts: Mapping[str, Any]) -> str:
    return "\n\n".join(_part(key, part) for key, part in parts.items())


def _part(key: str, part: Any) -> str:
    rows = []
    for name, field in part.model_fields.items():
        unit = next((m.symbol for m in _metadata(field) if type(m).__name__ == "Unit"), "")
        default = "required" if field.is_required() else f"`{field.get_default(call_default_factory=True)}`"
        rows.append(f"| `{name}` | {unit} | {default} |")
    numbers = ", ".join(f"`{name}` ({unit})" if unit else f"`{name}`" for name, unit in getattr(part, "series", ()))
    table = "\n".join(["| parameter | unit | default |", "|---|---|---|", *rows]) if rows else "No parameters."
    text = "\n".join(line.strip() for line in (part.__doc__ or "").strip().splitlines())
    return "\n\n".join([f"### {key}", text, *([f"Numbers: {numbers}."] if numbers else []), table])


def _metadata(field: Any) -> list[Any]:
    """The annotations of a field, those inside `X | None` and of a vector's components included."""
    found = list(field.metadata)
    for inner in getattr(field.annotation, "__args__", ()):
        found += getattr(inner, "__metadata__", ())
    return found
