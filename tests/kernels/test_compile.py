"""Fingerprints of functions, and kernels bound by them: whatever changes what a function does changes both."""

from __future__ import annotations

import os
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barchan.kernels.compile import bind, bind_relax, compiled, fingerprint
from barchan.laws.hertz import Hertz
from barchan.laws.linear import Linear
from barchan.potentials.harmonic import Harmonic

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


def _gap(x: float, y: float, z: float) -> tuple[float, float, float, float]:
    return z, 0.0, 0.0, 1.0


def _path(t: float) -> tuple[float, ...]:
    return 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


def test_packages_that_nothing_uses_go_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a package is added, those that were last used two months ago are removed, and nothing else is."""
    monkeypatch.setenv("BARCHAN_CACHE", str(tmp_path))
    days = {"barchan_bound_old": 61, "barchan_bound_recent": 59, "somebody_elses": 400}
    for name, age in days.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        os.utime(tmp_path / name / "__init__.py", (0, time.time() - age * 86_400))
    relax = {"FLAT": True, "WALLS": False}
    kernels = bind_relax(Harmonic(), [_gap], relax)
    left = {path.name for path in tmp_path.iterdir()}
    assert "barchan_bound_old" not in left and {"barchan_bound_recent", "somebody_elses"} < left
    made = next(path for path in tmp_path.glob("barchan_bound_*") if "recent" not in path.name) / "__init__.py"
    os.utime(made, (0, time.time() - 50 * 86_400))
    assert bind_relax(Harmonic(), [_gap], relax).push is kernels.push
    assert time.time() - made.stat().st_mtime < 100


def test_scenes_share_the_kernels_that_are_the_same_for_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another law changes the contact pass and what calls it, and nothing else: the rest need not be compiled again."""
    monkeypatch.setenv("BARCHAN_CACHE", str(tmp_path))
    names = (
        "ADAPTIVE", "BRANCH", "CLUMPS", "DEFORMS", "MATERIALS", "MESHES", "PERIODIC", "REPEATED", "ROLLING", "SERVOS",
        "STICTION",
    )  # fmt: skip
    switches = dict.fromkeys(names, False)
    one, other, clumps = (
        bind(law, Hertz(), [_gap], [_path], {**switches, "CLUMPS": clumped})
        for law, clumped in ((Hertz(), False), (Linear(), False), (Hertz(), True))
    )
    for name in ("drift", "near_walls", "move_walls", "wall_pass", "all_grains", "verlet_steps", "runge_kutta_steps"):
        assert getattr(one, name) is getattr(other, name)
    for name in ("sweep", "evaluate"):
        assert getattr(one, name) is not getattr(other, name)
    for name in ("drift", "sweep"):
        assert getattr(clumps, name) is not getattr(one, name)
    assert clumps.wall_pass is one.wall_pass
