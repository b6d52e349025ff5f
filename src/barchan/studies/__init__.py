"""Studies: results of papers, run again and compared.

One file per result. A study runs it, compares it with the paper and draws it.

A file `y09.py` holds `STUDY = Study(…)` and is found by scanning this folder. `reproduce` runs some of them;
`barchan reproduce` is the same on the command line.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from barchan.errors import Finding, RunError, SceneError
from barchan.simulation.progress import Progress


@dataclass(frozen=True)
class Row:
    """A quantity as the paper has it and as we find it; `passed` is None where there is nothing to judge."""

    quantity: str
    paper: str
    ours: str
    unit: str = ""
    passed: bool | None = None
    criterion: str = ""  # what must hold for it to pass

    @property
    def verdict(self) -> str:
        """In one word."""
        return {True: "pass", False: "FAIL", None: "–"}[self.passed]


@dataclass(frozen=True)
class Picture:
    """A figure on disk, with its caption."""

    path: Path
    caption: str


@dataclass(frozen=True)
class StudyResult:
    """What a study found."""

    rows: tuple[Row, ...]
    figures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0  # of wall clock

    @property
    def passed(self) -> bool:
        """Whether no verdict failed, and there was one."""
        judged = [row.passed for row in self.rows if row.passed is not None]
        return bool(judged) and all(judged)


Runner = Callable[[bool, Path, Progress], StudyResult]


@dataclass(frozen=True)
class Study:
    """One result of a paper. `run(quick, folder, progress)` computes it, with its recordings and figures in folder."""

    id: str
    title: str
    paper: str  # what the paper reports
    run: Runner = field(repr=False)
    quick_means: str = ""  # in what the quick form is smaller


def studies() -> dict[str, Study]:
    """All studies by id, in the order of their numbers."""
    found = {}
    for info in pkgutil.iter_modules(__path__):
        if re.fullmatch(r"[a-z]\d\d", info.name):
            study: Study = importlib.import_module(f"{__name__}.{info.name}").STUDY
            found[study.id] = study
    return dict(sorted(found.items(), key=lambda item: (item[0][0], int(item[0][1:]))))


def chosen(ids: Sequence[str]) -> list[Study]:
    """The studies of these ids, in either case; `all` stands for every one. SceneError names those that are known."""
    known = studies()
    if any(one.lower() == "all" for one in ids):
        return list(known.values())
    unknown = [one for one in ids if one.upper() not in known]
    if unknown:
        raise SceneError([Finding(one, "is no study", f"known: {', '.join(known)}, all") for one in unknown])
    return [known[key] for key in dict.fromkeys(one.upper() for one in ids)]


def reproduce(study: Study, folder: Path, progress: Progress, *, quick: bool = False) -> StudyResult:
    """Run a study in `folder`/ID; a run that stops itself is a verdict that fails."""
    where = folder / study.id
    where.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    try:
        result = study.run(quick, where, progress)
    except RunError as error:
        row = Row("the run", "comes to its end", "stopped itself", passed=False, criterion=str(error).split("\n")[0])
        result = StudyResult((row,))
    return replace(result, seconds=time.monotonic() - began)
