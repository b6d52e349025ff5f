"""GSD, the binary format of HOOMD-blue, which OVITO reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from barchan.frame import Frame
from barchan.record.formats import Format
from barchan.record.formats._spheres import Spheres, domain, extent
from barchan.record.recording import Recording


def write(recording: Recording, frames: Iterator[Frame], path: Path) -> None:
    """One frame for every frame, after HOOMD's schema; what it has no place for is in `log/`.

    HOOMD's box lies about the origin. Along an axis that repeats, places are shifted to fit it, by what `log/shift`
    says, and what lies beyond a face is there as its image inside, with `image` to say of which; along others they are
    left, and the box is wide enough.
    """
    import gsd.hoomd

    low, high = extent(recording)
    reach = 2.0 * np.maximum(np.abs(low), np.abs(high))
    names = recording.scene.group_names()
    with gsd.hoomd.open(str(path), mode="w") as file:
        for frame in frames:
            file.append(_snapshot(gsd.hoomd.Frame(), frame, names, low, high, reach))


def _snapshot(made: Any, frame: Frame, names: list[str], low: np.ndarray, high: np.ndarray, reach: np.ndarray) -> Any:
    spheres, box = Spheres.of(frame), domain(frame, low, high)
    lengths = np.where(box.repeats, box.lengths, reach)
    middle = np.where(box.repeats, box.low + box.lengths / 2.0, 0.0)
    middle[0] += box.tilt / 2.0
    made.configuration.step = frame.step
    made.configuration.dimensions = 3
    made.configuration.box = [*lengths, 0.0, box.tilt / lengths[2], 0.0]
    part = made.particles
    part.N = len(spheres)
    part.types, part.typeid = names, spheres.group
    place, part.image = box.wrapped(spheres.position)
    part.position, part.velocity = place - middle, spheres.velocity
    part.orientation, part.diameter, part.mass = spheres.orientation, 2.0 * spheres.radius, spheres.mass
    clumped = len(spheres) != len(frame)
    part.body = frame.sphere_grain.astype(np.int32) if clumped else np.full(len(spheres), -1, np.int32)
    made.log = {
        "time": np.array([frame.time]), "shift": middle, "particles/id": spheres.grain, "particles/spin": spheres.spin,
        "particles/born": spheres.born,
    }  # fmt: skip
    return made


FORMAT = Format("gsd", "GSD, the binary format of HOOMD-blue, for OVITO and freud.", (".gsd",), write, "gsd", "gsd")
