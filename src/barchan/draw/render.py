"""One frame as an image: spheres with light, shadow and ground, walls as thin lines and clear panes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from barchan.draw.camera import Window
from barchan.draw.palette import BACKDROP, GROUND, INK, linear, to_bytes, wall_color
from barchan.draw.polygons import paint, rims
from barchan.frame import Frame
from barchan.geometry import conjugate, rotate
from barchan.kernels.raster import SAMPLES, Light, Shadow, spiral
from barchan.kernels.ready import raster
from barchan.scene.beams_frame import Corners, Strips

LAMP = (-0.48, 0.74, 0.47)  # to the right, upwards, towards the viewer on level ground
SHADOW_SIZE = 1536  # samples, longest side of the shadow map
FINE_LOOKS = (spiral(20), spiral(9))  # directions in which a sample looks for the sky and for the lamp
QUICK_LOOKS = (spiral(7), spiral(4))
FAR = 1e9  # samples, well outside any image
GRAZING = 0.05  # sine of the elevation below which the ground is seen edge-on
PANE, STAINED_PANE = 0.045, 0.25  # part of the light that a wall's surface takes, and one of a colour of its own
LINE_FRONT, LINE_BEHIND = 0.75, 0.13  # cover of a wall's line before and behind the grains


@dataclass(frozen=True)
class WallDrawing:
    """A wall as it is drawn: polylines (k, 3) and triangles (t, 3, 3), in m, where the wall was made."""

    lines: tuple[np.ndarray, ...]
    triangles: np.ndarray
    color: str | None = None  # #rrggbb; None: ink, and clear as glass


def wall_drawings(
    walls: Sequence[Any] | None, low: np.ndarray, high: np.ndarray, frames: Sequence[Frame] = ()
) -> list[WallDrawing]:
    """Drawings of a scene's walls (or of bare shapes), in their order, endless ones cut to the box low … high (m).

    A wall that is outside the box where it was made, and comes into it in one of the frames, is cut to where the box
    is as seen from it then. Of one that flat grains feel as a strip of triangles, that strip is drawn.
    """
    drawings = []
    box, made = (low, high), next((own for frame in frames if (own := frame.table(Strips))), None)
    for index, wall in enumerate(walls or ()):
        if made is not None and index in made.strip_wall:
            drawings.append(_strip_drawing(made.strip_corners[made.strip_wall == index], wall_color(wall)))
            continue
        shape = getattr(wall, "shape", wall)
        low, high = box if shape.outline(*box) else _box_seen_from(index, *box, frames)
        lines = tuple(np.asarray(line, float) for line in shape.outline(low, high))
        vertices, triangles = shape.surface(low, high)
        corners = np.asarray(vertices, float).reshape(-1, 3)[np.asarray(triangles, int)]
        drawings.append(WallDrawing(lines, corners, wall_color(wall)))
    return drawings


def _strip_drawing(corners: np.ndarray, color: str | None) -> WallDrawing:
    """Triangles (q, 6) m, x and z of their corners, and the edges around them."""
    shapes = corners.reshape(-1, 3, 2)
    flat = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return WallDrawing(tuple(rims(shapes) @ flat), shapes @ flat, color)


def _box_seen_from(
    index: int, low: np.ndarray, high: np.ndarray, frames: Sequence[Frame]
) -> tuple[np.ndarray, np.ndarray]:
    """The box low … high (m), and where it lies for a wall that takes part in its motion, in any of the frames."""
    corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
    seen = [corners]
    for frame in frames:
        if index < len(frame.wall_pose):
            shift, turn = frame.wall_pose[index, :3], frame.wall_pose[index, 3:]
            seen.append(rotate(conjugate(turn), corners - shift))
    return np.min(seen, axis=(0, 1)), np.max(seen, axis=(0, 1))


def placed(walls: Sequence[WallDrawing], frame: Frame, without: Collection[int] = ()) -> list[WallDrawing]:
    """The walls that are there at the time of the frame, where they are then; without those of these indices."""
    shown = []
    for index, wall in enumerate(walls):
        if index in without:
            continue
        if index >= len(frame.wall_present):
            shown.append(wall)
        elif frame.wall_present[index]:
            shift, turn = frame.wall_pose[index, :3], frame.wall_pose[index, 3:]
            lines = tuple(shift + rotate(turn, line) for line in wall.lines)
            shown.append(replace(wall, lines=lines, triangles=shift + rotate(turn, wall.triangles)))
    return shown


def cell_outline(frame: Frame) -> list[WallDrawing]:
    """The periodic box at the time of the frame, where it repeats in the x–z plane or along all axes; else nothing."""
    if not len(frame.cell) or not (frame.cell[0, 3] and frame.cell[0, 5]):
        return []
    x, y, z, width, depth, height, tilt = frame.cell[0]
    turn = np.array([[0, 0], [width, 0], [width + tilt, height], [tilt, height], [0, 0]])
    line = np.column_stack([x + turn[:, 0], np.full(5, y), z + turn[:, 1]])
    if not depth:
        return [WallDrawing((line,), np.zeros((0, 3, 3)))]
    far = line + np.array([0.0, depth, 0.0])
    edges = [np.stack([near, away]) for near, away in zip(line[:4], far[:4], strict=True)]
    return [WallDrawing((line, far, *edges), np.zeros((0, 3, 3)))]


def _light(window: Window, level: float) -> Light:
    """Lamp above, to the left of and before the viewer; ground at the height `level` (m)."""
    up = window.camera.project(np.array([0.0, 0.0, 1.0]))
    forward = np.array([0.0, -up[2], up[1]])
    lamp = LAMP[0] * np.array([1.0, 0.0, 0.0]) + LAMP[1] * up + LAMP[2] * forward
    ground = np.array([0.0, 0.0, -np.inf])
    if up[2] > GRAZING and np.isfinite(level):
        height = float(up @ window.samples(np.array([0.0, 0.0, level])))
        ground = np.array([up[0], up[1], height]) / up[2]
    return Light(lamp / np.linalg.norm(lamp), up, ground)


def _shadow_map(centre: np.ndarray, radius: np.ndarray, lamp: np.ndarray) -> Shadow:
    """What the lamp sees of the spheres."""
    sideways = np.cross([0.0, 1.0, 0.0], lamp)
    sideways /= np.linalg.norm(sideways)
    basis = np.array([sideways, np.cross(lamp, sideways), lamp])
    seen = centre @ basis.T
    if not len(radius):
        return Shadow(np.full((1, 1), -np.inf, np.float32), basis, np.zeros(2))
    low = (seen[:, :2] - radius[:, None]).min(axis=0)
    span = float(((seen[:, :2] + radius[:, None]).max(axis=0) - low).max())
    scale = min(1.0, SHADOW_SIZE / span)
    offset = 2.0 - low * scale
    lit = np.column_stack([seen[:, :2] * scale + offset, seen[:, 2] * scale])
    size = (np.ceil((lit[:, :2] + scale * radius[:, None]).max(axis=0)) + 2).astype(int)
    depth, _ = raster.splat(lit, scale * radius, int(size[0]), int(size[1]))
    return Shadow(depth, basis * scale, offset)


@dataclass(frozen=True)
class Ground:
    """The level ground under a scene: it takes shadows and fades with the distance from (x, y); all in m.

    There is none where its level is −∞.
    """

    x: float
    y: float
    level: float
    radius: float

    def backdrop(self, window: Window) -> np.ndarray:
        """What lies behind the grains, linear (height, width, 3): a pool of ground, or a band seen from the side."""
        if not np.isfinite(self.level):
            return np.tile(linear(BACKDROP), (window.height, window.width, 1))
        left, right, bottom, top = window.extent
        seen_x = np.linspace(left, right, 2 * window.width + 1)[1::2]
        seen_y = np.linspace(bottom, top, 2 * window.height + 1)[1::2]
        middle = window.camera.project(np.array([self.x, self.y, self.level]))
        steepness = window.camera.axes[2][2]
        if steepness > GRAZING:
            across, along = (seen_x - middle[0]) / self.radius, (seen_y - middle[1]) / (self.radius * steepness)
            return self.shade(1.0 - np.hypot(across[None, :], along[:, None]))
        below = (middle[1] - seen_y) / (0.2 * (top - bottom))
        band = np.where(below > 0.0, np.clip(1.0 - below, 0.0, 1.0), 0.0)
        return _over_backdrop(np.repeat(band[:, None], window.width, axis=1))

    @staticmethod
    def shade(inward: np.ndarray) -> np.ndarray:
        """Linear colours (…, 3) of the ground, from its edge (0) to its middle (1)."""
        cover = np.clip(inward, 0.0, 1.0)
        return _over_backdrop(cover * cover * (3.0 - 2.0 * cover))


def _over_backdrop(cover: np.ndarray) -> np.ndarray:
    """Linear colours (…, 3) of what the ground covers so much (…) of."""
    return linear(BACKDROP) + cover[..., None] * (linear(GROUND) - linear(BACKDROP))


def _walls_over(image: np.ndarray, depth: np.ndarray, window: Window, walls: Sequence[WallDrawing]) -> None:
    """Draw the walls over the lit image: those in ink, then those of each other colour."""
    for color in sorted({wall.color or "" for wall in walls}):
        _walls_of_one_color(image, depth, window, [wall for wall in walls if (wall.color or "") == color])


def _walls_of_one_color(image: np.ndarray, depth: np.ndarray, window: Window, walls: Sequence[WallDrawing]) -> None:
    """Draw walls that all have the colour of the first."""
    color = walls[0].color
    segments = [
        np.concatenate([seen[:-1], seen[1:]], axis=1)
        for wall in walls
        for line in wall.lines
        if len(seen := window.samples(line)) > 1
    ]
    panes = [window.samples(wall.triangles).reshape(-1, 9) for wall in walls if len(wall.triangles)]
    ink, veil = np.zeros(depth.shape, np.float32), np.ones(depth.shape, np.float32)
    if panes:
        raster.glaze(veil, depth, np.concatenate(panes), STAINED_PANE if color else PANE)
    if segments:
        half_width = SAMPLES * max(0.5, window.width / 1500.0)
        raster.stroke(ink, depth, np.concatenate(segments), half_width, LINE_FRONT, LINE_BEHIND)
    cover = 1.0 - veil * (1.0 - ink)
    n = SAMPLES
    cover = cover.reshape(window.height, n, window.width, n).mean(axis=(1, 3))[:, :, None]
    image += cover * (linear(color or INK) - image)


def render(
    frame: Frame,
    window: Window,
    colours: np.ndarray,
    *,
    walls: Sequence[WallDrawing] = (),
    level: float,
    backdrop: np.ndarray,
    flat: bool = False,
    fine: bool = True,
) -> np.ndarray:
    """The frame as bytes (height, width, 3), the lowest row first.

    `colours` (N, 3) are the grains' linear colours, `backdrop` (height, width, 3) is what is behind them, `level` (m)
    the height of the ground that takes the shadows. `flat` draws discs instead of lit spheres; `fine` takes
    twice the time for smoother shade.
    """
    if frame.table(Corners) and window.camera.names == ("x", "z"):
        image = paint(frame, window, colours, backdrop, [wall.color for wall in walls])
        if walls:
            none = np.full((SAMPLES * window.height, SAMPLES * window.width), -np.inf, np.float32)
            painted = set(own.strip_wall.tolist()) if (own := frame.table(Strips)) else set()
            _walls_over(image, none, window, placed(walls, frame, painted))
        return to_bytes(image)
    centre = np.nan_to_num(window.samples(frame.sphere_position), nan=-FAR, posinf=FAR, neginf=-FAR).clip(-FAR, FAR)
    radius = np.maximum(frame.sphere_radius * window.sample_scale, 0.75)
    width, height = SAMPLES * window.width, SAMPLES * window.height
    depth, owner = raster.splat(centre, radius, width, height)
    image = backdrop.copy()
    sphere_colours = np.ascontiguousarray(colours[frame.sphere_grain])
    typical = float(np.median(radius)) if len(radius) else 1.0
    if flat:
        line = float(np.clip(0.07 * typical, 1.0, 2.5 * SAMPLES))
        raster.tint(image, owner, np.asarray(frame.sphere_grain, np.int64), sphere_colours, line)
        depth = np.full_like(depth, -np.inf)
    else:
        light = _light(window, level)
        near = np.all(np.abs(centre[:, :2] / (width, height) - 0.5) < 1.0, axis=1)
        shadow = _shadow_map(centre[near], radius[near], light.lamp)
        reach = float(np.clip(3.0 * typical, 6.0, 0.08 * width))
        looks = FINE_LOOKS if fine else QUICK_LOOKS
        raster.shade(image, depth, owner, centre, radius, sphere_colours, light, shadow, reach, looks)
    if shown := [*placed(walls, frame), *cell_outline(frame)]:
        _walls_over(image, depth, window, shown)
    return to_bytes(image)
