"""The texts of modules of ours, and what they import from each other, wherever they stand."""

from __future__ import annotations

import ast
import functools
import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

OURS = "barchan"
BOUND = "bound"  # the last part of the names of modules that stand in for what is bound
DECORATORS = ("barchan.kernels.jit", "barchan.kernels.cuda_device")  # what functions are made kernels with


class Import(NamedTuple):
    """What a module imports from another one."""

    node: ast.Import | ast.ImportFrom
    module: str
    names: tuple[str, ...]  # none: the module itself


class Source(NamedTuple):
    """The text of a module, its imports from modules of ours, and the names that it defines for others."""

    text: str
    imports: tuple[Import, ...]
    defined: frozenset[str]

    def rewritten(self, homes: Mapping[str, str]) -> str:
        """The text with imports from other modules than those it names; every line keeps its number."""
        lines = self.text.split("\n")
        for node, module, _ in reversed(self.imports):
            if module in homes and isinstance(node, ast.ImportFrom) and node.end_lineno:
                first, last = node.lineno - 1, node.end_lineno - 1
                statement = ast.unparse(ast.ImportFrom(homes[module], node.names, 0))
                rest = lines[last][node.end_col_offset :]
                lines[first : last + 1] = [lines[first][: node.col_offset] + statement + rest, *[""] * (last - first)]
        return "\n".join(lines)


@functools.cache
def source(module: str) -> Source:
    """The source of a module of that name; nothing of it is run."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)
    text = Path(spec.origin).read_text(encoding="utf-8")
    body = ast.parse(text).body
    defined = {name for node in body for name in _defined(node) if not name.startswith("_")}
    return Source(text, imports(body, spec.parent or module), frozenset(defined))


def imports(body: list[ast.stmt], package: str) -> tuple[Import, ...]:
    """What statements import from modules of ours, also within functions; relative imports are of that package."""
    ours = (OURS, package.partition(".")[0])
    every = (one for node in _statements(body) for one in _imported(node, package, ours))
    return tuple(one for one in every if one.module.partition(".")[0] in ours)


@functools.cache
def reached(module: str) -> frozenset[str]:
    """The modules of ours that a module imports, and in turn those that they import."""
    found: set[str] = set()
    ahead = [module]
    while ahead:
        new = {one.module for one in source(ahead.pop()).imports} - found
        found |= new
        ahead += new
    return frozenset(found)


def stands_in(module: str) -> bool:
    """Whether the names of a module stand for what is bound."""
    return module.rpartition(".")[2] == BOUND


def is_template(module: str) -> bool:
    """Whether a module holds kernels, or depends on what is bound: then a binding needs a copy of it."""
    return module not in DECORATORS and any(stands_in(one) or one in DECORATORS for one in reached(module))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        for name in ("body", "orelse", "finalbody", "handlers"):
            yield from _statements(getattr(node, name, []))


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]


def _imported(node: ast.stmt, package: str, ours: tuple[str, ...]) -> list[Import]:
    if isinstance(node, ast.Import):
        return [Import(node, alias.name, ()) for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    module = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
    if module.partition(".")[0] not in ours:
        return []
    spec = importlib.util.find_spec(module)
    within = [a.name for a in node.names if spec and spec.submodule_search_locations and _there(f"{module}.{a.name}")]
    names = tuple(alias.name for alias in node.names if alias.name not in within)
    whole = [Import(node, f"{module}.{name}", ()) for name in within]
    return [*whole, *([Import(node, module, names)] if names else [])]


def _there(module: str) -> bool:
    return importlib.util.find_spec(module) is not None
