"""One moment of a run: what is recorded, read back, analysed and drawn."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from barchan.drawn import Drawn


@dataclass
class Contacts:
    """The points at which bodies touch in a frame. `second` is a grain id, or −1 − w for wall w of the scene."""

    first: np.ndarray  # (C,) int64, grain id
    second: np.ndarray  # (C,) int64, grain id, or −1 − wall index
    point: np.ndarray  # (C, 3) m
    force: np.ndarray  # (C, 3) N, on the first grain
    overlap: np.ndarray  # (C,) m
    mode: np.ndarray  # (C,) int8, 1, 2, … for the modes of the contact's law, 0 where it has none
    face: np.ndarray  # (C,) int64, face of the wall, 0 between grains; triangles side by side in a plane are one


@dataclass
class Corners:
    """The triangles of flat grains, one for each sphere of the frame, which is the circle about it."""

    triangle_corners: np.ndarray  # (T, 6) m: x and z of three corners


@dataclass
class BeamLines:
    """The beams between triangles, broken ones too."""

    beam_ends: np.ndarray  # (B, 2) int64, rows of the two triangles
    beam_cause: np.ndarray  # (B,) int8: 0 whole, broken by 1 stretch, 2 force, 3 moment
    beam_broken_at: np.ndarray  # (B,) s, not a number for a whole beam
    beam_yielded_at: np.ndarray  # (B,) s, when it first yielded; not a number where it never did
    beam_sides: np.ndarray  # (B, 2) int8, sides of the two triangles that it joins, counted from 1; 0: not known


@dataclass
class Strips:
    """The triangles that flat grains' walls are made of, where they are no smooth planes or circles."""

    strip_wall: np.ndarray  # (Q,) int64, index into scene.walls
    strip_corners: np.ndarray  # (Q, 6) m: x and z of three corners, where the wall was made


@dataclass
class Frame(Drawn):
    """The grains, ordered by id, at one time."""

    time: float  # s
    step: int
    id: np.ndarray  # (N,) int64
    group: np.ndarray  # (N,) int32, index into scene.grains, beyond them into scene.sources
    position: np.ndarray  # (N, 3) m, centre of mass
    velocity: np.ndarray  # (N, 3) m/s
    orientation: np.ndarray  # (N, 4) unit quaternion (w, x, y, z)
    spin: np.ndarray  # (N, 3) rad/s
    mass: np.ndarray  # (N,) kg
    radius: np.ndarray  # (N,) m, bounding radius
    born: np.ndarray  # (N,) s, time of insertion
    sphere_grain: np.ndarray  # (M,) int64, row of the sphere's grain in this frame
    sphere_position: np.ndarray  # (M, 3) m
    sphere_radius: np.ndarray  # (M,) m
    wall_pose: np.ndarray  # (W, 7) m and quaternion: where a wall's point X0 is found now: p + q·X0
    wall_present: np.ndarray  # (W,) bool
    contacts: Contacts | None = None
    cell: np.ndarray = field(default_factory=lambda: np.zeros((0, 7)))  # (1, 7) m, lower corner, lengths (0: open) and
    # tilt of the periodic box; (0, 7) where nothing repeats
    triangles: Corners | None = None
    beams: BeamLines | None = None
    strips: Strips | None = None

    def __len__(self) -> int:
        return len(self.id)

    @property
    def sphere_velocity(self) -> np.ndarray:
        """(M, 3) m/s, of the spheres' centres, which move with their grains: v + ω × r."""
        row = self.sphere_grain
        return self.velocity[row] + np.cross(self.spin[row], self.sphere_position - self.position[row])
