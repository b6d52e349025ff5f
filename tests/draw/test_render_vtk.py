"""Pictures through VTK: the same scene from the same place as the renderer of our own, and errors where VTK fails."""

from __future__ import annotations

import runpy
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from barchan.draw import render_vtk
from barchan.draw.movie import write_movie
from barchan.draw.picture import Picture, Stage, draw_scene
from barchan.draw.snapshots import draw_snapshots
from barchan.errors import FileError
from barchan.parts.wall_shapes.box import Box
from barchan.parts.wall_shapes.plane import Plane

frame_of = runpy.run_path(str(Path(__file__).parent / "frames.py"))["frame_of"]

SIZE = (240, 180)


@pytest.fixture
def vtk():
    """Left out where VTK can't draw, with its own words."""
    try:
        render_vtk.check()
    except FileError as error:
        pytest.skip(str(error))


def both(frame, walls=None, view="iso"):
    stage = Stage.of([frame], walls, view, "id")
    return [Picture(stage, size=SIZE, engine=engine).pixels(frame).astype(int) for engine in ("raster", "vtk")]


def spheres():
    rng = np.random.default_rng(3)
    return frame_of(rng.uniform(-0.1, 0.1, (12, 3)) + np.array([0.4, 0.2, 0.3]), rng.uniform(0.015, 0.03, 12))


@pytest.mark.parametrize("view", ["iso", "front", "side", "top"])
def test_both_engines_draw_the_same_scene(vtk, view):
    """Grains are coloured, ground and backdrop nearly grey: what is coloured in one picture is so in the other.

    Edges differ by a part of a pixel: with discs of some ten pixels' radius, by less than a tenth of the area. Upside
    down or mirrored, a dozen grains at random would hardly meet.
    """
    images = both(spheres(), view=view)
    seen = [np.ptp(image, axis=2) > 45 for image in images]
    assert min(mask.sum() for mask in seen) > 1000
    assert (seen[0] & seen[1]).sum() > 0.9 * (seen[0] | seen[1]).sum()
    assert view != "iso" or np.abs(images[0][0, 0] - images[1][0, 0]).max() < 12  # open ground has no shade on it


def test_grains_and_walls_are_seen_where_they_are_then(vtk):
    """A wall that has gone is not drawn, and one that is there veils what is behind it."""
    there = frame_of([[0, 0, 0.02], [0.1, 0, 0.02]], 0.02, walls=1)
    gone = frame_of([[0, 0, 0.02], [0.1, 0, 0.02]], 0.02, walls=1, wall_present=np.zeros(1, bool))
    stage = Stage.of([there], [Plane()], "iso", "group")
    picture = Picture(stage, size=SIZE, engine="vtk")
    difference = picture.pixels(gone).astype(int) - picture.pixels(there)
    assert (difference > 2).sum() > 0.05 * difference.size


@pytest.mark.parametrize(("color", "red"), [(None, False), ("red", True)])
def test_a_wall_is_drawn_in_its_color(vtk, color, red):
    """A box with all grains inside it: most of the picture is seen through its panes."""
    box = SimpleNamespace(shape=Box(low=(0.25, 0.05, 0.15), high=(0.55, 0.35, 0.45)), color=color)
    _, image = both(spheres(), [box], view="front")
    assert (np.median(image[..., 0] - image[..., 2]) > 50) == red


def test_a_frame_without_grains_is_drawn(vtk):
    """Nothing there yet, or nothing whose place is a number: walls and ground alone."""
    nowhere = frame_of([[np.nan, 0, 0.02], [np.nan, 0, 0.02]], 0.02, walls=1)
    stage = Stage.of([frame_of([[0, 0, 0.02], [0.1, 0.1, 0.02]], 0.02, walls=1)], [Plane()], "iso", "group")
    image = Picture(stage, size=SIZE, engine="vtk").pixels(nowhere).astype(int)
    assert image.std() > 1 and not (np.ptp(image, axis=2) > 45).any()


def test_flat_scenes_are_drawn_by_one_engine_alone():
    flat = frame_of([[0, 0, 0.1], [0.1, 0, 0.1], [0.05, 0, 0.2]], 0.03)
    one, other = both(flat, view="auto")
    assert (one == other).all()


def test_movies_and_rows_of_snapshots(vtk, tmp_path):
    frames = [frame_of([[0, 0, 0.3 - 0.05 * k], [0.1, 0.1, 0.05]], 0.03, time=0.1 * k) for k in range(3)]
    path = write_movie(frames, tmp_path / "run.gif", [Plane()], size=SIZE, engine="vtk")
    with Image.open(path) as movie:
        assert movie.n_frames == 3
    row = draw_snapshots([("", frames[:2])], [Plane()], view="iso", engine="vtk")
    assert len(row.axes) == 2


@pytest.mark.parametrize(
    ("broken", "told"), [("missing", "pip install 'barchan\\[render\\]'"), ("crash", "can't draw on this machine")]
)
def test_what_vtk_lacks_is_an_error_in_one_line(monkeypatch, broken, told):
    """A VTK without OpenGL ends its process; that must not be ours."""
    render_vtk.check.cache_clear()
    if broken == "missing":
        monkeypatch.setattr(render_vtk.importlib.util, "find_spec", lambda name: None)
    else:
        monkeypatch.setattr(render_vtk.importlib.util, "find_spec", lambda name: True)
        monkeypatch.setattr(render_vtk, "PROBE", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    with pytest.raises(FileError, match=told) as raised:
        draw_scene(spheres(), size=SIZE, engine="vtk")
    assert "\n" not in str(raised.value)
    render_vtk.check.cache_clear()


def test_the_probe_does_not_wait_for_ever(monkeypatch):
    """A driver that hangs is as good as none."""
    render_vtk.check.cache_clear()

    def hang(*arguments, **options):
        raise subprocess.TimeoutExpired("probe", options["timeout"])

    monkeypatch.setattr(render_vtk.importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(render_vtk.subprocess, "run", hang)
    with pytest.raises(FileError, match="can't draw"):
        render_vtk.check()
    render_vtk.check.cache_clear()
