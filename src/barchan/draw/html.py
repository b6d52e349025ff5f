"""Self-contained pages: text, tables and pictures in one file."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from barchan.record.whole import replaced

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
  pre {{ background: #f7f8f9; border: 1px solid #e6e8eb; border-radius: 4px; padding: 0.8rem; overflow-x: auto;
         font-size: 0.85rem; line-height: 1.4 }}
</style>
<h1>{title}</h1>
<p class="muted">{made}</p>
{body}
</html>
"""


def write_html(path: Path, title: str, made: str, body: str) -> Path:
    """Write a page; `title` and `made` (how it came about) are text, `body` is HTML."""
    with replaced(path) as temporary:
        temporary.write_text(PAGE.format(title=html.escape(title), made=html.escape(made), body=body), "utf-8")
    return path


def picture(data: bytes, caption: str, kind: str = "png") -> str:
    """A picture with its caption, the bytes inside the page."""
    told = html.escape(caption)
    inside = base64.b64encode(data).decode()
    return f'<figure><img alt="{told}" src="data:image/{kind};base64,{inside}"><figcaption>{told}</figcaption></figure>'


def png(figure: Figure) -> bytes:
    """A figure as the bytes of a PNG."""
    stream = io.BytesIO()
    figure.savefig(stream, dpi=figure.dpi, format="png")
    return stream.getvalue()


def table(lines: Iterable[tuple[str, str]]) -> str:
    """Words and values in two columns."""
    rows = "".join(f"<tr><th>{html.escape(words)}</th><td>{html.escape(value)}</td></tr>\n" for words, value in lines)
    return f"<table>\n{rows}</table>"
