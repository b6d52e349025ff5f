"""The command line: one function per verb, each a thin layer over what Python offers too."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from barchan import __version__, cli_cache, cli_list, cli_measure
from barchan import cli_look as look
from barchan.cli_look import Quiet, RunFolder, open_recording
from barchan.errors import BarchanError, BarchanWarning

if TYPE_CHECKING:
    from barchan.record.recording import Recording
    from barchan.scene import Scene
    from barchan.simulation.loop import RunResult
    from barchan.simulation.progress import Progress

INTERRUPTED = 130
PICTURES = ("summary.png", "scene.png", "movie.gif")
MOVIE_FRAMES = 150  # of the movie that a run makes by itself
MOVIE_RATE = 25.0  # 1/s, the fastest


class Verbs(TyperGroup):
    """The verbs; what goes wrong on purpose is told in a line or two, without a traceback, and has its exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Do what the verb says."""
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _shown(warnings.showwarning)
                return super().invoke(ctx)
        except BarchanError as error:
            for finding in error.findings:
                typer.echo(f"{typer.style('error:', fg='red', bold=True)} {finding}", err=True)
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt as stopped:
            typer.echo(str(stopped) or "interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None


def _shown(usual: Callable[..., None]) -> Callable[..., None]:
    """How warnings are shown: our own without the line of code that they come from."""

    def show(message: Any, category: type[Warning], *where: Any) -> None:
        if issubclass(category, BarchanWarning):
            typer.echo(_warning(message), err=True)
        else:
            usual(message, category, *where)

    return show


def _warning(what: object) -> str:
    return f"{typer.style('warning:', fg='yellow', bold=True)} {what}"


app = typer.Typer(
    cls=Verbs,
    help="Granular dynamics: say what is there, run it, record it, look at it.",
    epilog="SCENE is a name from `barchan list scenes` or a TOML file; DIR is the folder of a run. Exit codes: 0 done, "
    "1 a check failed, 2 wrong use or bad input, 3 the run stopped itself, 130 interrupted after a checkpoint.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

SceneName = Annotated[str, typer.Argument(metavar="SCENE", help="A scene of the library, or a TOML file.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a field: --set duration='2 s' --set grains[0].count=100."),
]
Threads = Annotated[
    int | None, typer.Option(min=1, help="Threads to compute with; the result is the same with any number.")
]
NoMovie = Annotated[bool, typer.Option("--no-movie", help="Do not make movie.gif at the end.")]


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"barchan {__version__}")
        raise typer.Exit


@app.callback()
def barchan(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Granular dynamics: say what is there, run it, record it, look at it."""


# ------------------------------------------------------------ running


@app.command()
def run(
    scene: SceneName,
    changes: Changes = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where to record; runs/NAME-N when left out.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the run that is in DIR.")] = False,
    threads: Threads = None,
    start: Annotated[
        Path | None, typer.Option("--from", metavar="RUN", help="Begin with the grains at the end of another run.")
    ] = None,
    device: Annotated[str, typer.Option(help="What to compute on: cpu, cuda.")] = "cpu",
    precision: Annotated[str, typer.Option(help="On cuda: double, or mixed (all but positions single).")] = "double",
    solver: Annotated[str | None, typer.Option(help="How motion is computed, instead of what the scene says.")] = None,
    quiet: Quiet = False,
    no_movie: NoMovie = False,
    view: Annotated[bool, typer.Option("--view", help="Show the run in the browser as it happens.")] = False,
) -> None:
    """Run a scene, record it, and draw what happened."""
    from barchan.record.folder import default_folder
    from barchan.simulation import loop
    from barchan.simulation.progress import chosen

    look.check_needed(("--out", out), ("--force", force or None))
    look.check_together(("--solver", solver), ("--set solver", _changed("solver", changes)))
    look.check_together(("--from", start), ("--set start", _changed("start", changes)))
    loaded = _load(scene, [*(changes or []), *([f"solver={solver}"] if solver else [])])
    if start is not None:
        loaded = loaded.model_copy(update={"start": str(start)})
    if view:
        out = out or default_folder(loaded.name)
    with look.shown_live(out if view else None) as shown:
        result = loop.run(
            loaded, out, force=force, threads=threads, device=device, precision=precision, progress=chosen(quiet=quiet)
        )
        _show(result, quiet=quiet, movie=not no_movie)
        shown.stay()


@app.command()
def resume(folder: RunFolder, threads: Threads = None, quiet: Quiet = False, no_movie: NoMovie = False) -> None:
    """Go on with a run that was stopped; it ends as if it had never been."""
    from barchan.simulation import loop
    from barchan.simulation.progress import chosen

    result = loop.resume(folder, threads=threads, progress=chosen(quiet=quiet))
    if result.was_finished and not quiet:
        typer.echo(f"{folder}: this run is finished, nothing is left to be done.")
    _show(result, quiet=quiet, movie=not no_movie)


@app.command()
def check(scene: SceneName, changes: Changes = None) -> None:
    """Find what is wrong with a scene without running it."""
    from barchan.simulation.plan import Plan
    from barchan.simulation.summary import table

    loaded = _load(scene, changes)
    plan = Plan.of(loaded)
    for warning in plan.warnings:
        typer.echo(_warning(warning), err=True)
    typer.echo(f"{loaded.name}: ready to run")
    poured = f", and what {len(loaded.sources)} source(s) pour" if loaded.sources else ""
    step, steps = plan.time_step, f"about {plan.steps}, {loaded.duration:g} s"
    facts = (
        ("grains", f"{len(plan.grains)}, of {len(plan.grains.sphere_radius)} {loaded.method.bodies}{poured}"),
        ("time step", f"{step.value:.4g} s: {step.text}" if step.fixed else step.text),
        *([("steps", steps)] if step.fixed else []),
        ("frames", f"{1 + round(loaded.duration * loaded.frame_rate)}"),
    )
    typer.echo(table(facts))


# ------------------------------------------------------------ looking


@app.command()
def show(
    scene: Annotated[
        str | None, typer.Argument(metavar="SCENE", help="A scene of the library, or a TOML file.")
    ] = None,
    changes: Changes = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of scenes instead.")] = False,
) -> None:
    """Print a scene as TOML, with every default written out."""
    from barchan.scene import dumps
    from barchan.scene import schema as scene_schema

    look.check_together(("--schema", schema or None), ("SCENE", scene), ("--set", changes))
    if schema:
        typer.echo(json.dumps(scene_schema(), indent=2, ensure_ascii=False))
    elif scene is None:
        raise typer.BadParameter("give a SCENE or --schema")
    else:
        typer.echo(dumps(_load(scene, changes)), nl=False)


@app.command()
def info(folder: RunFolder) -> None:
    """Tell what a run is and how far it has come."""
    from barchan.simulation.summary import facts

    with open_recording(folder) as recording:
        _judged(recording.summary, facts(folder, recording))


for _verb in (look.render, look.view, look.report, look.export, cli_measure.measure, cli_cache.cache):
    app.command()(_verb)
app.command("list")(cli_list.list_parts)


@app.command()
def reproduce(
    ids: Annotated[list[str], typer.Argument(metavar="ID…", help="Studies, such as Y9 (`barchan list studies`); all.")],
    quick: Annotated[bool, typer.Option("--quick", help="A smaller form that takes some seconds.")] = False,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where runs and figures go.")] = Path("runs/reproduce"),
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the verdicts only, not how far it is.")] = False,
) -> None:
    """Compute results of papers: the paper's value, ours, a verdict, and the figure; exit 1 if a verdict fails."""
    from barchan import studies
    from barchan.simulation.progress import chosen
    from barchan.studies import report

    results = []
    for study in studies.chosen(ids):
        result = studies.reproduce(study, out, chosen(quiet=quiet), quick=quick)
        results.append((study, result))
        drawn = ", ".join(str(one.path) for one in result.figures)
        told = [f"{study.id}: {study.title}", report.text_table(result.rows), *result.notes, drawn]
        typer.echo("\n".join(line for line in told if line) + "\n")
    if len(results) > 1:
        command = " ".join(["barchan reproduce", *ids, *(["--quick"] if quick else [])])
        typer.echo(str(report.write_html(results, out / "report.html", quick=quick, command=command)))
    if not all(result.passed for _, result in results):
        raise typer.Exit(1)


@app.command()
def bench(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="settled-bed, moving-bed, hopper, clumps, gas, relax, triangles, or all."),
    ],
    grains: Annotated[int | None, typer.Option(min=1, help="How many grains; left out, as many as suit.")] = None,
    threads: Annotated[
        list[int] | None, typer.Option(min=1, help="On how many threads; may be given again. Left out: one, and all.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long each measurement lasts at least.")] = 3.0,
    device: Annotated[str, typer.Option(help="What to compute on: cpu, cuda (both beds).")] = "cpu",
    precision: Annotated[str, typer.Option(help="On cuda: double, or mixed (all but positions single).")] = "double",
) -> None:
    """Measure the speed on this machine; the last line is JSON."""
    from barchan import bench as room

    rows = []
    for row in room.measure(name, grains, threads or (), seconds, device=device, precision=precision):
        of = next(key for key in row if key.endswith("_per_second"))
        unit = of.removesuffix("_per_second").replace("_", "-", 1)
        speed = f"{row[of] / 1e6:.2f} M {unit}/s (median {row['median'] / 1e6:.2f})"
        where = f"{row['threads']} thread(s)" if row["device"] == "cpu" else f"{row['device']}, {row['precision']}"
        what = ", ".join([row["benchmark"], *([row["minimiser"]] if "minimiser" in row else [])])
        typer.echo(f"{what}, {row['grains']} grains, {where}: {speed}")
        rows.append(row)
    typer.echo(json.dumps({**room.stamp(), "results": rows}))


# ------------------------------------------------------------ what the verbs share


def _load(scene: str, changes: list[str] | None) -> Scene:
    from barchan.scene import load

    return load(scene, changes or [])


def _changed(key: str, changes: list[str] | None) -> str | None:
    """The change of the field `key` among those asked for; None where there is none."""
    return next((one for one in changes or () if one.partition("=")[0].strip() == key), None)


def _show(result: RunResult, *, quiet: bool, movie: bool) -> None:
    """Draw the pictures of a run, and print its summary with the names of its files."""
    from barchan.simulation.progress import chosen
    from barchan.simulation.summary import rows

    if not result.was_finished:  # pictures that are there show another run
        for name in PICTURES:
            (result.folder / name).unlink(missing_ok=True)
    progress = chosen(quiet=quiet)
    try:
        with result.recording as recording:
            drawn = _pictures(recording, result.folder, movie=movie, progress=progress)
            files = [recording.path, *drawn]
    finally:
        progress.stop()
    if not quiet:
        names = ", ".join(path.name for path in files)
        _judged(result.summary, [*rows(result.summary), ("files", f"{names} in {result.folder}")])


def _judged(summary: Mapping[str, Any], lines: Sequence[tuple[str, str]]) -> None:
    """Print a table of a run with what deserves a second look in colour, and below it why."""
    from barchan.simulation.summary import table
    from barchan.simulation.verdicts import verdicts

    judged = list(verdicts(summary))
    colours = {one.row: "green" if one.good else "red" for one in judged}
    colours |= {one.row: "red" for one in judged if not one.good}
    typer.echo(table((words, typer.style(value, fg=colours.get(words))) for words, value in lines))
    for one in judged:
        if not one.good:
            typer.echo(f"{typer.style(str(one), fg='red')}")


def _pictures(recording: Recording, folder: Path, *, movie: bool, progress: Progress) -> list[Path]:
    """Draw what is missing; a picture that fails is told and costs nothing but itself."""
    from barchan import draw
    from barchan.draw.units import playing_pace

    scene = recording.scene
    count = len(recording)
    stride = -(-count // MOVIE_FRAMES)
    rate = min(scene.frame_rate * playing_pace(scene.frame_rate) / stride, MOVIE_RATE)
    color = scene.method.color
    wanted: dict[str, Callable[[Path], Path]] = {
        "summary.png": lambda path: draw.save_figure(draw.draw_summary(recording), path),
        "scene.png": lambda path: draw.save_figure(draw.draw_scene(recording[-1], scene, color=color), path),
    }
    if movie and count > 1:
        frames = range(0, count, stride)
        wanted["movie.gif"] = lambda path: draw.write_movie(
            recording, path, scene, fps=rate, frames=frames,
            progress=lambda done, total: progress.status("drawing movie.gif", f"{done} of {total}"), color=color,
        )  # fmt: skip
    made = []
    for name, write in wanted.items():
        path = folder / name
        try:
            if not path.exists():
                progress.status(f"drawing {name}")
                write(path)
            made.append(path)
        except Exception as problem:
            progress.note(f"{name} could not be drawn ({problem}); the recording is whole")
    return made


def main() -> None:
    """The entry point of `barchan`."""
    app(prog_name="barchan")


if __name__ == "__main__":
    main()
