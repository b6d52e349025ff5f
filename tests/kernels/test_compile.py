"""Fingerprints of functions: whatever changes what a function does changes its fingerprint."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import pytest

from barchan.kernels.compile import compiled, fingerprint

BASE = """
import math
FACTOR = 2.0
def helper(x):
    return x + 1.0
def force(x):
    return FACTOR * helper(math.sqrt(x))
"""


def function(text: str, name: str = "force") -> Callable[..., Any]:
    """A function of a module with that text."""
    module = types.ModuleType("own")
    exec(text, module.__dict__)
    return module.__dict__[name]


def test_fingerprint_is_that_of_the_meaning() -> None:
    """Comments, names of modules and unrelated functions do not count."""
    assert fingerprint(function(BASE)) == fingerprint(function("# a comment\n" + BASE + "\nOTHER = 3\n"))


@pytest.mark.parametrize(
    ("old", "new"),
    [("FACTOR = 2.0", "FACTOR = 3.0"), ("x + 1.0", "x + 2.0"), ("x + 1.0", "x - 1.0"), ("math.sqrt", "math.exp")],
)
def test_fingerprint_sees_constants_and_helpers(old: str, new: str) -> None:
    """A change of a constant that the function reads, or of a function that it calls, is a change of the function."""
    assert fingerprint(function(BASE)) != fingerprint(function(BASE.replace(old, new)))


def test_fingerprint_sees_defaults() -> None:
    """A default is a constant like any other."""
    one, two = (function(f"def force(x, k={value}):\n    return k * x\n") for value in (1.0, 2.0))
    assert fingerprint(one) != fingerprint(two)


def test_compiled_functions_are_the_plain_ones() -> None:
    """Compiling changes the speed, not the value."""
    plain = function(BASE)
    assert compiled(plain)(7.0) == plain(7.0)
