"""Scenes as TOML text: read with every problem told at once, written so that reading it back gives the same bits."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from barchan.errors import FileError, Finding, SceneError
from barchan.registry import FAMILIES
from barchan.scene.scene import Scene
from barchan.schema.problems import findings

LINE = 120  # characters
MOST_FINDINGS = 30  # told at once
UNSEEN = frozenset(FAMILIES) - {"shapes"}  # parts that pictures and numbers of a recording do not need

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
# Lists of tables with a header each; the others stand in one value.
_TABLE_ARRAYS = ("pairs", "grains", "sources", "sinks", "walls", "tethers", "events")
_GROUPS = ("materials",)  # tables of named tables


def parse(text: str, where: str = "scene") -> dict[str, Any]:
    """The plain dict that a TOML text describes; SceneError where it is empty or no TOML."""
    if not text.strip():
        raise SceneError(Finding(where, "is empty", "a scene has at least a name, a duration, materials and grains"))
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise SceneError(Finding(where, "is nested too deeply", "must be a scene in TOML")) from None
    except ValueError as error:
        raise SceneError(Finding(where, f"is not valid TOML: {error}")) from None


def build(fields: Mapping[str, Any], *, folder: Path | None = None, spared: Collection[str] = ()) -> Scene:
    """The scene of a plain dict; relative paths in it start from `folder`. SceneError tells all that is wrong.

    Parts of the families `spared` may be unknown here: they become `Absent`.
    """
    try:
        return Scene.model_validate(fields, context={"folder": folder, "spared": spared})
    except ValidationError as error:
        found = findings(error)
    rest = len(found) - MOST_FINDINGS
    raise SceneError(found if rest <= 0 else [*found[:MOST_FINDINGS], Finding("", f"and {rest} more problems")])


def loads(text: str, where: str = "scene", *, folder: Path | None = None) -> Scene:
    """The scene that a TOML text describes; `where` names the text in messages."""
    return build(parse(text, where), folder=folder)


def loads_recorded(text: str, where: str, *, to_run: bool = False) -> Scene:
    """The scene of a recording, for looking at it, or `to_run` it; FileError names the recording where it is no scene.

    The script that registered a law or another part of its own need not be there for looking, but for shapes of walls.
    """
    try:
        return build(parse(text, where), spared=() if to_run else UNSEEN)
    except SceneError as error:
        remedy = "if a script registered it, import that script in Python and go on from there"
        found = [Finding(f"{where}, {one.where}", one.what, one.expected, remedy) for one in error.findings]
        raise FileError(found) from None


def dumps(scene: Scene, *, full: bool = True) -> str:
    """A scene as TOML, in SI; not `full` leaves out every field that has its default value."""
    return "\n".join(_table(scene.to_dict(full=full), "")).strip() + "\n"


def _table(fields: Mapping[str, Any], prefix: str) -> Iterator[str]:
    """The lines of a table: plain values first, then the tables inside it, each under its header."""
    below = {name: value for name, value in fields.items() if _stands_apart(name, value, prefix)}
    for name, value in fields.items():
        if name not in below:
            yield f"{_key(name)} = {_value(value, len(name) + 3)}"
    for name, value in below.items():
        path = f"{prefix}{_key(name)}"
        if name in _GROUPS and not prefix:
            for item, content in value.items():
                yield from ("", f"[{path}.{_key(item)}]", *_table(content, f"{path}.{_key(item)}."))
        elif isinstance(value, Mapping):
            yield from ("", f"[{path}]", *_table(value, f"{path}."))
        else:
            for content in value:
                yield from ("", f"[[{path}]]", *_table(content, f"{path}."))


def _stands_apart(name: str, value: Any, prefix: str) -> bool:
    """Whether a value gets a header of its own: at the top every table, further down only a long one."""
    if isinstance(value, Mapping):
        return not prefix or len(name) + 3 + len(_inline(value)) > LINE
    return not prefix and name in _TABLE_ARRAYS and bool(value)


def _value(value: Any, column: int = 0) -> str:
    """A value; a list too long for the line has an item a line."""
    text = _inline(value)
    if isinstance(value, list) and column + len(text) > LINE:
        return "[\n" + "".join(f"    {_inline(item)},\n" for item in value) + "]"
    return text


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(name)} = {_inline(item)}" for name, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value))  # the shortest text that reads back as the same bits
    return str(int(value)) if isinstance(value, int) else _string(str(value))


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
