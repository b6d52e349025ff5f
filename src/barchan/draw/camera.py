"""Where the eye is, and which part of the scene lands on which pixel. Orthographic: lengths can be read off."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from barchan.frame import Frame

View = Literal["auto", "front", "side", "top", "iso"]

MARGIN = 0.05  # empty border, as a part of the span
OUTLIER_FACTOR = 3.0  # a view holds everything unless that makes it this much wider than the middle 98 %


@dataclass(frozen=True)
class Camera:
    """Directions of the picture: rows are right, up and towards the eye; the names are those of its axes, if any."""

    axes: tuple[tuple[float, float, float], ...]
    names: tuple[str, str] | None

    @property
    def elevation(self) -> float:
        """Angle above the horizon (rad) from which the camera looks down."""
        return math.asin(self.axes[2][2])

    def project(self, points: np.ndarray) -> np.ndarray:
        """Points (…, 3) in m as seen: right, up, towards the eye, in m."""
        return np.asarray(points, float) @ np.array(self.axes).T


def _turned(azimuth: float, elevation: float) -> Camera:
    ca, sa, ce, se = math.cos(azimuth), math.sin(azimuth), math.cos(elevation), math.sin(elevation)
    return Camera(((ca, sa, 0.0), (-sa * se, ca * se, ce), (sa * ce, -ca * ce, se)), None)


CAMERAS = {
    "front": Camera(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)), ("x", "z")),
    "side": Camera(((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)), ("y", "z")),
    "top": Camera(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), ("x", "y")),
    "iso": _turned(math.radians(30.0), math.radians(24.0)),
}


def flat_view(frame: Frame, dimensions: int = 3) -> Literal["front", "side", "top"] | None:
    """The view that shows a two-dimensional scene as discs; None for a scene in space.

    A scene is that when it says so, or when several grains share one coordinate to round-off and none moves along it.
    """
    if dimensions == 2:
        return "front"
    if len(frame.sphere_radius) < 2:
        return None
    slack = 1e-9 * float(frame.sphere_radius.max())
    still = np.ptp(frame.sphere_position, axis=0) <= slack
    still &= ~np.any(frame.velocity, axis=0)
    if np.count_nonzero(still) != 1:
        return "front" if still[1] else None
    return ("side", "front", "top")[int(np.argmax(still))]


def camera_for(frame: Frame, view: View, dimensions: int = 3) -> Camera:
    """The camera of that name; "auto" looks straight at a flat or thin scene and from above at any other."""
    if view != "auto":
        return CAMERAS[view]
    flat = flat_view(frame, dimensions)
    if flat:
        return CAMERAS[flat]
    if len(frame) > 1:
        span = np.ptp(frame.sphere_position, axis=0) + 2.0 * float(np.median(frame.sphere_radius))
        if span[1] < 0.2 * span[0]:
            return CAMERAS["front"]
    return CAMERAS["iso"]


def shown_flat(frame: Frame, view: View, dimensions: int = 3) -> bool:
    """Whether that view looks straight at a two-dimensional scene, which is drawn as discs or polygons then."""
    straight = flat_view(frame, dimensions)
    return straight is not None and camera_for(frame, view, dimensions) is CAMERAS[straight]


@dataclass(frozen=True)
class Box:
    """A box with its sides along the axes, in m; empty when low exceeds high."""

    low: np.ndarray  # (d,) m
    high: np.ndarray  # (d,) m

    def joined(self, other: Box) -> Box:
        """The smallest box that holds both."""
        return Box(np.minimum(self.low, other.low), np.maximum(self.high, other.high))

    @property
    def span(self) -> np.ndarray:
        """Side lengths (d,) in m."""
        return self.high - self.low


def sphere_box(centre: np.ndarray, radius: np.ndarray) -> Box:
    """The box round spheres, in m, without the few that have flown far off and any whose place is not a number."""
    finite = np.isfinite(centre).all(axis=1)
    centre, radius = centre[finite], radius[finite]
    if not len(radius):
        return Box(np.full(centre.shape[1], np.inf), np.full(centre.shape[1], -np.inf))
    low, high = (centre - radius[:, None]).min(axis=0), (centre + radius[:, None]).max(axis=0)
    if len(radius) >= 100:
        inner_low, inner_high = np.quantile(centre, [0.01, 0.99], axis=0)
        reach = (OUTLIER_FACTOR - 1.0) / 2.0 * (inner_high - inner_low) + 2.0 * radius.max()
        low, high = np.maximum(low, inner_low - reach), np.minimum(high, inner_high + reach)
    return Box(low, high)


def point_box(polylines: Iterable[np.ndarray]) -> Box:
    """The box round the points of polylines, in m."""
    lines = [line for line in polylines if len(line)]
    if not lines:
        return Box(np.full(3, np.inf), np.full(3, -np.inf))
    points = np.concatenate(lines)
    return Box(points.min(axis=0), points.max(axis=0))


@dataclass(frozen=True)
class Window:
    """A camera, the rectangle it shows and the pixels this falls on. Pixels are square."""

    camera: Camera
    centre: tuple[float, float]  # m, right and up
    scale: float  # pixels per m
    width: int  # pixels
    height: int  # pixels

    @classmethod
    def around(cls, camera: Camera, box: Box, width: int, height: int) -> Window:
        """The window of that many pixels that just holds the box (camera's axes, m) with a margin."""
        low, high = box.low[:2], box.high[:2]
        span = np.maximum((high - low) * (1.0 + 2.0 * MARGIN), 1e-12)
        scale = float(min(width / span[0], height / span[1]))
        return cls(camera, (float(low[0] + high[0]) / 2.0, float(low[1] + high[1]) / 2.0), scale, width, height)

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top edge in m, as seen."""
        half = self.width / self.scale / 2.0, self.height / self.scale / 2.0
        return (
            self.centre[0] - half[0],
            self.centre[0] + half[0],
            self.centre[1] - half[1],
            self.centre[1] + half[1],
        )

    @property
    def fineness(self) -> int:
        """Samples of the image per pixel, along either axis: the kernels say it, which a plot does without."""
        from barchan.kernels.raster import SAMPLES

        return SAMPLES

    @property
    def sample_scale(self) -> float:
        """Samples of the image per m."""
        return self.fineness * self.scale

    def samples(self, points: np.ndarray) -> np.ndarray:
        """Points (…, 3) in m as samples: column, row (from the bottom) and depth towards the eye."""
        seen = self.camera.project(points) * self.sample_scale
        corner = self.fineness * np.array([self.width, self.height]) / 2.0 - np.array(self.centre) * self.sample_scale
        seen[..., :2] += corner
        return seen
