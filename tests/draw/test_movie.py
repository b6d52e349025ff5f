"""Movies: all frames there, at the right pace, and errors that say what to do."""

from __future__ import annotations

import importlib.util
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from barchan.draw.movie import gif_durations, recorded_scene, write_movie
from barchan.errors import FileError
from barchan.parts.wall_shapes.plane import Plane
from barchan.scene import loads

_frames = runpy.run_path(str(Path(__file__).parent / "frames.py"))
frame_of = _frames["frame_of"]


SCENE = """
name = "falling"
duration = "1 s"

[materials.glass]
density = 2500

[[grains]]
name = "beads"
material = "glass"
size = "1 cm"
fill = { kind = "points", positions = [[0, 0, 1]] }

[[walls]]
name = "floor"
shape = "plane"
point = [0, 0, "10 cm"]
material = "glass"
"""


def falling(count: int):
    start = np.random.default_rng(0).uniform((-0.1, -0.1, 0.5), (0.1, 0.1, 0.7), (30, 3))
    return [frame_of(start - (0.0, 0.0, 0.03 * k), 0.01, time=0.1 * k, walls=1) for k in range(count)]


@pytest.mark.parametrize("view", ["iso", "front"])
def test_a_gif_has_all_frames_and_lasts_as_long_as_it_should(tmp_path, view):
    path = write_movie(falling(12), tmp_path / "run.gif", [Plane()], fps=30.0, size=(160, 120), view=view)
    with Image.open(path) as movie:
        assert movie.n_frames == 12
        assert movie.size == (160, 120)
        lasting, seen = 0, set()
        for k in range(movie.n_frames):
            movie.seek(k)
            lasting += movie.info["duration"]
            seen.add(movie.convert("RGB").tobytes())
    assert lasting == 400
    assert len(seen) == 12


def test_durations_keep_the_length_of_the_movie():
    assert gif_durations(6, 30.0) == [30, 40, 30, 30, 40, 30]
    assert gif_durations(3, 1000.0) == [20, 20, 20]


def test_chosen_frames_and_progress(tmp_path):
    told = []
    frames = falling(10)
    path = write_movie(
        frames, tmp_path / "run.gif", size=(96, 72), frames=[0, 5, 9], progress=lambda *n: told.append(n)
    )
    with Image.open(path) as movie:
        assert movie.n_frames == 3
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_the_same_frames_give_the_same_file(tmp_path):
    first = write_movie(falling(3), tmp_path / "a.gif", size=(96, 72)).read_bytes()
    assert write_movie(falling(3), tmp_path / "b.gif", size=(96, 72)).read_bytes() == first


def test_unknown_endings_and_empty_recordings_are_explained(tmp_path):
    with pytest.raises(FileError, match=r"must end in \.gif or \.mp4"):
        write_movie(falling(2), tmp_path / "run.avi")
    with pytest.raises(FileError, match="no frames"):
        write_movie([], tmp_path / "run.gif")


def test_mp4_says_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FileError, match=r"barchan\[render\]"):
        write_movie(falling(2), tmp_path / "run.mp4")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("size", [(160, 120), (161, 121)], ids=["even", "odd"])
def test_an_mp4_plays_what_a_gif_shows(tmp_path, size):
    """Read back: as many pictures at the same pace, and like those of the GIF but for the loss of both codecs."""
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    frames = falling(12)
    movie = ffmpeg.read_frames(str(write_movie(frames, tmp_path / "run.mp4", [Plane()], fps=30.0, size=size)))
    told = next(movie)
    width, height = told["size"]
    assert (size[0] - width, size[1] - height) in ((0, 0), (1, 1))  # H.264 halves colours: sizes are even
    assert told["fps"] == pytest.approx(30.0) and told["duration"] == pytest.approx(0.4, abs=0.04)
    pictures = [np.frombuffer(one, np.uint8).reshape(height, width, 3) for one in movie]
    assert len(pictures) == 12
    with Image.open(write_movie(frames, tmp_path / "run.gif", [Plane()], fps=30.0, size=size)) as plain:
        for k, other in ((0, 11), (11, 0)):
            plain.seek(k)
            shown = np.asarray(plain.convert("RGB"))[:height, :width].astype(int)
            wrong, moved = (np.count_nonzero(np.abs(pictures[one] - shown).max(axis=2) > 60) for one in (k, other))
            assert moved > 100 and wrong < 0.2 * moved


def test_walls_come_from_the_recorded_scene():
    recorded = SimpleNamespace(scene_toml=SCENE, scene=loads(SCENE))
    (wall,) = recorded_scene(recorded).walls
    assert wall.shape == Plane(point=(0.0, 0.0, 0.1))
    assert recorded_scene(falling(2)) is None
