"""Imports point one way: scene → model → solver → frames → measures → pictures, and never back.

The layers are those of docs/decisions/0001-spine.md. The graph is read from the source, so an import inside a
function or under TYPE_CHECKING counts as well. What the source cannot say, whether rooms on the left get numba by way
of others, one process that imports them all does.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "barchan"

# From the left, which everything may import, to the right, which nothing may. The rooms of one layer are peers.
LAYERS = (
    ("caches", "errors", "layout"),
    ("schema",),
    ("drawn", "geometry", "registry"),
    ("frame",),
    ("parts",),
    ("scene", "scenes"),
    ("model",),
    ("kernels",),
    ("record",),
    ("solvers",),
    ("simulation",),
    ("measures",),
    ("draw",),
    ("studies", "bench"),
    ("",),  # barchan/__init__.py: the public names
    ("cli_look",),
    ("cli_cache", "cli_list", "cli_measure"),
    ("cli",),
    ("__main__",),
)
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}

# Outside packages, and the names of the folders that alone may know them.
COMPILED = ("kernels", "cuda")
KEEPERS = {
    "numba": COMPILED, "numba_cuda": COMPILED, "llvmlite": COMPILED, "h5py": ("record",), "matplotlib": ("draw",),
    "mpl_toolkits": ("draw",),
}  # fmt: skip

# Names of barchan/__init__.py that any room may read: they are plain values.
PLAIN_NAMES = {"__version__"}


def room_of(module: str) -> str:
    """The room of a module given by its path below `barchan`: `schema`, `parts`, `cli`, …

    Files of columns' numbers, which Python and kernels share, are a room of their own: kernels, which lie left of what
    these stand in, read them.
    """
    return "layout" if re.search(r"\blayout$", module) else module.partition(".")[0]


def modules() -> dict[str, Path]:
    """All modules below `barchan`, by dotted path."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported_names(tree: ast.AST, module: str, *, is_package: bool) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of everything a module imports; `from a import b` gives `a.b`."""
    package = ["barchan", *(module.split(".") if module else [])]
    if not is_package:
        package.pop()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            if node.module:
                base = [*base, *node.module.split(".")]
            for alias in node.names:
                yield node.lineno, ".".join([*base, alias.name])
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("import_module", "__import__") and isinstance(node.args[0].value, str):
                yield node.lineno, node.args[0].value


def own_module(name: str, known: dict[str, Path]) -> str | None:
    """The module below `barchan` that an imported name lives in; None where it is not ours or a plain value."""
    head, _, below = name.partition(".")
    if head != "barchan" or below in PLAIN_NAMES:
        return None
    while below and below not in known:
        below = below.rpartition(".")[0]
    return below


def complaints(known: dict[str, Path]) -> list[str]:
    """Every import that breaks a rule, as `file:line: what`."""
    found = []
    for module, path in known.items():
        room = room_of(module)
        where = path.relative_to(PACKAGE.parent)
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        for line, name in imported_names(tree, module, is_package=path.name == "__init__.py"):
            keepers = KEEPERS.get(name.partition(".")[0])
            if keepers and not {*keepers} & {*where.parent.parts}:
                found.append(f"{where}:{line}: imports {name}, which belongs to {'/ and '.join(keepers)}/ alone")
            target = own_module(name, known)
            if target is not None and room_of(target) in LEVEL and LEVEL[room_of(target)] > LEVEL.get(room, -1):
                found.append(f"{where}:{line}: {room} imports {name}, which lies to its right")
    return found


def test_every_room_has_a_layer():
    strangers = sorted({room_of(module) for module in modules()} - set(LEVEL))
    assert not strangers, f"give these a place in LAYERS, and in docs/decisions/0001-spine.md: {strangers}"


def test_imports_point_to_the_left_only():
    found = complaints(modules())
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("scene.grains", "from barchan.parts.laws.hertz import Hertz", None),
        ("parts.laws.hertz", "from barchan.schema.quantities import Length", None),
        ("parts.laws.hertz", "from barchan.schema import quantities", None),
        ("frame", "from barchan import __version__", None),
        ("kernels.compile", "import numba.core", None),
        ("parts.laws.hertz", "from barchan.scene.grains import Grains", "lies to its right"),
        ("parts.laws.hertz", "if TYPE_CHECKING:\n    from barchan.scene.grains import Grains", "lies to its right"),
        ("schema.tables", "from barchan.registry import Part", "lies to its right"),
        ("parts.laws.hertz", "from ...scene import grains", "lies to its right"),
        ("model.build", "def build():\n    from barchan import kernels", "lies to its right"),
        ("model.build", "import importlib\nimportlib.import_module('barchan.simulation')", "lies to its right"),
        ("simulation.loop", "from barchan import load", "lies to its right"),
        ("solvers.soft.kernels.pairs", "from numba import prange", None),
        ("solvers.soft.cuda.pairs", "from numba import cuda", None),
        ("solvers.soft", "import numba", "belongs to kernels/ and cuda/ alone"),
        ("solvers.kernels", "import numba", "belongs to kernels/ and cuda/ alone"),
        ("model.build", "def build():\n    from llvmlite import ir", "belongs to kernels/ and cuda/ alone"),
        ("kernels.compile", "from barchan.solvers.soft.layout import SLOTS", None),
        ("kernels.compile", "from barchan.solvers.layout import SLOTS", None),
        ("kernels.compile", "from barchan.solvers.soft.solver import SLOTS", "lies to its right"),
        ("solvers.soft.layout", "from barchan.kernels import compile", "lies to its right"),
        ("measures.pile", "def plot():\n    from matplotlib import pyplot", "belongs to draw/ alone"),
        ("simulation.loop", "import h5py", "belongs to record/ alone"),
    ],
)
def test_the_walk_sees_an_arrow_that_points_back(tmp_path, monkeypatch, module, source, complaint):
    """The rules themselves, on a tree of empty modules and one that imports something."""
    package = tmp_path / "barchan"
    monkeypatch.setitem(globals(), "PACKAGE", package)
    others = "__init__ cli registry parts/laws/hertz schema/quantities scene/grains simulation/loop kernels/compile"
    layouts = ["solvers/soft/solver", "solvers/layout", "solvers/soft/layout"]
    for name in [*others.split(), *layouts, module.replace(".", "/")]:
        path = package / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        if path.parent != package:
            (path.parent / "__init__.py").touch()
    (package / f"{module.replace('.', '/')}.py").write_text(source, encoding="utf-8")
    found = complaints(modules())
    assert len(found) == (complaint is not None), found
    assert complaint is None or complaint in found[0]


def test_nothing_left_of_the_kernels_gets_numba() -> None:
    """By way of a third package, or of a package's `__init__`, the source does not show it. Layouts count as left."""
    left = [m for m in modules() if m and LEVEL[room_of(m)] < LEVEL["kernels"]]
    assert {"scene.scene", "model.build"} < {*left}
    told = "import importlib, sys; [importlib.import_module('barchan.' + m) for m in sys.argv[1:]]; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", told, *left], capture_output=True, text=True, timeout=120, check=True)
    assert not {"numba", "llvmlite"} & {*done.stdout.split()}


def test_tests_look_into_solvers_in_one_place() -> None:
    """Arrays of solvers are named through `solvers/inside.py` alone, so that they can move without all tests."""
    folder = Path(__file__).parent
    named = re.compile(r"\b(machine|solver|watched|quiet|one|other|again)\d?\.arrays\b")
    tests = [path for path in folder.rglob("*.py") if path.name != "inside.py"]
    assert [str(path.relative_to(folder)) for path in tests if named.search(path.read_text(encoding="utf-8"))] == []
