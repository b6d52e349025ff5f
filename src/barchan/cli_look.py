"""The verbs of the command line that look at a run: pictures, the viewer, reports and files for other programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from barchan.errors import FileError, Finding, SceneError

if TYPE_CHECKING:
    from barchan.draw.viewer.live import Live
    from barchan.record.recording import Recording
    from barchan.simulation.progress import Progress

RunFolder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing unless something goes wrong.")]


def open_recording(folder: Path) -> Recording:
    """The recording in a folder."""
    from barchan.record.recording import Recording

    return Recording(folder)


@contextmanager
def told(quiet: bool) -> Iterator[Progress]:
    """A progress that is stopped at the end, so that the terminal is whole."""
    from barchan.simulation.progress import chosen

    progress = chosen(quiet=quiet)
    try:
        yield progress
    finally:
        progress.stop()


def counted(progress: Progress, text: str) -> Callable[[int, int], None]:
    """Tells how many of how many are done."""
    return lambda done, total: progress.status(text, f"{done} of {total}")


def tell_file(target: Path, quiet: bool) -> None:
    """Tell where the file is that was made."""
    if not quiet:
        typer.echo(str(target))


def check_free(target: Path, force: bool) -> None:
    """Refuse to replace a file without `force`."""
    if target.exists() and not force:
        remedy = "choose another name, or replace it with --force"
        raise FileError(Finding(str(target), "is already there", remedy=remedy))


def render(
    folder: RunFolder,
    frame: Annotated[
        int | None, typer.Option(help="Which frame, counted from 0; negative ones from the end; the last if left out.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The picture: png, pdf or svg.")] = None,
    movie: Annotated[Path | None, typer.Option(metavar="FILE", help="Make a movie instead: gif or mp4.")] = None,
    strip: Annotated[int | None, typer.Option(min=1, help="Make a row of so many snapshots instead.")] = None,
    color: Annotated[
        str, typer.Option(help="What colours mean: group, speed, spin, size, id, born, force, …")
    ] = "group",
    view: Annotated[str, typer.Option("--camera", "--view", help="From where: auto, front, side, top, iso.")] = "auto",
    size: Annotated[str | None, typer.Option(metavar="WxH", help="Pixels, such as 1280x720.")] = None,
    fps: Annotated[float | None, typer.Option(min=0.1, help="Pictures a second, of a movie; 25 if left out.")] = None,
    engine: Annotated[str, typer.Option(help="What draws in 3D: raster, or vtk (through pyvista).")] = "raster",
    quiet: Quiet = False,
) -> None:
    """Draw a frame of a run, a row of snapshots, or a movie of it."""
    from barchan import draw

    _check_look(color, view, engine)
    check_together(("--movie", movie), ("--strip", strip), ("--out", out), ("--frame", frame))
    check_together(("--strip", strip), ("--size", size), ("--frame", frame))
    check_needed(("--movie", movie), ("--fps", fps))
    pixels = _pixels(size)
    with open_recording(folder) as recording, told(quiet) as progress:
        scene = recording.scene
        if engine == "vtk":
            _check_space(recording, view)
        look: dict[str, Any] = {"color": color, "view": view, "engine": engine}
        where = recording.path.parent
        if movie is not None:
            report = counted(progress, f"drawing {movie.name}")
            look |= {} if pixels is None else {"size": pixels}
            look |= {} if fps is None else {"fps": fps}
            target = draw.write_movie(recording, movie, scene, progress=report, **look)
        elif strip is not None:
            if strip > len(recording):
                raise FileError(Finding("--strip", str(strip), f"{recording.path} has {len(recording)} frames"))
            target = out or where / f"strip-{strip}.png"
            draw.save_figure(draw.draw_strip(recording, strip, scene, **look), target)
        else:
            index = -1 if frame is None else frame
            if not -len(recording) <= index < len(recording):
                raise FileError(Finding("--frame", str(index), f"{recording.path} has {len(recording)} frames, from 0"))
            target = out or where / f"frame-{index % len(recording):04d}.png"
            draw.save_figure(draw.draw_scene(recording[index], scene, size=pixels, **look), target)
    tell_file(target, quiet)


def view(
    folder: RunFolder,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one page that needs nothing else, instead.")
    ] = None,
    megabytes: Annotated[
        float | None, typer.Option(min=1.0, help="How large that page may be; 24 if left out.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="The port; left out or 0: any that is free.")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the browser.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file that is there.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but the address to look at.")] = False,
) -> None:
    """Show a run in the browser, from this machine only; also one that still goes on."""
    check_together(("--html", html), ("--port", port), ("--no-browser", no_browser or None))
    check_needed(("--html", html), ("--megabytes", megabytes), ("--force", force or None))
    if html is not None:
        from barchan.draw.viewer.page import MEGABYTES, write_page

        check_free(html, force)
        most = MEGABYTES if megabytes is None else megabytes
        with open_recording(folder) as recording, told(quiet) as progress:
            write_page(recording, html, megabytes=most, report=counted(progress, f"writing {html.name}"))
        tell_file(html, quiet)
        return
    from barchan.draw.viewer.data import Show
    from barchan.draw.viewer.live import Live
    from barchan.draw.viewer.server import Server

    with open_recording(folder) as recording:
        server = Server(Show(recording), port or 0)
        server.start()
        live = Live(server, _opened(browser=not no_browser))
        with live.listening():
            live.stay()
        live.stop()


@contextmanager
def shown_live(folder: Path | None) -> Iterator[Live]:
    """Shows the run in `folder` in the browser from its first frame on; nothing where it is None."""
    from barchan.draw.viewer.live import Live, follow

    live = follow(folder, _opened(browser=True)) if folder is not None else Live(None, print)
    try:
        with live.listening():
            yield live
    finally:
        live.stop()


def report(
    folder: RunFolder,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The page; report.html in DIR when left out.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file that is there.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write a page with the scene, pictures, plots and checks of a run, and how to reproduce it."""
    from barchan.draw.report import write_report

    target = out or folder / "report.html"
    check_free(target, force)
    with open_recording(folder) as recording, told(quiet) as progress:
        progress.status("drawing the report")
        write_report(recording, target)
    tell_file(target, quiet)


def export(
    folder: RunFolder,
    to: Annotated[str, typer.Option(metavar="FORMAT", help="The format, from `barchan list formats`.")],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The file; in DIR when left out.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file that is there.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write the recording of a run, finished or not, for another program."""
    from barchan.record import formats

    made = formats.chosen(to)
    with open_recording(folder) as recording, told(quiet) as progress:
        target = out or recording.path.parent / f"{to}{made.endings[0]}"
        formats.write(recording, to, target, force=force, report=counted(progress, f"writing {target.name}"))
    tell_file(target, quiet)


def _opened(*, browser: bool) -> Callable[[str], None]:
    """Says where the page is, and opens it."""

    def tell(url: str) -> None:
        typer.echo(f"{url} shows the run; Ctrl-C ends it")
        if browser:
            import webbrowser

            webbrowser.open(url)

    return tell


def _pixels(size: str | None) -> tuple[int, int] | None:
    if size is None:
        return None
    found = re.fullmatch(r"(\d{2,5})x(\d{2,5})", size)
    if found is None:
        raise SceneError(Finding("--size", repr(size), "width and height in pixels, such as 1280x720"))
    return int(found[1]), int(found[2])


def check_together(first: tuple[str, Any], *others: tuple[str, Any]) -> None:
    """Refuse options, each with its value or None, that have no meaning beside the first one."""
    for option, value in others:
        if first[1] is not None and value is not None:
            raise SceneError(Finding(option, f"has no meaning with {first[0]}", remedy="leave one of them out"))


def check_needed(first: tuple[str, Any], *others: tuple[str, Any]) -> None:
    """Refuse options, each with its value or None, that have no meaning without the first one."""
    for option, value in others:
        if first[1] is None and value is not None:
            raise SceneError(
                Finding(option, f"has no meaning without {first[0]}", remedy=f"leave it out, or give {first[0]}")
            )


def _check_space(recording: Recording, view: Any) -> None:
    """Refuse to draw through VTK what is drawn flat."""
    from barchan.draw.camera import shown_flat

    if len(recording) and shown_flat(recording[-1], view, recording.scene.dimensions):
        what = "has no meaning for a flat scene, which is drawn as discs or polygons"
        raise SceneError(Finding("--engine vtk", what, remedy="leave it out"))


def _check_look(color: str, view: str, engine: str = "raster") -> None:
    from barchan.draw import render_vtk
    from barchan.draw.camera import View
    from barchan.draw.colors import COLORS
    from barchan.draw.picture import Engine

    choices = (("--color", color, COLORS), ("--camera", view, get_args(View)), ("--engine", engine, get_args(Engine)))
    for option, value, known in choices:
        if value not in known:
            raise SceneError(Finding(option, repr(value), f"known: {', '.join(known)}"))
    if engine == "vtk":
        render_vtk.check()
