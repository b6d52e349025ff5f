"""The viewer and a recording as one file that needs nothing else: for a mail, a talk, a supplement."""

from __future__ import annotations

import base64
import html
import json
import math
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from barchan.draw.viewer.data import Show
from barchan.draw.viewer.server import STATIC
from barchan.errors import FileError, Finding
from barchan.record.recording import Recording
from barchan.record.whole import replaced

MODULES = ("three.min.js", "grains.js", "stage.js", "sources.js", "plots.js", "app.js")
MEGABYTES = 24.0  # what most mail servers still take
KEPT = ("speed", "spin", "force", "stress", "contacts", "slip", "height")  # fields that change with time
STILL = ("size", "id", "born", "mass")  # fields that do not
SCOUTS = 6  # frames whose size tells that of all

Report = Callable[[int, int], None]


def write_page(
    recording: Recording, path: Path | str, *, megabytes: float = MEGABYTES, report: Report | None = None
) -> Path:
    """Write a page that shows `recording` without a server or a network; returns its path.

    Places and values are stored with 16 bits. Of a run too long for `megabytes` every n-th frame is kept, and the page
    says so. `report` is called with the frames done and their number.
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise FileError(Finding(str(target), "is no page", "must end in .html"))
    show = Show(recording)
    about = show.about()
    about["fields"] = [one for one in about["fields"] if one["key"] in ("group", *KEPT, *STILL)]
    fields = [one["key"] for one in about["fields"] if one["key"] != "group"]
    count = len(recording)
    chosen = _chosen(show, fields, count, megabytes)
    about |= {"times": [about["times"][k] for k in chosen], "finished": True, "of_frames": count, "made_from": "file"}
    blocks, steady = [], dict[int, str]()
    for done, index in enumerate(chosen, start=1):
        block = show.moment(index, fields, contacts=True, coarse=True)
        key = _key(block)
        if key not in steady:
            steady[key] = _text(show.steady(index))
        blocks.append(_text(block))
        if report is not None:
            report(done, len(chosen))
    page = _page(about, blocks, steady)
    with replaced(target) as temporary:
        temporary.write_text(page, "utf-8")
    return target


def _chosen(show: Show, fields: list[str], count: int, megabytes: float) -> list[int]:
    """Every n-th frame and the last, as many as fit beside the program."""
    megabytes_of_program = len(_skin()) / 1e6
    megabytes -= megabytes_of_program
    scouts = np.unique(np.linspace(0, count - 1, min(SCOUTS, count)).round().astype(int))
    each = float(np.mean([len(_text(show.moment(int(k), fields, contacts=True, coarse=True))) for k in scouts])) / 1e6
    if each > megabytes:
        least = math.ceil(megabytes_of_program + 3 * each)
        what = f"the page itself takes {megabytes_of_program:.1f} MB and a frame {each:.2g} MB"
        raise FileError(Finding("--megabytes", what, "it must hold some frames", f"allow more, such as {least}"))
    stride = max(1, -(-count // max(1, int(megabytes / each) - 1)))
    frames = list(range(0, count, stride))
    return frames if frames[-1] == count - 1 else [*frames, count - 1]


def _key(block: bytes) -> int:
    """The key of the steady part that a block speaks of."""
    length = int.from_bytes(block[:4], "little")
    return int(json.loads(block[4 : 4 + length])["about"]["steady"])


def _text(block: bytes) -> str:
    return base64.b64encode(zlib.compress(block, 6)).decode()


def _skin() -> str:
    """The page with its program inside it, as modules that are named by an import map."""
    page = (STATIC / "index.html").read_text("utf-8")
    style = (STATIC / "viewer.css").read_text("utf-8")
    places = {}
    for name in MODULES:
        source = (STATIC / name).read_bytes()
        places["barchan/" + name] = "data:text/javascript;base64," + base64.b64encode(source).decode()
    page = page.replace('<link rel="stylesheet" href="viewer.css">', f"<style>\n{style}</style>")
    inside = json.dumps({"imports": places})
    return re.sub(
        r'<script type="importmap">.*?</script>', lambda _: f'<script type="importmap">{inside}</script>', page,
        count=1, flags=re.DOTALL,
    )  # fmt: skip


def _page(about: dict[str, Any], blocks: list[str], steady: dict[int, str]) -> str:
    told = json.dumps(about).replace("<", "\\u003c")  # no name may end the script, or begin a comment in it
    data = [f'<script type="application/json" id="about">{told}</script>']
    data += [f'<script type="text/plain" id="steady-{key}">{text}</script>' for key, text in steady.items()]
    data += [f'<script type="text/plain" id="moment-{k}">{text}</script>' for k, text in enumerate(blocks)]
    page = _skin().replace("<title>Barchan</title>", f"<title>{html.escape(about['name'])} – Barchan</title>")
    return page.replace("<!-- data -->", "\n".join(data))
