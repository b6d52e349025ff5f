"""Movies of a run: GIF with what a plain install has, MP4 with the extra `render`."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from barchan.draw.camera import View
from barchan.draw.colors import Color
from barchan.draw.picture import Engine, Picture, Stage
from barchan.draw.quantities import Setting
from barchan.errors import FileError, Finding
from barchan.frame import Frame
from barchan.record.whole import replaced
from barchan.scene import Scene

Progress = Callable[[int, int], None]

SCOUTS = 16  # frames looked at beforehand, for the window, the colour scale and the palette
BAYER = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]])
SCREEN_DEPTH = 7.0  # of 255 levels
TICK = 0.01  # s, the clock of a GIF


class Frames(Protocol):
    """What a movie is made of: a recording, or a list of frames."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Frame: ...


def recorded_scene(recording: Any) -> Scene | None:
    """The scene that a recording carries with it; None where it carries none, as a list of frames."""
    scene: Scene | None = recording.scene if getattr(recording, "scene_toml", "") else None
    return scene


def movie_images(picture: Picture, frames: Iterator[Frame]) -> Iterator[np.ndarray]:
    """Each frame as bytes (height, width, 3), top row first. Axes and colour bar are drawn once."""
    canvas: Any = picture.figure.canvas
    for artist in (picture.image, *picture.overlays):
        artist.set_animated(True)
    canvas.draw()
    still = canvas.copy_from_bbox(picture.figure.bbox)
    area = picture.axes.get_window_extent()
    left, bottom = round(area.x0), round(area.y0)
    for frame in frames:
        canvas.restore_region(still)
        pixels = np.asarray(canvas.buffer_rgba())
        inner = pixels[::-1][bottom : bottom + picture.window.height, left : left + picture.window.width, :3]
        np.copyto(inner, picture.pixels(frame))
        picture.date(frame)
        for artist in picture.overlays:
            picture.axes.draw_artist(artist)
        yield pixels[:, :, :3].copy()


def gif_durations(count: int, fps: float) -> list[int]:
    """How long each picture stays, in ms: whole ticks of the GIF clock that keep the movie's length right."""
    edges = np.maximum(np.round(np.arange(count + 1) / fps / TICK), 2 * np.arange(count + 1))
    return [round(1000.0 * TICK) * int(ticks) for ticks in np.diff(edges)]


def _screened(image: np.ndarray) -> np.ndarray:
    """The image with a fixed, faint 4 × 4 screen, which hides the steps of a small palette and never flickers."""
    screen = SCREEN_DEPTH * (BAYER - BAYER.mean()) / BAYER.size
    rows, columns = image.shape[:2]
    tiled = np.tile(screen.round().astype(np.int16), (rows // 4 + 1, columns // 4 + 1))[:rows, :columns, None]
    screened = np.clip(image + tiled, 0, 255).astype(np.uint8)
    return np.where(image == 255, image, screened)


def _write_gif(
    path: Path, images: Iterator[np.ndarray], palette_from: list[np.ndarray], count: int, fps: float
) -> None:
    """All pictures share one palette, chosen from some of them, so that still parts stay still and cost nothing."""
    from PIL import Image

    mosaic = np.concatenate([image[::2, ::2] for image in palette_from])
    palette = Image.fromarray(mosaic).quantize(254, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    palette.putpalette([*(palette.getpalette() or [])[: 254 * 3], 255, 255, 255])
    pages = (Image.fromarray(_screened(image)).quantize(palette=palette, dither=Image.Dither.NONE) for image in images)
    first = next(pages)
    durations = gif_durations(count, fps)
    first.save(path, format="GIF", save_all=True, append_images=pages, duration=durations, loop=0, optimize=False)


def _write_mp4(path: Path, images: Iterator[np.ndarray], size: tuple[int, int], fps: float) -> None:
    import imageio_ffmpeg

    writer = imageio_ffmpeg.write_frames(str(path), size, fps=fps, codec="libx264", quality=8, macro_block_size=1)
    writer.send(None)
    try:
        for image in images:
            writer.send(np.ascontiguousarray(image[: size[1], : size[0]]))
    finally:
        writer.close()


def _checked(path: str | os.PathLike[str], frames: Sequence[int]) -> Path:
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in (".gif", ".mp4"):
        raise FileError(Finding(str(target), f"unknown kind of movie {kind!r}", "must end in .gif or .mp4"))
    if kind == ".mp4" and importlib.util.find_spec("imageio_ffmpeg") is None:
        remedy = "install it with pip install 'barchan[render]', or write a .gif"
        raise FileError(Finding(str(target), "MP4 needs the package imageio-ffmpeg", remedy=remedy))
    if not frames:
        raise FileError(Finding(str(target), "the recording has no frames to show"))
    return target


def write_movie(
    recording: Frames,
    path: str | os.PathLike[str],
    setting: Setting = None,
    *,
    fps: float = 25.0,
    size: tuple[int, int] = (640, 480),
    view: View = "auto",
    color: Color = "group",
    frames: Sequence[int] | None = None,
    progress: Progress | None = None,
    engine: Engine = "raster",
) -> Path:
    """Write the frames of a recording as a movie, GIF or MP4 by the ending of `path`; returns the path.

    `fps` is the number of pictures a second (a GIF shows at most 50), `size` in pixels, `frames` the indices to show,
    all when left out. Window and colour scale are the same throughout and suit the whole run. `progress` is called
    with the number of pictures done and their total. `setting`, `view`, `color` and `engine` are as in
    `draw_scene`; left out, the setting is the recorded scene.
    """
    chosen = list(range(len(recording)) if frames is None else frames)
    target = _checked(path, chosen)
    spread = np.unique(np.linspace(0, len(chosen) - 1, min(SCOUTS, len(chosen))).round().astype(int))
    scouts = [recording[chosen[k]] for k in spread]
    width, height = (size[0] - size[0] % 2, size[1] - size[1] % 2)
    setting = recorded_scene(recording) if setting is None else setting
    stage = Stage.of(scouts, setting, view, color)
    picture = Picture(stage, size=(width, height), fine=False, engine=engine)

    def told() -> Iterator[Frame]:
        for done, index in enumerate(chosen, start=1):
            yield recording[index]
            if progress is not None:
                progress(done, len(chosen))

    with replaced(target) as temporary:
        if target.suffix.lower() == ".mp4":
            _write_mp4(temporary, movie_images(picture, told()), (width, height), fps)
        else:
            samples = [scouts[k] for k in sorted({0, len(scouts) // 2, len(scouts) - 1})]
            palette_from = list(movie_images(picture, iter(samples)))
            _write_gif(temporary, movie_images(picture, told()), palette_from, len(chosen), fps)
    return target
