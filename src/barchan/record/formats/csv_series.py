"""The observables over time as one table of text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from barchan.frame import Frame
from barchan.record.formats import Format
from barchan.record.formats._spheres import NUMBER, lines
from barchan.record.recording import Recording


def write(recording: Recording, frames: Iterator[Frame], path: Path) -> None:
    """One row for every sample; the frames are not asked for."""
    series, units = recording.series, recording.units
    names = [f"{name} ({units[name]})" if units[name] else name for name in series]
    pattern = ",".join("%d" if name == "step" else NUMBER for name in series) + "\n"
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(names) + "\n")
        file.writelines(lines(list(series.values()), pattern))


FORMAT = Format("csv-series", "A table of text: the observables, one row for every sample.", (".csv",), write)
