"""Results of studies as text for a terminal and as one self-contained HTML page."""

from __future__ import annotations

import datetime
import html
import platform
from collections.abc import Sequence
from pathlib import Path

from barchan import __version__
from barchan.draw.html import picture
from barchan.draw.html import write_html as html_page
from barchan.simulation.progress import clock_text
from barchan.studies import Row, Study, StudyResult

COLUMNS = ("quantity", "paper", "ours", "verdict", "criterion")


def text_table(rows: Sequence[Row]) -> str:
    """The rows as a table of text."""
    cells = [COLUMNS, *(_cells(row) for row in rows)]
    widths = [max(len(line[k]) for line in cells) for k in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    return "\n".join([lines[0], "  ".join("─" * width for width in widths), *lines[1:]])


def write_html(results: Sequence[tuple[Study, StudyResult]], path: Path, *, quick: bool, command: str) -> Path:
    """One page with all tables and figures, the images inside it."""
    date = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")
    form = "quick forms" if quick else "full sizes"
    made = f"Barchan {__version__}, {form}, {date}, {platform.platform()}; made by: {command}"
    overview = "\n".join(
        f'<tr><td><a href="#{study.id}">{study.id}</a></td><td>{html.escape(study.title)}</td>'
        f"<td>{_verdict(result.passed)}</td><td>{clock_text(result.seconds)}</td></tr>"
        for study, result in results
    )
    head = f"<table><tr><th>study</th><th>result</th><th>verdict</th><th>took</th></tr>\n{overview}</table>"
    body = "\n".join([head, *(_section(study, result, quick) for study, result in results)])
    return html_page(path, "Results of the papers, reproduced", made, body)


def _section(study: Study, result: StudyResult, quick: bool) -> str:
    """One study as HTML."""
    header = "".join(f"<th>{name}</th>" for name in COLUMNS)
    lines = []
    for row in result.rows:
        cells = [html.escape(cell) for cell in _cells(row)]
        cells[3] = "–" if row.passed is None else _verdict(row.passed)
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    quickly = f"<p class='muted'>Quick form: {html.escape(study.quick_means)}.</p>" if quick else ""
    figures = "".join(picture(one.path.read_bytes(), one.caption) for one in result.figures)
    notes = "".join(f"<p>{html.escape(note)}</p>" for note in result.notes)
    return (
        f'<h2 id="{study.id}">{study.id}: {html.escape(study.title)}</h2>\n'
        f"<p>The paper: {html.escape(study.paper)}</p>{quickly}\n"
        f"<table><tr>{header}</tr>\n{''.join(lines)}</table>\n{notes}\n{figures}"
    )


def _cells(row: Row) -> tuple[str, str, str, str, str]:
    quantity = f"{row.quantity} ({row.unit})" if row.unit else row.quantity
    return quantity, row.paper, row.ours, row.verdict, row.criterion


def _verdict(passed: bool) -> str:
    return '<span class="pass">pass</span>' if passed else '<span class="fail">FAIL</span>'
