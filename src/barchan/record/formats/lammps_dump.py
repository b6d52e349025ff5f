"""LAMMPS' text dump, which OVITO, LAMMPS itself and many others read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from barchan.frame import Frame
from barchan.record.formats import Format
from barchan.record.formats._spheres import NUMBER, Domain, Spheres, domain, extent, lines
from barchan.record.recording import Recording

COLUMNS = "id mol type x y z vx vy vz omegax omegay omegaz radius mass quatw quati quatj quatk"
PATTERN = " ".join(["%d"] * 3 + [NUMBER] * 15) + "\n"


def _bounds(box: Domain) -> str:
    """The lines of the box; one that leans is given by the upright box round it, as LAMMPS has it."""
    kinds = " ".join("pp" if one else "ff" for one in box.repeats)
    low, high = box.low.copy(), box.low + box.lengths
    low[0], high[0] = low[0] + min(box.tilt, 0.0), high[0] + max(box.tilt, 0.0)
    leans = [[0.0], [box.tilt], [0.0]] if box.tilt else [[]] * 3
    rows = [" ".join(NUMBER % one for one in (a, b, *lean)) for a, b, lean in zip(low, high, leans, strict=True)]
    return f"ITEM: BOX BOUNDS {'xy xz yz ' if box.tilt else ''}{kinds}\n" + "\n".join(rows) + "\n"


def write(recording: Recording, frames: Iterator[Frame], path: Path) -> None:
    """One block for every frame: spheres are atoms, a grain is a molecule, a group is a type, counted from 1."""
    low, high = extent(recording)
    with path.open("w", encoding="utf-8") as file:
        file.write("ITEM: UNITS\nsi\n")
        for frame in frames:
            spheres = Spheres.of(frame)
            file.write(f"ITEM: TIME\n{NUMBER % frame.time}\nITEM: TIMESTEP\n{frame.step}\n")
            file.write(f"ITEM: NUMBER OF ATOMS\n{len(spheres)}\n{_bounds(domain(frame, low, high))}")
            file.write(f"ITEM: ATOMS {COLUMNS}\n")
            names = [np.arange(1, len(spheres) + 1), spheres.grain + 1, spheres.group + 1]
            motion = [spheres.position, spheres.velocity, spheres.spin]
            file.writelines(lines([*names, *motion, spheres.radius, spheres.mass, spheres.orientation], PATTERN))


FORMAT = Format("lammps-dump", "LAMMPS' text dump, for OVITO, LAMMPS and others.", (".dump", ".lammpstrj"), write)
