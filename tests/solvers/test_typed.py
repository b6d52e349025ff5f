"""Nobody asks a solver or an integrator what it is: `solvers/base.py` and the scene's method say what it can do.

The source is read as syntax trees, so that a line broken in two, or a name in a string, is seen as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "barchan"

# Where an integrator's own kind may be asked: the integrators, and the one place that carries them out.
INTEGRATING = ("integrators/", "solvers/soft/steppers.py")


def last_name(node: ast.AST) -> str:
    """The last word of a name or of what it is an attribute of: `solver` of `self.solver`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def says_any(annotation: ast.AST | None) -> bool:
    """Whether a type is Any, or may be."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value)
    return annotation is not None and any(last_name(node) == "Any" for node in ast.walk(annotation))


def is_solver(node: ast.AST) -> bool:
    """Whether this is a solver, or the table of one."""
    return last_name(node) in ("solver", "method")


def names_a_solver(node: ast.AST) -> bool:
    """Whether this is the name of a solver: `scene.solver`, `solver.name`, `solver.method.name`."""
    if not isinstance(node, ast.Attribute):
        return False
    return node.attr == "solver" or (node.attr in ("name", "key") and is_solver(node.value))


def complaints(source: str, path: str) -> Iterator[str]:
    """What a module asks that it should not."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        where = f"{path}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.arg) and node.arg == "solver" and says_any(node.annotation):
            yield f"{where}: a solver of type Any"
        if isinstance(node, ast.AnnAssign) and last_name(node.target) == "solver" and says_any(node.annotation):
            yield f"{where}: a solver of type Any"
        if isinstance(node, ast.Compare) and any(names_a_solver(one) for one in (node.left, *node.comparators)):
            yield f"{where}: compares the names of solvers"
        if isinstance(node, ast.Match) and names_a_solver(node.subject):
            yield f"{where}: compares the names of solvers"
        if path.startswith(INTEGRATING):
            continue
        if isinstance(node, ast.Attribute) and node.attr == "adaptive":
            yield f"{where}: asks whether an integrator is adaptive"
        if isinstance(node, ast.Call) and last_name(node.func) in ("isinstance", "issubclass"):
            if any(last_name(one).startswith("RungeKutta") for one in ast.walk(node.args[1])):
                yield f"{where}: asks whether an integrator is of Runge and Kutta"


def test_nobody_asks_what_a_solver_is() -> None:
    """A solver of no type, a comparison with a solver's name, and a question for the kind of an integrator would each
    be a place that a new solver or integrator has to find and change, and that mypy cannot find for it.
    """
    paths = sorted(PACKAGE.rglob("*.py"))
    assert len(paths) > 300
    found = [
        complaint
        for path in paths
        for complaint in complaints(path.read_text(encoding="utf-8"), path.relative_to(PACKAGE).as_posix())
    ]
    assert found == []


@pytest.mark.parametrize(
    ("planted", "complaint"),
    [
        ("def look(solver: Any) -> None: ...", "Any"),
        ("def look(*, solver: 'Any | None' = None) -> None: ...", "Any"),
        ("solver: Any = start()", "Any"),
        ("class Now:\n    solver: typing.Any", "Any"),
        ("if scene.solver == 'hard': pass", "names"),
        ("steps = 0 if self.solver.name != 'hard' else 1", "names"),
        ("flat = model.scene.solver in ('beams',)", "names"),
        ("if 'hard' == solver.method.name: pass", "names"),
        ("match scene.solver:\n    case 'hard': pass", "names"),
        ("fixed = not scene.integrator.adaptive", "adaptive"),
        ("if isinstance(scene.integrator, RungeKutta): pass", "Runge"),
        ("if isinstance(solver.stepper, RungeKuttaStepper | None): pass", "Runge"),
        ("if isinstance(\n    one, (Verlet, integrators.RungeKutta)\n): pass", "Runge"),
    ],
)
def test_each_question_is_seen_where_it_is_planted(planted: str, complaint: str) -> None:
    """One of each kind, in the ways that it can be written: a reader that passes one over finds nothing in `src`."""
    (found,) = complaints(planted, "run/planted.py")
    assert complaint in found and found.startswith("run/planted.py:")


@pytest.mark.parametrize(
    "planted",
    [
        "def look(solver: Solver, action: Any) -> None: ...",
        "if wall.name == name: pass",
        "color = scene.method.color",
        "if 'cuda' not in scene.method.devices: pass",
        "kind = solver_class(scene.solver)",
    ],
)
def test_what_may_be_asked_is_let_pass(planted: str) -> None:
    """Names of walls are compared, and what a method says of itself is what is to be asked."""
    assert list(complaints(planted, "run/planted.py")) == []


def test_integrators_may_be_asked_where_they_are_carried_out() -> None:
    """One place chooses the stepper by the kind of integrator."""
    planted = "if isinstance(integrator, RungeKutta): pass"
    assert list(complaints(planted, "solvers/soft/steppers.py")) == []
    assert len(list(complaints(planted, "solvers/soft/solver.py"))) == 1
