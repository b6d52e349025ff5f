"""What is bound into templates, and what of their code the cache may serve: toy templates in a package of their own."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from barchan import caches
from barchan.errors import SceneError
from barchan.kernels import bound, sources
from barchan.kernels import neighbours as uncopied
from barchan.kernels.compile import bind
from barchan.kernels.ready import neighbours
from barchan.parts.laws.hertz import Hertz
from barchan.registry import built_in
from barchan.solvers.soft import bindings as soft_bindings

JIT = "from barchan.kernels.jit import njit\n"
TOY = {
    "toy/__init__": "",
    "toy/deep/__init__": "",
    "toy/bound": "FACTOR = SHIFT = 0.0\nState = None\n",
    "toy/far": "SCALE = 2.0\n",
    "toy/low": JIT + "from toy.far import SCALE\n@njit\ndef scaled(x):\n    return SCALE * x\n",
    "toy/deep/middle": (
        JIT + "from ..bound import SHIFT\nfrom ..low import scaled\n"
        "@njit(cache=True)\ndef shifted(x):\n    return scaled(x) + SHIFT\n"
    ),
    "toy/top": (
        JIT + "from toy.bound import (\n    FACTOR,\n)\nfrom toy.deep.middle import shifted\n"
        "@njit(cache=True)\ndef answer(x):\n    return FACTOR * shifted(x)\n"
    ),
    "toy/given": (
        JIT + "from toy.bound import State\n"
        "@njit(cache=True)\ndef apart(state: State):\n    return state.first - state.second\n"
    ),
    "toy/state": "from typing import NamedTuple\nclass State(NamedTuple):\n    first: float\n    second: float\n",
}
# In a process of its own: what two kernels answer, and how often their code came from the cache.
USER = """
import importlib, sys
from barchan.kernels.bindings import classes
from barchan.kernels.compile import bind
sys.path.insert(0, sys.argv[1])
State = importlib.import_module(sys.argv[2]).State
bindings = {"FACTOR": "FACTOR = 3.0", "SHIFT": "SHIFT = 1.0", **classes(State)}
kernels = bind("toy", ("toy.top", "toy.given"), bindings)
print(kernels.answer(2.0), kernels.apart(State(first=5.0, second=2.0)))
print(*(sum(one.stats.cache_hits.values()) for one in (kernels.answer, kernels.apart)))
"""


def write(folder: Path, **texts: str) -> Path:
    """The toy in a folder, some of its modules with other texts."""
    for name, text in {**TOY, **texts}.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (0, 0))  # no two versions are told apart by the time when they were written
    return folder


def answers(folder: Path, cache: Path, state: str = "toy.state") -> list[str]:
    """What a process says that finds the toy in that folder."""
    return subprocess.run(
        [sys.executable, "-c", USER, str(folder), state], capture_output=True, text=True, check=True, timeout=300,
        env={**os.environ, "BARCHAN_CACHE": str(cache), "PYTHONDONTWRITEBYTECODE": "1"},
    ).stdout.split("\n")[:2]  # fmt: skip


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds the toy's code: 3 (2 · 2 + 1) = 15, where stand-ins would give 0, and 5 − 2 = 3."""
    toy, cache = write(tmp_path_factory.mktemp("toy")), tmp_path_factory.mktemp("cache")
    assert answers(toy, cache) == ["15.0 3.0", "0 0"]
    assert answers(toy, cache) == ["15.0 3.0", "1 1"]
    return cache


def test_a_cache_serves_the_code_after_a_move(filled, tmp_path):
    """A cache that was filled before a function or class moved to another module serves the code after the move. What
    numba keeps names modules: that of a function which another one calls, two imports away from the kernel; and that of
    a named tuple that a kernel is given, for which not even the list of what is kept could be read. Both ended as a
    ModuleNotFoundError, for a kernel whose own text was as before.
    """
    toy = write(tmp_path / "toy", **{"toy/deep/middle": TOY["toy/deep/middle"].replace("..low", "..lower")})
    for old, new in (("low", "lower"), ("state", "condition")):
        (toy / f"toy/{old}.py").rename(toy / f"toy/{new}.py")
    shutil.copytree(filled, tmp_path / "cache")
    assert answers(toy, tmp_path / "cache", "toy.condition")[0] == "15.0 3.0"


def test_what_is_edited_is_compiled_anew(filled, tmp_path):
    """A constant that a helper two imports away reads, 3 (4 · 2 + 1) = 27, and the order of the fields of a named
    tuple, which would give 2 − 5 = −3, take part in the code of kernels whose own text is as it was; so the code that
    is kept must not be used any more. Files keep their size and time: numba's own cache looks at nothing else.
    """
    fields = TOY["toy/state"].replace("first: float\n    second", "second: float\n    first")
    toy = write(tmp_path / "toy", **{"toy/far": "SCALE = 4.0\n", "toy/state": fields})
    shutil.copytree(filled, tmp_path / "cache")
    assert answers(toy, tmp_path / "cache") == ["27.0 3.0", "0 0"]


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """The toy where this process finds it, with a template beside it that has a kernel of the same name."""
    monkeypatch.setenv("BARCHAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(write(tmp_path, **{
        "toy/twin": JIT + "@njit\ndef answer(x):\n    return x\n",
        "toy/whole": JIT + "from toy import bound\n@njit\ndef other(x):\n    return bound.FACTOR * x\n",
    })))  # fmt: skip
    yield
    sources.source.cache_clear()
    sources.reached.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "toy"]:
        del sys.modules[name]


def test_a_stand_in_that_nothing_replaces_is_an_error(toy):
    """A name that a template imports from its stand-in and that the binding does not have is named, with both. Left at
    the stand-in, a template that has moved computes without clumps, or a periodic box, and nobody is told. Here it is
    one that the binding does not list: another template imports it.
    """
    bindings = {"FACTOR": "FACTOR = 3.0"}
    with pytest.raises(SceneError, match=r"binding 'toy': toy\.deep\.middle: imports 'SHIFT' from its stand-in"):
        bind("toy", ("toy.top",), bindings)
    with pytest.raises(SceneError, match=r"binding 'toy': toy\.whole: imports toy\.bound; .* Import its names"):
        bind("toy", ("toy.whole",), bindings)


def test_a_binding_that_soft_spheres_have_lost_is_an_error(monkeypatch):
    """The same of a method's own binding: without the floats that a contact remembers it says so by name."""
    monkeypatch.setattr(soft_bindings, "_history", lambda law, prefix: {})
    switches = {name: False for name, value in vars(bound).items() if value is False}
    with pytest.raises(SceneError, match=r"'soft': barchan\.solvers\.soft\.kernels\.\w+: imports 'MEMORY'") as caught:
        soft_bindings.bind_soft(Hertz(), Hertz(), built_in("shapes", "gap"), built_in("motions", "path"), switches)
    assert "nothing is bound to it" in str(caught.value)


def test_two_exports_of_one_name_are_an_error(toy):
    """Of two kernels with one name the last one would hide the other, by the order in which templates are listed."""
    with pytest.raises(SceneError, match=r"binding 'toy': toy\.twin and toy\.top both define 'answer'"):
        bind("toy", ("toy.twin", "toy.top"), {})


def test_kernels_that_methods_share_are_in_the_cache():
    """What is called from Python lies in the cache's packages, which `barchan cache` sees and clears and whose names
    say what takes part; numba would keep it beside its file, and not see that a function it calls has changed.
    """
    assert caches.PACKAGE in neighbours.running_sum.stats.cache_path
    assert uncopied.running_sum.stats.cache_path is None


def test_python_calls_no_kernel_where_it_stands():
    """Outside of kernels nobody imports a kernel from the file in which it stands: it would be compiled anew in every
    process. A copy in the cache is what a binding, or `ready`, hands out.
    """
    root = Path(caches.__file__).parent
    modules = [".".join(path.relative_to(root.parent).with_suffix("").parts) for path in root.rglob("*.py")]
    for module in modules:
        if not {"kernels", "cuda"} & set(module.split(".")):
            for _, other, names in sources.source(module.removesuffix(".__init__")).imports:
                if "kernels" in other.split(".") and sources.is_template(other):
                    kernels = importlib.import_module(other)
                    assert not [name for name in names if hasattr(getattr(kernels, name), "py_func")], module
