"""The table of mutants: what it holds, and whether it is sound."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("mutants.toml")
MOST_TESTS = 3  # files that a mutant may name
SOLVERS = ("soft", "hard", "relax", "beams")


@dataclass(frozen=True)
class Mutant:
    """A fault that is planted in one file, and the test files that must catch it."""

    number: int  # from 1, in the order of the table
    name: str
    solver: str
    file: str
    old: str
    new: str
    breaks: str
    tests: tuple[str, ...]

    def planted(self, text: str) -> str:
        """The text of the file with the fault in it."""
        return text.replace(self.old, self.new)


def mutants(path: Path = TABLE) -> list[Mutant]:
    """All mutants of a table."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    return [Mutant(k, **{**entry, "tests": tuple(entry["tests"])}) for k, entry in enumerate(entries, start=1)]


def problems(mutant: Mutant, root: Path = ROOT) -> list[str]:
    """What is wrong with an entry: where, what, what is expected."""
    where, found = f"mutants.toml: mutant {mutant.number} ({mutant.name})", []
    path = root / mutant.file
    if not path.is_file():
        found.append(f"{where}: file {mutant.file} does not exist; name the file that holds the code now")
    elif (times := path.read_text(encoding="utf-8").count(mutant.old)) != 1:
        found.append(
            f"{where}: the old text occurs {times} times in {mutant.file}; it must occur exactly once: {mutant.old!r}"
        )
    if mutant.old == mutant.new:
        found.append(f"{where}: old and new text are the same; the new one must break something")
    if mutant.solver not in SOLVERS:
        found.append(f"{where}: solver {mutant.solver!r} is none of {', '.join(SOLVERS)}")
    if not 1 <= len(mutant.tests) <= MOST_TESTS:
        found.append(f"{where}: it names {len(mutant.tests)} test files; one to {MOST_TESTS} are expected")
    found += [f"{where}: test file {name} does not exist" for name in mutant.tests if not (root / name).is_file()]
    return found
