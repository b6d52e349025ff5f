"""What a run found, in numbers: for the recording, for `summary.json` beside it, and as a table for the eye."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from barchan.record.folder import write_error
from barchan.record.recording import Recording
from barchan.simulation.progress import clock_text, short
from barchan.solvers.base import Solver

FILE = "summary.json"

# Words in the table, and the value beside them from the numbers it needs; a row whose numbers are missing is left out,
# but for those that have a default.
ROWS: tuple[tuple[str, Callable[..., str]], ...] = (
    ("simulated", lambda time: f"{time:.6g} s"),
    (
        "steps",
        lambda steps, time_step, shortest_step=None, longest_step=None: _steps(
            steps, shortest_step or time_step, longest_step or time_step
        ),
    ),
    ("collisions", lambda collisions, wall_collisions: f"{collisions}, {wall_collisions} of them with walls"),
    (
        "too soon",
        lambda timed_collisions, contact_time, spared_energy: (
            f"{timed_collisions} within the contact time of {contact_time:.3g} s were elastic, which kept "
            f"{spared_energy:.3g} J"
        ),
    ),
    ("at rest", lambda rested_collisions, rest_work: f"{rested_collisions} were too slow and given {rest_work:.3g} J"),
    (
        "overlaps",
        lambda overlaps, deepest_overlap: f"{overlaps} collisions began with one, up to {100 * deepest_overlap:.2g}%",
    ),
    ("grains", lambda grains_in, grains_out: f"{grains_in} in, {grains_out} out"),
    ("flow", lambda flow: "; ".join(_passed(name, **gate) for name, gate in flow.items())),
    ("events", lambda events: ", ".join(f"{name} at {time:.4g} s" for name, time in events.items()) or "none came"),
    ("recorded", lambda frames, samples: f"{frames} frames, {samples} samples"),
    ("worst overlap", lambda worst_overlap: f"{100 * worst_overlap:.3g}% of the smaller radius"),
    ("worst overlap", lambda overlap_share: f"{100 * overlap_share:.3g}% of the smaller triangle"),
    ("overlaps by kind", lambda overlap_kinds: _kinds(overlap_kinds)),
    (
        "broken beams",
        lambda broken_beams, yielded_beams, fragments: (
            (", ".join(f"{n} by {cause}" for cause, n in broken_beams.items() if n) or "none")
            + f"; {yielded_beams} yielded; {fragments} pieces"
        ),
    ),
    ("energy balance", lambda energy_error: f"out by {100 * energy_error:.2g}% of what was turned over"),
    (
        "made by contacts",
        lambda energy_made, makers: (
            f"{100 * energy_made:.2g}% of what was turned over, by {' and '.join(makers)}, which can give more energy "
            "than it got"
        ),
    ),
    (
        "relaxed",
        lambda points, gradients, hessian_products, factorisations: (
            f"{points} points, {gradients} gradients, {hessian_products} Hessian products, {factorisations} factorised"
        ),
    ),
    ("forces", lambda force_balance: f"in balance to {force_balance:.1e} of the mean contact force"),
    ("neighbour lists", lambda list_rebuilds: f"built {list_rebuilds} times"),
    ("measured", lambda measured_over: "; ".join(measured_over)),
    ("pace", lambda collisions_per_second: f"{short(collisions_per_second)} collisions/s"),
    ("took", lambda wall_time: clock_text(wall_time)),
    (
        "speed",
        lambda grain_steps_per_second, threads: (
            f"{short(grain_steps_per_second)} grain-steps/s on {threads} thread{'s' if threads > 1 else ''}"
        ),
    ),
)


def _kinds(seen: dict[str, int]) -> str:
    """How many overlaps there were of each of Pöschel's kinds, or graded ones of `exact` contacts."""
    return ", ".join(f"{n} {kind.replace('kind_', 'of kind ')}" for kind, n in seen.items()) or "none"


def _steps(number: int, shortest: float, longest: float) -> str:
    """How many steps there were, and how long, s, in words."""
    low, high = f"{shortest:.3g}", f"{longest:.3g}"
    return f"{number} of {high} s" if low == high else f"{number}, from {low} to {high} s"


def _passed(name: str, number: int, mass: float, waiting: int) -> str:
    """What has passed a source or a sink, in words."""
    short_of = f", {waiting} without room" if waiting else ""
    return f"{number} ({mass:.4g} kg) at {name}{short_of}"


def found(solver: Solver, counts: tuple[int, int]) -> dict[str, Any]:
    """What the solver found, the same every time the scene is run; `counts` are frames and samples recorded."""
    return {"time": solver.time, "frames": counts[0], "samples": counts[1], **solver.statistics()}


def write(folder: Path, summary: Mapping[str, Any]) -> None:
    """Write `summary.json`, whole or not at all."""
    path, part = folder / FILE, folder / (FILE + ".part")
    try:
        part.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
        os.replace(part, path)
    except OSError as problem:
        part.unlink(missing_ok=True)
        raise write_error(path, problem, "the recording is whole; free space for the rest") from problem


def read(folder: Path) -> dict[str, Any]:
    """The numbers of `summary.json`; none where it is missing or damaged: the recording has what matters."""
    try:
        numbers = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return numbers if isinstance(numbers, dict) else {}


def rows(summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The lines of the table: words and value."""
    for words, written in ROWS:
        needed = inspect.signature(written).parameters
        if all(name in summary or one.default is not one.empty for name, one in needed.items()):
            yield words, written(**{name: summary[name] for name in needed if name in summary})


def table(lines: Iterable[tuple[str, str]]) -> str:
    """Words and values as two columns of text."""
    pairs = list(lines)
    width = max((len(words) for words, _ in pairs), default=0)
    return "\n".join(f"  {words:<{width}}  {value}" for words, value in pairs)


def facts(folder: Path, recording: Recording) -> list[tuple[str, str]]:
    """What a recorded run is and how far it has come, as lines of a table."""
    scene, times = recording.scene, recording.times
    until = f"{times[-1]:.6g}" if len(times) else "0"
    stopped = recording.summary.get("stopped")
    state = "finished" if recording.finished else f"stopped itself: {stopped}" if stopped else "not finished"
    numbers = {**recording.summary, **(read(folder) if recording.finished else {})}
    units = recording.units
    series = {name: values for name, values in recording.series.items() if name not in ("time", "step")}
    measured = [f"{name} ({units[name]})" if units[name] else name for name, values in series.items() if values.any()]
    still = len(series) - len(measured)  # such as energies that only another solver has
    versions = recording.meta.get("versions", {})
    return [
        ("scene", f"{scene.name}: {scene.description}" if scene.description else scene.name),
        ("state", f"{state}, {until} of {scene.duration:g} s, {len(recording)} frames"),
        ("grains", str(len(recording[-1])) if len(recording) else "none recorded yet"),
        *((words, value) for words, value in rows(numbers) if words != "grains"),
        ("measured", ", ".join([*measured, *([f"and {still} that stayed 0"] if still else [])])),
        ("made with", ", ".join(f"{name} {version}" for name, version in versions.items())),
        ("command", str(recording.meta.get("command", ""))),
        ("file", f"{recording.path}, {recording.path.stat().st_size / 1e6:.3g} MB"),
    ]
