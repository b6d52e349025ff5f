"""The grains of a scene as arrays: what every solver starts from, and what a source adds to.

A grain is a rigid set of one or more spheres. Vectors are in the scene's frame unless said otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from barchan.frame import Frame


@dataclass
class Grains:
    """N grains made of M spheres. Spheres of one grain lie together: grain i has start[i] … start[i+1]."""

    id: np.ndarray  # (N,) int64, never reused within a run
    group: np.ndarray  # (N,) int32, index into scene.grains, and beyond their number into scene.sources
    material: np.ndarray  # (N,) int32, index into the scene's materials, in their order
    position: np.ndarray  # (N, 3) m, centre of mass
    velocity: np.ndarray  # (N, 3) m/s
    orientation: np.ndarray  # (N, 4) unit quaternion (w, x, y, z), from the principal frame to the scene's
    spin: np.ndarray  # (N, 3) rad/s, scene's frame
    mass: np.ndarray  # (N,) kg
    inertia: np.ndarray  # (N, 3) kg m², principal moments
    radius: np.ndarray  # (N,) m, of the smallest sphere about the centre of mass that holds the grain
    born: np.ndarray  # (N,) s, time of insertion
    start: np.ndarray  # (N + 1,) int64, first sphere of each grain
    sphere_offset: np.ndarray  # (M, 3) m, centre relative to the centre of mass, principal frame
    sphere_radius: np.ndarray  # (M,) m

    def __len__(self) -> int:
        return len(self.id)

    @property
    def clumped(self) -> bool:
        """Whether any grain has more than one sphere, or a sphere off its centre of mass."""
        return len(self.sphere_radius) != len(self) or bool(np.any(self.sphere_offset))

    def take(self, index: np.ndarray) -> Grains:
        """The grains of that index array, in its order, with their spheres."""
        index = np.asarray(index)
        counts = np.diff(self.start)[index]
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        spheres = np.repeat(self.start[:-1][index] - start[:-1], counts) + np.arange(start[-1])
        own = {f.name: getattr(self, f.name)[index] for f in fields(self) if f.name not in _SPHERES}
        return Grains(
            **own, start=start, sphere_offset=self.sphere_offset[spheres], sphere_radius=self.sphere_radius[spheres]
        )

    def join(self, other: Grains) -> Grains:
        """These grains followed by the other ones."""
        own = {
            f.name: np.concatenate([getattr(self, f.name), getattr(other, f.name)])
            for f in fields(self)
            if f.name != "start"
        }
        return Grains(**own, start=np.concatenate([self.start, other.start[1:] + self.start[-1]]))


def grains_of(frame: Frame, material: np.ndarray) -> Grains:
    """The grains of a frame, whose solver had made it from such; material: (N,) int32, index into the materials.

    Nothing is lost but what a frame does not know: moments of inertia, and where spheres are, of grains that are not
    rigid, and of recordings from before these were recorded, are NaN.
    """
    own = {f.name: getattr(frame, f.name).copy() for f in fields(Grains) if f.name not in (*_SPHERES, "material")}
    start = np.searchsorted(frame.sphere_grain, np.arange(len(frame) + 1))
    return Grains(
        **own, material=material, start=start, sphere_offset=frame.sphere_offset.copy(),
        sphere_radius=frame.sphere_radius.copy(),
    )  # fmt: skip


_SPHERES = ("start", "sphere_offset", "sphere_radius")


def no_grains() -> Grains:
    """Nothing yet, to be joined by grains."""
    none, three = np.zeros(0), np.zeros((0, 3))
    return Grains(
        id=np.zeros(0, np.int64), group=np.zeros(0, np.int32), material=np.zeros(0, np.int32), position=three,
        velocity=three, orientation=np.zeros((0, 4)), spin=three, mass=none, inertia=three, radius=none, born=none,
        start=np.zeros(1, np.int64), sphere_offset=three, sphere_radius=none,
    )  # fmt: skip
