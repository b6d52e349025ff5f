"""Pictures of frames: what is drawn, how it is labelled, and that it comes out the same every time."""

from __future__ import annotations

import itertools
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from barchan.draw.camera import CAMERAS, Window, camera_for, flat_view, sphere_box
from barchan.draw.colors import grain_colours, scale_for
from barchan.draw.files import save_figure
from barchan.draw.movie import movie_images
from barchan.draw.picture import Picture, Stage, draw_scene
from barchan.draw.profile import draw_profile
from barchan.draw.render import cell_outline, placed
from barchan.draw.snapshots import draw_snapshots
from barchan.errors import FileError
from barchan.parts.actions.gravity import ChangeGravity
from barchan.parts.conditions.time import AtTime
from barchan.parts.wall_shapes.box import Box
from barchan.parts.wall_shapes.cone import Cone
from barchan.parts.wall_shapes.cylinder import Cylinder
from barchan.parts.wall_shapes.disk import Disk
from barchan.parts.wall_shapes.line import Line
from barchan.parts.wall_shapes.plane import Plane
from barchan.record.whole import replaced
from barchan.scene import loads
from barchan.scene.events import Event
from simulation.shared import SMALL as SMALL_SCENE

_frames = runpy.run_path(str(Path(__file__).parent / "frames.py"))
cone_frame, empty_frame, frame_of = _frames["cone_frame"], _frames["empty_frame"], _frames["frame_of"]

SMALL = (200, 150)


def some_spheres(**fields):
    rng = np.random.default_rng(0)
    return frame_of(rng.uniform(-0.1, 0.1, (40, 3)), 0.01, **fields)


def pixels(frame, walls=None, *, view="auto", color="group", size=SMALL):
    return Picture(Stage.of([frame], walls, view, color), size=size).pixels(frame)


@pytest.mark.parametrize(("view", "names"), [("front", ("x", "z")), ("side", ("y", "z")), ("top", ("x", "y"))])
def test_axes_are_labelled_with_units(view, names):
    axes = draw_scene(some_spheres(), view=view, size=SMALL).axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == (f"{names[0]} (cm)", f"{names[1]} (cm)")


def test_axes_measure_the_scene():
    frame = frame_of([[0.3, 0.0, 0.1], [0.5, 0.1, 0.2]], 0.05)
    left, right = draw_scene(frame, view="front", size=SMALL).axes[0].get_xlim()
    assert left < 25.0 and right > 55.0


def test_oblique_views_have_a_scale_bar():
    axes = draw_scene(some_spheres(), view="iso", size=SMALL).axes[0]
    assert "5 cm" in [text.get_text() for text in axes.texts]


@pytest.mark.parametrize(("color", "label"), [("speed", "speed (m/s)"), ("height", "height (cm)"),
                                              ("born", "time of insertion (s)")])  # fmt: skip
def test_quantities_have_a_colour_bar_with_units(color, label):
    figure = draw_scene(some_spheres(), color=color, size=SMALL)
    assert label in [axes.get_ylabel() for axes in figure.axes]


@pytest.mark.parametrize("color", ["group", "id"])
def test_names_have_no_colour_bar(color):
    assert len(draw_scene(some_spheres(), color=color, size=SMALL).axes) == 1


def test_colour_follows_the_speed():
    velocity = np.zeros((2, 3))
    velocity[1, 2] = 1.0
    frame = frame_of([[0, 0, 0], [1, 0.1, 0]], 0.4, velocity=velocity)
    image = pixels(frame, view="front", color="speed").astype(int)
    slow, fast = image[:, : image.shape[1] // 2], image[:, image.shape[1] // 2 :]
    blueness = [half[..., 2][half.max(axis=2) < 254].mean() for half in (slow, fast)]
    assert blueness[1] < blueness[0]


def test_rows_of_snapshots_have_their_bar_of_colours_whole_and_beside_them():
    frame = some_spheres(velocity=np.linspace(0, 0.0999, 120).reshape(40, 3))
    figure = draw_snapshots([("", [frame, frame])], color="speed")
    *pictures, bar = (axes.get_tightbbox(figure.canvas.get_renderer()) for axes in figure.axes)
    assert pictures[-1].x1 < bar.x0 and bar.x1 <= figure.bbox.width


def test_the_picture_tells_the_time():
    axes = draw_scene(some_spheres(time=0.25), size=SMALL).axes[0]
    assert "t = 0.250 s" in [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("color", ["speed", "height", "size", "born", "mass"])
@pytest.mark.parametrize("view", ["front", "iso"])
@pytest.mark.parametrize("span", [4e-7, 3e-6, 0.04, 1.4, 1200.0, 3e4])
def test_no_number_or_name_is_cut_off(span, view, color):
    """Of scenes of all sizes, which lie about the origin or beside it; no number has more than four digits."""
    for shift in (0.0, 0.7):
        frame = some_spheres(time=100 * span, born=np.linspace(0, 100 * span, 40))
        frame.velocity = np.linspace(-0.0172, 0.0172, 120).reshape(40, 3)
        frame.mass = 1e4 * frame.mass * span**3
        frame.sphere_position = frame.position = span * (5 * frame.position + shift * np.array([1.0, 0.0, 1.0]))
        frame.sphere_radius = frame.radius = span * frame.radius
        figure = draw_scene(frame, view=view, color=color, size=(480, 300))
        box = figure.get_tightbbox()
        assert min(box.x0, box.y0) >= 0 and box.x1 <= figure.get_figwidth() and box.y1 <= figure.get_figheight()
        for axes in figure.axes:
            numbers = [text.get_text() for text in (*axes.get_xticklabels(), *axes.get_yticklabels())]
            assert max((sum(letter.isdigit() for letter in number) for number in numbers), default=0) <= 4
            assert not axes.xaxis.get_offset_text().get_text() and not axes.yaxis.get_offset_text().get_text()


@pytest.mark.parametrize("view", ["front", "iso", "top"])
def test_the_same_frame_gives_the_same_image(view):
    assert np.array_equal(pixels(some_spheres(), view=view), pixels(some_spheres(), view=view))


def test_walls_are_drawn_where_they_are_and_only_while_they_are_there():
    box = SimpleNamespace(shape=Box(low=(-0.2, -0.2, -0.2), high=(0.2, 0.2, 0.2)))
    frame = some_spheres(walls=1)
    stage = Stage.of([frame], [box], "front", "group")
    picture = Picture(stage, size=SMALL)
    drawn = picture.pixels(frame)
    frame.wall_present[0] = False
    gone = picture.pixels(frame)
    frame.wall_present[0] = True
    frame.wall_pose[0, 0] = 0.1
    moved = picture.pixels(frame)
    assert (drawn != gone).any(axis=2).sum() > 400
    assert (drawn != moved).any(axis=2).sum() > 100


@pytest.mark.parametrize("view", ["front", "iso"])
def test_a_wall_is_drawn_in_its_color(view):
    """Edges and panes redden what they cover; a wall without a colour looks as its bare shape does."""
    box, frame = Box(low=(-0.2, -0.2, -0.2), high=(0.2, 0.2, 0.2)), some_spheres(walls=1)
    bare, plain, red = (
        pixels(frame, [wall], view=view).astype(int)
        for wall in (box, SimpleNamespace(shape=box, color=None), SimpleNamespace(shape=box, color="Red"))
    )
    assert np.array_equal(bare, plain)
    redder = (red[..., 0] - red[..., 2]) - (bare[..., 0] - bare[..., 2])
    assert (redder > 40).mean() > 0.2, "what is seen through panes"
    assert (redder > 85).sum() > 100, "edges"


def test_walls_of_several_colors_are_told_apart():
    """Each has its own, wherever it stands among the others and where it has moved to."""
    walls = [
        SimpleNamespace(shape=Plane(point=(x, 0, 0), normal=(1, 0, 0)), color=color)
        for x, color in ((-0.08, "#0000ff"), (0.0, None), (0.02, "#ff0000"))
    ]
    frame = some_spheres(walls=3)
    frame.wall_pose[2, 0] = 0.05
    image = pixels(frame, walls, view="front").astype(int)
    blue, red = (np.flatnonzero(np.median(image[..., own] - image[..., other], axis=0) > 60)
                 for own, other in ((2, 0), (0, 2)))  # fmt: skip
    assert len(blue) and len(red) and blue.max() < image.shape[1] / 2 < red.min()


def test_an_endless_wall_that_has_come_down_on_the_grains_is_drawn_there():
    """Made far above them and moved since, as a press is: it is a line at its present height, as wide as the grains."""
    frame = some_spheres(walls=1)
    top = float(frame.sphere_position[:, 2].max())
    frame.wall_pose[0, 2] = top - 5.0
    stage = Stage.of([frame], [Plane(point=(0, 0, 5), normal=(0, 0, -1))], "front", "group")
    (wall,) = placed(stage.walls, frame)
    line = np.concatenate(wall.lines)
    assert line[:, 2] == pytest.approx(np.full(len(line), top))
    assert np.ptp(line[:, 0]) >= np.ptp(frame.sphere_position[:, 0])


def test_the_periodic_box_of_the_moment_is_drawn():
    """Around discs in the plane: the whole of the largest box is in the picture, and a sheared one looks different."""
    place = np.random.default_rng(0).uniform(0, 0.1, (40, 3)) * (1, 0, 1)
    first = frame_of(place, 0.01, cell=np.array([[0.0, 0, 0, 0.1, 0, 0.1, 0]]))
    last = frame_of(place, 0.01, cell=np.array([[-0.05, 0, 0.02, 0.2, 0, 0.05, 0.01]]))
    stage = Stage.of([first, last], None, "auto", "group")
    assert stage.box.span[0] >= 0.2 + 0.01
    picture = Picture(stage, size=SMALL)
    drawn, sheared = picture.pixels(first), picture.pixels(last)
    first.cell = first.cell[:0]
    bare = picture.pixels(first)
    assert (drawn != bare).any(axis=2).sum() > 100
    assert (drawn != sheared).any(axis=2).sum() > 100


def test_a_falling_grain_is_shown_with_the_floor_below_it():
    frame = frame_of([[0.0, 0.0, 1.0]], 0.05, walls=1)
    stage = Stage.of([frame], [Plane()], "front", "group")
    assert stage.ground.level == 0.0
    assert stage.box.low[1] == pytest.approx(0.0)


def level_under(frame, setting):
    return Stage.of([frame], setting, "iso", "group").ground.level


SILO = [
    Cylinder(radius=0.15, length=0.4, point=(0, 0, -0.1)),
    Cone(bottom_radius=0.04, top_radius=0.15, height=0.1, point=(0, 0, -0.2)),
]


@pytest.mark.parametrize(
    ("walls", "level"),
    [
        ([], -np.inf),
        ([Plane(point=(0, 0, -0.12))], -0.12),
        ([Plane(point=(0, 0, -0.12)), Plane(point=(0, 0, -0.15))], -0.12),
        ([Plane(point=(0, 0, -0.12), normal=(0.1, 0, 1))], -np.inf),
        ([Box(low=(-0.2, -0.2, -0.11), high=(0.2, 0.2, 0.2))], -0.11),
        ([Box(low=(-0.2, -0.2, -0.11), high=(0.2, 0.2, 0.2), open=("-z",))], -np.inf),
        ([Cylinder(point=(0, -0.2, 0), axis=(0, 1, 0), radius=0.16, length=0.4)], -np.inf),
        (SILO, -np.inf),
        ([*SILO, Disk(center=(0, 0, -0.2), radius=0.04)], -np.inf),
        ([Cylinder(point=(0, 0, -0.11), radius=0.11, length=0.4), Disk(center=(0, 0, -0.11), radius=0.11)], -0.11),
        ([Disk(center=(0.5, 0, -0.11), radius=0.2)], -np.inf),
        ([Disk(center=(0, 0, 0), radius=0.5)], -np.inf),
    ],
    ids=["nothing", "floor", "two floors", "slope", "box", "open", "drum", "outlet", "gate", "cup", "beside", "in"],
)  # fmt: skip
def test_ground_is_where_a_level_wall_lies_under_the_grains(walls, level):
    assert level_under(some_spheres(walls=len(walls)), walls) == level


def test_a_level_line_bears_discs_in_a_plane_and_two_ends_of_upright_ones_do_not():
    place = np.random.default_rng(0).uniform(-0.1, 0.1, (40, 3)) * (1, 0, 1)
    floor = Line(start=(-0.2, 0, -0.12), end=(0.2, 0, -0.12))
    steps = [Line(start=(x, 0, -0.12), end=(x + 0.02, 0, -0.12)) for x in (-0.1, 0.08)]
    assert level_under(frame_of(place, 0.01, walls=1), [floor]) == -0.12
    assert level_under(frame_of(place, 0.01, walls=2), steps) == -np.inf
    assert level_under(some_spheres(walls=1), [floor]) == -np.inf, "in space it is a wire"


def test_a_scene_without_gravity_has_no_ground():
    """Unless gravity comes later; of walls alone it is not known."""
    scene = loads(SMALL_SCENE)
    frame = some_spheres(walls=1)
    frame.sphere_position += (0, 0, 0.12)
    weightless = scene.model_copy(update={"gravity": (0.0, 0.0, 0.0)})
    falls = Event(name="falls", when=AtTime(at=1), do=ChangeGravity(to=(0, 0, -1)))
    later = weightless.model_copy(update={"events": (falls,)})
    assert [level_under(frame, one) for one in (scene, weightless, later, scene.walls)] == [0, -np.inf, 0, 0]


@pytest.mark.parametrize("view", ["front", "iso"])
def test_without_ground_there_is_paper_and_no_shadow(view):
    """Grains lie in a drum: what is not a grain or a wall is white."""
    drum = Cylinder(point=(0, -0.2, 0), axis=(0, 1, 0), radius=0.16, length=0.4)
    frame = some_spheres(walls=1)
    picture = Picture(Stage.of([frame], [drum], view, "group"), size=SMALL)
    frame.wall_present[:] = False
    image = picture.pixels(frame)
    frame.sphere_position = frame.sphere_position + 9.0
    assert picture.pixels(frame).min() == 255
    assert image[:, :5].min() == image[:5].min() == 255 > image.min()


def test_grains_that_flew_off_do_not_shrink_the_rest():
    position = np.random.default_rng(1).uniform(0.0, 1.0, (500, 3))
    position[7] = (300.0, 0.0, 0.0)
    assert sphere_box(position, np.full(500, 0.02)).span[0] < 5.0


def test_a_run_that_blew_up_can_be_looked_at():
    position = np.random.default_rng(1).uniform(0.0, 1.0, (200, 3))
    position[3], position[4] = np.nan, (1e300, -np.inf, 0.0)
    assert pixels(frame_of(position, 0.05), view="iso").min() < 200
    assert pixels(frame_of(np.full((3, 3), np.nan), 0.05)).min() > 200


def test_flat_scenes_are_discs():
    frame = frame_of([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.8]], 0.45)
    assert flat_view(frame) == "front"
    image = Picture(Stage.of([frame], None, "auto", "group"), size=SMALL).pixels(frame)
    colours, counts = np.unique(image.reshape(-1, 3), axis=0, return_counts=True)
    assert np.sum(counts > 100) >= 4, "one even colour for each disc, and the paper"
    assert len(colours) < 600


def test_scenes_in_space_are_seen_from_above_and_thin_ones_from_the_front():
    assert camera_for(some_spheres(), "auto") is CAMERAS["iso"]
    thin = some_spheres()
    thin.sphere_position = thin.sphere_position * (1.0, 0.01, 1.0)
    assert camera_for(thin, "auto") is CAMERAS["front"]


def test_cameras_are_orthonormal_and_right_handed():
    for camera in CAMERAS.values():
        axes = np.array(camera.axes)
        assert axes @ axes.T == pytest.approx(np.eye(3))
        assert np.linalg.det(axes) == pytest.approx(1.0)


def test_a_sphere_keeps_its_area_in_the_picture():
    frame = frame_of([[0.0, 0.0, 0.0]], 0.5)
    window = Window(CAMERAS["front"], (0.0, 0.0), 100.0, 160, 160)
    picture = Picture(Stage.of([frame], None, "front", "group"), size=SMALL)
    picture.window, picture._backdrop = window, np.ones((160, 160, 3))
    covered = 1.0 - (picture.pixels(frame).min(axis=2) == 255).mean()
    assert covered * 160**2 == pytest.approx(np.pi * 50.0**2, rel=0.03)


def test_a_frame_without_grains_is_drawn():
    assert pixels(empty_frame()).shape[2] == 3
    assert pixels(empty_frame(walls=1), [Box(low=(0, 0, 0), high=(1, 1, 1))]).min() < 250


def test_a_picture_goes_into_axes_given():
    figure = Figure(figsize=(4, 3))
    axes = figure.add_subplot(1, 2, 1)
    assert draw_scene(some_spheres(), ax=axes, color="speed") is figure
    assert axes.images


def test_what_is_drawn_into_axes_given_keeps_its_shape():
    """A colour bar makes the axes narrower after the picture has been laid out: a pixel is as far up as across then."""
    figure = Figure(figsize=(4, 3))
    axes = figure.add_subplot(1, 2, 1)
    draw_scene(some_spheres(), ax=axes, color="speed", view="front")
    figure.draw_without_rendering()
    area, (left, right), (bottom, top) = axes.get_window_extent(), axes.get_xlim(), axes.get_ylim()
    assert area.width / (right - left) == pytest.approx(area.height / (top - bottom), rel=1e-6)


def test_figures_are_saved_whole(tmp_path):
    path = save_figure(draw_scene(some_spheres(), size=SMALL), tmp_path / "scene.png")
    with Image.open(path) as image:
        assert image.size == SMALL
        assert len(image.convert("RGB").getcolors(1 << 20)) > 100
    assert [file.name for file in tmp_path.iterdir()] == ["scene.png"]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    target = tmp_path / "scene.png"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError), replaced(target) as temporary:
        temporary.write_text(str(1 / 0))
    assert target.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_missing_folder_is_explained(tmp_path):
    with pytest.raises(FileError, match=r"scene\.png: cannot be written"):
        save_figure(Figure(), tmp_path / "none" / "scene.png")


def test_no_global_figure_is_touched():
    code = f"""
import runpy, sys
from barchan.draw import movie, picture, summary
assert "matplotlib" not in sys.modules
frames = runpy.run_path({str(Path(__file__).parent / "frames.py")!r})
picture.draw_scene(frames["frame_of"]([[0, 0, 0], [1, 1, 1]], 0.5), color="speed", size=(96, 72))
assert "matplotlib.pyplot" not in sys.modules
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_profile_of_a_heap_is_drawn_with_units():
    from barchan.measures.pile import angle_of_repose, radial_profile

    frame = cone_frame(30.0, grains=2000)
    axes = draw_profile(radial_profile(frame), angle=angle_of_repose(frame))
    assert axes.get_xlabel() == "distance from the middle (cm)"
    assert "°" in axes.get_legend().get_texts()[0].get_text()


def test_a_periodic_box_is_drawn_and_has_no_ground():
    """Along all axes it has twelve edges: two faces of four and four between them. Nothing lies under what repeats."""
    frame = frame_of(np.random.default_rng(1).random((20, 3)), 0.05)
    frame.cell = np.array([[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.2]])
    (box,) = cell_outline(frame)
    edges = [(tuple(a), tuple(b)) for line in box.lines for a, b in itertools.pairwise(line)]
    assert len({frozenset(edge) for edge in edges}) == 12
    corners = {corner for edge in edges for corner in edge}
    assert len(corners) == 8 and (1.2, 1.0, 1.0) in corners and (0.0, 0.0, 0.0) in corners
    stage = Stage.of([frame], (), "iso", "group")
    pixels = Picture(stage, size=SMALL).pixels(frame)
    assert np.array_equal(pixels[0, 0], (255, 255, 255)) and np.array_equal(pixels[0, -1], (255, 255, 255))
    floor = Plane(point=(0, 0, -0.05))
    assert level_under(frame, [floor]) == -np.inf
    frame.cell = np.zeros((0, 7))
    assert level_under(frame, [floor]) == pytest.approx(-0.05)


@pytest.mark.parametrize("frame", [empty_frame(walls=1), frame_of([[0.0, 0.0, 0.05]], 0.01, walls=1)])
def test_a_flat_scene_is_flat_with_one_grain_or_none(frame):
    """As when all have run out: the scene says that it is flat, which grains alone do not tell."""
    scene = loads(SMALL_SCENE).model_copy(update={"dimensions": 2})
    stage = Stage.of([frame], scene, "auto", "group")
    assert stage.flat and stage.camera is CAMERAS["front"]


def test_the_time_lies_over_no_grain():
    """Where there are axes it is above them, and whole; in a movie too."""
    frame = frame_of([[x, 0.0, z] for x in range(5) for z in range(5)], 0.5, time=2.0)
    picture = Picture(Stage.of([frame], None, "auto", "group"))
    picture.show(frame)
    picture.figure.canvas.draw()
    told, area = picture._time.get_window_extent(), picture.axes.get_window_extent()
    assert picture._time.get_text() == "t = 2.00 s"
    assert told.y0 >= area.y1 and told.y1 <= picture.figure.bbox.y1 and told.x1 <= picture.figure.bbox.x1
    image = next(movie_images(picture, iter([frame])))
    assert image[round(picture.figure.bbox.height - told.y1) : round(picture.figure.bbox.height - told.y0)].min() < 128


def test_the_bar_of_a_row_lies_over_no_heap():
    """A heap that reaches into the lower corners, seen from the front: its bar is above."""
    heap = frame_of([[0.02 * x, 0.0, 0.0] for x in range(30)] + [[0.3, 0.0, 0.3]], 0.01)
    axes = draw_snapshots([("", [heap, heap])], view="front").axes[-1]
    (bar,) = axes.lines
    bottom, top = axes.get_ylim()
    assert bar.get_ydata()[0] > bottom + 0.9 * (top - bottom)


@pytest.mark.parametrize("color", ["vx", "wz"])
def test_what_has_a_sign_is_pale_at_zero(color):
    """A colour map of two arms says which way things go: the scale has 0 in its middle, and what rests is no colour."""
    moving = np.array([[-0.2, 0.0, 0.1], [0.0, 0.0, 0.0], [0.6, 0.0, -0.4]])
    frame = frame_of(np.eye(3), 0.1, velocity=moving, spin=moving)
    scale = scale_for([frame], color)
    assert (scale.low, scale.high) == ((-0.6, 0.6) if color == "vx" else (-0.4, 0.4))
    assert np.ptp(grain_colours(frame, color, scale)[1]) < 0.02 < np.ptp(grain_colours(frame, color, scale)[2])


def test_a_bar_that_leaves_out_the_fastest_says_so():
    """Of 200 grains one is ten times as fast: the bar ends at 99% of them, with an arrow. A bar of heights, which ends
    at the highest, has none.
    """
    velocity = np.zeros((200, 3))
    velocity[:, 0] = np.linspace(0.1, 1.0, 200)
    velocity[-1] = 10.0
    frame = frame_of(np.random.default_rng(0).uniform(size=(200, 3)), 0.01, velocity=velocity)
    for color, arrow in (("speed", "max"), ("height", "neither")):
        figure = draw_scene(frame, color=color)
        (bar,) = (axes._colorbar for axes in figure.axes if getattr(axes, "_colorbar", None))
        assert bar.extend == arrow
