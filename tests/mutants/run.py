"""Plant every fault of `mutants.toml` in a copy of the code, and see whether the tests that it names catch it.

Exit code: 0 when all are caught, 1 when one survives or does not run, 2 when the table is not sound.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from barchan import caches
from mutants.table import ROOT, Mutant, mutants, problems

FOLDER = ROOT / "build" / "mutants"
LONGEST = 900.0  # s, that the tests of one mutant may take
# Exceptions that say that the mutated code has not run: nothing is caught by them.
NOT_RUN = ("numba.core.errors.", "builtins.ImportError", "builtins.SyntaxError", "builtins.NameError")


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant."""

    mutant: Mutant
    test: str  # that failed first, or ""
    why: str  # if it is not caught
    seconds: float

    @property
    def said(self) -> str:
        return self.test if not self.why else f"NOT CAUGHT: {self.why}"


def copied(source: Path, target: Path) -> None:
    """Copy a folder, files of the cache as links where that is possible: nothing is ever written into them."""

    def place(name: str, to: str) -> None:
        with contextlib.suppress(FileNotFoundError):  # another process has replaced it
            try:
                os.link(name, to)
            except OSError:
                shutil.copy2(name, to)

    shutil.copytree(source, target, copy_function=place, dirs_exist_ok=True)


def seeded(cache: Path) -> Path:
    """The mutants' own kernel cache, which begins with all that the shared one holds.

    A package's name is a hash of all that takes part in it: those of a mutant have names of their own.
    """
    cache.mkdir(parents=True, exist_ok=True)
    for package in caches.cache_folder().glob(f"{caches.PACKAGE}*"):
        if not (cache / package.name).exists():
            copied(package, cache / package.name)
    return cache


def scratch(mutant: Mutant) -> Path:
    """A copy of code and tests, times of files included, with the fault in it."""
    home = FOLDER / mutant.name
    shutil.rmtree(home, ignore_errors=True)
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, home / name)
    shutil.copy2(ROOT / "pyproject.toml", home)
    path = home / mutant.file
    path.write_text(mutant.planted(path.read_text(encoding="utf-8")), encoding="utf-8")
    for stem in callers(path):
        for compiled in path.parent.glob(f"__pycache__/{stem}.*"):
            compiled.unlink()
    return home


def callers(path: Path) -> set[str]:
    """A module and those beside it that import it, and so on: numba does not see that a called file has changed."""
    imports = {other.stem: imported(other) for other in path.parent.glob("*.py")}
    stale, more = {path.stem}, True
    while more:
        add = {stem for stem, names in imports.items() if names & stale} - stale
        stale, more = stale | add, bool(add)
    return stale


def imported(path: Path) -> set[str]:
    """The last names of the modules that a module imports."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.module.rpartition(".")[2] for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


def tried(mutant: Mutant, cache: Path) -> Outcome:
    """Run the tests of a mutant until one fails."""
    begin = time.monotonic()
    home = scratch(mutant)
    note, log = home / "caught.jsonl", FOLDER / f"{mutant.name}.log"
    environment = {
        **os.environ, "PYTHONPATH": f"{home / 'src'}{os.pathsep}{home / 'tests'}", "BARCHAN_CACHE": str(cache),
        "MUTANT_CATCH": str(note), "CI": "1",
    }  # fmt: skip
    options = ["-x", "-q", "-p", "mutants.catch", "-p", "no:cacheprovider", "--timeout=0"]
    try:
        with log.open("w", encoding="utf-8") as file:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *options, *mutant.tests],
                cwd=home, env=environment, stdout=file, stderr=file, timeout=LONGEST,
            )  # fmt: skip
        code = done.returncode
    except subprocess.TimeoutExpired:
        code = None
    lines = note.read_text(encoding="utf-8").splitlines() if note.exists() else []
    test, why = verdict(code, lines[0] if lines else "")
    shutil.rmtree(home, ignore_errors=True)
    return Outcome(mutant, test, why, time.monotonic() - begin)


def verdict(code: int | None, line: str) -> tuple[str, str]:
    """The test that has caught a mutant, or "" and why none has; line: as `catch.py` writes it, or "".

    code: the exit code of pytest, None where it took too long.
    """
    if code is None:
        return "", f"no answer after {LONGEST:.0f} s"
    if not line:
        return "", "it survives" if code == 0 else f"pytest ended with {code} and named no test: see the log"
    caught = json.loads(line)
    if caught["when"] == "collection":
        return "", f"it does not run: {caught['test']} cannot be collected"
    if any(kind.startswith(NOT_RUN) for kind in caught["kinds"]):
        return "", f"it does not run: {caught['kinds'][0]} in {caught['test']}"
    return caught["test"], ""


def table(outcomes: Iterable[Outcome]) -> str:
    """The outcomes as a table in Markdown."""
    rows = ["| # | mutant | solver | caught by | s |", "|---|---|---|---|---|"]
    rows += [
        f"| {one.mutant.number} | {one.mutant.name} | {one.mutant.solver} | {one.said} | {one.seconds:.0f} |"
        for one in outcomes
    ]
    return "\n".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="number or name of one mutant; all are tried otherwise")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time")
    chosen = parser.parse_args()
    every = mutants()
    wanted = [one for one in every if chosen.only in (None, one.name, str(one.number))]
    wrong = [line for one in wanted for line in problems(one)]
    if not wanted:
        wrong = [f"ONLY={chosen.only}: no such mutant; expected 1 to {len(every)}, or a name of mutants.toml"]
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 2
    cache = seeded(FOLDER / "cache")
    outcomes = []
    begin = time.monotonic()
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for one in pool.map(lambda mutant: tried(mutant, cache), wanted):
            print(f"{one.mutant.number:3d} {one.mutant.name}: {one.said} ({one.seconds:.0f} s)", flush=True)
            outcomes.append(one)
    missed = sum(bool(one.why) for one in outcomes)
    caught = len(outcomes) - missed
    print(f"\n{table(outcomes)}\n\n{caught} of {len(outcomes)} caught in {time.monotonic() - begin:.0f} s")
    if missed:
        print(f"Logs: {FOLDER}/NAME.log", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
