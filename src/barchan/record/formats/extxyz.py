"""Extended XYZ, which OVITO and ASE read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from barchan.frame import Frame
from barchan.record.formats import Format
from barchan.record.formats._spheres import NUMBER, Spheres, domain, extent, lines
from barchan.record.recording import Recording

PROPERTIES = (
    "species:S:1:pos:R:3:id:I:1:grain:I:1:group:I:1:radius:R:1:mass:R:1:velo:R:3:angular_velocity:R:3:orientation:R:4:"
    "born:R:1"
)
PATTERN = " ".join(["X", *[NUMBER] * 3, "%d", "%d", "%d", *[NUMBER] * 13]) + "\n"


def _numbers(values: np.ndarray) -> str:
    return " ".join(NUMBER % value for value in values.ravel())


def write(recording: Recording, frames: Iterator[Frame], path: Path) -> None:
    """One block for every frame, its spheres as atoms of the species X: the format knows elements only."""
    low, high = extent(recording)
    with path.open("w", encoding="utf-8") as file:
        for frame in frames:
            box, spheres = domain(frame, low, high), Spheres.of(frame)
            repeats = " ".join("T" if one else "F" for one in box.repeats)
            file.write(
                f'{len(spheres)}\nLattice="{_numbers(box.vectors)}" Origin="{_numbers(box.low)}" pbc="{repeats}" '
                f"Properties={PROPERTIES} Time={NUMBER % frame.time} Step={frame.step} units=SI\n"
            )
            turned = spheres.orientation[:, [1, 2, 3, 0]]  # OVITO's order
            names = [np.arange(1, len(spheres) + 1), spheres.grain, spheres.group]
            rest = [spheres.radius, spheres.mass, spheres.velocity, spheres.spin, turned, spheres.born]
            file.writelines(lines([spheres.position, *names, *rest], PATTERN))


FORMAT = Format("extxyz", "Extended XYZ, for OVITO and ASE.", (".xyz", ".extxyz"), write)
