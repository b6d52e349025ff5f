"""Fingerprints of functions, and kernels bound by them: whatever changes what a function does changes both."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barchan.kernels.functions import compiled, fingerprint
from barchan.parts.laws.hertz import Hertz
from barchan.parts.laws.linear import Linear
from barchan.parts.potentials.harmonic import Harmonic
from barchan.registry import built_in
from barchan.solvers.relax.bindings import bind_relax
from barchan.solvers.soft.bindings import bind_soft

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


def test_fingerprint_sees_long_tables() -> None:
    """Kernels hold a table as a constant, so a change in the midst of a long one must be seen: what is printed of it
    leaves that out, and a scene would be run with the table of another.
    """
    text = "import numpy\nTABLE = numpy.zeros(5000)\nTABLE[2500] = {}\ndef force(x):\n    return TABLE[2500] * x\n"
    assert fingerprint(function(text.format(1.0))) != fingerprint(function(text.format(2.0)))


def test_fingerprint_sees_inside_comprehensions() -> None:
    """A comprehension is code within the code; what is computed there and what it reads count too."""
    text = "FACTOR = {}\ndef force(x):\n    return sum([FACTOR * x + {} for _ in range(3)])\n"
    marks = {fingerprint(function(text.format(*numbers))) for numbers in ((1.0, 1.0), (2.0, 1.0), (1.0, 2.0))}
    assert len(marks) == 3


def test_fingerprint_sees_where_one_constant_ends() -> None:
    """1.0 and 23.0 have the same digits in a row as 1.02 and 3.0. Were they written down without a gap, a scene would
    be run with the kernel of another, and nothing would say so.
    """
    text = "def force(x):\n    return {} * x + {}\n"
    assert fingerprint(function(text.format("1.0", "23.0"))) != fingerprint(function(text.format("1.02", "3.0")))


def test_fingerprint_sees_which_of_two_known_functions_is_called() -> None:
    """A name that stands for a function met before counts by which one that is."""
    text = "def a(x):\n    return x\ndef b(x):\n    return 2 * x\nlast = {}\n"
    text += "def force(x):\n    return a(x) + b(x) + last(x)\n"
    assert fingerprint(function(text.format("a"))) != fingerprint(function(text.format("b")))


def test_fingerprint_sees_defaults() -> None:
    """A default is a constant like any other."""
    one, two = (function(f"def force(x, k={value}):\n    return k * x\n") for value in (1.0, 2.0))
    assert fingerprint(one) != fingerprint(two)


@pytest.mark.parametrize(
    "read", ["constants.SCALE", "deep.constants.SCALE", "constants.Kind.ONE.value", "constants.f(1.0)"]
)
def test_fingerprint_sees_what_is_read_of_a_module(read: str) -> None:
    """A law that reads `constants.SCALE` holds its value as one that imports SCALE does. By the module's name alone the
    law with 2 and the law with 3 were the same, and after an edit of `constants.py` the cache served the old one.
    """
    made = []
    for value in (2, 3):
        constants, deep, law = (types.ModuleType(name) for name in ("constants", "deep", "law"))
        text = "from numba import njit\nimport enum\nSCALE = {0}\nclass Kind(enum.IntEnum):\n    ONE = {0}\n"
        exec(text.format(value) + f"@njit\ndef f(x):\n    return {value} * x\n", vars(constants))
        vars(deep)["constants"] = constants
        vars(law).update(constants=constants, deep=deep)
        exec(f"def force(x):\n    return {read} * x\n", vars(law))
        made.append(vars(law)["force"])
    assert [compiled(one)(1.0) for one in made] == [2.0, 3.0]


def test_compiled_functions_are_the_plain_ones() -> None:
    """Compiling changes the speed, not the value."""
    plain = function(BASE)
    assert compiled(plain)(7.0) == plain(7.0)


MINE = """
from typing import NamedTuple
from barchan.parts.potentials.harmonic import Harmonic
from barchan.registry import built_in

class HarmonicConstants(NamedTuple):
    stiffness: float
    modulus: float

{push}

class Mine(Harmonic):
    Constants = HarmonicConstants
    push = staticmethod(push)
"""

USER = """
import importlib, sys
from barchan.solvers.relax.bindings import bind_relax
from barchan.parts.wall_shapes.plane import gap
module, name = sys.argv[1:]
kernels = bind_relax(getattr(importlib.import_module(module), name)(), [gap], dict(FLAT=True, WALLS=False))
import numpy
print(kernels.push(0.5, 1.0, numpy.array([[8.0, 0.0]]), 0)[0], sum(kernels.push.stats.cache_hits.values()))
"""


def test_kernels_of_a_script_serve_those_who_do_not_have_it(tmp_path: Path) -> None:
    """A function of a script that is the same as one of ours has the same kernels: 1/2 k x^2 = 1 J, once compiled and
    once from the cache. The cached code must not name the script: whoever has our function alone could not load it,
    and ended with a ModuleNotFoundError.
    """
    push = inspect.getsource(Harmonic.push)
    (tmp_path / "mine_potential.py").write_text(MINE.format(push=push), encoding="utf-8")
    environment = {**os.environ, "BARCHAN_CACHE": str(tmp_path / "cache")}

    def told(module: str, name: str, **more: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", USER, module, name], env={**environment, **more}, capture_output=True, text=True,
            check=True, timeout=300,
        ).stdout  # fmt: skip

    assert told("mine_potential", "Mine", PYTHONPATH=str(tmp_path)) == "1.0 0\n"
    assert told("barchan.parts.potentials.harmonic", "Harmonic") == "1.0 1\n"


def test_packages_that_nothing_uses_go_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a package is added, those that were last used two months ago are removed, and nothing else is."""
    monkeypatch.setenv("BARCHAN_CACHE", str(tmp_path))
    days = {"barchan_bound_old": 61, "barchan_bound_recent": 59, "somebody_elses": 400}
    for name, age in days.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        os.utime(tmp_path / name / "__init__.py", (0, time.time() - age * 86_400))
    relax = {"FLAT": True, "WALLS": False}
    kernels = bind_relax(Harmonic(), built_in("shapes", "gap"), relax)
    left = {path.name for path in tmp_path.iterdir()}
    assert "barchan_bound_old" not in left and {"barchan_bound_recent", "somebody_elses"} < left
    made = next(path for path in tmp_path.glob("barchan_bound_*") if "recent" not in path.name) / "__init__.py"
    os.utime(made, (0, time.time() - 50 * 86_400))
    assert bind_relax(Harmonic(), built_in("shapes", "gap"), relax).push is kernels.push
    assert time.time() - made.stat().st_mtime < 100


def test_scenes_share_the_kernels_that_are_the_same_for_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another law changes the contact pass and what calls it, and nothing else: the rest need not be compiled again."""
    monkeypatch.setenv("BARCHAN_CACHE", str(tmp_path))
    names = (
        "ADAPTIVE", "BRANCH", "CLUMPS", "DEFORMS", "MATERIALS", "MESHES", "PERIODIC", "REPEATED", "ROLLING", "SERVOS",
        "STICTION",
    )  # fmt: skip
    switches = dict.fromkeys(names, False)
    lab = {"CLUMPS": True, "MATERIALS": True, "ROLLING": True}
    gaps, paths = built_in("shapes", "gap"), built_in("motions", "path")
    one, other, spheres = (
        bind_soft(law, law, gaps, paths, {**switches, **more})
        for law, more in ((Hertz(), lab), (Linear(), lab), (Hertz(), {}))
    )
    for name in ("drift", "near_walls", "move_walls", "all_grains", "verlet_steps", "runge_kutta_steps"):
        assert getattr(one, name) is getattr(other, name)
    for name in ("sweep", "evaluate"):
        assert getattr(one, name) is not getattr(other, name)
    for name in ("drift", "sweep"):
        assert getattr(spheres, name) is not getattr(one, name)
    for name in ("near_walls", "move_walls"):
        assert getattr(spheres, name) is getattr(one, name)
