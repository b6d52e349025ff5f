"""Flat grains of triangles: filled polygons, the beams that join them, and the cracks where beams have broken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from barchan.draw.camera import Window
from barchan.draw.palette import GAMMA, INK
from barchan.frame import Frame
from barchan.geometry import rotate
from barchan.scene.beams_frame import BeamLines, Corners, Strips

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CRACK, WALL, PALE = "#c81e1e", "#c9ced6", "#ffffff"
LUMA, DARK = np.array([0.299, 0.587, 0.114]), 0.4  # brightness of a colour, below which beams are pale instead of dark
SEAM, BEAM = 0.35, 0.55  # cover of the edges inside a grain, and of beams
LEAST_BEAM = 7.0  # pixels: shorter beams would only blacken the picture


def corners(frame: Frame) -> np.ndarray:
    """The triangles of a frame, (T, 3, 2) m: x and z."""
    own = frame.table(Corners)
    assert own is not None, "the frame has triangles"
    return np.asarray(own.triangle_corners, float).reshape(-1, 3, 2)


def strips(frame: Frame) -> np.ndarray:
    """The triangles (Q, 3, 2) m, x and z, of the walls that are there at the time of the frame, where they are then."""
    own = frame.table(Strips)
    if own is None:
        return np.zeros((0, 3, 2))
    there = frame.wall_present[own.strip_wall]
    pose = frame.wall_pose[own.strip_wall[there]][:, None]
    made = np.zeros((int(there.sum()), 3, 3))
    made[..., ::2] = own.strip_corners[there].reshape(-1, 3, 2)
    return np.asarray((pose[..., :3] + rotate(pose[..., 3:], made))[..., ::2])


def rims(shapes: np.ndarray) -> np.ndarray:
    """The edges (n, 2, 2) m of triangles (Q, 3, 2) m that no two of them share."""
    sides = np.stack([shapes, np.roll(shapes, -1, axis=1)], axis=2).reshape(-1, 2, 2)
    middle = np.round(sides.mean(axis=1) / (1e-6 * max(float(np.ptp(shapes, axis=(0, 1)).max(initial=0.0)), 1e-12)))
    _, which, many = np.unique(middle, axis=0, return_inverse=True, return_counts=True)
    return np.asarray(sides[many[which] == 1])


def crack_edges(frame: Frame) -> np.ndarray:
    """The edges (n, 2, 2) m at which broken beams joined triangles, one on either side of each crack."""
    own = frame.table(BeamLines)
    if own is None:
        return np.zeros((0, 2, 2))
    shapes, broken = corners(frame), own.beam_cause > 0
    ends, joined = own.beam_ends[broken].T, own.beam_sides[broken].T.astype(int)
    found = []
    for near, far, side in zip(ends, ends[::-1], joined, strict=True):
        sides = np.stack([shapes[near], np.roll(shapes[near], -1, axis=1)], axis=2)  # (n, 3, 2, 2)
        away = np.linalg.norm(sides.mean(axis=2) - shapes[far].mean(axis=1)[:, None], axis=2)
        # Older recordings do not know the side: that which is nearest to the other triangle, which may be anywhere.
        found.append(sides[np.arange(len(near)), np.where(side > 0, side - 1, away.argmin(axis=1))])
    return np.concatenate(found)


def outline_edges(frame: Frame) -> np.ndarray:
    """The edges (n, 2, 2) m of triangles at which no whole beam holds: outlines of grains, and cracks."""
    shapes = corners(frame)
    sides = np.stack([shapes, np.roll(shapes, -1, axis=1)], axis=2)
    inner = np.zeros(sides.shape[:2], bool)
    if own := frame.table(BeamLines):
        ends = own.beam_ends[own.beam_cause == 0]
        for near, far in (ends.T, ends.T[::-1]):
            away = np.linalg.norm(sides[near].mean(axis=2) - shapes[far].mean(axis=1)[:, None], axis=2)
            inner[near, away.argmin(axis=1)] = True
    return np.asarray(sides[~inner])


def _strip_colors(frame: Frame, wall_colors: Sequence[str | None]) -> list[str]:
    """The colours of the triangles of `strips`: those of their walls, or grey."""
    made, own = frame.table(Strips), dict(enumerate(wall_colors))
    return [] if made is None else [own.get(int(wall)) or WALL for wall in made.strip_wall if frame.wall_present[wall]]


def add_polygons(
    ax: Axes, frame: Frame, colours: np.ndarray, *, scale: float = 1.0, beams: bool = True,
    wall_colors: Sequence[str | None] = (),
) -> None:  # fmt: skip
    """Draw a frame's walls and triangles into axes whose unit is 1/scale m.

    `colours` (N, 3) are those of grains, linear, 0 … 1; `wall_colors` #rrggbb, in the order of the walls: grey where
    there is none.
    """
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.colors import to_rgb

    if len(walls := scale * strips(frame)):
        face = _strip_colors(frame, wall_colors)
        ax.add_collection(PolyCollection(list(walls), facecolors=face, edgecolors=face, linewidths=0.3))
        ax.add_collection(LineCollection(list(rims(walls)), colors=INK, linewidths=0.5))
    shapes = scale * corners(frame)
    fill = np.clip(colours, 0.0, 1.0)[frame.sphere_grain] ** (1.0 / GAMMA)
    ax.add_collection(PolyCollection(list(shapes), facecolors=fill, edgecolors=fill, linewidths=0.3), autolim=True)
    edge = np.column_stack([0.72 * fill, np.full(len(fill), SEAM)])
    ax.add_collection(PolyCollection(list(shapes), facecolors="none", edgecolors=edge, linewidths=0.4))
    if beams and (own := frame.table(BeamLines)):
        middle, ends = shapes.mean(axis=1), own.beam_ends[own.beam_cause == 0]
        line = np.where((fill[ends[:, 0]] @ LUMA > DARK)[:, None], to_rgb(INK), to_rgb(PALE))
        ax.add_collection(LineCollection(list(middle[ends]), colors=list(line), linewidths=0.5, alpha=BEAM))
    ax.add_collection(LineCollection(list(scale * outline_edges(frame)), colors=INK, linewidths=0.5))
    ax.add_collection(LineCollection(list(scale * crack_edges(frame)), colors=CRACK, linewidths=1.3))


def paint(
    frame: Frame, window: Window, colours: np.ndarray, backdrop: np.ndarray, wall_colors: Sequence[str | None] = ()
) -> np.ndarray:
    """The frame's triangles over the backdrop (height, width, 3), linear, the lowest row first."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    dpi = 100.0
    figure = Figure(figsize=(window.width / dpi, window.height / dpi), dpi=dpi)
    canvas = FigureCanvasAgg(figure)
    figure.patch.set_alpha(0.0)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    left, right, bottom, top = window.extent
    own = frame.table(BeamLines)
    long = 0.0
    if own and len(own.beam_ends):
        middle = corners(frame).mean(axis=1)[own.beam_ends]
        long = float(np.median(np.linalg.norm(middle[:, 1] - middle[:, 0], axis=1))) * window.scale
    add_polygons(axes, frame, colours, beams=long > LEAST_BEAM, wall_colors=wall_colors)
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    canvas.draw()
    drawn = np.asarray(canvas.buffer_rgba(), float)[::-1] / 255.0
    cover = drawn[..., 3:]
    return np.asarray(backdrop * (1.0 - cover) + drawn[..., :3] ** GAMMA * cover)
