"""What the method of triangles and beams adds to its frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from barchan.frame import Frame, Table, rows

ABSENT = "grains are of spheres"


@dataclass
class Corners(Table):
    """The triangles of flat grains, one for each sphere of the frame, which is the circle about it."""

    per: ClassVar[str] = "triangle"
    letter: ClassVar[str] = "T"
    absent: ClassVar[str] = ABSENT

    triangle_corners: np.ndarray = rows(
        "triangle", "float64", (6,), "m", "x and z of three corners of the triangle in the sphere's place (solver "
        "`beams`)", missing=0,
    )  # fmt: skip

    def ends(self, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
        """Corners (M, 3) m of the boxes about the triangles."""
        place = np.zeros((len(self.triangle_corners), 3, 3))
        place[:, :, ::2] = self.triangle_corners.reshape(-1, 3, 2)
        return place.min(axis=1), place.max(axis=1)


@dataclass
class BeamLines(Table):
    """The beams between triangles, broken ones too."""

    per: ClassVar[str] = "beam"
    letter: ClassVar[str] = "B"
    absent: ClassVar[str] = ABSENT

    beam_ends: np.ndarray = rows("beam", "int64", (2,), "", "rows of the two triangles", steady=True, missing=0)
    beam_cause: np.ndarray = rows(
        "beam", "int8", (), "", "0: whole; broken by 1 stretch, 2 force, 3 moment", steady=True, missing=0
    )
    beam_broken_at: np.ndarray = rows(
        "beam", "float64", (), "s", "when it broke; NaN: it is whole", steady=True, missing=0
    )
    beam_yielded_at: np.ndarray = rows(
        "beam", "float64", (), "s", "when it first yielded; NaN: never", steady=True, missing=0
    )
    beam_sides: np.ndarray = rows(
        "beam", "int8", (2,), "", "sides of the two triangles that it joins, from the first corner on counted from 1; "
        "0: not known", steady=True, missing=0,
    )  # fmt: skip


@dataclass
class Strips(Table):
    """The triangles that flat grains' walls are made of, where they are no smooth planes or circles."""

    per: ClassVar[str] = "strip"
    letter: ClassVar[str] = "Q"
    absent: ClassVar[str] = ABSENT

    strip_wall: np.ndarray = rows("strip", "int64", (), "", "index into the scene's walls", steady=True, missing=0)
    strip_corners: np.ndarray = rows(
        "strip", "float64", (6,), "m", "x and z of three corners of a triangle of which the wall is made, where it was "
        "made (solver `beams`)", steady=True, missing=0,
    )  # fmt: skip
