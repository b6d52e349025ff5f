"""Looking into fields as they came in: tables that may still be plain dicts, or already instances, sound or not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


def items(fields: Mapping[str, Any], family: str) -> list[tuple[int, Any]]:
    """The tables of a list, numbered."""
    return list(enumerate(listed(fields.get(family))))


def names(fields: Mapping[str, Any], family: str) -> list[str]:
    """The names of the tables of a list."""
    found = (peek(item, "name") for _, item in items(fields, family))
    return [name for name in found if isinstance(name, str)]


def gates(fields: Mapping[str, Any]) -> list[str]:
    """The names of all that grains come from or vanish in: sources, sinks and absorbing walls."""
    absorbing = [peek(wall, "name") for _, wall in items(fields, "walls") if peek(wall, "absorbing") is True]
    return [*names(fields, "sources"), *names(fields, "sinks"), *(name for name in absorbing if isinstance(name, str))]


def listed(value: Any) -> list[Any]:
    """A list, empty where it is none."""
    return list(value) if isinstance(value, (list, tuple)) else []


def peek(item: Any, name: str) -> Any:
    """A field of a table that is still a dict, or already an instance."""
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)


def is_nonzero(value: Any) -> bool:
    """Whether a quantity, a number or a text with a unit, is another one than 0; what is none is told elsewhere."""
    if isinstance(value, str):
        found = re.match(r"\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)", value)
        try:
            return found is not None and float(found[1]) != 0
        except ValueError:
            return False
    return isinstance(value, (int, float)) and value != 0
