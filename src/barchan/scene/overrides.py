"""Changes to a scene from the command line: `--set grains[0].count=100`, `--set contact.law=path`."""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Iterable
from typing import Any

from barchan.errors import Finding, SceneError
from barchan.scene.scene import Scene
from barchan.schema.problems import nearest, path
from barchan.schema.tables import Table


def override(fields: dict[str, Any], text: str) -> dict[str, Any]:
    """A copy of a scene's plain dict with one value changed.

    `text` is a dotted path, `=`, and a TOML value; what is no TOML value is a string. An item of a list is found by
    its index (`grains.0.count`, `grains[0].count`) or its name (`walls.floor.friction`). A law or kind with another
    name starts its table afresh, since the parameters of the old one mean nothing to it.
    """
    target, equals, value = text.partition("=")
    steps = [step for step in re.split(r"\.|\[(\d+)\]", target.strip()) if step]
    if not equals or not steps:
        raise SceneError(Finding(text, "is not a change", "write key=value, such as grains[0].count=100"))
    changed = copy.deepcopy(fields)
    _known(steps[0], Scene.model_fields, [], target)
    if len(steps) > 1 and steps[0] not in changed:
        changed[steps[0]] = _default(steps[0], changed)
    table: Any = changed
    for depth, step in enumerate(steps[:-1]):
        if isinstance(table, dict) and step not in table:
            inner = _left_out(fields, steps[: depth + 1])
            if inner is not None:
                table[step] = inner
        table = table[_place(table, step, steps[:depth], target)]
    last = _place(table, steps[-1], steps[:-1], target, new=True)
    chosen = _parsed(value.strip())
    if last in ("law", "kind") and isinstance(table, dict) and table.get(last) != chosen:
        table.clear()
    table[last] = chosen
    return changed


def _parsed(text: str) -> Any:
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return parsed["value"] if len(parsed) == 1 else text


def _default(name: str, fields: dict[str, Any]) -> Any:
    """What a field that the scene leaves out starts from, so that one of its parameters can be changed alone."""
    if name == "wall_contact" and "contact" in fields:
        return copy.deepcopy(fields["contact"])
    field = Scene.model_fields[name]
    source = "contact" if name == "wall_contact" else name
    default = Scene.model_fields[source].get_default(call_default_factory=True, validated_data={})
    if isinstance(default, Table):
        return default.to_dict(full=False)
    return [] if isinstance(default, tuple) and not field.is_required() else {}


def _left_out(fields: dict[str, Any], steps: list[str]) -> Any:
    """What a table inside a table starts from where the scene leaves it out; None where there is no such table."""
    try:
        table: Any = Scene.model_validate(fields).to_dict(full=True)
        for depth, step in enumerate(steps):
            table = table[_place(table, step, steps[:depth], "")]
    except (SceneError, ValueError):  # the scene may need this very change to be a valid one
        return None
    return copy.deepcopy(table) if isinstance(table, (dict, list)) else None


def _place(table: Any, step: str, before: list[str], target: str, *, new: bool = False) -> Any:
    """The key or index of one step of a path, which must be there unless it is a `new` key of a table."""
    if isinstance(table, list):
        names = [item.get("name") for item in table if isinstance(item, dict)]
        if step in names:
            return names.index(step)
        if step.isdecimal() and int(step) < len(table):
            return int(step)
        where = path(before)
        if step.isdecimal():
            raise SceneError(Finding(target, f"{where} has no item {step}", f"it has {len(table)}, counted from 0"))
        return _known(step, [name for name in names if name], before, target)
    if isinstance(table, dict):
        return step if new else _known(step, table, before, target)
    raise SceneError(Finding(target, f"{path(before)} is {table!r}", "only tables and lists have values inside"))


def _known(step: str, among: Iterable[str], before: list[str], target: str) -> str:
    names = list(among)
    if step not in names:
        inside = f" in {path(before)}" if before else ""
        known = f"known: {', '.join(names) or 'none'}"
        raise SceneError(Finding(target, f"there is no {step!r}{inside}", known, nearest(step, names)))
    return step
