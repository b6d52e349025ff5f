"""A run as a report: the scene, what it looked like, what was measured, whether it can be trusted, how to repeat it."""

from __future__ import annotations

import datetime
import html
import math
from pathlib import Path

from barchan import __version__
from barchan.draw.charts import draw_panels, time_panel
from barchan.draw.html import picture, png, table, write_html
from barchan.draw.picture import draw_scene
from barchan.draw.snapshots import draw_strip
from barchan.draw.summary import ENERGIES, draw_summary
from barchan.draw.units import time_text
from barchan.errors import FileError, Finding
from barchan.record.recording import Recording
from barchan.simulation.summary import facts
from barchan.simulation.verdicts import verdicts

SNAPSHOTS = 5
MOVIE, MOST_MOVIE = "movie.gif", 12_000_000  # bytes
IN_SUMMARY = frozenset((
    *ENERGIES, "pile_height", "outflow", "grain_count", "contacts_per_grain", "time", "step",
))  # fmt: skip


def write_report(recording: Recording, path: Path | str) -> Path:
    """Write the report of a run as one HTML page that needs nothing else; returns its path."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise FileError(Finding(str(target), "is no page", "must end in .html"))
    if not len(recording):
        raise FileError(Finding(str(recording.path), "has no frames yet", remedy="wait for the first one"))
    scene = recording.scene
    date = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")
    parts = [
        f"<p>{html.escape(scene.description)}</p>",
        "<h2>At a glance</h2>", table(facts(recording.path.parent, recording)),
        "<h2>Checks</h2>", _checks(recording),
        "<h2>What it looked like</h2>", *_pictures(recording),
        "<h2>What was measured</h2>", *_plots(recording),
        "<h2>How to reproduce it</h2>", _again(recording),
    ]  # fmt: skip
    return write_html(target, scene.name, f"Report of a run, made by Barchan {__version__}, {date}", "\n".join(parts))


def _checks(recording: Recording) -> str:
    """What tells whether the numbers can be trusted, each with a verdict."""
    lines = [_verdict("the run came to its end", recording.finished, str(recording.summary.get("stopped", "")))]
    lines += [
        _verdict(one.words, one.good, one.told if one.good else f"{one.told}. {one.advice}")
        for one in verdicts(recording.summary)
    ]
    last = recording[-1]
    sound = all(bool((abs(array) < math.inf).all()) for array in (last.position, last.velocity, last.spin))
    lines.append(_verdict("the last frame holds numbers only", sound, ""))
    return f"<table>\n{''.join(lines)}</table>"


def _verdict(words: str, good: bool, detail: str) -> str:
    word = '<span class="pass">good</span>' if good else '<span class="fail">look again</span>'
    return f"<tr><th>{html.escape(words)}</th><td>{html.escape(detail)}</td><td>{word}</td></tr>\n"


def _pictures(recording: Recording) -> list[str]:
    scene, last = recording.scene, recording[-1]
    drawn = draw_scene(last, scene, color=scene.method.color)
    made = [picture(png(drawn), f"The last frame, {time_text(last.time, last.time)}")]
    if len(recording) > 1:
        count = min(SNAPSHOTS, len(recording))
        row = draw_strip(recording, count, scene)
        made.append(picture(png(row), f"{count} moments of the run"))
    movie = recording.path.parent / MOVIE
    if movie.is_file() and movie.stat().st_size <= MOST_MOVIE:
        made.append(picture(movie.read_bytes(), "The run as a movie", "gif"))
    return made


def _plots(recording: Recording) -> list[str]:
    """The panels of the summary, and every other observable that is not always zero."""
    made = [picture(png(draw_summary(recording)), "Energies, height, grains and contacts over time")]
    series, units = recording.series, recording.units
    panels = []
    for name, values in series.items():
        sound = values[abs(values) < math.inf]
        if name in IN_SUMMARY or not len(sound) or not sound.any():
            continue
        panels.append(time_panel(series["time"], values, name.replace("_", " "), units[name]))
    if panels:
        made.append(picture(png(draw_panels(panels)), "The other observables over time"))
    return made


def _again(recording: Recording) -> str:
    meta = recording.meta
    versions = ", ".join(f"{name} {version}" for name, version in meta.get("versions", {}).items())
    lines = [("command", str(meta.get("command", ""))), ("seed", str(meta.get("seed", ""))), ("made with", versions)]
    lines.append(("machine", f"{meta.get('platform', '')}, {meta.get('processors', '?')} processors"))
    how = "Save the scene below as <code>scene.toml</code>, then <code>barchan run scene.toml</code>: with the same "
    how += "versions it ends with the same bits, on any number of threads."
    text = html.escape(recording.scene_toml)
    return f"{table(lines)}\n<p>{how}</p>\n<details open><summary>The scene</summary><pre>{text}</pre></details>"
