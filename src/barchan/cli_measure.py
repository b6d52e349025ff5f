"""The verb of the command line that measures what a run has recorded."""

from __future__ import annotations

import csv
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from barchan.cli_look import Quiet, RunFolder, check_free, check_needed, counted, open_recording, tell_file, told
from barchan.errors import Finding, SceneError

if TYPE_CHECKING:
    from barchan.measures.asked import Asked
    from barchan.measures.evaluate import Measured


def measure(
    folder: RunFolder,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME…",
            help="From `barchan list observables` and `barchan list measures`, with fields and a moment: "
            "stress, 'angle_of_repose(floor=0)@last', 'packing@mean(2s, 5s)'.",
        ),
    ],
    to: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a table instead: csv.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file that is there.")] = False,
    quiet: Quiet = False,
) -> None:
    """Measure what a run has recorded: numbers with their units, at every frame or at one moment."""
    from barchan.measures.asked import parse
    from barchan.measures.evaluate import measure_all

    check_needed(("--to", to), ("--force", force or None))
    asked = [parse(name) for name in dict.fromkeys(names)]
    if to is not None:
        _check_table(to, asked)
        check_free(to, force)
    shown = sys.stdout.isatty()  # else the numbers go somewhere where nothing else belongs
    with open_recording(folder) as recording, told(quiet or not shown) as progress:
        found = measure_all(recording, asked, counted(progress, "measuring"))
    if to is not None:
        _write(to, found)
        tell_file(to, quiet)
    elif not quiet:
        width = shutil.get_terminal_size().columns if shown else None
        rows = [one for one in found if not one.one]
        notes = dict.fromkeys(one.note for one in found if one.note)
        typer.echo("\n\n".join([*grids(rows, width), *(_list(one) for one in found if one.one), *notes]))


def _check_table(path: Path, asked: Sequence[Asked]) -> None:
    """Refuse what is no table: of another ending, or of rows of several lengths."""
    if path.suffix.lower() != ".csv":
        raise SceneError(Finding("--to", str(path), "must end in .csv"))
    ones, rows = [one for one in asked if one.one], [one for one in asked if not one.one]
    if ones and rows:
        what = f"{ones[0].text} has one value, {rows[0].text} has one for each frame"
        raise SceneError(Finding("--to", what, "a table has the one or the other", "write two tables"))


def _columns(found: Sequence[Measured]) -> Iterator[tuple[str, np.ndarray]]:
    """Heading and values of each column; a number that two of them have is named with what was asked for."""
    if not found[0].one:
        yield "time (s)", found[0].time
    times = Counter(name for one in found for name in one.values)
    for one in found:
        for name, values in one.values.items():
            label = name if times[name] == 1 else f"{one.text}: {name}"
            yield f"{label} ({one.units[name]})" if one.units[name] else label, values


def _write(path: Path, found: Sequence[Measured]) -> None:
    """A table with all digits."""
    from barchan.record.whole import replaced

    headings, columns = zip(*_columns(found), strict=True)
    with replaced(path) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        rows = np.transpose(columns).tolist()
        csv.writer(file, lineterminator="\n").writerows([headings, *(map(repr, row) for row in rows)])


def grids(found: Sequence[Measured], width: int | None = None) -> list[str]:
    """Numbers against time, with six digits: below each other where they are wider than `width` characters."""
    if not found:
        return []
    clock, *columns = [_aligned([heading, *map(_text, values)]) for heading, values in _columns(found)]
    blocks = [[clock]]
    for column in columns:
        taken = sum(len(one[0]) + 2 for one in blocks[-1]) + len(column[0])
        if width is not None and taken > width and len(blocks[-1]) > 1:
            blocks.append([clock])
        blocks[-1].append(column)
    return ["\n".join("  ".join(line) for line in zip(*block, strict=True)) for block in blocks]


def _aligned(column: Sequence[str]) -> list[str]:
    return [text.rjust(max(map(len, column))) for text in column]


def _list(one: Measured) -> str:
    """The numbers of one moment below each other."""
    from barchan.simulation.summary import table

    first, last = (f"{one.time[k]:.6g} s" for k in (0, -1))
    when = f"at {last}" if len(one.time) == 1 else f"over {len(one.time)} frames from {first} to {last}"
    numbers = ((name, f"{_text(values[0])} {one.units[name]}".rstrip()) for name, values in one.values.items())
    return f"{one.text}, {when}\n{table(numbers)}"


def _text(value: float) -> str:
    return "–" if np.isnan(value) else f"{value + 0.0:.6g}"  # + 0: no −0
