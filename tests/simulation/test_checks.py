"""A check of a scene compiles nothing and builds no solver; a run builds one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import barchan as bc
from barchan.scene import library
from barchan.solvers import CLASSES, solver_class
from barchan.solvers.base import Solver

CHECK = """
import sys
from barchan.cli import main
for name in sys.argv[1:]:
    sys.argv[1:] = ["check", name]
    try:
        main()
    except SystemExit as end:
        assert not end.code, f"{name}: {end.code}"
    known = sorted({module.partition(".")[0] for module in sys.modules} & {"numba", "llvmlite"})
    assert not known, f"after the check of {name} these are imported: {known}"
"""


def test_a_check_compiles_nothing() -> None:
    """`barchan check` of every scene of the library, of all four methods, in one process: Numba is not even imported.

    Catches an import of a kernel on the way of a check, which takes a second, and a solver that is built for it, which
    compiles for half a minute where no cache is.
    """
    methods = {bc.load(name).solver for name in library()}
    assert methods == {"soft", "hard", "relax", "beams"}
    done = subprocess.run([sys.executable, "-c", CHECK, *library()], capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("ready to run") == len(library())


def test_a_run_builds_its_solver_once(small: bc.Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches a check, or a plan, that builds a solver of its own and throws it away: twice the memory and the time."""
    built: list[str] = []

    def counted(kind: type[Solver]) -> None:
        true = kind.__init__

        def init(self: Solver, *given: Any, **named: Any) -> None:
            built.append(type(self).__name__)
            true(self, *given, **named)

        monkeypatch.setattr(kind, "__init__", init)

    for name, device in CLASSES:
        if device == "cpu":
            counted(solver_class(name))
    for name in library():
        bc.Plan.of(bc.load(name))
    assert built == []
    bc.run(small, tmp_path / "run", progress=bc.Silent(), threads=1)
    assert built == ["SoftSolver"]
