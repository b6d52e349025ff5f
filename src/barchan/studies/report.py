"""Results of studies as text for a terminal and as one self-contained HTML page."""

from __future__ import annotations

import base64
import datetime
import html
import platform
from collections.abc import Sequence
from pathlib import Path

from barchan import __version__
from barchan.record.whole import replaced
from barchan.run.progress import clock_text
from barchan.studies import Row, Study, StudyResult

COLUMNS = ("quantity", "paper", "ours", "verdict", "criterion")

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
  body {{ font: 16px/1.5 system-ui, sans-serif; color: #3b4654; max-width: 64rem; margin: 2rem auto; padding: 0 1rem }}
  h1, h2 {{ line-height: 1.2 }}
  h2 {{ margin-top: 3rem; border-top: 1px solid #dde1e6; padding-top: 1.5rem }}
  table {{ border-collapse: collapse; width: 100%; font-size: 0.9rem }}
  th, td {{ text-align: left; padding: 0.35rem 0.6rem; border-bottom: 1px solid #e6e8eb; vertical-align: top }}
  .pass {{ color: #4c7a34; font-weight: 600 }} .fail {{ color: #b03a2e; font-weight: 700 }}
  figure {{ margin: 1.5rem 0 }} img {{ max-width: 100%; height: auto }}
  figcaption, .muted {{ color: #5b6570; font-size: 0.9rem }}
</style>
<h1>{title}</h1>
<p class="muted">{made}</p>
{body}
</html>
"""


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
    made = html.escape(f"Barchan {__version__}, {form}, {date}, {platform.platform()}; made by: {command}")
    overview = "\n".join(
        f'<tr><td><a href="#{study.id}">{study.id}</a></td><td>{html.escape(study.title)}</td>'
        f"<td>{_verdict(result.passed)}</td><td>{clock_text(result.seconds)}</td></tr>"
        for study, result in results
    )
    head = f"<table><tr><th>study</th><th>result</th><th>verdict</th><th>took</th></tr>\n{overview}</table>"
    body = "\n".join([head, *(_section(study, result, quick) for study, result in results)])
    with replaced(path) as temporary:
        temporary.write_text(PAGE.format(title="Results of the papers, reproduced", made=made, body=body), "utf-8")
    return path


def _section(study: Study, result: StudyResult, quick: bool) -> str:
    """One study as HTML."""
    header = "".join(f"<th>{name}</th>" for name in COLUMNS)
    lines = []
    for row in result.rows:
        cells = [html.escape(cell) for cell in _cells(row)]
        cells[3] = "–" if row.passed is None else _verdict(row.passed)
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    quickly = f"<p class='muted'>Quick form: {html.escape(study.quick_means)}.</p>" if quick else ""
    figures = "".join(
        f'<figure><img alt="{html.escape(one.caption)}" src="data:image/png;base64,'
        f'{base64.b64encode(one.path.read_bytes()).decode()}"><figcaption>{html.escape(one.caption)}</figcaption>'
        "</figure>"
        for one in result.figures
    )
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
