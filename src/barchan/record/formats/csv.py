"""The grains of all frames as one table of text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from barchan.frame import Frame
from barchan.record.formats import Format
from barchan.record.formats._spheres import NUMBER, lines
from barchan.record.recording import Recording

COLUMNS = (
    "time (s)", "step", "id", "group", "x (m)", "y (m)", "z (m)", "vx (m/s)", "vy (m/s)", "vz (m/s)",
    "wx (rad/s)", "wy (rad/s)", "wz (rad/s)", "qw", "qx", "qy", "qz", "radius (m)", "mass (kg)", "born (s)",
)  # fmt: skip
WHOLE = ("step", "id", "group")
PATTERN = ",".join("%d" if name in WHOLE else NUMBER for name in COLUMNS) + "\n"


def write(recording: Recording, frames: Iterator[Frame], path: Path) -> None:
    """One row for every grain of every frame."""
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(COLUMNS) + "\n")
        for frame in frames:
            n = len(frame)
            moment = [np.full(n, frame.time), np.full(n, frame.step), frame.id, frame.group]
            state = [frame.position, frame.velocity, frame.spin, frame.orientation]
            file.writelines(lines([*moment, *state, frame.radius, frame.mass, frame.born], PATTERN))


FORMAT = Format("csv", "A table of text: one row for every grain of every frame.", (".csv",), write)
