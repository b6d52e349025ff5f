"""What a table says about its fields, the same at the command line, in the schema and in the documents.

A field's sentence is the string under it in its class. It is read from the source when somebody asks for it: to read
all at import would cost a tenth of a second. Where there is no source there is no sentence.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple


class Parameter(NamedTuple):
    """A field as people read about it."""

    name: str  # with that of the table around it, such as `region.low`
    unit: str  # of SI; empty for plain numbers, words and tables
    default: str  # in words
    sentence: str


def sentences(table: type) -> dict[str, str]:
    """The sentence of every field that has one, those that it inherits included."""
    found = {}
    for owner in reversed(table.__mro__):
        node = _classes(owner.__module__).get(owner.__name__)
        for above, below in itertools.pairwise(node.body if node else ()):
            match above, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[name] = " ".join(text.split())
    return found


def describe(table: type, schema: Mapping[str, Any]) -> None:
    """Put the sentences of a table's fields into its JSON Schema, but where it has others."""
    for name, text in sentences(table).items():
        if name in schema.get("properties", {}):
            schema["properties"][name].setdefault("description", text)


@functools.cache
def _classes(module: str) -> dict[str, ast.ClassDef]:
    """The classes of a module by name, as they are written; none where its source is not at hand."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module])) if module.partition(".")[0] not in _OTHERS else None
    except (KeyError, OSError, TypeError, SyntaxError):
        tree = None
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)} if tree else {}


_OTHERS = ("builtins", "pydantic", "abc", "typing")  # modules of base classes without fields


def parameters(
    schema: Mapping[str, Any], inside: str = "", known: Mapping[str, Any] | None = None
) -> Iterator[Parameter]:
    """Every field of a table from its JSON Schema, and those of tables in it."""
    known = known or schema.get("$defs", {})
    for name, field in schema.get("properties", {}).items():
        default = _default(field, name in schema.get("required", ()))
        yield Parameter(inside + name, _first(field, "unit") or "", default, field.get("description", ""))
        if table := _first(field, "$ref"):
            yield from parameters(known[table.rpartition("/")[2]], f"{inside}{name}.", known)


def _first(field: Mapping[str, Any], what: str) -> Any:
    """What a field's schema states, or one inside it: that of what it may hold, or holds several of."""
    inside = (*field.get("anyOf", ()), *field.get("prefixItems", ()), field.get("items"))
    return field.get(what) or next((found for one in inside if one and (found := _first(one, what))), None)


def _default(field: Mapping[str, Any], required: bool) -> str:
    """The default, and before it the words of which it is one."""
    words, default = _first(field, "enum"), _plain(field.get("default"))
    default = f"default {default}" if default else "must be given" if required else "may be left out"
    return f"{' or '.join(map(_plain, words))}; {default}" if words else default


def _plain(value: Any) -> str:
    """A value as in a scene, numbers with six digits; empty for none, and for a table that is more than a name."""
    if isinstance(value, Mapping):
        return _plain(next(iter(value.values()), None)) if value.keys() <= {"kind", "law", "shape"} else ""
    if isinstance(value, list):
        return f"[{', '.join(map(_plain, value))}]"
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)
