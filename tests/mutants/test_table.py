"""The table of mutants is sound, and what tests say of a mutant is judged as it should be. Nothing is compiled here."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from mutants.run import callers, verdict
from mutants.table import mutants, problems


def test_every_fault_can_be_planted() -> None:
    """A fault whose place has been rewritten would no longer be planted, or in two places, and tests that nobody finds
    would catch nothing: each entry's text stands once in its file, and its tests are at most three files.
    """
    every = mutants()
    assert [line for mutant in every for line in problems(mutant)] == []
    assert Counter(mutant.name for mutant in every).most_common(1)[0][1] == 1
    assert {mutant.solver for mutant in every} == {"soft", "hard", "relax", "beams"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"old": "no such text"}, "occurs 0 times"),
        ({"old": "import"}, "it must occur exactly once"),
        ({"file": "src/barchan/nowhere.py"}, "does not exist"),
        ({"solver": "liquid"}, "is none of soft, hard, relax, beams"),
        ({"tests": ()}, "it names 0 test files"),
        ({"tests": ("tests/nowhere.py",)}, "test file tests/nowhere.py does not exist"),
        ({"tests": ("tests/test_docs.py",) * 4}, "it names 4 test files"),
    ],
)
def test_an_entry_that_is_wrong_is_named(change: dict[str, object], said: str) -> None:
    """Entry by entry: where, what and what is expected. One that is passed over in silence would look like a catch."""
    lines = problems(replace(mutants()[0], **change))
    assert len(lines) == 1
    assert lines[0].startswith("mutants.toml: mutant 1 (pair-torque): ")
    assert said in lines[0]


def line(when: str, *kinds: str) -> str:
    return json.dumps({"test": "tests/test_a.py::test_b", "when": when, "kinds": kinds})


def test_only_a_test_that_ran_and_failed_is_a_catch() -> None:
    """Code that cannot be imported or compiled fails every test and says nothing about them; neither does a test that
    runs for ever, nor an end without a test.
    """
    assert verdict(1, line("call", "builtins.AssertionError")) == ("tests/test_a.py::test_b", "")
    assert verdict(1, line("setup", "barchan.errors.SimulationError"))[0] == "tests/test_a.py::test_b"
    for code, said, why in (
        (0, "", "it survives"),
        (2, line("collection", "builtins.ImportError"), "cannot be collected"),
        (1, line("call", "numba.core.errors.TypingError", "builtins.Exception"), "numba.core.errors.TypingError"),
        (1, line("call", "builtins.ModuleNotFoundError", "builtins.ImportError"), "does not run"),
        (-11, "", "ended with -11"),
        (None, line("call", "builtins.AssertionError"), "no answer"),
    ):
        test, reason = verdict(code, said)
        assert test == ""
        assert why in reason


def test_what_calls_a_changed_file_is_compiled_anew(tmp_path: Path) -> None:
    """Numba keeps code with what it calls inlined, and looks at the caller's file only: with its old code a fault in
    the called file would not be felt.
    """
    folder = tmp_path / "kernels"
    folder.mkdir()
    for name, text in (
        ("low", "x = 1"), ("middle", "from barchan.kernels.low import x"), ("other", "import math"),
        ("high", "from barchan.kernels.middle import x"),
    ):  # fmt: skip
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    assert callers(folder / "low.py") == {"low", "middle", "high"}
    assert callers(folder / "high.py") == {"high"}
