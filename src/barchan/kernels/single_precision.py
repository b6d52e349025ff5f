"""A law in single precision: the same function, its numbers written as float32.

A number such as 0.5 is a float64, and one of them makes all that is computed with it a float64. So the text of a law,
and of the functions it calls, is read again with every number, apart from indices, as a float32; constants of its
module as well. Numbers that keep a division finite and are below what float32 can hold become TINY.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from barchan.errors import Finding, SceneError

TINY = 1e-30  # stands for smaller positive numbers; its square root and inverse are float32 too
MARK = "_float32_constants"

_done: dict[Callable[..., Any], Callable[..., Any]] = {}


def rewritten(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function in single precision, with the plain functions it calls."""
    if function not in _done:
        text = _source(function)
        tree = ast.parse(text)
        numbers: list[float] = []
        tree = ast.fix_missing_locations(_Numbers(numbers).visit(tree))
        scope: dict[str, Any] = dict(function.__globals__)
        for name in function.__code__.co_names:
            value = scope.get(name)
            if isinstance(value, types.FunctionType):
                scope[name] = rewritten(value)
            elif isinstance(value, float):
                scope[name] = single(value)
        scope.update({f"{MARK}_{k}": single(value) for k, value in enumerate(numbers)})
        exec(compile(tree, f"<float32 {function.__name__}>", "exec"), scope)
        made = scope[function.__name__]
        made.__module__ = f"{function.__module__} in single precision"
        _done[function] = made
    return _done[function]


def single(value: float) -> np.float32:
    """A number as float32."""
    return np.float32(TINY if 0.0 < value < TINY else value)


def _source(function: Callable[..., Any]) -> str:
    try:
        return textwrap.dedent(inspect.getsource(function))
    except OSError:
        where = f"{function.__module__}.{function.__qualname__}"
        raise SceneError(Finding(
            where, "its text cannot be read", "mixed precision reads the text of laws",
            "put the law into a file, or use precision double",
        )) from None  # fmt: skip


class _Numbers(ast.NodeTransformer):
    """Replaces numbers outside of indices by names, and collects them; annotations are left out."""

    def __init__(self, numbers: list[float]) -> None:
        self.numbers = numbers

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        for argument in node.args.args:
            argument.annotation = None
        node.body = [self.visit(line) for line in node.body]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        node.value = self.visit(node.value)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            return node
        self.numbers.append(float(node.value))
        return ast.copy_location(ast.Name(f"{MARK}_{len(self.numbers) - 1}", ast.Load()), node)
