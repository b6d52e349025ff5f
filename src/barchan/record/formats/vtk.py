"""VTKHDF, which ParaView opens; the same as the recording of a finished run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from barchan.record.formats import Format
from barchan.record.frame import Frame
from barchan.record.recording import Recording


def write(recording: Recording, frames: Iterator[Frame], path: Path) -> None:
    """The whole recording, which reads its frames itself."""
    recording.write_vtkhdf(path)


FORMAT = Format("vtk", "VTKHDF, for ParaView and VTK; also of a run that is not finished.", (".vtkhdf", ".hdf"), write)
