"""The picture of a scene: shaded grains, outlined walls, the ground, axes or a scale bar, and the time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from barchan.draw import render_vtk
from barchan.draw.camera import CAMERAS, Box, Camera, View, Window, camera_for, point_box, shown_flat, sphere_box
from barchan.draw.colors import Color, Scale, grain_colours, scale_for
from barchan.draw.palette import INK, MUTED
from barchan.draw.quantities import Setting
from barchan.draw.render import Ground, WallDrawing, cell_outline, placed, render, wall_drawings
from barchan.draw.units import length_unit, round_below, time_text
from barchan.errors import Finding, SceneError
from barchan.frame import Frame
from barchan.parts.actions import Action
from barchan.scene import Scene
from barchan.scene.beams_frame import Corners

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

Engine = Literal["raster", "vtk"]

DEFAULT_WIDTH = 960  # pixels
FLOOR_SEARCH = 300.0  # how far below the grains a floor is looked for, in spans of what is there
BEARING = 0.7  # how much of what is under the grains a floor takes at least: a round one in a round wall takes 0.79
GROUND_REACH = 1.7  # how far the ground is shown, in half diagonals of what is there
LEAST_PIXELS = 16  # of a picture, along either axis


@dataclass(frozen=True)
class Stage:
    """What stays the same in all pictures of a run: walls, camera, the part of the scene shown, colours."""

    walls: list[WallDrawing]
    camera: Camera
    flat: bool
    box: Box  # (3,) m in the camera's axes
    ground: Ground
    color: Color
    scale: Scale | None
    longest: float  # s
    setting: Setting = None

    @classmethod
    def of(
        cls, frames: Sequence[Frame], setting: Setting, view: View, color: Color
    ) -> Stage:  # fmt: skip
        """A stage that holds all these frames of a run."""
        scene_walls = setting.walls if isinstance(setting, Scene) else setting
        first = max(frames, key=len)
        polygons = first.table(Corners) is not None
        dimensions = 2 if polygons else setting.dimensions if isinstance(setting, Scene) else 3
        camera = camera_for(first, view, dimensions)
        if polygons and camera is not CAMERAS["front"]:
            raise SceneError(Finding("camera", repr(view), "grains of triangles are flat", "look from the front"))
        boxes = [sphere_box(frame.sphere_position, frame.sphere_radius) for frame in frames]
        world = boxes[0]
        for box in boxes[1:]:
            world = world.joined(box)
        if not np.all(world.span >= 0.0):
            world = Box(np.zeros(3), np.zeros(3)) if scene_walls else Box(np.zeros(3), np.ones(3))
        world = _down_to_floor(world, scene_walls)
        largest = max(float(world.span.max()), 1e-9)
        room = np.maximum(0.04 * world.span, (0.35 * largest - world.span) / 2.0) * (1.0, 1.0, 0.0)
        low, high = world.low - room, world.high + room + (0.0, 0.0, 0.04 * largest)
        walls = wall_drawings(scene_walls, low, high, frames)
        lines = [line for frame in frames for wall in placed(walls, frame) for line in wall.lines]
        seen = [sphere_box(camera.project(frame.sphere_position), frame.sphere_radius) for frame in frames]
        edges = [line for frame in frames for drawn in cell_outline(frame) for line in drawn.lines]
        seen.append(point_box([camera.project(line) for line in (*lines, *edges)]))
        box = seen[0]
        for other in seen[1:]:
            box = box.joined(other)
        if not np.all(box.span[:2] > 0.0):
            corners = np.array(np.meshgrid(*np.stack([world.low, world.high], axis=1))).reshape(3, -1).T
            box = box.joined(point_box([camera.project(corners), camera.project(corners + 1e-3)]))
        level = -math.inf
        if not _weightless(setting) and not (len(first.cell) and first.cell[0, 5]):  # nothing is under what repeats
            radius = max((float(frame.sphere_radius.max()) for frame in frames if len(frame)), default=0.0)
            level = max(_ground_level(world, placed(walls, frame), radius) for frame in frames)
        middle = (world.low + world.high) / 2.0
        reach = GROUND_REACH * float(np.hypot(*box.span[:2])) / 2.0
        ground = Ground(float(middle[0]), float(middle[1]), level, reach)
        flat = shown_flat(first, view, dimensions)
        scale, longest = scale_for(list(frames), color, setting), max(frame.time for frame in frames)
        return cls(walls, camera, flat, box, ground, color, scale, longest, setting)

    @property
    def aspect(self) -> float:
        """Height over width of what is shown, kept within what a page bears."""
        return float(np.clip(self.box.span[1] / max(self.box.span[0], 1e-300), 0.42, 1.35))


def _weightless(setting: Setting) -> bool:
    """Whether nothing ever falls in the scene; not known of walls alone."""
    if not isinstance(setting, Scene):
        return False
    actions = (action for event in setting.events for action in event.do if isinstance(action, Action))
    return not any(map(any, (setting.gravity, *(to for action in actions for to in action.gravities()))))


def _ground_level(world: Box, walls: Sequence[WallDrawing], radius: float) -> float:
    """Height (m) of the ground: of the highest level surface of walls that is under the grains; −∞ where none is.

    A rim is no surface, and one that is under a few of the grains bears no ground: an outlet has none, open or closed.
    For discs in a plane a level line is a surface.
    """
    slack, top = 1e-9 * float(world.span.max()), world.low[2] + radius

    def highest(level: np.ndarray, size: np.ndarray, whole: float) -> float:
        for height in np.unique(level[level <= top])[::-1]:
            if size[np.abs(level - height) <= slack].sum() >= BEARING * whole:
                return float(height)
        return -math.inf

    def under(points: np.ndarray) -> np.ndarray:
        return np.clip(points[..., :2], world.low[:2], world.high[:2])

    corners = np.concatenate([np.zeros((0, 3, 3)), *(wall.triangles for wall in walls)])
    corners = corners[np.ptp(corners[..., 2], axis=1) <= slack]
    across, along = (under(corners[:, k]) - under(corners[:, 0]) for k in (1, 2))
    area = 0.5 * np.abs(across[:, 0] * along[:, 1] - across[:, 1] * along[:, 0])
    floor = highest(corners[:, 0, 2], area, float(np.prod(world.span[:2])))
    if world.span[1] > 2.001 * radius:
        return floor
    sides = np.array([line for wall in walls for line in wall.lines if len(line) == 2]).reshape(-1, 2, 3)
    sides = sides[np.ptp(sides[..., 2], axis=1) <= slack]
    length = np.ptp(under(sides)[..., 0], axis=1)
    return max(floor, highest(sides[:, 0, 2], length, float(world.span[0])))


def _down_to_floor(world: Box, scene_walls: Sequence[Any] | None) -> Box:
    """The box let down to the nearest level wall below it, which falling grains have not reached yet."""
    depth = FLOOR_SEARCH * max(float(world.span.max()), 1e-9)
    cellar = world.low - (0.0, 0.0, depth)
    levels = []
    for wall in scene_walls or ():
        shape = getattr(wall, "shape", wall)
        below = [] if shape.outline(world.low, world.high) else shape.outline(cellar, world.high)
        if below and np.ptp(heights := np.concatenate(below)[:, 2]) < 1e-9 * depth:
            levels.append(float(heights.max()))
    if levels and max(levels) < world.low[2]:
        return Box(np.array([world.low[0], world.low[1], max(levels)]), world.high)
    return world


class Picture:
    """A figure of one scene that can show any frame of it.

    `figure` and `axes` are matplotlib's. `show(frame)` exchanges the grains, the walls and the time, and leaves axes,
    scale bar and colour bar as they are. `fine` takes more time for smoother shade; `bar` shows the scale of colours.
    `engine` "vtk" draws through pyvista what is not flat.
    """

    def __init__(
        self, stage: Stage, *, ax: Axes | None = None, size: tuple[int, int] | None = None, fine: bool = True,
        bar: bool = True, engine: Engine = "raster",
    ) -> None:  # fmt: skip
        self.stage, self.fine = stage, fine
        self.engine = "raster" if stage.flat else engine
        self.axes = ax if ax is not None else _new_axes(stage, size)
        self.figure: Figure = cast(Any, self.axes.figure).figure  # the whole figure, also from a part of one
        self.window = self._fitted()
        left, right, bottom, top = self.window.extent
        self.span = max(right - left, top - bottom)  # m
        self._label(ax, bar)
        if ax is None and self._make_room():
            self.window = self._fitted()
        self._backdrop = stage.ground.backdrop(self.window)
        self._fill(own=ax is None)
        spines = [spine for spine in self.axes.spines.values() if spine.get_visible() and self.axes.axison]
        self.overlays: list[Any] = [self._time, *self._scale_bar, *spines]  # what lies over the image

    def show(self, frame: Frame) -> None:
        """Put this frame into the picture."""
        self.image.set_data(self.pixels(frame))
        self.date(frame)

    def date(self, frame: Frame) -> None:
        """Write the time of this frame into the picture, and leave the image as it is."""
        self._time.set_text(time_text(frame.time, self.stage.longest))

    def pixels(self, frame: Frame) -> np.ndarray:
        """The grains and walls of a frame as bytes (height, width, 3), the lowest row first."""
        stage = self.stage
        colours = grain_colours(frame, stage.color, stage.scale, stage.setting)
        if self.engine == "vtk":
            return render_vtk.render(frame, self.window, colours, walls=stage.walls, ground=stage.ground)
        return render(
            frame,
            self.window,
            colours,
            walls=stage.walls,
            level=stage.ground.level,
            backdrop=self._backdrop,
            flat=stage.flat,
            fine=self.fine,
        )

    def _fitted(self) -> Window:
        """The window that has the pixels of the axes."""
        area = self.axes.get_window_extent()
        width, height = max(LEAST_PIXELS, round(area.width)), max(LEAST_PIXELS, round(area.height))
        return Window.around(self.stage.camera, self.stage.box, width, height)

    def _extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top edge in the unit of the axes."""
        _, factor = length_unit(self.span)
        left, right, bottom, top = self.window.extent
        return left * factor, right * factor, bottom * factor, top * factor

    def _label(self, beside: Axes | None, bar: bool) -> None:
        """Name and number the axes, and add the bar of colours."""
        axes, names, (unit, _) = self.axes, self.stage.camera.names, length_unit(self.span)
        left, right, bottom, top = self._extent()
        axes.set_xlim(left, right)
        axes.set_ylim(bottom, top)
        axes.tick_params(colors=MUTED, labelsize=8, length=3)
        for side, spine in axes.spines.items():
            spine.set_visible(names is not None and side in ("left", "bottom"))
            spine.set_color(MUTED)
        if names is None:
            axes.set_axis_off()
        else:
            axes.set_xlabel(f"{names[0]} ({unit})", color=INK, fontsize=9)
            axes.set_ylabel(f"{names[1]} ({unit})", color=INK, fontsize=9)
        if self.stage.scale is not None and bar:
            color_bar(self.figure, self.stage.scale, beside, span=self.span, longest=self.stage.longest)

    def _make_room(self) -> bool:
        """Move the axes in from the edges of their figure so far that no number or name is cut off; whether they do."""
        left, right = cut_off(self.figure)
        width = self.axes.get_window_extent().width - left - right
        if not left + right or width < LEAST_PIXELS:
            return False
        move(self.axes, left, narrower=left + right)
        for bar in self.figure.axes[1:]:
            move(bar, -right)
        return True

    def _fill(self, *, own: bool) -> None:
        """Put an image that is blank as yet into the axes, and over it the time and a scale bar."""
        # A bar and a layout change the shape of axes we are given: what is drawn there keeps its own.
        axes, extent = self.axes, self._extent()
        self.image = axes.imshow(
            np.full((self.window.height, self.window.width, 3), 255, np.uint8),
            origin="lower",
            extent=extent,
            aspect="auto" if own else "equal",
            interpolation="nearest" if own else "antialiased",
        )
        veil = {
            "facecolor": "white",
            "alpha": 0.75,
            "linewidth": 0.0,
            "pad": 1.5,
        }  # under the time, to be read over anything
        bare = self.stage.camera.names is None
        if own and not bare:  # above the axes, where there is room for it
            self._time: Text = axes.annotate(
                "", (0.0, 1.0), (2, 4), xycoords="axes fraction", textcoords="offset points", color=INK, fontsize=9
            )
        else:
            self._time = axes.text(
                0.025, 0.965, "", transform=axes.transAxes, ha="left", va="top", color=INK, fontsize=9, bbox=veil
            )
        self._scale_bar = scale_bar(axes, extent, length_unit(self.span)[0]) if bare else []


def _new_axes(stage: Stage, size: tuple[int, int] | None) -> Axes:
    """Axes in a figure of their own, with whole pixels round them for the labels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width = size[0] if size else DEFAULT_WIDTH
    dpi = float(np.clip(width / 6.4, 72.0, 300.0))
    em = dpi / 7.2  # pixels, the height of a line of text
    left, bottom, top = (4.2 * em, 3.4 * em, 1.9 * em) if stage.camera.names else (0.0, 0.0, 0.0)
    right = 6.2 * em if stage.scale else 0.8 * em if stage.camera.names else 0.0
    height = size[1] if size else round((width - left - right) * stage.aspect + bottom + top)
    figure = Figure(figsize=(width / dpi, height / dpi), dpi=dpi, facecolor="white")
    FigureCanvasAgg(figure)
    left, bottom, right, top = (round(edge) for edge in (left, bottom, right, top))
    rectangle = (left / width, bottom / height, (width - left - right) / width, (height - bottom - top) / height)
    return figure.add_axes(rectangle)


def cut_off(figure: Figure) -> tuple[int, int]:
    """How far what is drawn reaches beyond the left and the right edge of a figure, in pixels."""
    canvas: Any = figure.canvas
    needed = figure.get_tightbbox(canvas.get_renderer())  # inches
    beyond = (-needed.x0, needed.x1 - figure.get_figwidth())
    left, right = (max(0, math.ceil(figure.dpi * over)) for over in beyond)
    return left, right


def move(axes: Axes, right: int, *, narrower: int = 0) -> None:
    """Move axes so many pixels to the right in their figure, and make them so many narrower."""
    pixels = cast(Any, axes.figure).bbox.width
    x, y, width, height = axes.get_position().bounds
    axes.set_position((x + right / pixels, y, width - narrower / pixels, height))


def scale_bar(
    axes: Axes, extent: tuple[float, float, float, float], unit: str, *, above: bool = False
) -> list[Any]:  # fmt: skip
    """A bar of a round length in the lower right corner, for views whose axes are not shown; `above` in the upper."""
    left, right, bottom, top = extent
    length = round_below(0.22 * (right - left))
    x, y = right - 0.035 * (right - left), bottom + (0.955 if above else 0.045) * (top - bottom)
    (bar,) = axes.plot([x - length, x], [y, y], color=INK, linewidth=2.2, solid_capstyle="butt")
    label = axes.annotate(
        f"{length:g} {unit}", (x - length / 2.0, y), (0, 4), textcoords="offset points",
        ha="center", va="bottom", color=INK, fontsize=8,
    )  # fmt: skip
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    return [bar, label]


def color_bar(figure: Figure, scale: Scale, beside: Axes | None, *, span: float, longest: float) -> None:
    """The scale of the colours, beside the axes given or at the right edge of a figure of our own."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    factor, unit = scale.told(span, longest)
    colors = ScalarMappable(Normalize(factor * scale.low, factor * scale.high), scale.colormap)
    arrow = "max" if scale.beyond else "neither"
    if beside is not None:
        bar = figure.colorbar(colors, ax=beside, fraction=0.046, pad=0.03, extend=arrow)
    else:
        width = figure.get_figwidth() * figure.dpi
        em = figure.dpi / 7.2
        place = figure.add_axes((1.0 - 5.2 * em / width, 0.18, 1.1 * em / width, 0.64))
        bar = figure.colorbar(colors, cax=place, extend=arrow)
    bar.set_label(f"{scale.name} ({unit})" if unit else scale.name, color=INK, fontsize=9)
    bar.ax.tick_params(colors=MUTED, labelsize=8, length=3)
    bar.outline.set_visible(False)


def draw_scene(
    frame: Frame,
    setting: Setting = None,
    *,
    ax: Axes | None = None,
    view: View = "auto",
    color: Color = "group",
    size: tuple[int, int] | None = None,
    engine: Engine = "raster",
) -> Figure:
    """The figure of one frame.

    `setting` is the scene, or its walls (`scene.walls`, or bare shapes) in the order of `frame.wall_pose`; ground is
    drawn on a level one under the grains, unless the scene has no gravity. `view` "front" looks along y, "side" against
    x, "top" down, "iso" from above and aside; "auto" takes "iso", or the plane of a two-dimensional scene. `color`
    "group" gives sand tones, one family for each group of grains; "speed" (m/s) and the others of `QUANTITIES` come
    with a colour bar; the stress of clumps asks for the scene. `size` is in pixels; left out,
    the height follows the scene. With `ax` the picture goes there, and the figure of that axes is returned. `engine`
    "vtk" draws through pyvista.
    """
    picture = Picture(Stage.of([frame], setting, view, color), ax=ax, size=size, engine=engine)
    picture.show(frame)
    return picture.figure
